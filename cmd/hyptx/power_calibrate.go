package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hyptx/internal/micro"
	"hyptx/power"
)

// hyptx power calibrate: the numbers of the calibrated power model, from a folder of
// micro-benchmarks that were measured on boards at many clocks. The result is
// power/data/calibration.json, so that whoever has such a folder can make it again.

// calibratePowerFlags are the flags of hyptx power calibrate.
type calibratePowerFlags struct {
	out  *output
	ctas int
}

func (a *app) powerCalibrateCommand() *cobra.Command {
	f := calibratePowerFlags{out: &output{flag: "-o", as: asJSON}}
	c := &cobra.Command{
		Use:   "calibrate DIR",
		Short: "Fit the calibrated power model to micro-benchmarks of boards",
		Long: "Fit the power model of boards (variant calibrated) to a folder of micro-benchmarks:\n" +
			"for each family of architectures constant power, power of an SM with and without\n" +
			"work, the voltage against the clock, and factors on AccelWattch's energies; with the\n" +
			"error of the fit, of benchmarks and of clocks that were left out of it, and what is\n" +
			"left of the doubt about each factor. DIR has tables measured/*.csv of utilisations\n" +
			"(gpu, power_w, core_mhz, mem_mhz, utilisations_at, util_*) or of launches (gpu,\n" +
			"sm_mhz, manifest, launch, scale, time_us, power_w, dram_active), whose manifests are\n" +
			"emulated with grids cut to a few CTAs.",
		Example: "  hyptx power calibrate micro -o calibration.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.calibratePower(c.Context(), args[0], &f) },
	}
	fl := c.Flags()
	fl.StringVarP(&f.out.path, "output", "o", "", "write the numbers to this `file` as JSON (- for standard output)")
	fl.IntVar(&f.ctas, "ctas", 4, "emulate this `number` of CTAs of each launch")
	atLeast(c, "ctas", &f.ctas, 1)
	a.limits.add(c)
	return c
}

// calibratePower runs the command.
func (a *app) calibratePower(ctx context.Context, dir string, f *calibratePowerFlags) error {
	if err := a.checkOutputs(nil, f.out); err != nil {
		return err
	}
	o := a.defaults()
	o.Progress = a.progress()
	a.limits.apply(&o)
	folder := &micro.Folder{Dir: dir, CTAs: f.ctas, Options: o, Note: a.note}
	runs, err := folder.Read(ctx)
	if err != nil {
		return err
	}
	c, err := power.Calibrate(runs, fmt.Sprintf("hyptx power calibrate %s, %d runs", filepath.Base(dir), len(runs)))
	if err != nil {
		return err
	}
	if f.out.asked() {
		if err := a.write(f.out.path, func(w io.Writer) error { return writeJSON(w, c, "  ") }); err != nil {
			return err
		}
	}
	if isStdout(f.out.path) {
		return nil
	}
	for _, text := range c.Report() {
		a.say("%s", text)
	}
	return nil
}
