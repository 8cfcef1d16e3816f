package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/power"
)

// tuneFlags are the flags of hyptx power tune.
type tuneFlags struct {
	gpu, variant, start, constraints string
	out, name, residuals             string
	sweeps, idle                     string
	constantW                        float64
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
		RunE: func(c *cobra.Command, args []string) error { return a.tune(c, args[0], &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpu, "gpu", "gv100", "the GPU that was measured: a `name` or a file *.json")
	fl.StringVar(&f.variant, "variant", "", "what the counts are, a `variant`: ptx_sim (of PTX), sass_sim (of machine code), hw or hybrid (of hardware); default hw if REG_RD, REG_WR, NON_REG, IC_H and IC_M are not counted, which hardware cannot, else ptx_sim")
	fl.StringVar(&f.start, "start", power.StartFermi, "starting `point`: fermi, ones or a variant")
	fl.StringVar(&f.constraints, "constraints", "release", "constraint `set`: paper (equation 14) or release (the solver's script)")
	fl.StringVarP(&f.out, "output", "o", "", "write the GPU's `file` here (- for standard output)")
	fl.StringVar(&f.name, "name", "", "the GPU's `name` in it (that of --gpu with -tuned)")
	fl.StringVar(&f.residuals, "residuals", "", "write modelled and measured power of each run to this `file` as CSV")
	fl.StringVar(&f.sweeps, "clocks", "", "runs at several clocks, a CSV `file`")
	fl.StringVar(&f.idle, "idle", "", "runs with some SMs active, a CSV `file`")
	fl.Float64Var(&f.constantW, "constant", 0, "constant power in `W`, instead of the GPU's idle power or --clocks")
	return c
}

// maxConstantW bounds --constant: no board comes near.
const maxConstantW = 1e6

// tune runs the command.
func (a *app) tune(c *cobra.Command, path string, f *tuneFlags) error {
	if err := a.checkOutputs(append(gpuFiles(f.gpu), path, f.sweeps, f.idle), f.out, f.residuals); err != nil {
		return err
	}
	variant := power.Variant("")
	var err error
	if f.variant != "" {
		if variant, err = power.ParseVariant(f.variant); err != nil {
			return usageError{fmt.Errorf("--variant: %w", err)}
		}
	}
	rules, err := power.ParseRules(f.constraints)
	if err != nil {
		return usageError{fmt.Errorf("--constraints: %w", err)}
	}
	start, err := power.StartPoint(f.start)
	if err != nil {
		return usageError{fmt.Errorf("--start: %w", err)}
	}
	if c.Flags().Changed("constant") && !(f.constantW > 0 && f.constantW <= maxConstantW) {
		return usageError{fmt.Errorf("--constant %g: must be positive, and at most %g W", f.constantW, float64(maxConstantW))}
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
	src, err := a.readInput(path, &t.inputs)
	if err != nil {
		return err
	}
	if t.runs, t.absent, err = power.ReadRuns(bytes.NewReader(src.Text), path, sms); err != nil {
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
	src, err := a.readInput(f.idle, &t.inputs)
	if err != nil {
		return err
	}
	list, err := power.ReadIdleRuns(bytes.NewReader(src.Text), f.idle)
	if err != nil {
		return err
	}
	if chip.IdleSMW, err = power.IdleSMPower(list, chip.SMs, chip.ConstantW); err != nil {
		return fmt.Errorf("%s: %w", f.idle, err)
	}
	return nil
}

// fixedBySweeps determines constant and static power from --clocks.
func (a *app) fixedBySweeps(f *tuneFlags, t *tuning) error {
	src, err := a.readInput(f.sweeps, &t.inputs)
	if err != nil {
		return err
	}
	if t.sweeps, err = power.ReadSweeps(bytes.NewReader(src.Text), f.sweeps); err != nil {
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
	t.chip.SetStatic(t.static)
	return nil
}

// writeTuned writes the GPU's file, the residuals, and a report. A fit that
// explains nothing is an error, and no GPU's file.
func (a *app) writeTuned(f *tuneFlags, t *tuning) error {
	stamp := analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(t.inputs)}
	if f.residuals != "" {
		if err := a.write(f.residuals, func(w io.Writer) error { return analysis.WriteRows(w, stamp, t.Residuals) }); err != nil {
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
		if err := a.write(f.out, func(w io.Writer) error { return writeIndented(w, mine) }); err != nil {
			return err
		}
	}
	if f.out == "-" || f.residuals == "-" {
		return failed
	}
	return errors.Join(failed, t.report(a.stdout, f.out))
}

// report says what tuning found.
func (t *tuning) report(w io.Writer, out string) error {
	var errs error
	print := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = errors.Join(errs, err)
	}
	t.reportFixed(print)
	print("%d runs: mean error %.2f %% (95%% CI +-%.2f, largest %.2f, bias %.2f), Pearson r %s", t.Accuracy.N, t.Accuracy.MAPEPct, t.Accuracy.CI95Pct, t.Accuracy.MaxPct, t.Accuracy.BiasPct, correlation(t.Accuracy.PearsonR, 4))
	print("corrections of the start:")
	for _, c := range t.Columns() {
		print("  %-11s x %.6g", c, t.Corrections[c])
	}
	if len(t.Equalities) > 0 {
		print("held by constraints: %s", strings.Join(t.Equalities, ", "))
	}
	if len(t.Unused) > 0 {
		print("no run exercises, as at the start: %s", strings.Join(t.Unused, ", "))
	}
	if t.absent != 0 {
		print("without a column, hence without energy: %s", strings.Join(t.absent.Names(), ", "))
	}
	if t.Rank < t.Exercised {
		print("the runs tell %d of %d energies apart; what they do not stays near the start", t.Rank, t.Exercised)
	}
	print("runs that miss most:")
	for _, r := range t.Worst(5) {
		print("  %-32s measured %8.2f W, model %8.2f W, %+.2f %%", r.Run, r.MeasuredW, r.ModelW, r.ErrorPct)
	}
	if out != "" && t.Check() == nil {
		print("variant %s; to be used as: %s", t.chip.Variant, useOf(t.chip.Variant, out))
	}
	return errs
}

// useOf is how the GPU's file of a variant is used.
func useOf(v power.Variant, out string) string {
	if v.FromHardware() {
		return "hyptx power --counters FILE.csv --gpu " + out
	}
	return "hyptx power NET.json --gpu " + out
}

// reportFixed says what power was not tuned.
func (t *tuning) reportFixed(print func(string, ...any)) {
	print("fixed: constant %.4g W, idle SM %.4g W, memory controller %.4g W", t.chip.ConstantW, t.chip.IdleSMW, t.chip.MemControllerW)
	for _, s := range t.chip.FixedStatic(t.runs) {
		from := "a GV100's, by SM"
		if _, ok := t.static[s.Category]; ok {
			from = "measured"
		}
		print("  static of %d SMs, %s: %.4g W with 1 lane, %.4g W with 32 (%s)", t.chip.StaticSMs, s.Category, s.OneLaneW, s.AllLanesW, from)
	}
	low, high := t.FixedRange()
	print("  in all %.4g to %.4g W of the runs", low, high)
}
