package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/power"
)

// hyptx power tune: energies from measurements. It solves AccelWattch's constrained
// least squares (MICRO 2021): measured power minus what is taken as given
// (constant, static, idle SMs) is explained by counts times energies, each energy a
// correction of a starting point. What is given is fixed first, because a least
// squares that could also move the constant power would put every error there.
//
// The result is a whole GPU's file, not a patch: it can be read by --gpu without
// the file it was made from, and says in `source` from which runs it came. A fit
// that explains nothing is an error and writes no file, since a file that looks like
// any other would be used like any other.

// tuneFlags are the flags of hyptx power tune.
type tuneFlags struct {
	gpu, variant string
	// start is the point from which corrections are sought, constraints the set of
	// bounds that keep the corrections of units in order (X_ALU <= X_FPU, ...) where the
	// runs cannot tell them apart.
	start, constraints   string
	out, name, residuals string
	sweeps, idle         string  // files of measurements, of --clocks and --idle
	constantW            float64 // of --constant, W; 0: not given
}

func (a *app) powerTuneCommand() *cobra.Command {
	var f tuneFlags
	c := &cobra.Command{
		Use:   "tune RUNS.csv",
		Short: "Fit the power model's energies to your own measurements",
		Long: "Fit the energies of a GPU to measured runs of micro-benchmarks, by AccelWattch's\n" +
			"constrained least squares. RUNS.csv has a row for each run: run, measured_w,\n" +
			"clock_mhz, cycles or time_us, lanes, idle_sms, duty, and counters by AccelWattch's\n" +
			"names (hyptx power counters lists them); a counter without a column gets no\n" +
			"energy. At least as many runs are needed as energies. --clocks (run, clock_mhz,\n" +
			"measured_w, category, lanes) gives constant and static power by cubic fits, --idle\n" +
			"(run, active_sms, measured_w) that of idle SMs; without them constant power is the\n" +
			"idle power of --gpu, and an SM's are a GV100's. The result is a GPU's file. What\n" +
			"speaks against a fit is said; one that explains nothing is an error.",
		Example: "  hyptx power tune runs.csv --start fermi --variant ptx_sim -o mygpu.json\n" +
			"  hyptx power net.json --gpu mygpu.json\n" +
			"  hyptx power tune runs.csv --gpu a100 --constant 45 --clocks clocks.csv --idle idle.csv -o my-a100.json",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.tune(args[0], &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpu, "gpu", "gv100", "the GPU that was measured: a `name` or a file *.json")
	choose(c, &f.variant, "variant", "", "what the counts are, a `variant`: ptx_sim (of PTX), sass_sim (of machine code), hw or hybrid (of hardware); default hw if REG_RD, REG_WR, NON_REG, IC_H and IC_M are not counted, which hardware cannot, else ptx_sim",
		"ptx_sim", "sass_sim", "hw", "hybrid", "ptx_sim_alt", "sass_sim_alt")
	fl.StringVar(&f.start, "start", power.StartFermi, "starting `point`: fermi, ones or a variant")
	choose(c, &f.constraints, "constraints", "release", "constraint `set`: paper (equation 14) or release (the solver's script)", "paper", "release")
	fl.StringVarP(&f.out, "output", "o", "", "write the GPU's `file` here (- for standard output)")
	fl.StringVar(&f.name, "name", "", "the GPU's `name` in it (that of --gpu with -tuned)")
	fl.StringVar(&f.residuals, "residuals", "", "write modelled and measured power of each run to this `file` as CSV")
	fl.StringVar(&f.sweeps, "clocks", "", "runs at several clocks, a CSV `file`")
	fl.StringVar(&f.idle, "idle", "", "runs with some SMs active, a CSV `file`")
	fl.Float64Var(&f.constantW, "constant", 0, "constant power in `W`, instead of the GPU's idle power or --clocks")
	within(c, "constant", &f.constantW, maxConstantW, "")
	return c
}

// maxConstantW bounds --constant: no board comes near.
const maxConstantW = 1e6

// tune runs the command: read, fix, fit, write. The counters that a file has no
// column for (absent) get no energy, and decide which variant the energies are of
// if nobody said it: counts without those of the register file and the instruction
// cache are taken to be a profiler's, as hardware does not count these.
func (a *app) tune(path string, f *tuneFlags) error {
	outputs := []*output{{flag: "-o", path: f.out, as: asJSON}, {flag: "--residuals", path: f.residuals, as: asCSV}}
	if err := a.checkOutputs(append(gpuFiles(f.gpu), path, f.sweeps, f.idle), outputs...); err != nil {
		return err
	}
	variant := power.Variant(f.variant)
	rules, err := power.ParseRules(f.constraints)
	if err != nil {
		return usagef("--constraints: %w", err)
	}
	start, err := power.StartPoint(f.start)
	if err != nil {
		return usagef("--start: %w", err)
	}
	g, err := gpu.Get(f.gpu)
	if err != nil {
		return err
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return err
	}
	t := &tuning{gpu: g, path: path}
	t.runs, err = readRows(a, path, &t.inputs, func(name string, text []byte) (runs []power.Run, err error) {
		runs, t.absent, err = power.ReadRuns(name, text, sms)
		return runs, err
	})
	if err != nil {
		return err
	}
	if f.variant == "" {
		variant = power.VariantOf(t.absent)
	}
	if t.chip, err = power.Untuned(g, variant, f.constantW); err != nil {
		return err
	}
	if err := a.fixed(f, t); err != nil {
		return err
	}
	if t.Tuned, err = power.Tune(t.chip, start, t.runs, t.absent, rules); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return a.writeTuned(f, t)
}

// tuning is a tuning on its way: what is read, and what comes of it.
type tuning struct {
	inputs []analysis.Input
	*power.Tuned
	gpu    *gpu.GPU
	chip   *power.Chip
	path   string
	runs   []power.Run
	absent power.CounterSet
	sweeps []*power.Sweep
	// static are the categories that were measured.
	static map[power.Category]power.LanePower
}

// fixed determines what tuning takes as given: constant, static and idle power.
func (a *app) fixed(f *tuneFlags, t *tuning) error {
	chip := t.chip
	if f.sweeps != "" {
		if err := a.fixedBySweeps(f, t); err != nil {
			return err
		}
	}
	m := power.Model{GPU: t.gpu, Chip: chip}
	known, err := m.CheckRunClocks(t.runs)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if !known && f.sweeps == "" {
		a.note("%s: clocks are taken as they stand: the GPU's file does not say which it can have", t.path)
	}
	if f.idle == "" {
		return nil
	}
	list, err := readRows(a, f.idle, &t.inputs, power.ReadIdleRuns)
	if err != nil {
		return err
	}
	if chip.IdleSMW, err = power.IdleSMPower(list, chip.SMs, chip.ConstantW); err != nil {
		return fmt.Errorf("%s: %w", f.idle, err)
	}
	return nil
}

// fixedBySweeps determines constant and static power from --clocks. AccelWattch takes
// power for beta f^3 + tau f + constant of the clock f (equation 3): switching goes
// with V^2 f, leakage with V, and V with f. So the constant term of the fits is the
// constant power, and tau f the static power of a category at the clock of the runs.
// Runs at a clock outside the sweeps would be extrapolated, hence CheckClocks.
func (a *app) fixedBySweeps(f *tuneFlags, t *tuning) (err error) {
	if t.sweeps, err = readRows(a, f.sweeps, &t.inputs, power.ReadSweeps); err != nil {
		return err
	}
	if err := power.CheckClocks(t.runs, t.sweeps); err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if f.constantW == 0 {
		if t.chip.ConstantW, err = power.ConstantPower(t.sweeps); err != nil {
			return fmt.Errorf("%s: %w", f.sweeps, err)
		}
	}
	if t.static, err = power.StaticFromSweeps(t.sweeps, t.runs[0].Activity.ClockMHz); err != nil {
		return fmt.Errorf("%s: %w", f.sweeps, err)
	}
	for category, p := range t.static {
		t.chip.Static[category] = p
	}
	return nil
}

// writeTuned writes the GPU's file, the residuals, and a report. A fit that
// explains nothing is an error, and no GPU's file.
func (a *app) writeTuned(f *tuneFlags, t *tuning) error {
	stamp := stampOf(t.inputs)
	if f.residuals != "" {
		if err := a.write(f.residuals, func(w io.Writer) error { return analysis.RowWriter(w, stamp)(t.Residuals) }); err != nil {
			return err
		}
	}
	for _, doubt := range t.Doubts() {
		a.note("%s: %s", t.path, doubt)
	}
	failed := t.Check()
	if failed != nil {
		failed = fmt.Errorf("%s: %w; no GPU's file is written", t.path, failed)
	}
	if failed == nil && f.out != "" {
		source := fmt.Sprintf("hyptx %s power tune, %d runs, start %s, constraints %s, inputs %.12s", stamp.Version, len(t.runs), f.start, f.constraints, stamp.Inputs)
		mine, err := power.TunedGPU(t.gpu, t.chip, t.Tuned, t.runs, t.sweeps, f.name, source)
		if err != nil {
			return err
		}
		if err := a.write(f.out, func(w io.Writer) error { return writeJSON(w, mine, "  ") }); err != nil {
			return err
		}
	}
	if f.out == "-" || f.residuals == "-" {
		return failed
	}
	a.reportTuned(t, f.out)
	return failed
}

// reportTuned says what tuning found.
func (a *app) reportTuned(t *tuning, out string) {
	a.reportFixed(t)
	a.say("%d runs: mean error %.2f %% (95%% CI +-%.2f, largest %.2f, bias %.2f), Pearson r %s", t.Accuracy.N, t.Accuracy.MAPEPct, t.Accuracy.CI95Pct, t.Accuracy.MaxPct, t.Accuracy.BiasPct, cmp.Or(t.Accuracy.PearsonR.Fixed(4), "unknown"))
	a.say("corrections of the start:")
	for _, c := range t.Columns() {
		a.say("  %-11s x %.6g", c, t.Corrections[c])
	}
	if len(t.Equalities) > 0 {
		a.say("held by constraints: %s", strings.Join(t.Equalities, ", "))
	}
	if len(t.Unused) > 0 {
		a.say("no run exercises, as at the start: %s", strings.Join(t.Unused, ", "))
	}
	if t.absent != 0 {
		a.say("without a column, hence without energy: %s", strings.Join(t.absent.Names(), ", "))
	}
	if t.Rank < t.Exercised {
		a.say("the runs tell %d of %d energies apart; what they do not stays near the start", t.Rank, t.Exercised)
	}
	a.say("runs that miss most:")
	for _, r := range t.Worst(5) {
		a.say("  %-32s measured %8.2f W, model %8.2f W, %+.2f %%", r.Run, r.MeasuredW, r.ModelW, r.ErrorPct)
	}
	if out != "" && t.Check() == nil {
		a.say("variant %s; to be used as: %s", t.chip.Variant, useOf(t.chip.Variant, out))
	}
}

// useOf is how the GPU's file of a variant is used: energies that were fitted to
// hardware counters are of no use for a program's.
func useOf(v power.Variant, out string) string {
	if v.FromHardware() {
		return "hyptx power --counters FILE.csv --gpu " + out
	}
	return "hyptx power NET.json --gpu " + out
}

// reportFixed says what power was not tuned.
func (a *app) reportFixed(t *tuning) {
	a.say("fixed: constant %.4g W, idle SM %.4g W, memory controller %.4g W", t.chip.ConstantW, t.chip.IdleSMW, t.chip.MemControllerW)
	for _, s := range t.chip.FixedStatic(t.runs) {
		from := "a GV100's, by SM"
		if _, ok := t.static[s.Category]; ok {
			from = "measured"
		}
		a.say("  static of %d SMs, %s: %.4g W with 1 lane, %.4g W with 32 (%s)", t.chip.StaticSMs, s.Category, s.OneLaneW, s.AllLanesW, from)
	}
	low, high := t.FixedRange()
	a.say("  in all %.4g to %.4g W of the runs", low, high)
}
