package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/analysis/gpu"
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
			"names; a counter without a column gets no energy. At least as many runs are needed\n" +
			"as energies. --clocks (run, clock_mhz, measured_w, category, lanes) gives constant\n" +
			"and static power by cubic fits, --idle (run, active_sms, measured_w) that of idle\n" +
			"SMs; without them they are those of --gpu. The result is a GPU's file.",
		Example: "  hyptx power tune runs.csv --start fermi -o mygpu.json\n" +
			"  hyptx power tune runs.csv --gpu a100 --constant 45 --clocks clocks.csv --idle idle.csv -o my-a100.json",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.tune(c, args[0], &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpu, "gpu", "gv100", "the GPU that was measured: a `name` or a file *.json")
	fl.StringVar(&f.variant, "variant", string(power.HW), "what the counts are, a `variant`: ptx_sim, sass_sim, hw or hybrid")
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
	if err := checkOutputs([]string{path, f.sweeps, f.idle}, f.out, f.residuals); err != nil {
		return err
	}
	variant, err := power.ParseVariant(f.variant)
	if err != nil {
		return usageError{fmt.Errorf("--variant: %w", err)}
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
	chip, err := power.Untuned(g, variant, f.constantW)
	if err != nil {
		return err
	}
	res := &powerResult{}
	text, err := a.readInput(path, res)
	if err != nil {
		return err
	}
	runs, absent, err := power.ReadRuns(bytes.NewReader(text), path, chip.SMs)
	if err != nil {
		return err
	}
	sweeps, err := a.fixed(f, chip, runs, res)
	if err != nil {
		return err
	}
	tuned, err := power.Tune(chip, start, runs, absent, rules)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return a.writeTuned(f, g, chip, runs, sweeps, tuned, res)
}

// fixed determines what tuning takes as given: constant, static and idle power.
func (a *app) fixed(f *tuneFlags, chip *power.Chip, runs []power.Run, res *powerResult) (sweeps []*power.Sweep, err error) {
	if f.sweeps != "" {
		text, err := a.readInput(f.sweeps, res)
		if err != nil {
			return nil, err
		}
		if sweeps, err = power.ReadSweeps(bytes.NewReader(text), f.sweeps); err != nil {
			return nil, err
		}
		if err := power.CheckClocks(runs, sweeps); err != nil {
			return nil, err
		}
		if f.constantW == 0 {
			if chip.ConstantW, err = power.ConstantPower(sweeps); err != nil {
				return nil, fmt.Errorf("%s: %w", f.sweeps, err)
			}
		}
		static, err := power.StaticFromSweeps(sweeps, runs[0].Activity.ClockMHz)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.sweeps, err)
		}
		chip.SetStatic(static)
	}
	if f.idle != "" {
		text, err := a.readInput(f.idle, res)
		if err != nil {
			return nil, err
		}
		list, err := power.ReadIdleRuns(bytes.NewReader(text), f.idle)
		if err != nil {
			return nil, err
		}
		if chip.IdleSMW, err = power.IdleSMPower(list, chip.SMs, chip.ConstantW); err != nil {
			return nil, fmt.Errorf("%s: %w", f.idle, err)
		}
	}
	return sweeps, nil
}

// writeTuned writes the GPU's file, the residuals, and a report.
func (a *app) writeTuned(f *tuneFlags, g *gpu.GPU, chip *power.Chip, runs []power.Run, sweeps []*power.Sweep, tuned *power.Tuned, res *powerResult) error {
	stamp := analysis.Stamp{Version: version(), Inputs: analysis.HashInputs(res.inputs)}
	source := fmt.Sprintf("hyptx %s power tune, %d runs, start %s, constraints %s, inputs %.12s", stamp.Version, len(runs), f.start, f.constraints, stamp.Inputs)
	mine, err := power.TunedGPU(g, chip, tuned, runs, sweeps, f.name, source)
	if err != nil {
		return err
	}
	if f.residuals != "" {
		if err := a.write(f.residuals, func(w io.Writer) error { return analysis.WriteRows(w, stamp, tuned.Residuals) }); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := a.write(f.out, func(w io.Writer) error { return writeIndented(w, mine) }); err != nil {
			return err
		}
	}
	if f.out == "-" || f.residuals == "-" {
		return nil
	}
	return reportTuned(a.stdout, chip, tuned)
}

// reportTuned says what tuning found.
func reportTuned(w io.Writer, chip *power.Chip, t *power.Tuned) error {
	var errs error
	print := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = errors.Join(errs, err)
	}
	print("fixed: constant %.4g W, idle SM %.4g W", chip.ConstantW, chip.IdleSMW)
	print("%d runs: mean error %.2f %% (95%% CI +-%.2f, largest %.2f, bias %.2f), Pearson r %.4f", t.Accuracy.N, t.Accuracy.MAPEPct, t.Accuracy.CI95Pct, t.Accuracy.MaxPct, t.Accuracy.BiasPct, t.Accuracy.PearsonR)
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
	if t.Rank < t.Exercised {
		print("the runs tell %d of %d energies apart; what they do not stays near the start", t.Rank, t.Exercised)
	}
	print("runs that miss most:")
	for _, r := range t.Worst(5) {
		print("  %-32s measured %8.2f W, model %8.2f W, %+.2f %%", r.Run, r.MeasuredW, r.ModelW, r.ErrorPct)
	}
	return errs
}
