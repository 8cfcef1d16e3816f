package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/analysis/gpu"
	"hyptx/analysis/roofline"
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
}

// power runs the command.
func (a *app) power(c *cobra.Command, args []string, f *powerFlags) error {
	gpus, err := f.check(args)
	if err != nil {
		return err
	}
	if err := checkOutputs(append(slices.Clone(args), f.counters, f.times), f.out, f.json, f.hot, f.plot); err != nil {
		return err
	}
	ctx, cancel := a.limits.withTimeout(c.Context())
	defer cancel()
	res := &powerResult{}
	var failed error
	for _, g := range gpus {
		chip, err := power.ChipOf(g, power.ChipOptions{Variant: f.parsedVariant, Rules: f.parsedRules, EnergyScale: f.energyScale})
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		m := &power.Model{GPU: g, Chip: chip, Rules: f.parsedRules, State: power.State{VoltageRatio: f.voltage, TemperatureFactor: f.temperature}}
		for _, n := range chip.Notes {
			res.notes = append(res.notes, g.Name+": "+n)
		}
		failed = errors.Join(failed, a.powerOn(ctx, args, f, m, res))
		if ctx.Err() != nil {
			break
		}
	}
	if len(res.rows)+len(res.sweep) == 0 {
		return failed
	}
	return errors.Join(failed, a.writePower(res, f))
}

// powerOn adds the rows of all programs on one GPU.
func (a *app) powerOn(ctx context.Context, args []string, f *powerFlags, m *power.Model, res *powerResult) error {
	if len(args) == 0 {
		rows, err := a.readCounters(f, m, res)
		if err != nil {
			return err
		}
		list, err := m.Measured(rows)
		if err != nil {
			return fmt.Errorf("%s: %w", f.counters, err)
		}
		res.rows = append(res.rows, list...)
		return nil
	}
	var failed error
	for _, arg := range args {
		launches, err := a.powerLaunches(ctx, arg, f, m, res)
		failed = errors.Join(failed, err)
		for len(launches) > 0 && err == nil {
			n := 1
			for n < len(launches) && launches[n].Launch.Row.Network == launches[0].Launch.Row.Network {
				n++
			}
			failed = errors.Join(failed, res.add(m, launches[:n], f))
			launches = launches[n:]
		}
	}
	return failed
}

// add adds the rows of one network.
func (r *powerResult) add(m *power.Model, launches []power.Timed, f *powerFlags) error {
	if f.clocks != nil {
		rows, err := m.Sweep(launches, f.clocks)
		r.sweep = append(r.sweep, rows...)
		return err
	}
	rows := m.Report(launches, f.batch)
	if f.sort == "energy" {
		slices.SortStableFunc(rows[:len(rows)-1], func(a, b *power.Row) int { return int(min(max(1e6*(b.EnergyUJ.X-a.EnergyUJ.X), -1), 1)) })
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

// powerLaunches profiles what one argument names for a GPU and gives each
// launch its time.
func (a *app) powerLaunches(ctx context.Context, arg string, f *powerFlags, m *power.Model, res *powerResult) ([]power.Timed, error) {
	p, err := a.powerProfile(ctx, arg, f, m.GPU, res)
	if err != nil {
		return nil, err
	}
	launches, err := power.FromProfile(p, f.counts, f.parsedRules)
	if err != nil {
		return nil, err
	}
	timed := make([]power.Timed, len(launches))
	for i, l := range launches {
		timed[i].Launch = l
	}
	if f.times != "" {
		err = a.measuredTimes(f, m, timed, res)
	} else {
		err = modelledTimes(p, m.GPU, timed)
	}
	if err != nil || f.counters == "" {
		return timed, err
	}
	rows, err := a.readCounters(f, m, res)
	if err != nil {
		return nil, err
	}
	if err := power.Override(timed, rows, m); err != nil {
		return nil, fmt.Errorf("%s: %w", f.counters, err)
	}
	return timed, nil
}

// powerProfile profiles in mode memory.
func (a *app) powerProfile(ctx context.Context, arg string, f *powerFlags, g *gpu.GPU, res *powerResult) (*analysis.Profile, error) {
	opts := analysis.DefaultOptions()
	if err := a.limits.apply(&opts); err != nil {
		return nil, err
	}
	opts.Mode, opts.GPU, opts.Kernel, opts.Launch, opts.LongestWarp = analysis.Memory, g, f.kernel, f.launch, true
	if !a.quiet {
		opts.Progress = a.progress()
	}
	sessions, err := a.open(arg, &f.bare, opts)
	if err != nil {
		return nil, err
	}
	res.inputs = append(res.inputs, sessions[0].Inputs...)
	return analysis.ProfileAll(ctx, sessions)
}

// modelledTimes gives launches the times of the extended time model.
func modelledTimes(p *analysis.Profile, g *gpu.GPU, timed []power.Timed) error {
	device, err := roofline.NewDevice(g)
	if err != nil {
		return err
	}
	clock, err := g.ClockMHz()
	if err != nil {
		return err
	}
	launches, err := roofline.FromProfile(p, roofline.Machine)
	if err != nil {
		return err
	}
	for i, l := range launches {
		r := roofline.Evaluate(l, device, roofline.Options{Model: roofline.Extended, Rule: "any", Integer: "mad"})
		if !r.TimeUs.Known {
			timed[i].Err = fmt.Errorf("no time: %s", r.Missing)
			continue
		}
		timed[i].Time = power.LaunchTime{Us: r.TimeUs.X, ClockMHz: clock, Source: "model extended",
			Terms: &power.TimeTerms{LaunchUs: r.LaunchUs.X, IssueUs: r.IssueUs.X, DRAMUs: r.DRAMUs.X, CacheUs: max(r.L2Us.X, r.L1Us.X), LatencyUs: r.LatencyUs.X}}
	}
	return nil
}

// measuredTimes gives launches the times of --time.
func (a *app) measuredTimes(f *powerFlags, m *power.Model, timed []power.Timed, res *powerResult) error {
	text, err := a.readInput(f.times, res)
	if err != nil {
		return err
	}
	times, err := power.ReadTimes(bytes.NewReader(text), f.times)
	if err != nil {
		return err
	}
	clock, err := m.GPU.ClockMHz()
	for i := range timed {
		t, ok := times[timed[i].Launch.Row.Launch]
		if !ok {
			timed[i].Err = fmt.Errorf("no time: %s has no launch %s", f.times, timed[i].Launch.Row.Launch)
			continue
		}
		if t.ClockMHz == 0 {
			if err != nil {
				return fmt.Errorf("%s: clock_mhz is missing: %w", f.times, err)
			}
			t.ClockMHz = clock
		}
		timed[i].Time = t
	}
	return nil
}

// readCounters reads the file of --counters.
func (a *app) readCounters(f *powerFlags, m *power.Model, res *powerResult) ([]*power.ActivityRow, error) {
	text, err := a.readInput(f.counters, res)
	if err != nil {
		return nil, err
	}
	return power.ReadActivities(bytes.NewReader(text), f.counters, m.Chip.SMs)
}

// readInput reads a file that results depend on.
func (a *app) readInput(path string, res *powerResult) ([]byte, error) {
	src, err := analysis.ReadSource(path, a.stdin)
	if err != nil {
		return nil, err
	}
	res.inputs = append(res.inputs, analysis.Input{Name: src.Name, SHA256: sha256.Sum256(src.Text)})
	return src.Text, nil
}
