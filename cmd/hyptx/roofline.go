package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/roofline/thesis"
)

// rooflineFlags are the flags of hyptx roofline.
type rooflineFlags struct {
	gpus                          []string
	out, json, plot, plotKind     string
	prediction, parameters        string
	model, kType, integer, counts string
	counters, reference, dram     string
	times                         string
	traffic, sample               string
	kernel, launch                string
	bare                          bareFlags
	noTotal                       bool
}

var _ = register((*app).rooflineCommand)

func (a *app) rooflineCommand() *cobra.Command {
	var f rooflineFlags
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
		RunE:              func(c *cobra.Command, args []string) error { return a.roofline(c, args, &f) },
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.gpus, "gpu", nil, "GPUs, a `list` of names (hyptx gpus lists them), files *.json, or the toolkit's *.csv")
	fl.StringVarP(&f.out, "output", "o", "", "write roofline.csv to this `file` (- for standard output); without it a table is shown")
	fl.StringVar(&f.json, "json", "", "write the rows as JSON to this `file`")
	fl.StringVar(&f.prediction, "prediction", "", "write times by kernel as gpuroofperf-tool does (-s), to this `file`: *.json or *.csv")
	fl.StringVar(&f.parameters, "parameters", "", "write kernel parameters as gpuroofperf-tool reads them (-i), to this `file`: *.json; DRAM traffic is that on the first GPU")
	fl.StringVar(&f.plot, "plot", "", "draw to this `file`: *.svg, *.png or *.pdf")
	fl.StringVar(&f.plotKind, "plot-kind", "roofline", "what to draw: roofline (a point for each launch) or quadrant (several GPUs, one kernel or network)")
	fl.StringVar(&f.model, "time-model", "", "a `model`: "+modelHelp()+"; the default is "+roofline.Default().Name+", for --counters "+roofline.Thesis.Name)
	fl.StringVar(&f.kType, "k-type", "any", "a kernel's type is fp64 or fp32 if it has any such instruction (any), or the one that it has most of (most)")
	fl.StringVar(&f.integer, "int-ops", "mad", "what an integer instruction of an integer kernel costs: a multiply-add (mad) or an addition (add)")
	fl.StringVar(&f.counts, "counts", "machine", "what is charged: the instructions as written (ptx), or what ptxas is estimated to make of them (machine)")
	fl.StringVar(&f.counters, "counters", "", "take counts from this `file`: CSV of nvprof or ncu (--csv, with --page raw or without), or the toolkit's JSON")
	fl.StringVar(&f.traffic, "traffic", "model", "where DRAM traffic comes from: the model of each GPU's caches (model), or each byte once with all loads as slow as DRAM, which is quicker to find (footprint)")
	fl.StringVar(&f.sample, "sample", "", "with --traffic model: let the caches see a sample of the waves of large launches, a `share` (0.1) or a number of CTAs a launch; without it they see all")
	fl.StringVar(&f.dram, "dram-bytes", "", "the DRAM traffic of each launch in `bytes`")
	fl.StringVar(&f.reference, "measured", "", "a measured time of the program, as `GPU=MS`, to scale all GPUs' times by (E_util)")
	fl.StringVar(&f.times, "time", "", "measured times to show beside the model's, a CSV `file` with launch and time_us as for hyptx power; with one GPU how far off the model is, too")
	fl.BoolVar(&f.noTotal, "no-total", false, "write the rows of launches only")
	fl.StringVar(&f.kernel, "kernel", "", "only this kernel, by `name`")
	fl.StringVar(&f.launch, "launch", "", "only these launches, a `list` of numbers from 0, ranges and labels, as 0,7-9")
	for flag, choices := range map[string][]string{"gpu": gpu.Names(), "plot-kind": {"roofline", "quadrant"}, "time-model": modelNames(),
		"k-type": {"any", "most"}, "int-ops": {"mad", "add"}, "counts": {"machine", "ptx"}, "traffic": {"model", "footprint"}} {
		c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveDefault))
	}
	f.bare.add(c)
	a.limits.add(c)
	return c
}

// modelNames are the names of the time models.
func modelNames() (names []string) {
	for _, m := range roofline.Models() {
		names = append(names, m.Name)
	}
	return names
}

// modelHelp says what each time model is.
func modelHelp() string {
	var about []string
	for _, m := range roofline.Models() {
		about = append(about, m.Name+" ("+m.About+")")
	}
	return strings.Join(about, " or ")
}

// roofline runs the command.
func (a *app) roofline(c *cobra.Command, args []string, f *rooflineFlags) error {
	if err := formatOf(&f.out, &f.json); err != nil {
		return err
	}
	opts, err := f.options(args)
	if err != nil {
		return err
	}
	if f.counters != "" {
		if err := checkEffect(c, rooflineNoEffect); err != nil {
			return err
		}
	}
	if err := a.checkOutputs(append(gpuFiles(f.gpus...), append(slices.Clone(args), f.counters, f.times)...), f.out, f.json, f.prediction, f.parameters, f.plot); err != nil {
		return err
	}
	devices, err := roofline.Devices(f.gpus)
	if err != nil {
		return err
	}
	if err := opts.Reference.Check(devices); err != nil {
		return usageError{fmt.Errorf("--measured: %w", err)}
	}
	ctx, cancel := a.limits.withTimeout(c.Context())
	defer cancel()
	res := &rooflineResult{devices: devices, opts: opts, launches: make(predict.Launches, len(devices))}
	emulation, err := a.rooflineEmulation(devices, f)
	if err != nil {
		return err
	}
	if err := a.rooflineInputs(f, res); err != nil {
		return err
	}
	var failed error
	if f.counters != "" {
		failed = a.rooflineCounters(ctx, f, res)
	} else {
		failed = a.programs(ctx, args, &f.bare, emulation, func(p *program) error { return a.rooflineProgram(p, f, res) })
	}
	if isUsage(failed) {
		return failed
	}
	if len(res.rows) == 0 {
		return failed
	}
	if failed == nil {
		failed = res.checkTimes(f)
	}
	return errors.Join(failed, a.writeRoofline(res, f))
}

// maxMeasuredMs bounds --measured: three years.
const maxMeasuredMs = 1e11

// options checks the flags that are choices.
func (f *rooflineFlags) options(args []string) (roofline.Options, error) {
	var o roofline.Options
	if (len(args) == 0) == (f.counters == "") {
		return o, usageError{errors.New("name manifests or .ptx files, or a profiler's file with --counters, not both")}
	}
	if f.sample != "" && (f.traffic == "footprint" || f.dram != "") {
		return o, usageError{errors.New("--sample: says how much the caches see, which needs --traffic model")}
	}
	if f.reference != "" && len(args) > 1 {
		return o, usageError{errors.New("--measured is the time of one program; name one")}
	}
	if f.times != "" && len(args) != 1 {
		return o, usageError{errors.New("--time has the times of one program's launches; name one manifest or .ptx file")}
	}
	if len(f.gpus) == 0 {
		return o, usageError{errors.New("--gpu says on which GPUs, as --gpu gv100,a100")}
	}
	if f.model == "" {
		f.model = roofline.Default().Name
		if f.counters != "" {
			f.model = roofline.Thesis.Name
		}
	}
	for _, c := range []struct{ flag, value, choices string }{
		{"--k-type", f.kType, "any most"}, {"--int-ops", f.integer, "mad add"},
		{"--counts", f.counts, "ptx machine"}, {"--traffic", f.traffic, "model footprint"}, {"--plot-kind", f.plotKind, "roofline quadrant"},
	} {
		if strings.Contains(c.value, " ") || !strings.Contains(" "+c.choices+" ", " "+c.value+" ") {
			return o, usageError{fmt.Errorf("%s %s: must be %s", c.flag, c.value, strings.ReplaceAll(c.choices, " ", " or "))}
		}
	}
	if format := filepath.Ext(f.plot); f.plot != "" && format != ".svg" && format != ".png" && format != ".pdf" {
		return o, usageError{fmt.Errorf("--plot %s: must end in .svg, .png or .pdf", f.plot)}
	}
	if ext := filepath.Ext(f.prediction); f.prediction != "" && ext != ".json" && ext != ".csv" {
		return o, usageError{fmt.Errorf("--prediction %s: must end in .json or .csv", f.prediction)}
	}
	model, err := roofline.ModelNamed(f.model)
	if err != nil {
		return o, usageError{fmt.Errorf("--time-model %w", err)}
	}
	o = roofline.Options{Model: model, Rule: thesis.Rule(f.kType), Integer: thesis.IntegerMode(f.integer)}
	if f.reference != "" {
		name, ms, _ := strings.Cut(f.reference, "=")
		x, err := strconv.ParseFloat(ms, 64)
		if err != nil || !(x > 0) || x > maxMeasuredMs {
			return o, usageError{fmt.Errorf("--measured %s: must be GPU=MILLISECONDS, as gtx-480=21.456", f.reference)}
		}
		if g, err := gpu.Get(name); err == nil {
			name = g.Label() // it may be another name of the GPU
		}
		o.Reference = roofline.Reference{GPU: name, Seconds: x / 1e3}
	}
	return o, f.giveTraffic(nil)
}

// rooflineEmulation returns the options with which programs are emulated: the
// caches of all GPUs listen, but of those of which a figure is unknown. Their
// traffic is the footprint, which a note says.
func (a *app) rooflineEmulation(devices []*roofline.Device, f *rooflineFlags) (o analysis.Options, err error) {
	if o, err = a.options(analysis.Memory, f.kernel, f.launch); err != nil {
		return o, err
	}
	if f.sample != "" {
		if o.Sample, err = hierarchy.ParseSample(f.sample); err != nil {
			return o, usageError{fmt.Errorf("--sample: %w", err)}
		}
	}
	if f.traffic == "footprint" || f.dram != "" || f.counters != "" {
		devices = nil
	}
	return predict.Prepare(o, devices, func(d *roofline.Device, why *gpu.UnknownError) {
		a.note("GPU %s: its caches cannot be modelled, unknown are %s: DRAM traffic is the footprint, the columns t_l2_us and intensity_l2 stay empty", d.Name, why.Path)
	})
}

// rooflineProgram adds the rows of a program on each GPU.
func (a *app) rooflineProgram(p *program, f *rooflineFlags, res *rooflineResult) error {
	res.inputs = append(res.inputs, p.sessions[0].Inputs...)
	launches, err := predict.LaunchesOn(p.profile, res.devices, roofline.Counting(f.counts))
	if err != nil {
		return err
	}
	for i, d := range res.devices {
		a.noteSamples(p.profile.On(d.Spec))
		if err := f.giveTraffic(launches[i]); err != nil {
			return err
		}
		for _, l := range launches[i] {
			if res.times != nil {
				l.Evidence.ReferenceSeconds = res.times[l.Launch].Us.X * 1e-6
			}
		}
	}
	n, err := res.add(context.Background(), launches, p.failed)
	if p.failed && n > 0 {
		a.note("%s: %s complete and written all the same; a program that did not end has no total", p.arg, are(n, "row"))
	}
	return err
}

// giveTraffic puts --dram-bytes into launches.
func (f *rooflineFlags) giveTraffic(launches []*roofline.Launch) error {
	if f.dram == "" {
		return nil
	}
	x, err := strconv.ParseFloat(f.dram, 64)
	if err != nil || !(x >= 0) || x > 1e18 {
		return usageError{fmt.Errorf("--dram-bytes %s: must be a number of bytes, as 12582912", f.dram)}
	}
	for _, l := range launches {
		l.Traffic = roofline.Traffic{Source: roofline.TrafficGiven, DRAMRead: analysis.Ratio(x * l.Repetitions)}
	}
	return nil
}
