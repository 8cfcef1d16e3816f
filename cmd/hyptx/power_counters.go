package main

import (
	"io"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/power"
)

// hyptx power counters: what may stand in a file of counters. The list is made of
// what the readers know, with the energy of each on a GV100, so that whoever writes
// such a file sees which columns matter: most events cost picojoules, a sector of
// DRAM nanojoules.

// powerCountersCommand lists what --counters and power tune read.
func (a *app) powerCountersCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "counters",
		Short: "List the columns of the files that --counters and power tune read",
		Long: "List the columns of a CSV file for `hyptx power --counters` and `hyptx power tune`:\n" +
			"AccelWattch's counters with what one costs on a GV100, the state of the chip, and\n" +
			"Nsight Compute's metrics that stand for them. Nsight Compute's own CSV (ncu --csv,\n" +
			"best with --page raw) is read as it is; what it does not count, as lanes, can be\n" +
			"added to it as columns.",
		Example: "  hyptx power counters\n  hyptx power counters -o counters.csv",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows, text := power.ColumnFacts()
			if out == "" {
				_, err := io.WriteString(a.text, text)
				return err
			}
			return a.writeRows(out, analysis.Stamp{Version: version()}, rows)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write them to this `file` as CSV (- for standard output)")
	return c
}
