package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/accelwattch"
)

// hyptx accelwattch: what the paper on the power model shows of it, from what was
// published. What needs programs is elsewhere: `hyptx power validate --end-to-end`.

var _ = register((*app).accelWattchCommand)

func (a *app) accelWattchCommand() *cobra.Command {
	var f folderFlags
	var names, about []string
	for _, e := range accelwattch.Experiments {
		names, about = append(names, e.Name), append(about, fmt.Sprintf("  %-9s %s", e.Name, e.About))
	}
	c := &cobra.Command{
		Use:   "accelwattch [EXPERIMENT]...",
		Short: "Repeat the tables and figures of the paper on the power model",
		Long: "Repeat what AccelWattch's paper (MICRO 2021) shows of its model, all or some:\n\n" + strings.Join(about, "\n") +
			"\n\nWith -o a folder gets a CSV file of each, and, with --plot, figures 3 to 5, 7 to 12 and\n" +
			"the baseline GPUWattch. Its programs from PTX to watts: `hyptx power validate --end-to-end`.",
		Example:           "  hyptx accelwattch\n  hyptx accelwattch -o out --plot png\n  hyptx accelwattch lanes -o out --plot svg --theme dark",
		ValidArgsFunction: completeNames(func() []string { return names }),
		Args:              cobra.ArbitraryArgs,
		RunE:              func(_ *cobra.Command, args []string) error { return a.accelWattch(args, &f) },
	}
	f.addFolder(c, "the tables", "they are shown")
	return c
}

// accelWattch runs the command.
func (a *app) accelWattch(args []string, f *folderFlags) error {
	list, err := chosenOf(accelwattch.Experiments, func(e accelwattch.Experiment) string { return e.Name }, args)
	if err != nil {
		return err
	}
	if err := f.checkFolder(); err != nil {
		return err
	}
	if f.folder == "" {
		a.showAccelWattch(list)
		return nil
	}
	var none []analysis.Input
	var outputs []*output
	for _, e := range list {
		outputs = append(outputs, rowsTo("-o", f.in(e.Table+".csv"), &none, e.Rows))
		for _, of := range e.Figures {
			if f.draws() {
				outputs = append(outputs, f.picture(of.Name, of.Draw))
			}
		}
	}
	if err := a.checkOutputs(nil, outputs...); err != nil {
		return err
	}
	_, err = a.writeOutputs(outputs)
	return err
}

// showAccelWattch prints what the experiments come to, beside the paper.
func (a *app) showAccelWattch(list []accelwattch.Experiment) {
	s := sheet{more: "-o FOLDER writes all"}
	s.add("", "hyptx", "paper")
	for i := range list {
		for _, l := range list[i].Summary() {
			s.add(l.What, l.Ours, l.Paper)
		}
	}
	s.print(a.text, a.columns())
	a.say("\n-o FOLDER writes each kernel, GPU and number of lanes; --plot png draws the figures.")
}
