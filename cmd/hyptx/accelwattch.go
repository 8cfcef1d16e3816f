package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/accelwattch"
	"hyptx/internal/textfile"
)

// hyptx accelwattch: what the paper on the power model shows of it, from what was
// published. What needs programs is elsewhere: `hyptx power validate --end-to-end`.

// accelWattchFlags are the flags of hyptx accelwattch.
type accelWattchFlags struct {
	folder, plot string
	themeFlag
}

var _ = register((*app).accelWattchCommand)

func (a *app) accelWattchCommand() *cobra.Command {
	var f accelWattchFlags
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
		Example: "  hyptx accelwattch\n  hyptx accelwattch -o out --plot png\n  hyptx accelwattch lanes -o out --plot svg --theme dark",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return a.accelWattch(args, names, &f) },
	}
	fl := c.Flags()
	fl.StringVarP(&f.folder, "output", "o", "", "write the tables to this `folder`, which is made if it is not there; without it they are shown")
	choose(c, &f.plot, "plot", "none", "draw the figures to the folder of -o: none, svg, png or pdf", "none", "svg", "png", "pdf")
	f.addTheme(c)
	return c
}

// accelWattch runs the command.
func (a *app) accelWattch(args, names []string, f *accelWattchFlags) error {
	for _, arg := range args {
		if !slices.Contains(names, arg) {
			return usagef("%s: must be %s", arg, or(names))
		}
	}
	list := slices.DeleteFunc(slices.Clone(accelwattch.Experiments), func(e accelwattch.Experiment) bool {
		return len(args) > 0 && !slices.Contains(args, e.Name)
	})
	switch {
	case f.folder == "-":
		return usagef("-o -: several files are written; name a folder")
	case f.folder == "" && f.plot != "none":
		return usagef("--plot %s: -o says which folder the figures go to", f.plot)
	case f.undrawn(f.plot != "none"):
		return usagef(errUndrawn)
	case f.folder == "":
		a.showAccelWattch(list)
		return nil
	}
	outputs := f.outputs(list)
	if err := os.MkdirAll(f.folder, 0o777); err != nil {
		return textfile.PlainError(err)
	}
	if err := a.checkOutputs(nil, outputs...); err != nil {
		return err
	}
	_, err := a.writeOutputs(outputs)
	return err
}

// outputs are the files of experiments in the folder.
func (f *accelWattchFlags) outputs(list []accelwattch.Experiment) (outputs []*output) {
	for _, e := range list {
		outputs = append(outputs, &output{flag: "-o", path: filepath.Join(f.folder, e.Table+".csv"), as: asCSV,
			fill: func(w io.Writer) error {
				return analysis.RowWriter(w, analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(nil)})(e.Rows())
			}})
		for _, of := range e.Figures {
			if f.plot != "none" {
				outputs = append(outputs, &output{flag: "-o", path: filepath.Join(f.folder, of.Name+"."+f.plot), as: asPicture,
					fill: drawn(func() ([]byte, error) { return of.Draw(f.look(f.plot)) })})
			}
		}
	}
	return outputs
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
