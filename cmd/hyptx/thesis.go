package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/internal/textfile"
	"hyptx/internal/thesis"
)

// hyptx thesis: the experiments of Konstantinidis' thesis, whose roofline model hyptx has.

// thesisFlags are the flags of hyptx thesis.
type thesisFlags struct {
	folderFlags
	gpus    []string
	small   bool
	figures []thesis.Figure
	result  thesis.Result
	inputs  []analysis.Input
}

var _ = register((*app).thesisCommand)

func (a *app) thesisCommand() *cobra.Command {
	var f thesisFlags
	var names, about []string
	for _, e := range thesis.Experiments {
		names, about = append(names, e.Name), append(about, fmt.Sprintf("  %-9s %s", e.Name, e.About))
	}
	c := &cobra.Command{
		Use:   "thesis [EXPERIMENT]...",
		Short: "Repeat the experiments of the thesis on the roofline model",
		Long: "Repeat the experiments of Konstantinidis' thesis (2017), all or some, beside what it prints:\n\n" +
			strings.Join(about, "\n") + "\n\nWith -o a folder gets thesis_kernels.csv, thesis_times.csv, thesis_mixbench.csv and\n" +
			"thesis_memory.csv, and, with --plot, the figures. Counts and traffic are those that we emulate\n" +
			"of a GTX-480, as its profiler's went for all GPUs there.",
		Example:           "  hyptx thesis -o out --plot png\n  hyptx thesis counters programs\n  hyptx thesis memory --gpu gv100,a100 -o out --plot svg",
		ValidArgsFunction: completeNames(func() []string { return names }),
		Args:              cobra.ArbitraryArgs,
		RunE:              func(c *cobra.Command, args []string) error { return a.thesis(c.Context(), args, &f) },
	}
	fl := c.Flags()
	f.addFolder(c, "the tables", "they are shown")
	fl.StringSliceVar(&f.gpus, "gpu", []string{"gv100"}, "GPUs whose memories are simulated, a `list` of names (hyptx gpus lists them) and files *.json")
	complete(c, "gpu", gpu.Names)
	fl.BoolVar(&f.small, "small", false, "emulate small versions of the programs, of which little that is printed can stand beside")
	a.limits.add(c)
	return c
}

// thesis runs the command.
func (a *app) thesis(ctx context.Context, args []string, f *thesisFlags) error {
	list, err := chosenOf(thesis.Experiments, func(e thesis.Experiment) string { return e.Name }, args)
	if err != nil {
		return err
	}
	devices, err := roofline.Devices(f.gpus)
	if err != nil {
		return err
	}
	if err := a.prepareThesis(f, list); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "hyptx-thesis-*")
	if err != nil {
		return textfile.PlainError(err)
	}
	defer os.RemoveAll(folder)
	lab := thesis.Lab{Memories: devices, Analysis: a.options(analysis.Control, &programFlags{})}
	open := a.opener(&f.inputs)
	lab.Open = func(name string, o analysis.Options) (*analysis.Session, error) {
		files, err := sampleFiles("benchmarks/" + name)
		if err := cmp.Or(err, a.writeFiles(files, folder)); err != nil {
			return nil, err
		}
		return open(filepath.Join(folder, "benchmarks", name+".json"), o)
	}
	var failed error
	for _, e := range list {
		lab.Programs = e.Programs
		if f.small {
			lab.Programs = e.Small
		}
		failed = errors.Join(failed, e.Run(ctx, &f.result, lab))
		if ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		f.plot = "none" // the run is to end, and figures take their time
	}
	_, unwritten := a.writeOutputs(f.outputs(list, func(n int) bool { return n > 0 }))
	if f.folder == "" {
		a.showThesis(&f.result)
	}
	return errors.Join(failed, unwritten)
}

// outputs are the files of experiments in the folder; of tables only those whose number of
// rows is wanted, and figures if all tables of theirs are.
func (f *thesisFlags) outputs(list []thesis.Experiment, wanted func(rows int) bool) (outputs []*output) {
	if f.folder == "" {
		return nil
	}
	runs := func(of []string) bool {
		return slices.ContainsFunc(list, func(e thesis.Experiment) bool { return slices.Contains(of, e.Name) })
	}
	there := func(of []string) bool {
		return runs(of) && slices.ContainsFunc(thesis.Tables, func(t thesis.Table) bool {
			return slices.Equal(t.Experiments, of) && wanted(t.Len(&f.result))
		})
	}
	for _, t := range thesis.Tables {
		if there(t.Experiments) {
			outputs = append(outputs, rowsTo("-o", f.in(t.Name+".csv"), &f.inputs, func() any { return t.Rows(&f.result) }))
		}
	}
	for _, of := range f.figures {
		if f.draws() && there(of.Experiments) {
			outputs = append(outputs, f.picture(of.Name, func(look figure.Look) ([]byte, error) { return of.Draw(&f.result, look) }))
		}
	}
	return outputs
}

// prepareThesis makes the folder and checks that what is to be written there can be.
func (a *app) prepareThesis(f *thesisFlags, list []thesis.Experiment) (err error) {
	if err := f.checkFolder(); err != nil {
		return err
	}
	if f.figures, err = thesis.Figures(); err != nil {
		return err
	}
	return a.checkOutputs(nil, f.outputs(list, func(int) bool { return true })...)
}

// showThesis prints the tables, ours beside what is printed and was measured.
func (a *app) showThesis(r *thesis.Result) {
	if len(r.Kernels) > 0 {
		s := sheet{spare: []string{"D_ldst of", "D_ops of", "W_traf of", "W_comp of"}, more: "-o FOLDER writes all"}
		s.add("kernel", "by", "W_comp", "W_comp of", "W_traf", "W_traf of", "D_ops %", "D_ops of", "D_ldst %", "D_ldst of")
		for _, k := range r.Kernels {
			s.add(k.Kernel, k.Source, k.Ops.Fixed(0), k.PrintedOps.Fixed(0), k.Bytes.Fixed(0), k.PrintedBytes.Fixed(0),
				k.OpsPct.Fixed(2), k.PrintedOpsPct.Fixed(2), k.LdStPct.Fixed(2), k.PrintedLdStPct.Fixed(2))
		}
		a.say("Kernels; `of` is as the thesis prints it\n")
		s.print(a.text, a.columns())
		a.say("")
		s = sheet{spare: []string{"printed %", "bound"}, more: "-o FOLDER writes all"}
		s.add("kernel", "by", "GPU", "bound", "ms", "printed", "measured", "error %", "printed %")
		for _, t := range r.Times {
			s.add(t.Kernel, t.Source, t.GPU, t.Bound, t.MS.Fixed(3), t.PrintedMS.Fixed(3), t.MeasuredMS.Fixed(3),
				t.ErrorPct.Fixed(2), t.PrintedErrorPct.Fixed(2))
		}
		s.print(a.text, a.columns())
	}
	a.showMixbench(r)
	if len(r.Memory) > 0 {
		s := sheet{}
		s.add("GPU", "memory", "bytes", "KiB", "model", "GB/s", "10^9 a second")
		for _, m := range r.Memory {
			s.add(m.GPU, m.Memory, fmt.Sprint(m.Bytes), m.KiB.Fixed(0), m.Model, m.GBps.Fixed(0), m.GOPS.Fixed(0))
		}
		a.say("")
		s.print(a.text, a.columns())
	}
}

// showMixbench prints how far off the sweeps are.
func (a *app) showMixbench(r *thesis.Result) {
	if len(r.Mixbench) == 0 {
		return
	}
	s := sheet{}
	s.add("mixbench on", "type", "points", "mean error %", "largest %")
	for _, sum := range r.MixbenchErrors() {
		s.add(sum.GPU, sum.Type, fmt.Sprint(sum.N), sum.MeanPct.Fixed(1), sum.MaxPct.Fixed(1))
	}
	a.say("")
	s.print(a.text, a.columns())
}
