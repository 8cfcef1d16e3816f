package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/power"
)

// hyptx power validate: how good is the model? The figures that papers publish are
// recomputed here from the published tables and counters, so that a change of the
// energies or equations is seen to change them. A row names the table it is held
// against; chips on which nothing was fitted stand apart, because only these say
// what a prediction is worth.

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
				a.writeValidation(rows)
				return nil
			}
			return a.writeRows(out, analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(nil)}, rows)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the figures here as CSV (- for standard output)")
	return c
}

// writeValidation prints the rows as a table, section by section: the mean absolute
// error in percent with its 95 % confidence interval, the largest error, the mean
// signed one (a model may be good on average and always too low), and how well the
// order of kernels is met (Pearson's r).
func (a *app) writeValidation(rows []*power.ValidationRow) {
	section := ""
	for _, r := range rows {
		if r.Section != section {
			if section != "" {
				a.say("")
			}
			section = r.Section
			a.say("%s\n\n  %-46s kernels  MAPE %%  95%% CI    max %%   bias %%  Pearson r", power.SectionTitles[section], "")
		}
		a.say("  %-46s %7d %7.3f  +-%6.3f %7.2f %8.2f %10s", r.Table, r.N, r.MAPEPct, r.CI95Pct, r.MaxPct, r.BiasPct, correlation(r.PearsonR, 3))
		if r.Remark != "" {
			a.say("    (%s)", r.Remark)
		}
	}
}

// correlation writes a correlation coefficient.
func correlation(r analysis.Real, decimals int) string {
	if !r.Known {
		return "unknown"
	}
	return strconv.FormatFloat(r.X, 'f', decimals, 64)
}
