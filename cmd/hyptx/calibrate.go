package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hyptx/internal/gpu"
	"hyptx/internal/hardware/calibrate"
	"hyptx/internal/hardware/cuda"
)

// calibrateFlags are the flags of hyptx calibrate.
type calibrateFlags struct {
	out, runs, from, emit, gpu string
	only, loops                []string
	clocks                     []int
	quick, list                bool
	device, power, repeats     int
	seconds, temperature       float64
	pause, budget              time.Duration
}

var _ = register((*app).calibrateCommand)

func (a *app) calibrateCommand() *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate -o MYGPU.json",
		Short: "Measure this machine's GPU: a GPU's file, and runs for power tune",
		Long: "Measure an NVIDIA GPU of this machine with micro-benchmarks in PTX; its driver is all\n" +
			"that is needed (HYPTX_LIBCUDA and HYPTX_LIBNVML name its libraries if they are not\n" +
			"found). MYGPU.json is a file for --gpu: what documents and the driver say, and\n" +
			"the measured rates; what nobody knows is null. Beside it come MYGPU.runs.csv, which\n" +
			"`hyptx power tune` reads, MYGPU.idle.csv, MYGPU.clocks.csv and MYGPU.networks.csv if\n" +
			"there is something to write, and MYGPU.log.jsonl, the log: each measurement is a line,\n" +
			"written at once. A second run with the same -o measures what the log lacks.\n\n" +
			"Without --quick power is measured as AccelWattch's authors did: 60 s at 65 C, five\n" +
			"times, with pauses of 30 s: about eleven hours. --quick takes four minutes.",
		Example: "  hyptx calibrate -o mygpu.json --quick\n" +
			"  hyptx calibrate -o mygpu.json --loop net.json --power 0\n" +
			"  hyptx calibrate -o mygpu.json --from mygpu.log.jsonl\n" +
			"  hyptx calibrate --emit benchmarks/",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.calibrate(c, &f) },
	}
	f.add(c)
	return c
}

// add adds the flags to the command.
func (f *calibrateFlags) add(c *cobra.Command) {
	full := calibrate.Full()
	fl := c.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write the GPU's file here; other files are named after it")
	fl.StringVar(&f.runs, "runs", "", "write the runs here instead of MYGPU.runs.csv")
	fl.BoolVar(&f.quick, "quick", false, "twenty points of power, 10 s each, networks 5 s, at the chip's temperature")
	fl.IntVar(&f.power, "power", full.PowerPoints, "measure power at this `number` of points, the most important ones; 0: rates only, -1: all")
	fl.Float64Var(&f.seconds, "seconds", full.Seconds, "measure power for so many seconds a point")
	fl.IntVar(&f.repeats, "repeats", full.Repeats, "measure power so often at each point")
	fl.DurationVar(&f.pause, "pause", time.Duration(full.Pause)*time.Second, "rest between two points of power")
	fl.Float64Var(&f.temperature, "temperature", full.TemperatureC, "heat the chip to this temperature in C before each point of power; 0: as it is")
	fl.IntSliceVar(&f.clocks, "clocks", nil, "lock the SM clock at these MHz for a sweep; needs the rights of an administrator")
	fl.StringSliceVar(&f.loops, "loop", nil, "measure the power of these networks, launch manifests, in a loop")
	fl.StringSliceVar(&f.only, "only", nil, "only these benchmarks")
	fl.DurationVar(&f.budget, "budget", 0, "end after this `time` with what is measured by then; 0 never")
	fl.IntVar(&f.device, "device", 0, "the GPU's `number` as CUDA counts them")
	fl.StringVar(&f.gpu, "gpu", "", "take documented facts from this GPU: a name or a file *.json (by the product's name)")
	fl.StringVar(&f.from, "from", "", "measure nothing: make the files from this log")
	fl.BoolVar(&f.list, "list", false, "list the benchmarks")
	fl.StringVar(&f.emit, "emit", "", "write the benchmarks' PTX and manifests, for a small GPU, into this folder")
}

// protocol returns how to measure: that of the flags, or of --quick where they
// say nothing.
func (f *calibrateFlags) protocol(c *cobra.Command) (calibrate.Protocol, error) {
	p := calibrate.Full()
	if f.quick {
		p = calibrate.Quick()
	}
	given := func(name string) bool { return !f.quick || c.Flags().Changed(name) }
	if given("power") {
		p.PowerPoints = f.power
	}
	if given("seconds") {
		p.Seconds, p.NetworkSeconds = f.seconds, f.seconds
	}
	if given("repeats") {
		p.Repeats = f.repeats
	}
	if given("pause") {
		p.Pause = f.pause.Seconds()
	}
	if given("temperature") {
		p.TemperatureC = f.temperature
	}
	p.ClocksMHz, p.Only = f.clocks, f.only
	switch {
	case !(p.Seconds >= 1 && p.Seconds <= 3600):
		return p, usageError{fmt.Errorf("--seconds %g: must be from 1 to 3600", p.Seconds)}
	case p.Repeats < 1 || p.Repeats > 1000:
		return p, usageError{fmt.Errorf("--repeats %d: must be from 1 to 1000", p.Repeats)}
	case p.PowerPoints < -1:
		return p, usageError{fmt.Errorf("--power %d: must be at least -1", p.PowerPoints)}
	case p.Pause < 0 || f.budget < 0:
		return p, usageError{errors.New("--pause and --budget must not be negative")}
	case !(p.TemperatureC >= 0 && p.TemperatureC <= 90):
		return p, usageError{fmt.Errorf("--temperature %g: must be from 0 to 90", p.TemperatureC)}
	case slices.ContainsFunc(p.ClocksMHz, func(mhz int) bool { return mhz < 1 }):
		return p, usageError{errors.New("--clocks: must be positive")}
	}
	return p, nil
}

// contradictions finds flags of which one would be ignored.
func (f *calibrateFlags) contradictions(c *cobra.Command) error {
	measuring := []string{"quick", "power", "seconds", "repeats", "pause", "temperature", "clocks", "loop", "budget", "device"}
	for _, x := range []struct {
		flag   string
		others []string
	}{
		{"list", append(measuring, "output", "runs", "from", "emit", "gpu", "only")},
		{"emit", append(measuring, "output", "runs", "from", "gpu")},
		{"from", append(measuring, "only")},
	} {
		for _, other := range x.others {
			if c.Flags().Changed(x.flag) && c.Flags().Changed(other) {
				return usageError{fmt.Errorf("--%s has no use with --%s, which measures nothing", other, x.flag)}
			}
		}
	}
	swept := calibrate.SweptByClock()
	if len(f.clocks) > 0 && len(f.only) > 0 && !slices.ContainsFunc(f.only, func(name string) bool { return slices.Contains(swept, name) }) {
		return usageError{fmt.Errorf("--clocks has no use with --only %s: it sweeps %s", strings.Join(f.only, ","), strings.Join(swept, " and "))}
	}
	return nil
}

// calibrate runs the command.
func (a *app) calibrate(c *cobra.Command, f *calibrateFlags) error {
	protocol, err := f.protocol(c)
	if err != nil {
		return err
	}
	if err := f.contradictions(c); err != nil {
		return err
	}
	switch {
	case f.list:
		return listBenchmarks(a.stdout)
	case f.emit != "":
		return emitBenchmarks(f.emit, f.only)
	case f.out == "":
		return usageError{errors.New("-o is missing: where shall the GPU's file go?")}
	case !strings.HasSuffix(f.out, ".json"):
		return usageError{fmt.Errorf("-o %s: must end in .json, so that --gpu knows it as a file", f.out)}
	}
	if err := a.checkOutputs(append(gpuFiles(f.gpu), f.from), f.out, f.beside(runsFile)); err != nil {
		return err
	}
	if f.gpu != "" { // what is wrong with it is said before hours of measuring
		if _, err := gpu.Get(f.gpu); err != nil {
			return err
		}
	}
	if f.from != "" {
		l, err := calibrate.ReadLog(f.from)
		if err != nil {
			return err
		}
		return a.writeCalibration(c.Context(), l, f)
	}
	return a.measureGPU(c.Context(), protocol, f)
}

// Measuring on a machine that may stop at any time. The driver runs on a
// goroutine of its own, because a call into a driver that hangs never comes
// back; the command goes on without it, writes what the log has, and ends. Every
// point is in the log the moment it is measured, so nothing that was paid for is
// lost.
// measureGPU measures and writes. What is measured when something ends it early
// is written all the same, even if the driver hangs.
func (a *app) measureGPU(ctx context.Context, protocol calibrate.Protocol, f *calibrateFlags) error {
	if f.budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.budget, calibrate.ErrBudget)
		defer cancel()
	}
	var opened atomic.Pointer[calibrate.GPU]
	result, err := cuda.Guard(ctx, func() (*campaignResult, error) {
		g, err := calibrate.OpenGPU(f.device, version())
		if err != nil {
			return nil, err
		}
		opened.Store(g)
		defer g.Close()
		return a.measure(ctx, g, protocol, f)
	})
	if errors.Is(err, cuda.ErrHangs) && opened.Load() != nil {
		return a.afterHang(ctx, opened.Load(), f, err)
	}
	if err != nil {
		return err
	}
	return errors.Join(result.err, a.writeCalibration(context.WithoutCancel(ctx), result.log, f))
}

// unlockTime is what the management library gets beside a driver that hangs.
const unlockTime = time.Second

// afterHang gives the GPU's clock free and writes what the log has.
func (a *app) afterHang(ctx context.Context, g *calibrate.GPU, f *calibrateFlags, hangs error) error {
	ctx = context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(ctx, unlockTime)
	defer cancel()
	_, unlocking := cuda.Guard(limited, func() (any, error) { return nil, g.LockClock(0) })
	l, err := calibrate.ReadLog(f.beside(logFile))
	if err != nil || len(l.Measurements) == 0 {
		return errors.Join(hangs, unlocking)
	}
	return errors.Join(hangs, unlocking, a.writeCalibration(ctx, l, f))
}

// campaignResult is what a campaign left: its log and what went wrong.
type campaignResult struct {
	log *calibrate.Log
	err error
}

// measure runs the campaign.
func (a *app) measure(ctx context.Context, g *calibrate.GPU, protocol calibrate.Protocol, f *calibrateFlags) (_ *campaignResult, err error) {
	for _, n := range g.Subject.Notes {
		a.note("%s", n)
	}
	if !g.Sensors() {
		protocol.PowerPoints, protocol.ClocksMHz = 0, nil
	}
	points, err := f.points(protocol, g)
	if err != nil {
		return nil, err
	}
	l, err := calibrate.OpenLog(f.beside(logFile), g.Subject)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.Note != "" {
		a.note("%s", l.Note)
	}
	s := &calibrate.Session{Machine: g, Protocol: protocol, Chip: g.Subject.Chip(), Now: time.Now, Sleep: calibrate.Wait}
	campaign := &calibrate.Campaign{Session: s, Log: l, Points: points, Report: a.reportPoint(len(points))}
	a.note("%s: %d of %d points to measure, about %s", g.Subject.Name, campaign.Left(), len(points), time.Duration(campaign.Seconds()*float64(time.Second)).Round(time.Second))
	failed, ended := campaign.Run(ctx)
	if errors.Is(ended, calibrate.ErrBudget) {
		a.note("the time budget ended with %d of %d points measured; the same command goes on", len(points)-campaign.Left(), len(points))
		ended = nil
	}
	return &campaignResult{l, errors.Join(errors.Join(failed...), ended)}, nil
}

// points are the protocol's and those of networks.
func (f *calibrateFlags) points(p calibrate.Protocol, g *calibrate.GPU) ([]calibrate.Point, error) {
	points, err := calibrate.Plan(p, g.Subject.Chip())
	if err != nil {
		return nil, err
	}
	if len(f.loops) > 0 && !g.Sensors() {
		return nil, errors.New("--loop measures power: there are no sensors")
	}
	var networks []calibrate.Point
	for _, file := range f.loops {
		pt, err := calibrate.NetworkPoint(file, p.NetworkSeconds)
		if err != nil {
			return nil, err
		}
		networks = append(networks, pt)
	}
	return calibrate.WithNetworks(points, networks), nil
}

// reportPoint prints a line for each point.
func (a *app) reportPoint(n int) func(int, calibrate.Point, *calibrate.Measurement, error) {
	if a.quiet {
		return nil
	}
	return func(i int, p calibrate.Point, m *calibrate.Measurement, err error) {
		what := ""
		switch {
		case err != nil:
			what = err.Error()
		case m.Power != nil:
			what = fmt.Sprintf("%.1f W (+-%.1f), %.0f C, %.0f MHz, %s", m.Power.MeanW, m.Power.StdW, m.Power.TemperatureC, m.Power.SMClockMHz, m.Power.Throttle)
		default:
			what = fmt.Sprintf("%.4g ms", m.MS)
			if m.After != nil {
				what += fmt.Sprintf(", %.0f MHz, %s", m.After.SMClockMHz, m.After.Throttle)
			}
		}
		fmt.Fprintf(a.stderr, "[%*d/%d] %s: %s\n", len(fmt.Sprint(n)), i+1, n, p, what)
	}
}

// listBenchmarks prints the benchmarks.
func listBenchmarks(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "benchmark\twhat it does\ta turn of its loop")
	for _, b := range calibrate.Benchmarks() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", b.Name, b.About, b.Mix)
	}
	return t.Flush()
}

// emitBenchmarks writes PTX and manifests of all benchmarks or some.
func emitBenchmarks(dir string, only []string) error {
	for _, name := range only {
		if _, err := calibrate.Lookup(name); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return writeError(dir, err)
	}
	for _, b := range calibrate.Benchmarks() {
		if b.Name == "idle" || len(only) > 0 && !slices.Contains(only, b.Name) {
			continue
		}
		s := b.Setup(calibrate.Small, 0, 32)
		s.Iterations = 8
		if _, err := s.Emit(dir); err != nil {
			return err
		}
	}
	return nil
}
