package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/roofline"
	"hyptx/internal/silicon"
)

// hyptx validate: how good are the models? `validate silicon` predicts kernels that
// somebody measured on real GPUs, and says how far off it is. Nothing is fitted to
// what it reads. (`power validate` recomputes what papers say of the power model.)
//
// A measurement is a row of GPU, clocks and launch, and hundreds of them share a
// manifest. So rows are gathered by manifest, each of which is emulated once, with all boards and
// clocks that ask for it; what comes out is joined with the rows again, and a row without a
// figure keeps its reason. Tables are made of rows alone, whether they were predicted now or read
// from files that an earlier run wrote.

// validateFlags are the flags of hyptx validate silicon.
type validateFlags struct {
	modelFlags
	set, gpus, traffic string
	sample             hierarchy.Sample
	energyScale        float64
	worst              int
	without            []silicon.Without
	rows               []string // files that --csv wrote, in the place of DIR
	csv, md            *output
	inputs             []analysis.Input
}

var _ = register((*app).validateCommand)

func (a *app) validateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "validate", Short: "Hold the models of time and power against measurements",
		Example: "  hyptx validate silicon measurements",
		Long:    "Hold the models of time and power against measurements of real GPUs.",
	}
	c.AddCommand(a.validateSiliconCommand())
	return c
}

func (a *app) validateSiliconCommand() *cobra.Command {
	f := &validateFlags{csv: &output{flag: "--csv", as: asCSV}, md: &output{flag: "--md", as: asMarkdown}}
	c := &cobra.Command{
		Use:   "silicon {DIR | --rows FILE.csv}",
		Short: "Predict all rows of a folder of measurements, and say how far off they are",
		Long: "Predict every row of a folder of measurements: time by a time model, power by the\n" +
			"power model, and say by set, GPU and clock how far off they are, what a constant or\n" +
			"a plain roofline would be, and which rows are worst. DIR (or DIR/kernels) has tables\n" +
			"measured/*.csv with the columns set, gpu, sm_mhz, mem_mhz, manifest, launch, scale,\n" +
			"program, kernel, time_us and power_w; the manifests that they name, by paths relative\n" +
			"to it; and maybe gpus/*.json for boards that hyptx does not know. An empty cell was\n" +
			"not measured. A manifest is emulated once for all boards and clocks. With --rows the\n" +
			"tables are of rows that --csv wrote: a long run can be made in parts, set by set.",
		Example: "  hyptx validate silicon measurements\n" +
			"  hyptx validate silicon measurements --set nv-dvfs --gpu t4,k80.json --csv rows.csv\n" +
			"  hyptx validate silicon measurements --time-model thesis --launch-timeout 2m --md VALIDATION.md",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := refuse(refusal{len(args) == 0 && f.rows == nil, "name a folder of measurements, or files of rows with --rows"},
				refusal{len(args) > 0 && f.rows != nil, "name a folder of measurements, or files of rows with --rows, not both"}); err != nil {
				return err
			}
			if f.rows != nil {
				return a.validateRows(f)
			}
			return a.validateSilicon(c.Context(), args[0], f)
		},
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.rows, "rows", nil, "make the tables of these `files`, which --csv wrote, and predict nothing")
	fl.StringVar(&f.set, "set", "", "only the rows of this set, by `name`")
	fl.Func("without", "leave out the rows that have this in a column of their table, as `COLUMN=VALUE`; may be repeated", func(s string) error {
		w, err := silicon.ParseWithout(s)
		f.without = append(f.without, w)
		return err
	})
	fl.StringVar(&f.gpus, "gpu", "", "only the rows of these GPUs, a `list` of names and files *.json; a file stands for the board of its title")
	complete(c, "gpu", gpu.Names)
	f.modelFlags.add(c, byDefault)
	choose(c, &f.traffic, "traffic", "model", "where DRAM traffic comes from: the model of each GPU's caches (model), or each byte once, which is quicker to find and leaves most powers without a figure (footprint)", "model", "footprint")
	fl.Func("sample", "run only a sample of the waves of large launches for their accesses of memory and modelled caches, a `share` (0.1) or a number of CTAs a launch", func(s string) (err error) {
		f.sample, err = hierarchy.ParseSample(s)
		return err
	})
	fl.Float64Var(&f.energyScale, "energy-scale", 0, "a `factor` on a GV100's energies for GPUs of whose technology none was published")
	within(c, "energy-scale", &f.energyScale, maxEnergyScale, "")
	fl.IntVar(&f.worst, "worst", 3, "name this `number` of rows that are farthest off, of each GPU and clock")
	atLeast(c, "worst", &f.worst, 0)
	fl.StringVar(&f.csv.path, "csv", "", "write a row for each measured row to this `file`: *.csv (- for standard output)")
	fl.StringVar(&f.md.path, "md", "", "write the tables to this `file` as Markdown: *.md; of a file that has the marks of these tables only what is between them")
	a.limits.add(c)
	return c
}

// asMarkdown is the format of --md.
var asMarkdown = format{[]string{".md"}, "it is Markdown (*.md)", false}

// validateSilicon runs the command.
func (a *app) validateSilicon(ctx context.Context, dir string, f *validateFlags) error {
	plan, err := a.validatePlan(f)
	if err != nil {
		return err
	}
	folder, err := silicon.Open(dir, f.set, f.without...)
	if err != nil {
		return err
	}
	if err := a.checkOutputs(append(gpuFiles(f.gpus), folder.Files...), f.csv, f.md); err != nil {
		return err
	}
	for _, path := range append(gpuFiles(f.gpus), folder.Files...) {
		if _, err := a.readInput(path, &f.inputs); err != nil {
			return err
		}
	}
	a.noteAll(folder.Passed)
	failed := plan.Run(ctx, folder)
	if isUsage(failed) {
		return failed
	}
	return errors.Join(failed, a.writeSilicon(f, folder.Rows, f.made(len(folder.Rows))))
}

// validateRows makes the tables of rows that were predicted before.
func (a *app) validateRows(f *validateFlags) error {
	if err := a.checkOutputs(f.rows, f.csv, f.md); err != nil {
		return err
	}
	var rows []*silicon.Row
	var versions, models []string
	for _, path := range f.rows {
		src, err := a.readInput(path, &f.inputs)
		if err != nil {
			return err
		}
		list, version, err := silicon.ReadRows(src.Name, src.Text)
		if err != nil {
			return err
		}
		rows, versions = append(rows, list...), append(versions, version)
		for _, r := range list {
			models = append(models, r.TimeModel)
		}
	}
	silicon.InOrder(rows)
	distinct := func(list []string) string {
		slices.Sort(list)
		return strings.Join(slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" }), ", ")
	}
	return a.writeSilicon(f, rows, fmt.Sprintf("hyptx %s; %s; time model %s.", distinct(versions), plural(len(rows), "row"), distinct(models)))
}

// writeSilicon writes the tables and the rows; made says how they were made.
func (a *app) writeSilicon(f *validateFlags, rows []*silicon.Row, made string) error {
	var old []byte // the text around the tables
	if f.md.asked() {
		var err error
		if old, err = os.ReadFile(f.md.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	report := &silicon.Report{Rows: rows, Worst: f.worst}
	f.csv.fill = fillRows(&f.inputs, func() any { return rows })
	f.md.fill = func(w io.Writer) error { return report.WriteMarkdown(w, made, string(old)) }
	onStdout, err := a.writeOutputs([]*output{f.csv, f.md})
	if !onStdout && err == nil {
		err = report.WriteText(a.text, a.columns())
	}
	return err
}

// validatePlan is what the flags ask for.
func (a *app) validatePlan(f *validateFlags) (*silicon.Plan, error) {
	model, err := f.choice()
	if err != nil {
		return nil, err
	}
	if err := refuse(refusal{f.traffic == "footprint" && f.sample != hierarchy.Sample{},
		"--sample: says how much the caches see, which needs --traffic model"}); err != nil {
		return nil, err
	}
	p := &silicon.Plan{Analysis: a.options(analysis.Memory, &programFlags{}), Time: roofline.DefaultOptions(), Footprint: f.traffic == "footprint", EnergyScale: f.energyScale}
	p.Time.Model, p.Analysis.Sample = model, f.sample
	f.into(&p.Analysis)
	if f.gpus != "" {
		if p.GPUs, err = gpu.List(f.gpus); err != nil {
			return nil, err
		}
	}
	p.Open = a.opener(&f.inputs)
	return p, nil
}

// made says in a line how the tables were made.
func (f *validateFlags) made(rows int) string {
	caches := "caches see all requests"
	switch {
	case f.traffic == "footprint":
		caches = "no caches: each byte goes through DRAM once"
	case f.sample.CTAs > 0:
		caches = fmt.Sprintf("caches see a sample of %d CTAs of each launch", f.sample.CTAs)
	case f.sample.Share > 0:
		caches = fmt.Sprintf("caches see a share of %g of each launch", f.sample.Share)
	}
	name := f.modelName()
	if name == roofline.SimulatedModel.Name {
		caches = "caches are simulated"
	}
	list := []string{"hyptx " + version(), plural(rows, "row"), "time model " + name, caches}
	for _, w := range f.without {
		list = append(list, "without the rows "+w.Column+"="+w.Value)
	}
	if f.energyScale != 0 {
		list = append(list, fmt.Sprintf("energies of technologies without a published factor: a GV100's x %g", f.energyScale))
	}
	return strings.Join(list, "; ") + "."
}
