package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
)

// profileFlags are the flags of hyptx profile.
type profileFlags struct {
	out, perCTA, perInstruction, loops, json string
	byKernel                                 string
	top                                      int
	mode, kernel, launch, gpu, sample        string
	metrics                                  []string
	paths, verify, noTotal, analysisTime     bool
	bare                                     bareFlags
}

var _ = register((*app).profileCommand)

func (a *app) profileCommand() *cobra.Command {
	var f profileFlags
	c := &cobra.Command{
		Use:   "profile {MANIFEST.json | FILE.ptx}...",
		Short: "Count what each launch executes",
		Long: "Count what each launch of a manifest executes, exactly, by emulating only the\n" +
			"instructions that decide where threads go. A bare .ptx file is profiled with the\n" +
			"launch that the flags give; what they leave out is assumed and marked so.\n" +
			"\"-\" is standard input; files may be gzipped.",
		Example: "  hyptx profile net.json -o profile.csv\n" +
			"  hyptx profile net.json --verify --per-instruction hot.csv\n" +
			"  hyptx profile net.json --top 5\n" +
			"  hyptx profile net.json --mode memory --gpu gv100 -o profile.csv\n" +
			"  hyptx profile k.ptx --grid 1024 --block 256 --arg n=262144\n" +
			"  hyptx profile kernels/*.ptx -o all.csv",
		Args:              func(_ *cobra.Command, args []string) error { return f.checkArgs(args) },
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.profile(c, args, &f) },
	}
	fl := c.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write profile.csv to this `file` (- for standard output); without it a table is shown")
	fl.StringVar(&f.mode, "mode", "control", "how much to emulate, a `mode`: static, control, memory or full")
	fl.StringVar(&f.kernel, "kernel", "", "only this kernel, by its PTX, C++ or base `name`")
	fl.StringVar(&f.launch, "launch", "", "only these launches: `numbers` from 0, ranges or labels, as 0,7-9")
	fl.StringSliceVar(&f.metrics, "metrics", nil, "only these `columns`, as branches,flop_count_sp; list prints what there is")
	fl.StringVar(&f.byKernel, "by-kernel", "", "write the sums of each kernel to this `file`, the largest first")
	fl.IntVar(&f.top, "top", 0, "show, and write to --by-kernel, the kernels with the most warp instructions: this `number` of them")
	fl.StringVar(&f.perCTA, "per-cta", "", "write the counts of each CTA to this `file`")
	fl.StringVar(&f.perInstruction, "per-instruction", "", "write the counts of each instruction to this `file`")
	fl.StringVar(&f.loops, "loops", "", "write the trip counts of each loop to this `file`")
	fl.StringVar(&f.json, "json", "", "write all of it as one JSON document to this `file`")
	fl.BoolVar(&f.noTotal, "no-total", false, "write the rows of launches only")
	fl.BoolVar(&f.analysisTime, "analysis-time", false, "fill the column analysis_ms; equal runs then differ in it")
	fl.BoolVar(&f.paths, "paths", false, "count the different paths of threads")
	fl.BoolVar(&f.verify, "verify", false, "emulate everything beside it and fail unless all counts are equal")
	fl.StringVar(&f.sample, "sample", "", "with --gpu: let the caches see a sample of the waves of large launches, a `share` (0.1) or a number of CTAs a launch; without it they see all")
	fl.StringVar(&f.gpu, "gpu", "", "model the caches of this GPU, with --mode memory or full: a `name` (hyptx gpus lists them) or a file *.json")
	f.bare.add(c)
	a.limits.add(c)
	c.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{"static", "control", "memory", "full"}, cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("metrics", cobra.FixedCompletions(columnNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// profile runs the command, one argument after the other. What is complete is
// written even if something failed.
func (a *app) profile(c *cobra.Command, args []string, f *profileFlags) error {
	if f.listsMetrics() {
		return a.listColumns()
	}
	if err := formatOf(&f.out, &f.json); err != nil {
		return err
	}
	opts, err := a.profileOptions(f)
	if err != nil {
		return err
	}
	if err := a.checkOutputs(append(slices.Clone(args), f.gpuFile()...), f.out, f.byKernel, f.perCTA, f.perInstruction, f.loops, f.json); err != nil {
		return err
	}
	if _, err := f.bare.flags(); err != nil {
		return err
	}
	ctx, cancel := a.limits.withTimeout(c.Context())
	defer cancel()
	res := &profileResult{opts: opts}
	if err := a.readGPUs(&res.inputs, f.gpuFile()...); err != nil {
		return err
	}
	failed := a.programs(ctx, args, &f.bare, opts, func(p *program) error { res.add(p); return nil })
	if len(res.profile.Rows) == 0 || isUsage(failed) {
		return failed
	}
	if failed != nil {
		a.note("%s complete and written all the same", are(len(res.profile.Launches), "launch"))
	}
	if failed == nil && opts.Verify {
		what := "the counts of every instruction, branch and barrier"
		if opts.Mode == analysis.Memory {
			what += ", and what every access of memory moves,"
		}
		a.note("verified: %s, %s equal those of full emulation", plural(len(res.profile.Launches), "launch"), what)
	}
	a.noteCaches(&res.profile, res.opts.GPUs)
	switch {
	case f.noTotal:
		res.profile.DropTotals()
	case failed == nil && len(args) > 1:
		res.profile.AddGrandTotal()
	}
	return errors.Join(failed, a.writeProfile(res, f))
}

// listsMetrics reports whether the names of columns are all that is asked for.
func (f *profileFlags) listsMetrics() bool { return len(f.metrics) == 1 && f.metrics[0] == "list" }

// checkArgs: without a program there is only the list of columns to print.
func (f *profileFlags) checkArgs(args []string) error {
	if len(args) == 0 && !f.listsMetrics() {
		return errors.New("no program")
	}
	return nil
}

// listColumns prints the columns of profile.csv and what each counts.
func (a *app) listColumns() error {
	var err error
	for _, c := range analysis.Columns() {
		err = errors.Join(err, line(a.stdout, fmt.Sprintf("%-36s %s", c.Name, c.Doc)))
	}
	return err
}

// noteCaches says what to know of the figures of the caches of a GPU.
func (a *app) noteCaches(p *analysis.Profile, gpus []*gpu.GPU) {
	a.noteSamples(p)
	for _, g := range gpus {
		a.noteRegisters(p, g)
		for _, lp := range p.Launches {
			if err := lp.Unfit(); err != nil {
				a.note("GPU %s: launch %d (%s) has no cache columns, nor has the total: %v", g.Name, lp.Number, lp.KernelName, err)
			}
		}
	}
}

// noteRegisters says of which launches the estimated registers are more than a
// thread of the GPU can have: ptxas spills the others, and the caches do not see
// that.
func (a *app) noteRegisters(p *analysis.Profile, g *gpu.GPU) {
	if g.Registers.PerThreadMax == nil {
		return
	}
	n, most := 0, uint64(0)
	for _, lp := range p.Launches {
		if r := lp.Facts.Of(analysis.RegistersPerThread).N; r > uint64(g.Registers.PerThreadMax.Value) {
			n, most = n+1, max(most, r)
		}
	}
	if n > 0 {
		a.note("GPU %s: %s may need more registers than a thread can have, %d (estimated are up to %d): what ptxas spills is not in the traffic",
			g.Name, plural(n, "launch"), g.Registers.PerThreadMax.Value, most)
	}
}

// noteSamples says how sure the figures of sampled caches are.
func (a *app) noteSamples(p *analysis.Profile) {
	for _, r := range p.Rows {
		if r.Launch == "total" && r.CacheErrorPct.Known {
			a.note("%s: the caches saw %d of %d CTAs; DRAM bytes are estimated to %s (one standard uncertainty: how much waves differ, and what a sample cannot see)",
				r.Network, r.CacheCTAs.N, r.CTAs.N, percent(r.CacheErrorPct.X))
		}
	}
}

// percent writes a share of an error with two digits, none of them beyond
// hundredths.
func percent(x float64) string {
	switch {
	case x > 0 && x < 0.01:
		return "< 0.01 %"
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(x, 'g', 2, 64) + " %"
}

// profileOptions turns the flags into options.
func (a *app) profileOptions(f *profileFlags) (analysis.Options, error) {
	o, err := a.options(analysis.Mode(f.mode), f.kernel, f.launch)
	if err != nil {
		return o, err
	}
	switch o.Mode {
	case analysis.Control, analysis.Memory, analysis.Full:
	case analysis.Static:
		if f.verify || f.paths || f.byKernel != "" || f.top != 0 || f.perCTA != "" || f.perInstruction != "" || f.loops != "" {
			return o, usageError{errors.New("--mode static runs nothing: --verify, --paths, --by-kernel, --top, --per-cta, --per-instruction and --loops need another mode")}
		}
	default:
		return o, usageError{fmt.Errorf("--mode %s: must be static, control, memory or full", f.mode)}
	}
	if err := a.chooseGPU(f, &o); err != nil {
		return o, err
	}
	if f.top < 0 || f.top > 0 && len(f.metrics) > 0 {
		return o, usageError{errors.New("--top: must be a number of kernels, without --metrics, which chooses columns of launches")}
	}
	if f.top > 0 && f.out != "" && f.byKernel == "" {
		return o, usageError{errors.New("--top: -o writes all launches; --by-kernel FILE writes the top kernels")}
	}
	for _, m := range f.metrics {
		if !analysis.HasColumn(m) {
			return o, usageError{fmt.Errorf("--metrics: there is no column %q; %s", m, similarColumns(m))}
		}
	}
	o.Verify = f.verify
	o.PerCTA, o.PerInstruction = f.perCTA != "", f.perInstruction != ""
	o.Loops, o.Paths, o.AnalysisTime = f.loops != "", f.paths, f.analysisTime
	return o, nil
}

// chooseGPU sets the GPU whose caches are modelled: none if a figure of them is
// unknown, which a note says.
func (a *app) chooseGPU(f *profileFlags, o *analysis.Options) (err error) {
	if f.gpu == "" {
		if f.sample != "" {
			return usageError{errors.New("--sample: says how much the caches see, which needs --gpu")}
		}
		return nil
	}
	if f.sample != "" {
		if o.Sample, err = hierarchy.ParseSample(f.sample); err != nil {
			return usageError{fmt.Errorf("--sample: %w", err)}
		}
	}
	if o.Mode != analysis.Memory && o.Mode != analysis.Full {
		return usageError{errors.New("--gpu: the caches see all memory requests, which needs --mode memory or full")}
	}
	g, err := gpu.Get(f.gpu)
	if err != nil {
		return err
	}
	o.GPUs, err = predict.Modelled([]*roofline.Device{{Name: g.Name, Spec: g}}, func(d *roofline.Device, why *gpu.UnknownError) {
		a.note("GPU %s: its caches cannot be modelled, unknown are %s: the columns l1_read_hits to cache_error_pct stay empty; %s",
			d.Name, why.Path, why.Hint())
	})
	return err
}

// gpuFile returns the GPU's file if it is the user's.
func (f *profileFlags) gpuFile() []string {
	if gpu.IsFile(f.gpu) {
		return []string{f.gpu}
	}
	return nil
}

// columnNames are the columns of profile.csv.
func columnNames() (names []string) {
	for _, c := range analysis.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// similarColumns names columns that a wrong name may mean.
func similarColumns(name string) string {
	var similar []string
	word := strings.ToLower(strings.TrimSuffix(name, "s"))
	for _, c := range analysis.Columns() {
		if word != "" && strings.Contains(c.Name, word) {
			similar = append(similar, c.Name)
		}
	}
	const most = 6
	switch {
	case len(similar) == 0:
		return "--metrics list names all"
	case len(similar) > most:
		similar = append(similar[:most], "...")
	}
	return "similar ones are " + strings.Join(similar, ", ")
}
