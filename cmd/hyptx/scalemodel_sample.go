package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel sample: which launches of a long program are worth simulating. How
// many instructions each executes is counted exactly and at once; launches of a kernel
// that execute about as many take about as long, so that one of them stands for all.

func (a *app) scalemodelSampleCommand() *cobra.Command {
	var out, kernel string
	var bare manifest.Flags
	var failFast bool
	c := &cobra.Command{
		Use: "sample MANIFEST.json", Short: "Choose launches that stand for the others (Sieve)", Args: cobra.ExactArgs(1),
		Long: `Put the launches of a program into strata that one launch each stands for, by how many thread instructions they execute (Sieve, ISPASS
2023): launches of a kernel with equal counts (tier 1), with nearly equal ones (tier 2), and what others fall into where their counts
lie apart (tier 3). The weight is a stratum's share of all instructions: 1 over the sum of weight / IPC of the representatives is
the IPC of the program. What is printed at the end chooses the representatives.`,
		Example: "  hyptx scalemodel sample ptx-samples/networks/resnet50.json\n  hyptx scalemodel sample net.json -o sampling.csv",
		RunE: func(c *cobra.Command, args []string) error {
			var rows []*scalemodel.StratumRow
			var inputs []analysis.Input
			outputs := []*output{rowsTo("-o", out, &inputs, func() any { return rows })}
			if err := a.checkOutputs(args, outputs...); err != nil {
				return err
			}
			s, err := a.openOne(args[0], bare, a.options(analysis.Control, &programFlags{kernel: kernel, failFast: failFast}))
			if err != nil {
				return err
			}
			inputs = s.Inputs
			p, failed := s.Profile(c.Context())
			a.noteAssumed(s)
			if !p.Complete() {
				return failed
			}
			if rows, err = scalemodel.StratumRows(p); err != nil {
				return errors.Join(failed, err)
			}
			t, chosen := strataTable(rows)
			if err := errors.Join(failed, a.finishRows(t, out, outputs)); err != nil || out != "" {
				return err
			}
			// A line of its own, however long: it is there to be copied.
			a.say("--launch %s", strings.Join(chosen, ","))
			return nil
		},
	}
	c.Flags().StringVar(&kernel, "kernel", "", "only this kernel, by its PTX, C++ or base `name`")
	c.Flags().StringVarP(&out, "output", "o", "", "write sampling.csv to this `file` (- for standard output)")
	addFailFast(c, &failFast)
	addBare(c, &bare)
	a.limits.add(c)
	c.ValidArgsFunction = completeFiles("json", "ptx")
	return c
}

// strataTable shows strata, and returns the numbers of their representatives.
func strataTable(rows []*scalemodel.StratumRow) (t *sheet, chosen []string) {
	t = &sheet{}
	t.add("kernel", "tier", "launches", "representative", "weight")
	for _, r := range rows {
		if r.Missing != "" {
			t.add(r.Kernel, "failed", fmt.Sprint(r.Launches), "", "")
			continue
		}
		t.add(r.Kernel, fmt.Sprint(r.Tier), fmt.Sprint(r.Launches), strconv.Itoa(r.Representative), figures(r.Weight, 6))
		chosen = append(chosen, strconv.Itoa(r.Representative))
	}
	return t, chosen
}
