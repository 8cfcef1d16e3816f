package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
)

// hyptx profile: what launches execute. The flags ask for views of one count
// (rows of launches, kernels, CTAs, instructions, loops), so the programs are
// emulated once, as closely as the most demanding view needs, and the views are
// written afterwards.

// profileFlags are the flags of hyptx profile.
type profileFlags struct {
	programFlags
	byKernel, perCTA, perInstruction, loops, races *output
	explain                                        bool
	top                                            int // kernels to show, 0: launches are shown
	mode, gpu                                      string
	metrics                                        []string
	paths, verify, analysisTime                    bool
}

var _ = register((*app).profileCommand)

func (a *app) profileCommand() *cobra.Command {
	var f profileFlags
	res := &profileResult{}
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
		RunE:              func(c *cobra.Command, args []string) error { return a.profile(c, args, &f, res) },
	}
	p := &res.profile
	f.add(a, c, "profile.csv", func(w io.Writer) error { return p.WriteCSV(w, stampOf(f.inputs), f.metrics) },
		func(w io.Writer) error { return p.WriteJSON(w, stampOf(f.inputs), res.programs, res.opts) })
	f.byKernel = f.file(c, "by-kernel", asCSV, "write the sums of each kernel to this `file`, the largest first",
		f.csv(func() any { return p.ByKernel(f.top) }))
	f.perCTA = f.file(c, "per-cta", asCSV, "write the counts of each CTA to this `file`",
		nil)
	f.perCTA.cut = func(ctx context.Context, w io.Writer) error { return p.WritePerCTA(ctx, w, stampOf(f.inputs)) }
	f.perInstruction = f.file(c, "per-instruction", asCSV, "write the counts of each instruction to this `file`",
		f.csv(func() any { return p.PerInstruction() }))
	f.races = f.file(c, "races", asCSV, "write the accesses that nothing puts in order, and what else decisions left open, to this `file`",
		f.csv(func() any { return p.Races() }))
	f.loops = f.file(c, "loops", asCSV, "write the trip counts of each loop to this `file`", f.csv(func() any { return p.Loops() }))
	fl := c.Flags()
	choose(c, &f.mode, "mode", "control", "how much to emulate, a `mode`: static, control, memory or full", "static", "control", "memory", "full")
	fl.StringSliceVar(&f.metrics, "metrics", nil, "only these `columns`, as branches,flop_count_sp; list prints what there is")
	fl.IntVar(&f.top, "top", 0, "show, and write to --by-kernel, the kernels with the most warp instructions: this `number` of them")
	fl.BoolVar(&f.explain, "explain", false, "say for counts that are not exact which decision comes first, and what it rests on")
	fl.BoolVar(&f.analysisTime, "analysis-time", false, "fill the column analysis_ms; equal runs then differ in it")
	fl.BoolVar(&f.paths, "paths", false, "count the different paths of threads")
	fl.BoolVar(&f.verify, "verify", false, "emulate everything beside it and fail unless all counts are equal")
	fl.StringVar(&f.gpu, "gpu", "", "model the caches of this GPU, with --mode memory or full: a `name` (hyptx gpus lists them) or a file *.json")
	complete(c, "metrics", columnNames)
	complete(c, "gpu", gpu.Names)
	atLeast(c, "top", &f.top, 1)
	return c
}

// profile runs the command, one argument after the other. What is complete is
// written even if something failed. Totals are made here and not by the programs: a
// grand total is of several arguments, and one over programs of which some are not
// complete would be a number that no one can check.
func (a *app) profile(c *cobra.Command, args []string, f *profileFlags, res *profileResult) (err error) {
	if f.listsMetrics() {
		a.listColumns()
		return nil
	}
	if res.opts, err = a.profileOptions(f); err != nil {
		return err
	}
	if err := f.begin(a, args, f.gpu); err != nil {
		return err
	}
	failed := a.programs(c.Context(), args, &f.programFlags, res.opts, func(p *program) error { res.add(p); return nil })
	if len(res.profile.Rows) == 0 || isUsage(failed) {
		return failed
	}
	a.noteProfile(res, failed)
	if f.explain {
		a.noteExplained(&res.profile)
	}
	switch {
	case f.noTotal:
		res.profile.DropTotals()
	case !a.partial && len(args) > 1:
		res.profile.AddGrandTotal()
	}
	onStdout, unwritten := a.writeOutputs(f.outputs)
	failed = errors.Join(failed, unwritten)
	switch {
	case f.toFile():
		noteRemarks(a, "assumed_inputs", res.profile.Rows, func(r *analysis.Row) []string { return assumed(r.Kind, r.AssumedInputs) })
	case onStdout || unwritten != nil || len(res.profile.Counted()) == 0:
	case f.top > 0:
		return errors.Join(failed, res.profile.WriteKernelTable(a.text, f.top, a.columns()))
	default:
		return errors.Join(failed, res.profile.WriteTable(a.text, f.metrics, a.columns()))
	}
	return failed
}

// noteProfile says what to know of the rows beside their figures.
func (a *app) noteProfile(res *profileResult, failed error) {
	launches := len(res.profile.Counted())
	switch {
	case failed != nil && launches == 0:
	case failed != nil:
		a.note("%s complete and written all the same", are(launches, "launch"))
	case res.opts.Verify:
		what := "the counts of every instruction, branch and barrier"
		if res.opts.Mode == analysis.Memory {
			what += ", and what every access of memory moves,"
		}
		a.note("verified: %s, %s equal those of full emulation", plural(launches, "launch"), what)
	}
	if m := res.opts.Mode; m == analysis.Memory || m == analysis.Full {
		noteRemarks(a, "columns of memory", res.profile.Counted(), unknownTraffic)
	}
	a.noteCaches(&res.profile, res.opts.GPUs)
}

// unknownTraffic is the remark of a launch whose columns of memory are empty.
func unknownTraffic(lp *analysis.LaunchProfile) []string {
	if why := lp.Facts.UnknownTraffic(lp.File); why != nil {
		return []string{why.Error()}
	}
	return nil
}

// noteExplained says on what counts rest that are not exact.
func (a *app) noteExplained(p *analysis.Profile) {
	said := p.Explain()
	if len(said) == 0 {
		a.note("all counts are exact: nothing to explain")
	}
	a.noteAll(said)
}

// profileResult gathers the profiles of all arguments.
type profileResult struct {
	opts     analysis.Options
	profile  analysis.Profile
	programs []analysis.Program
}

// add adds the profile of one argument, which may have several sessions: a bare
// file has one for each kernel. They were made of the same inputs.
func (r *profileResult) add(p *program) {
	s := p.sessions[0]
	r.profile.Append(p.profile)
	r.programs = append(r.programs, analysis.Program{Manifest: s.Manifest, Inputs: s.Inputs})
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
func (a *app) listColumns() {
	for _, c := range analysis.Columns() {
		a.say("%-36s %s", c.Name, c.Doc)
	}
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

// noteSamples says how sure the figures of sampled caches are. A sample's error is
// itself estimated (how much the waves that were seen differ among each other),
// so it is given with two digits and called what it is.
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

// profileOptions turns the flags into options. Views that need more than rows of
// launches (CTAs, instructions, loops, paths) cost time and memory in the
// emulation, so the library keeps only those that a flag asks for.
func (a *app) profileOptions(f *profileFlags) (analysis.Options, error) {
	o := a.options(analysis.Mode(f.mode), &f.programFlags)
	runs := f.verify || f.paths || f.explain || f.top != 0 || slices.ContainsFunc(f.outputs[2:], (*output).asked)
	if err := refuse(
		refusal{o.Mode == analysis.Static && runs,
			"--mode static runs nothing: --verify, --paths, --by-kernel, --top, --per-cta, --per-instruction, --loops, --races and" +
				" --explain need another mode"},
		refusal{f.gpu == "" && f.sampled(), "--sample: says how much the caches see, which needs --gpu"},
		refusal{f.gpu != "" && o.Mode != analysis.Memory && o.Mode != analysis.Full,
			"--gpu: the caches see all memory requests, which needs --mode memory or full"},
		refusal{f.top > 0 && len(f.metrics) > 0, "--top shows kernels: it goes without --metrics, which chooses columns of launches"},
		refusal{f.top > 0 && f.toFile() && !f.byKernel.asked(), "--top: -o writes all launches; --by-kernel FILE writes the top kernels"},
	); err != nil {
		return o, err
	}
	if err := a.chooseGPU(f, &o); err != nil {
		return o, err
	}
	for _, m := range f.metrics {
		if !analysis.HasColumn(m) {
			return o, usagef("--metrics: there is no column %q; %s", m, similarColumns(m))
		}
	}
	o.Verify = f.verify
	o.PerCTA, o.PerInstruction, o.Loops = f.perCTA.asked(), f.perInstruction.asked(), f.loops.asked()
	o.Paths, o.AnalysisTime = f.paths, f.analysisTime
	return o, nil
}

// chooseGPU sets the GPU whose caches are modelled: none if a figure of them is
// unknown, which a note says. That is no error, since everything else of the
// profile does not depend on the GPU; a GPU in the wrong mode is one, because then
// no column at all would be different for it.
func (a *app) chooseGPU(f *profileFlags, o *analysis.Options) (err error) {
	if f.gpu == "" {
		return nil
	}
	o.Sample = f.sample
	g, err := gpu.Get(f.gpu)
	if err != nil {
		return err
	}
	o.GPUs, err = predict.CachesOf(&roofline.Device{Name: g.Name, Spec: g}, func(d *roofline.Device, why *gpu.UnknownError) {
		a.note("GPU %s: its caches cannot be modelled, unknown are %s: the columns l1_read_hits to cache_error_pct stay empty; %s",
			d.Name, why.Path, why.Hint())
	})
	return err
}

// columnNames are the columns of profile.csv.
func columnNames() (names []string) {
	for _, c := range analysis.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// similarColumns names columns that a wrong name may mean. profile.csv has more
// than a hundred of them, and who types "branch" wants branches or branch_efficiency_pct;
// so those that hold the word (without a plural's s) are proposed, not those a few
// letters away.
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
