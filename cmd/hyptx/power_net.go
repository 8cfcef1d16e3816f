package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// powerResult gathers the rows of all programs on all GPUs.
type powerResult struct {
	rows   []*power.Row
	sweep  []*power.SweepRow
	hot    []*power.HotRow
	class  []*power.ClassRow
	notes  []string
	inputs []analysis.Input
	// counters is the text of --counters, times what --time says.
	counters []byte
	times    map[string]roofline.Time
	// launches is the largest number of launches that a program has.
	launches int
	// limitW is the limit of the only board, 0 if it is unknown.
	limitW float64
}

// power runs the command. What is complete is written even if something failed.
func (a *app) power(c *cobra.Command, args []string, f *powerFlags) error {
	gpus, err := f.check(c, args)
	if err != nil {
		return err
	}
	if err := a.checkOutputs(append(gpuFiles(f.gpus), append(slices.Clone(args), f.counters, f.times)...), f.out, f.json, f.hot, f.plot); err != nil {
		return err
	}
	ctx, cancel := a.limits.withTimeout(c.Context())
	defer cancel()
	res := &powerResult{}
	if err := a.powerInputs(f, res); err != nil {
		return err
	}
	var failed error
	for _, g := range gpus {
		f, err := f.of(g) // the variant is that of the GPU's file unless told
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		chip, err := power.ChipOf(g, power.ChipOptions{Variant: f.parsedVariant, Rules: f.parsedRules, EnergyScale: f.energyScale})
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		m := &power.Model{GPU: g, Chip: chip, Rules: f.parsedRules, State: f.state()}
		if err := m.CheckClocks(f.clocks); f.clocks != nil && err != nil {
			failed = errors.Join(failed, fmt.Errorf("--clock: %w", err))
			continue
		}
		if tdp := g.Power.TDPW; tdp.Known() {
			res.limitW = tdp.Value
		}
		for _, n := range chip.Notes {
			res.notes = append(res.notes, g.Name+": "+n)
		}
		failed = errors.Join(failed, a.powerOn(ctx, args, f, m, res))
		if ctx.Err() != nil {
			break
		}
	}
	failed = errors.Join(failed, res.checkTimes(f))
	if len(res.rows)+len(res.sweep) == 0 {
		return failed
	}
	if n := len(res.rows); failed != nil && n > 0 {
		a.note("%s complete and written all the same", map[bool]string{true: "1 row is", false: fmt.Sprintf("%d rows are", n)}[n == 1])
	}
	return errors.Join(failed, a.writePower(res, f))
}

// powerInputs reads the files that results depend on beside the programs.
func (a *app) powerInputs(f *powerFlags, res *powerResult) (err error) {
	for _, name := range gpuFiles(f.gpus) {
		if _, err := a.readInput(name, res); err != nil {
			return err
		}
	}
	if f.times != "" {
		if res.times, err = a.readTimes(f, res); err != nil {
			return err
		}
	}
	if f.counters != "" {
		res.counters, err = a.readInput(f.counters, res)
	}
	return err
}

// powerCounters adds the rows of a counter file alone on one GPU.
func (a *app) powerCounters(f *powerFlags, m *power.Model, res *powerResult) error {
	rows, err := res.readCounters(f, m)
	if err != nil {
		return err
	}
	list, err := m.Measured(rows)
	if err != nil {
		return fmt.Errorf("%s: %w", f.counters, err)
	}
	lacking := 0
	for _, r := range list {
		if !r.EnergyUJ.Known {
			lacking++
		}
	}
	if lacking > 0 {
		how := "; the column missing says why"
		if !f.parsedVariant.FromHardware() {
			how = ": its energies need counters that hardware does not have; --variant hw has energies for those that it has"
		}
		a.note("%s: %d of %d rows have no figure of variant %s on %s%s", f.counters, lacking, len(list), f.parsedVariant, m.GPU.Label(), how)
	}
	if f.sort == "energy" {
		power.SortByEnergy(list)
	}
	res.rows = append(res.rows, list...)
	return nil
}

// powerOn adds the rows of all programs on one GPU.
func (a *app) powerOn(ctx context.Context, args []string, f *powerFlags, m *power.Model, res *powerResult) error {
	if len(args) == 0 {
		return a.powerCounters(f, m, res)
	}
	var failed error
	without := 0 // files without the kernel that was chosen
	for _, arg := range args {
		launches, err := a.powerLaunches(ctx, arg, f, m, res)
		if choice := (*analysis.ChoiceError)(nil); errors.As(err, &choice) && len(args) > 1 {
			without++
			continue
		}
		failed = errors.Join(failed, err)
		for len(launches) > 0 {
			n := 1
			for n < len(launches) && launches[n].Launch.Network == launches[0].Launch.Network {
				n++
			}
			failed = errors.Join(failed, res.add(m, launches[:n], f, err == nil))
			launches = launches[n:]
		}
		if ctx.Err() != nil {
			break
		}
	}
	if without == len(args) {
		return fmt.Errorf("--kernel %s: none of the %d files has such a kernel", f.kernel, len(args))
	}
	return failed
}

// add adds the rows of one network; without a total, which is of whole
// networks, unless it is complete.
func (r *powerResult) add(m *power.Model, launches []power.Timed, f *powerFlags, complete bool) error {
	if f.clocks != nil {
		if !complete {
			return errors.New("--clock: no sweep, as it is of whole networks")
		}
		rows, err := m.Sweep(launches, f.clocks)
		r.sweep = append(r.sweep, rows...)
		return err
	}
	rows := m.Report(launches, f.batch)
	if !complete {
		rows = power.WithoutTotal(rows)
	}
	if f.sort == "energy" {
		power.SortByEnergy(rows)
	}
	r.rows = append(r.rows, rows...)
	n := 10
	if f.hot != "" {
		n = 1 << 20
	}
	hot, classes := m.Hottest(launches, n)
	r.hot, r.class = append(r.hot, hot...), append(r.class, classes...)
	return nil
}
