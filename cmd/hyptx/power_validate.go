package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
	"hyptx/power"
)

// hyptx power validate: how good is the model? The figures that papers publish are
// recomputed here from the published tables and counters, so that a change of the
// energies or equations is seen to change them. A row names the table it is held
// against; chips on which nothing was fitted stand apart, because only these say
// what a prediction is worth.

func (a *app) powerValidateCommand() *cobra.Command {
	f := &endToEndFlags{}
	c := &cobra.Command{
		Use:   "validate",
		Short: "Recompute the published accuracy of the power model",
		Long: "Recompute how well the power model meets measured power: the headline figures of\n" +
			"AccelWattch from its published tables of kernels, the model run on published\n" +
			"counters, and, apart, chips that no coefficient was fitted to. With --end-to-end\n" +
			"our versions of its kernels go from PTX to watts, and each has a row beside what\n" +
			"a GV100 drew, what AccelWattch's four variants say, and the best constant: `timed`\n" +
			"is our error in the measured time, x are our machine instructions and sectors of\n" +
			"DRAM over those that hardware counted.",
		Example: "  hyptx power validate\n  hyptx power validate -o accuracy.csv\n" +
			"  hyptx power validate --end-to-end\n" +
			"  hyptx power validate --end-to-end --time-model simulated --variant sass_sim -o kernels.csv",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.dir != "" {
				return a.endToEnd(c.Context(), f)
			}
			for _, flag := range []string{"time-model", "variant"} {
				if c.Flags().Changed(flag) {
					return usageError{fmt.Errorf("--%s has no effect without --end-to-end", flag)}
				}
			}
			rows, err := power.Validate()
			if err != nil {
				return err
			}
			if f.out == "" {
				a.writeValidation(rows)
				return nil
			}
			return a.writeRows(f.out, analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(nil)}, rows)
		},
	}
	fl := c.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write the figures here as CSV (- for standard output)")
	fl.StringVar(&f.dir, "end-to-end", "", "from PTX to watts, by the manifests in this `folder`; without =FOLDER of the programs that ship with hyptx")
	fl.Lookup("end-to-end").NoOptDefVal = shippedPrograms
	fl.StringSliceVar(&f.models, "time-model", []string{roofline.SimulatedModel.Name, roofline.Extended.Name}, "time models, a `list`")
	fl.StringSliceVar(&f.variants, "variant", endToEndVariants, "whose energies are charged, a `list` of "+strings.Join(endToEndVariants, ", "))
	a.limits.add(c)
	return c
}

// writeValidation prints the rows as a table, section by section: the mean absolute
// error in percent with its 95 % confidence interval, the largest error, the mean
// signed one (a model may be good on average and always too low), and how well the
// order of kernels is met (Pearson's r).
func (a *app) writeValidation(rows []*power.ValidationRow) {
	for section := range table.Runs(rows, func(a, b *power.ValidationRow) bool { return a.Section == b.Section }) {
		if section[0] != rows[0] {
			a.say("")
		}
		fmt.Fprint(a.text, table.Narrow(power.SectionTitles[section[0].Section]+"\n\n", a.columns()))
		s := &sheet{indent: "  ", spare: []string{"r", "kernels"}, more: "-o FILE writes all"}
		s.add("", "kernels", "MAPE %", "95% CI", "max %", "bias %", "r")
		for _, r := range section {
			s.add(r.Table, fmt.Sprint(r.N), fmt.Sprintf("%.3f", r.MAPEPct), fmt.Sprintf("+- %.3f", r.CI95Pct),
				fmt.Sprintf("%.2f", r.MaxPct), fmt.Sprintf("%.2f", r.BiasPct), cmp.Or(r.PearsonR.Fixed(3), "unknown"))
		}
		s.print(a.text, a.columns())
		for _, r := range section {
			if r.Remark != "" {
				a.sayFolded("  (%s: %s)", r.Table, r.Remark)
			}
		}
	}
}
