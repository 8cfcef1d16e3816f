package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/roofline/thesis"
	"hyptx/power"
)

// hyptx roofline: from counts to times. The counts are a program's, of one run for all
// GPUs, beside which each is simulated or its caches listen; or a profiler's. The time model turns them into a row for each launch and GPU; the
// first GPU of a list changes nothing for the others.

// rooflineFlags are the flags of hyptx roofline.
type rooflineFlags struct {
	programFlags
	gpus             []string
	clock            float64
	plot, prediction *output
	stalls           *output
	plotKind         string
	modelFlags
	themeFlag
	// kType and integer are
	// choices that the thesis leaves open (which type a kernel is of, what an integer
	// instruction costs), counts which instructions are charged, those of PTX or of the
	// machine.
	kType, integer, counts string
	timer                  string // whose times are predicted
	// counters is a profiler's file in the place of programs; times are measured times
	// to show beside the model's; traffic says where DRAM traffic comes from.
	counters, times, traffic string
	// reference is a measured time of the program on one GPU. The ratio of measured to
	// modelled (the thesis' E_util) then scales the times of all GPUs.
	reference roofline.Reference
	dramBytes *float64 // of --dram-bytes: DRAM traffic of each launch; nil without it
}

var _ = register((*app).rooflineCommand)

func (a *app) rooflineCommand() *cobra.Command {
	var f rooflineFlags
	res := &rooflineResult{}
	c := &cobra.Command{
		Use:   "roofline {MANIFEST.json | FILE.ptx}... --gpu NAME[,NAME]...",
		Short: "Predict how long launches take on a GPU, and what limits them",
		Long: "Predict how long each launch takes on each GPU, and what limits it: issuing\n" +
			"instructions, memory (DRAM, L2 or L1), latency, or starting the launch. Counts come from emulation, as in\n" +
			"hyptx profile, or with --counters from a profiler. It is a model: every row says\n" +
			"what it rests on, and what is not known is left empty, with the reason.",
		Example: "  hyptx roofline net.json --gpu gv100,a100,h100 -o roofline.csv --plot roofline.svg\n" +
			"  hyptx roofline k.ptx --grid 1024 --block 256 --gpu gv100 --dram-bytes 12582912\n" +
			"  hyptx roofline net.json --gpu gtx-480,gtx-660 --time-model thesis --plot quadrant.png --plot-kind quadrant\n" +
			"  hyptx roofline --counters nvprof.csv --gpu gtx-660,measured.csv\n" +
			"  hyptx roofline --counters ncu.csv --gpu a100\n" +
			"  hyptx roofline net.json --gpu a100 --time measured.csv",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.roofline(c, args, &f, res) },
	}
	f.programFlags.add(a, c, "roofline.csv", f.csv(func() any { return res.shown(&f) }),
		f.document(func() map[string]any { return map[string]any{"rows": res.shown(&f)} }))
	f.plot = f.file(c, "plot", asPicture, "draw to this `file`: *.svg, *.png or *.pdf", drawn(func() ([]byte, error) { return res.plot(&f) }))
	f.stalls = f.file(c, "stalls", asCSV, "write what warps wait for at each instruction, as simulated, to this `file`",
		f.csv(func() any { return res.stalls }))
	f.file(c, "parameters", asJSON, "write kernel parameters as gpuroofperf-tool reads them (-i), to this `file`: *.json; DRAM traffic is that on the first GPU",
		func(w io.Writer) error {
			return roofline.WriteToolkitParameters(w, version(), res.launches[0], res.opts.Rule)
		})
	f.prediction = f.file(c, "prediction", asToolkit, "write times by kernel as gpuroofperf-tool does (-s), to this `file`: *.json or *.csv",
		func(w io.Writer) error {
			return roofline.WriteToolkitPrediction(w, f.prediction.ending(), res.rows, res.on, res.devices, res.opts)
		})
	fl := c.Flags()
	fl.StringSliceVar(&f.gpus, "gpu", nil, "GPUs, a `list` of names (hyptx gpus lists them), files *.json, or the toolkit's *.csv")
	complete(c, "gpu", gpu.Names)
	fl.Float64Var(&f.clock, "clock", 0, "the clock of the SMs in `MHz`, as --gpu NAME:clock=MHZ; default each GPU's boost clock")
	within(c, "clock", &f.clock, gpu.MostMHz, " MHz")
	choose(c, &f.plotKind, "plot-kind", "roofline", "what to draw: roofline (a point for each launch) or quadrant (several GPUs, one kernel or network)", "roofline", "quadrant")
	f.addTheme(c)
	f.modelFlags.add(c, byDefault+", and with --dram-bytes, --counts or --int-ops, of which a simulation has no use; for --counters "+roofline.Thesis.Name)
	choose(c, &f.kType, "k-type", "any", "a kernel's type is fp64 or fp32 if it has any such instruction (any), or the one that it has most of (most)", "any", "most")
	choose(c, &f.integer, "int-ops", "mad", "what an integer instruction of an integer kernel costs: a multiply-add (mad) or an addition (add)", "mad", "add")
	choose(c, &f.timer, "timer", string(roofline.StreamTimer), "what starting a launch adds to its time: as launches back to back (stream), for the GPU's own counters nothing (gpu), as events around one launch (event) or the host's clock around it (host) see it; of the models with a launch overhead", roofline.Timers...)
	choose(c, &f.counts, "counts", "machine", "what is charged: the instructions as written (ptx), or what ptxas is estimated to make of them (machine)", "ptx", "machine")
	fl.StringVar(&f.counters, "counters", "", "take counts from this `file`: CSV of nvprof or ncu (--csv, with --page raw or without), or the toolkit's JSON")
	choose(c, &f.traffic, "traffic", "model", "where DRAM traffic comes from: the model of each GPU's caches (model), or each byte once with all loads as slow as DRAM, which is quicker to find (footprint)", "model", "footprint")
	fl.Func("dram-bytes", "the DRAM traffic of each launch in `bytes`", func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= 0) || x > 1e18 {
			return errors.New("must be a number of bytes, as 12582912")
		}
		f.dramBytes = &x
		return nil
	})
	fl.Func("measured", "a measured time of the program, as `GPU=MS`, to scale all GPUs' times by (E_util)", f.parseMeasured)
	fl.StringVar(&f.times, "time", "", "measured times to show beside the model's, a CSV `file` with launch (a number, a label, or a range of either, as conv1-conv4, whose launches were measured together) and time_us; with one GPU how far off the model is and how it ranks the launches, too")
	return c
}

// roofline runs the command. Its order is that of what can fail: flags, GPUs, files,
// and only then the emulation, which may take an hour. Rows of launches that are
// complete are written even if something failed; only what is about the whole (rows
// of --time that are of no launch, a GPU without a time) waits for the end.
func (a *app) roofline(c *cobra.Command, args []string, f *rooflineFlags, res *rooflineResult) error {
	if err := f.check(c, args); err != nil {
		return err
	}
	model, err := f.choice()
	if err != nil {
		return err
	}
	res.opts = roofline.Options{Model: model, Rule: thesis.Rule(f.kType), Integer: thesis.IntegerMode(f.integer), Reference: f.reference}
	if f.clock != 0 {
		f.gpus = gpu.WithClock(f.gpus, f.clock)
	}
	if res.devices, err = roofline.Devices(f.gpus); err != nil {
		return err
	}
	for _, d := range res.devices {
		d.Timer = roofline.Timer(f.timer)
	}
	if err := f.begin(a, append(slices.Clone(args), f.counters, f.times), f.gpus...); err != nil {
		return err
	}
	if err := f.reference.Check(res.devices); err != nil {
		return usagef("--measured: %w", err)
	}
	res.launches = make(predict.Launches, len(res.devices))
	emulation := a.options(analysis.Control, &f.programFlags)
	emulation.Sample = f.sample
	f.into(&emulation)
	emulation.Stalls = f.stalls.asked()
	f.prepare = func(of []*analysis.Session) error { return a.prepareRoofline(of, res, f) }
	if res.times, err = readRows(a, f.times, &f.inputs, power.ReadTimes); err != nil {
		return err
	}
	var failed error
	if f.counters != "" {
		failed = a.rooflineCounters(c.Context(), f, res)
	} else {
		failed = a.programs(c.Context(), args, &f.programFlags, emulation, func(p *program) error {
			return a.rooflineProgram(c.Context(), p, f, res)
		})
	}
	if isUsage(failed) || len(res.rows) == 0 {
		return failed
	}
	if failed == nil {
		failed = res.withoutTimes()
	}
	return errors.Join(failed, a.writeRoofline(res, f))
}

// maxMeasuredMs bounds --measured: three years.
const maxMeasuredMs = 1e11

// parseMeasured reads --measured.
func (f *rooflineFlags) parseMeasured(s string) error {
	i := max(strings.LastIndexByte(s, '='), 0) // a GPU with numbers changed has more of them
	name, ms := s[:i], strings.TrimPrefix(s[i:], "=")
	x, err := strconv.ParseFloat(ms, 64)
	if err != nil || !(x > 0) || x > maxMeasuredMs {
		return errors.New("must be GPU=MILLISECONDS, as gtx-480=21.456")
	}
	if g, err := gpu.Get(name); err == nil {
		name = g.Label() // it may be another name of the GPU
	}
	f.reference = roofline.Reference{GPU: name, Seconds: x / 1e3}
	return nil
}

// check checks what the flags mean together, and sets the model that they leave
// open: a profiler's file has what the thesis' model needs, and no more.
func (f *rooflineFlags) check(c *cobra.Command, args []string) error {
	switch {
	case f.counters != "":
		f.model = cmp.Or(f.model, roofline.Thesis.Name)
	case f.dramBytes != nil || c.Flags().Changed("counts") || c.Flags().Changed("int-ops"): // a simulation has no use for them
		f.model = cmp.Or(f.model, roofline.Extended.Name)
	}
	err := refuse(
		f.unused(c),
		refusal{f.undrawn(f.plot.asked()), errUndrawn},
		refusal{f.stalls.asked() && f.model != "" && f.model != roofline.SimulatedModel.Name, "--stalls is what a simulation says: it has no effect with --time-model " + f.model},
		refusal{f.dramBytes != nil && f.model == roofline.SimulatedModel.Name, "--dram-bytes has no effect with --time-model simulated, which finds the traffic itself"},
		refusal{(len(args) == 0) == (f.counters == ""), "name manifests or .ptx files, or a profiler's file with --counters, not both"},
		refusal{f.sampled() && (f.traffic == "footprint" || f.dramBytes != nil),
			"--sample: says how much the caches see, which needs --traffic model"},
		refusal{f.reference.GPU != "" && len(args) > 1, "--measured is the time of one program; name one"},
		refusal{f.times != "" && len(args) != 1, "--time has the times of one program's launches; name one manifest or .ptx file"},
		refusal{f.clock != 0 && slices.ContainsFunc(f.gpus, isToolkit), "--clock: a GPU of the toolkit's CSV is known by its rates alone; they are at its clock"},
		refusal{len(f.gpus) == 0, "--gpu says on which GPUs, as --gpu gv100,a100"})
	if err == nil && f.counters != "" {
		err = checkEffect(c, rooflineNoEffect)
	}
	return err
}

func isToolkit(name string) bool {
	return strings.EqualFold(filepath.Ext(strings.TrimSpace(name)), ".csv")
}

// prepareRoofline sets what programs are emulated for: the caches of all GPUs listen, or
// are simulated, but of those of which a figure is unknown. Their traffic is the
// footprint, which a note says.
func (a *app) prepareRoofline(of []*analysis.Session, res *rooflineResult, f *rooflineFlags) error {
	c := predict.Choice{Model: res.opts.Model, Simulated: f.simulated, Footprint: f.traffic == "footprint" || f.dramBytes != nil}
	err := c.Prepare(of, res.devices, func(d *roofline.Device, why *gpu.UnknownError) {
		a.note("GPU %s: its caches cannot be modelled, unknown are %s: DRAM traffic is the footprint, the columns t_l2_us and intensity_l2 stay empty", d.Name, why.Path)
	})
	a.noteSample(&f.programFlags, of)
	return err
}

// rooflineProgram adds the rows of a program on each GPU. The program ran once,
// and the counts are the same on all GPUs; the traffic is that of each GPU's own
// caches, unless --dram-bytes or --traffic footprint gives one for all.
func (a *app) rooflineProgram(ctx context.Context, p *program, f *rooflineFlags, res *rooflineResult) error {
	launches, err := predict.LaunchesOn(p.profile, res.devices, roofline.Counting(f.counts))
	if err != nil {
		return err
	}
	if f.traffic == "footprint" {
		if err := footprints(p.profile, launches, roofline.Counting(f.counts)); err != nil {
			return err
		}
	}
	times, wrong := res.findTimes(f, namesOf(p.sessions))
	for i, d := range res.devices {
		on := p.profile.On(d.Spec)
		a.noteSamples(on)
		res.stalls = append(res.stalls, on.Stalls()...)
		for _, l := range launches[i] {
			if f.dramBytes != nil && l.Failed == "" {
				l.Traffic = roofline.Traffic{Source: roofline.TrafficGiven, DRAMRead: number.Ratio(*f.dramBytes * l.Repetitions)}
			}
			l.Evidence.ReferenceSeconds = times.launch[l.Launch] * 1e-6
		}
	}
	if ctx.Err() != nil { // the emulation was ended; what was counted has times all the same
		ctx = context.WithoutCancel(ctx)
	}
	n, err := res.add(ctx, launches, p.failed)
	res.addRanges(times.ranges)
	if p.failed && n > 0 {
		a.keep(p.arg+": "+are(n, "row"), "; a program that did not end has no total")
	}
	return errors.Join(err, wrong)
}

// footprints puts the footprint in the place of what caches let through.
func footprints(p *analysis.Profile, launches predict.Launches, counts roofline.Counting) error {
	of, err := roofline.FromProfile(p.On(nil), counts)
	if err != nil {
		return err
	}
	for _, list := range launches {
		for i, l := range list {
			l.Traffic = of[i].Traffic
		}
	}
	return nil
}
