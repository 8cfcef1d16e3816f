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
	"hyptx/internal/hypa"
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
	byKernel, perCTA, perInstruction, loops, pathLists *output
	explain                                            bool
	top                                                int // kernels to show, 0: launches are shown
	mode, gpu, format                                  string
	metrics                                            []string
	paths, verify, analysisTime                        bool
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
			"  hyptx profile kernels/*.ptx -o all.csv --format hypa\n" +
			"  hyptx profile net.json --launch 0 -o profile.csv --path-lists paths.csv",
		Args:              func(_ *cobra.Command, args []string) error { return f.checkArgs(args) },
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.profile(c, args, &f, res) },
	}
	p := &res.profile
	f.add(a, c, "profile.csv", func(w io.Writer) error {
		if f.format == "hypa" {
			return hypa.WriteFiles(w, p.Rows)
		}
		return p.WriteCSV(w, stampOf(f.inputs), f.metrics)
	},
		func(w io.Writer) error { return p.WriteJSON(w, stampOf(f.inputs), res.programs, res.opts) })
	f.addViews(c, p)
	fl := c.Flags()
	choose(c, &f.format, "format", "launches", "what -o writes as CSV: launches, or hypa, a row for each PTX file with the columns of HyPA's tool", "launches", "hypa")
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

// addViews adds the flags of the files that are views of the profile.
func (f *profileFlags) addViews(c *cobra.Command, p *analysis.Profile) {
	f.byKernel = f.file(c, "by-kernel", asCSV, "write the sums of each kernel to this `file`, the largest first",
		f.csv(func() any { return p.ByKernel(f.top) }))
	f.outputs[0].rows = asRowsOf(func(p *analysis.Profile) any { return p.Rows })
	f.perCTA = f.file(c, "per-cta", asCSV, "write the counts of each CTA to this `file`", nil)
	f.perCTA.rows = func(ctx context.Context, p *analysis.Profile, write func(any) error) error {
		return p.WritePerCTA(ctx, write)
	}
	f.perCTA.cut = func(ctx context.Context, w io.Writer) error {
		return p.WritePerCTA(ctx, analysis.RowWriter(w, stampOf(f.inputs)))
	}
	view := func(flag, usage string, rows func(p *analysis.Profile) any) *output {
		o := f.file(c, flag, asCSV, usage, f.csv(func() any { return rows(p) }))
		o.rows = asRowsOf(rows)
		return o
	}
	f.perInstruction = view("per-instruction", "write the counts of each instruction to this `file`", func(p *analysis.Profile) any { return p.PerInstruction() })
	view("races", "write the accesses that nothing puts in order, and what else decisions left open, to this `file`",
		func(p *analysis.Profile) any { return p.Races() })
	f.loops = view("loops", "write the trip counts of each loop to this `file`", func(p *analysis.Profile) any { return p.Loops() })
	f.pathLists = view("path-lists", "write the code blocks that threads of each CTA entered, and which threads deviate, to this `file`; all CTAs run",
		func(p *analysis.Profile) any { return p.PathLists() })
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
	if res.opts.GPUs != nil {
		res.notes.gpu = res.opts.GPUs[0]
	}
	stream := f.streamed(a, len(args), &res.notes)
	if stream != nil {
		res.opts.Each = stream.hear
	}
	failed := a.programs(c.Context(), args, &f.programFlags, res.opts, func(p *program) error { res.add(p); return nil })
	if counted, wrong := res.profile.Ended(); counted+wrong == 0 || isUsage(failed) {
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
	rest, unstreamed := stream.finish(f.outputs, &res.profile)
	onStdout, unwritten := a.writeOutputs(rest)
	failed = errors.Join(failed, unstreamed, unwritten)
	counted, _ := res.profile.Ended()
	switch {
	case f.toFile():
		res.notes.assumed.tell(a, "assumed_inputs")
	case onStdout || unwritten != nil || counted == 0:
	case f.top > 0:
		return errors.Join(failed, res.profile.WriteKernelTable(a.text, f.top, a.columns()))
	default:
		return errors.Join(failed, res.profile.WriteTable(a.text, f.metrics, a.columns()))
	}
	return failed
}

// noteProfile says what to know of the rows beside their figures.
func (a *app) noteProfile(res *profileResult, failed error) {
	res.notes.add(a, &res.profile)
	launches, _ := res.profile.Ended()
	switch {
	case failed != nil && launches == 0:
	case failed != nil:
		a.keep(are(launches, "launch"), "")
	case res.opts.Verify:
		what := "the counts of every instruction, branch and barrier"
		if res.opts.Mode == analysis.Memory {
			what += ", and what every access of memory moves,"
		}
		a.note("verified: %s, %s equal those of full emulation", plural(launches, "launch"), what)
	}
	if m := res.opts.Mode; m == analysis.Memory || m == analysis.Full {
		res.notes.unknown.tell(a, "columns of memory")
	}
	a.noteSamples(&res.profile)
	res.notes.tell(a)
}

// unknownTraffic is the remark of a launch whose columns of memory are empty.
func unknownTraffic(lp *analysis.LaunchProfile) []string {
	if why := lp.Facts.UnknownTraffic(); why != nil {
		return []string{why.Error()}
	}
	return nil
}

// noteExplained says on what counts rest that are not exact.
func (a *app) noteExplained(p *analysis.Profile) {
	said := p.Explain()
	failed := slices.ContainsFunc(p.Launches, func(lp *analysis.LaunchProfile) bool { return lp.Error != "" })
	if len(said) == 0 && !failed {
		a.note("all counts are exact: nothing to explain")
	}
	a.noteAll(said)
}

// profileResult gathers the profiles of all arguments.
type profileResult struct {
	opts     analysis.Options
	profile  analysis.Profile
	notes    launchNotes
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

// launchNotes are what is said of launches beside their rows.
type launchNotes struct {
	// gpu is the one whose caches are modelled, nil for none.
	gpu *gpu.GPU
	// assumed are remarks on rows, unknown those on columns of memory that are empty.
	assumed, unknown remarks
	// spilling launches have more registers, up to most, than a thread of the GPU.
	spilling int
	most     uint64
}

// add looks at launches, and says which have no cache columns.
func (n *launchNotes) add(a *app, p *analysis.Profile) {
	for _, r := range p.Rows {
		n.assumed.add(assumed(r.Kind, r.AssumedInputs)...)
	}
	for _, lp := range p.Launches {
		n.unknown.add(unknownTraffic(lp)...)
	}
	if n.gpu == nil {
		return
	}
	for _, lp := range p.Launches {
		if err := lp.Unfit(); err != nil {
			a.note("GPU %s: launch %d (%s) has no cache columns, nor has the total: %v", n.gpu.Name, lp.Number, lp.KernelName, err)
		}
		if limit := n.gpu.Registers.PerThreadMax; limit != nil {
			if r := lp.Facts.Of(analysis.RegistersPerThread).N; r > uint64(limit.Value) {
				n.spilling, n.most = n.spilling+1, max(n.most, r)
			}
		}
	}
}

// tell says of which launches the estimated registers are more than a
// thread of the GPU can have: ptxas spills the others, and the caches do not see
// that.
func (n *launchNotes) tell(a *app) {
	if n.spilling > 0 {
		a.note("GPU %s: %s may need more registers than a thread can have, %d (estimated are up to %d): what ptxas spills is not in the traffic",
			n.gpu.Name, plural(n.spilling, "launch"), n.gpu.Registers.PerThreadMax.Value, n.most)
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
			"--mode static runs nothing: --verify, --paths, --by-kernel, --top, --per-cta, --per-instruction, --loops, --races, --path-lists and" +
				" --explain need another mode"},
		refusal{f.gpu == "" && f.sampled(), "--sample: says how much the caches see, which needs --gpu"},
		refusal{f.gpu != "" && o.Mode != analysis.Memory && o.Mode != analysis.Full,
			"--gpu: the caches see all memory requests, which needs --mode memory or full"},
		refusal{f.format == "hypa" && (!f.toFile() || f.asDocument() || len(f.metrics) > 0), "--format hypa: -o FILE.csv says where, and it goes without --metrics"},
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
	o.Paths, o.PathLists, o.AnalysisTime = f.paths, f.pathLists.asked(), f.analysisTime || f.format == "hypa"
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
