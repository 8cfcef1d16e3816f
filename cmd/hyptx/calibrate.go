package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"hyptx/internal/gpu"
	"hyptx/internal/hardware/calibrate"
	"hyptx/internal/hardware/cuda"
)

// hyptx calibrate: from a GPU to a file that --gpu reads. It is the only command
// that runs for hours on a machine that may stop at any time, and everything here
// follows from that. A plan is made first (which micro-benchmarks, at which clocks,
// how often), and the log beside the output has a line for each point that was
// measured, written the moment it was. A second run with the same -o reads the log
// and measures what it lacks; --from makes the files from a log alone, so that a
// mistake in the evaluation costs no GPU time.
//
// Flags are of three kinds that exclude each other: how to measure (--seconds,
// --repeats, ...), where from (--from), and what to show without measuring (--list,
// --emit). A flag of one kind beside another kind would be ignored, which is an
// error (contradictions). --quick is a whole protocol; flags beside it replace
// single parts of it, so their defaults must not: protocol asks which were given.

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
	atLeast(c, "power", &f.power, -1)
	between(c, "seconds", &f.seconds, 1, 3600)
	between(c, "repeats", &f.repeats, 1, 1000)
	between(c, "temperature", &f.temperature, 0, 90)
	fl.DurationVar(&f.budget, "budget", 0, "end after this `time` with what is measured by then; 0 never")
	fl.IntVar(&f.device, "device", 0, "the GPU's `number` as CUDA counts them")
	fl.StringVar(&f.gpu, "gpu", "", "take documented facts from this GPU: a name or a file *.json (by the product's name)")
	fl.StringVar(&f.from, "from", "", "measure nothing: make the files from this log")
	fl.BoolVar(&f.list, "list", false, "list the benchmarks")
	fl.StringVar(&f.emit, "emit", "", "write the benchmarks' PTX and manifests, for a small GPU, into this folder")
}

// protocol returns how to measure: that of the flags, or of --quick where they
// say nothing. `--quick --seconds 20` is the quick protocol with 20 s a point; the
// default of --seconds beside a lone --quick, 60 s, would make it no quicker.
func (f *calibrateFlags) protocol(c *cobra.Command) calibrate.Protocol {
	p := calibrate.Full()
	if f.quick {
		p = calibrate.Quick()
	}
	for name, set := range map[string]func(){
		"power":       func() { p.PowerPoints = f.power },
		"seconds":     func() { p.Seconds, p.NetworkSeconds = f.seconds, f.seconds },
		"repeats":     func() { p.Repeats = f.repeats },
		"pause":       func() { p.Pause = f.pause.Seconds() },
		"temperature": func() { p.TemperatureC = f.temperature },
	} {
		if !f.quick || c.Flags().Changed(name) {
			set()
		}
	}
	p.ClocksMHz, p.Only = f.clocks, f.only
	return p
}

// contradictions finds flags of which one would be ignored. --clocks is special:
// it locks clocks for some benchmarks only, so with --only for others it would do
// nothing but ask for an administrator's rights.
func (f *calibrateFlags) contradictions(c *cobra.Command) error {
	measuring := []string{"quick", "power", "seconds", "repeats", "pause", "temperature", "clocks", "loop", "budget", "device"}
	for _, x := range [][]string{
		{"list", "output", "runs", "from", "emit", "gpu", "only"},
		{"emit", "output", "runs", "from", "gpu"},
		{"from", "only"},
	} {
		for _, other := range append(x[1:], measuring...) {
			if c.Flags().Changed(x[0]) && c.Flags().Changed(other) {
				return usagef("--%s has no use with --%s, which measures nothing", other, x[0])
			}
		}
	}
	swept := calibrate.SweptByClock()
	if len(f.clocks) > 0 && len(f.only) > 0 && !slices.ContainsFunc(f.only, func(name string) bool { return slices.Contains(swept, name) }) {
		return usagef("--clocks has no use with --only %s: it sweeps %s", strings.Join(f.only, ","), strings.Join(swept, " and "))
	}
	return nil
}

// calibrate runs the command.
func (a *app) calibrate(c *cobra.Command, f *calibrateFlags) error {
	measures := !f.list && f.emit == ""
	if err := cmp.Or(f.contradictions(c), refuse(
		refusal{f.pause < 0 || f.budget < 0, "--pause and --budget must not be negative"},
		refusal{len(f.clocks) > 0 && slices.Min(f.clocks) < 1, "--clocks: must be positive"},
		refusal{measures && f.out == "", "-o is missing: where shall the GPU's file go?"},
		refusal{measures && !strings.HasSuffix(f.out, ".json"), "-o " + f.out + ": must end in .json, so that --gpu knows it as a file"})); err != nil {
		return err
	}
	switch {
	case f.list:
		a.listBenchmarks()
		return nil
	case f.emit != "":
		return emitBenchmarks(f.emit, f.only)
	}
	if err := a.checkOutputs(append(gpuFiles(f.gpu), f.from), &output{flag: "-o", path: f.out, as: asJSON}, &output{flag: "--runs", path: f.beside(runsFile), as: asCSV}); err != nil {
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
	return a.measureGPU(c.Context(), f.protocol(c), f)
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
	l, err := cuda.Guard(ctx, func() (*calibrate.Log, error) {
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
	if l == nil {
		return err
	}
	return errors.Join(err, a.writeCalibration(context.WithoutCancel(ctx), l, f))
}

// unlockTime is what the management library gets beside a driver that hangs. It
// is another library (NVML) and mostly still answers; a clock that stays locked
// would slow down the next user of the machine.
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

// measure runs the campaign. The log is there if it could be opened, with all that
// was measured before what the error tells.
func (a *app) measure(ctx context.Context, g *calibrate.GPU, protocol calibrate.Protocol, f *calibrateFlags) (_ *calibrate.Log, err error) {
	a.noteAll(g.Subject.Notes)
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
	return l, errors.Join(errors.Join(failed...), ended)
}

// points are the protocol's and those of networks, which need power sensors: what a
// network in a loop is measured for is its power, its time profilers give.
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

// reportPoint prints a line for each point: a campaign of hours must show that it
// goes on, and that the chip is neither throttled nor cold, while it can be ended.
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
		fmt.Fprintf(a.notes, "[%*d/%d] %s: %s\n", len(fmt.Sprint(n)), i+1, n, p, what)
	}
}

// listBenchmarks prints the benchmarks.
func (a *app) listBenchmarks() {
	var t sheet
	t.add("benchmark", "what it does", "a turn of its loop")
	for _, b := range calibrate.Benchmarks() {
		t.add(b.Name, b.About, fmt.Sprint(b.Mix))
	}
	t.print(a.text, a.columns())
}

// emitBenchmarks writes PTX and manifests of all benchmarks or some, each made for a
// small chip and eight turns of its loop: they are for reading, and for runs in the
// emulator, where the turns of a real measurement would take hours.
func emitBenchmarks(dir string, only []string) error {
	for _, name := range only {
		if _, err := calibrate.Lookup(name); err != nil {
			return usageError{err}
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
