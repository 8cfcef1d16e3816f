package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/power"
)

func (a *app) powerValidateCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "validate",
		Short: "Recompute the published accuracy of the power model",
		Long: "Recompute how well the power model meets measured power: the headline figures of\n" +
			"AccelWattch from its published tables of kernels, the model run on published\n" +
			"counters, and, apart, chips that no coefficient was fitted to.",
		Example: "  hyptx power validate\n  hyptx power validate -o accuracy.csv",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows, err := power.Validate()
			if err != nil {
				return err
			}
			if out == "" {
				return writeValidation(a.stdout, rows)
			}
			return a.write(out, func(w io.Writer) error {
				return analysis.WriteRows(w, analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(nil)}, rows)
			})
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the figures here as CSV (- for standard output)")
	return c
}

// writeValidation writes the rows as a table, section by section.
func writeValidation(w io.Writer, rows []*power.ValidationRow) error {
	var b strings.Builder
	section := ""
	for _, r := range rows {
		if r.Section != section {
			if section != "" {
				b.WriteString("\n")
			}
			section = r.Section
			fmt.Fprintf(&b, "%s\n\n  %-46s kernels  MAPE %%  95%% CI    max %%   bias %%  Pearson r\n", power.SectionTitles[section], "")
		}
		fmt.Fprintf(&b, "  %-46s %7d %7.3f  +-%6.3f %7.2f %8.2f %10s\n", r.Table, r.N, r.MAPEPct, r.CI95Pct, r.MaxPct, r.BiasPct, correlation(r.PearsonR, 3))
		if r.Remark != "" {
			fmt.Fprintf(&b, "    (%s)\n", r.Remark)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// correlation writes a correlation coefficient.
func correlation(r analysis.Real, decimals int) string {
	if !r.Known {
		return "unknown"
	}
	return strconv.FormatFloat(r.X, 'f', decimals, 64)
}
