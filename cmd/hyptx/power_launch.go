package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// powerLaunches profiles what one argument names for a GPU and gives each
// launch its time. With an error come the launches that are complete.
func (a *app) powerLaunches(ctx context.Context, arg string, f *powerFlags, m *power.Model, res *powerResult) ([]power.Timed, error) {
	p, partial := a.powerProfile(ctx, arg, f, m.GPU, res)
	if p == nil || len(p.Launches) == 0 {
		return nil, partial
	}
	launches, err := power.FromProfile(p, f.counts, f.parsedRules)
	if err != nil {
		return nil, errors.Join(partial, err)
	}
	timed := make([]power.Timed, len(launches))
	for i, l := range launches {
		timed[i].Launch = l
	}
	if f.times == "" {
		err = modelledTimes(p, m, timed)
	} else {
		err = measuredTimes(p, f, m, timed, res)
	}
	if err == nil && f.counters != "" {
		err = overrideCounters(f, m, timed, res)
	}
	if err != nil {
		return nil, errors.Join(partial, err)
	}
	return timed, partial
}

// powerProfile profiles in mode memory; with an error, what is complete.
func (a *app) powerProfile(ctx context.Context, arg string, f *powerFlags, g *gpu.GPU, res *powerResult) (*analysis.Profile, error) {
	opts := analysis.DefaultOptions()
	if err := a.limits.apply(&opts); err != nil {
		return nil, err
	}
	opts.Mode, opts.GPU, opts.Kernel, opts.Launch, opts.LongestWarp, opts.Sample = analysis.Memory, g, f.kernel, f.launch, true, f.parsedSample
	if !a.quiet {
		opts.Progress = a.progress()
	}
	sessions, wrong := a.open(arg, &f.bare, opts)
	if len(sessions) == 0 {
		return nil, wrong
	}
	res.inputs = append(res.inputs, sessions[0].Inputs...)
	launches := 0
	for _, s := range sessions {
		for step := range s.Manifest.All() {
			if step.Launch != nil {
				launches++
			}
		}
	}
	res.launches = max(res.launches, launches)
	p, err := analysis.ProfileAll(ctx, sessions)
	if p != nil {
		a.noteSamples(&profileResult{profile: *p})
	}
	return p, errors.Join(wrong, err)
}

// modelledTimes gives launches the times of the extended time model: that of
// the machine code, and that of the PTX if it is charged.
func modelledTimes(p *analysis.Profile, m *power.Model, timed []power.Timed) error {
	device, err := roofline.NewDevice(m.GPU)
	if err != nil {
		return err
	}
	if _, err := m.GPU.ClockMHz(); err != nil {
		return err
	}
	launches, err := roofline.FromProfile(p, roofline.Machine)
	if err != nil {
		return err
	}
	for i, l := range launches {
		timed[i].Predict(m, l, device, roofline.DefaultOptions())
	}
	return nil
}

// readTimes reads the file of --time.
func (a *app) readTimes(f *powerFlags, res *powerResult) (map[string]roofline.Time, error) {
	text, err := a.readInput(f.times, res)
	if err != nil {
		return nil, err
	}
	return power.ReadTimes(bytes.NewReader(text), f.times)
}

// measuredTimes gives launches the times of --time. If PTX is charged, the time
// model says how long that takes against its machine code.
func measuredTimes(p *analysis.Profile, f *powerFlags, m *power.Model, timed []power.Timed, res *powerResult) error {
	if m.ChargesPTX(timed[0].Launch) {
		if err := modelledTimes(p, m, timed); err != nil {
			return fmt.Errorf("counts of PTX need the time model, also with --time (--counts machine does not): %w", err)
		}
	}
	clock, err := m.GPU.ClockMHz()
	for i := range timed {
		t, ok := res.times[timed[i].Launch.Name()]
		if !ok {
			timed[i].Err = fmt.Errorf("no time: %s has no launch %s", f.times, timed[i].Launch.Name())
			continue
		}
		if t.ClockMHz == 0 {
			if err != nil {
				return fmt.Errorf("%s: clock_mhz is missing: %w", f.times, err)
			}
			t.ClockMHz = clock
		} else if err := power.CheckMeasuredClock(m.GPU, t.ClockMHz); err != nil {
			return fmt.Errorf("%s: launch %s: %w", f.times, timed[i].Launch.Name(), err)
		}
		m.Measure(&timed[i], t)
	}
	return nil
}

// checkTimes returns an error that names the rows of --time that are of no
// launch.
func (r *powerResult) checkTimes(f *powerFlags) error {
	if r.launches == 0 {
		return nil // no program could be opened
	}
	var lost []string
	for _, launch := range slices.Sorted(maps.Keys(r.times)) {
		if n, err := strconv.Atoi(launch); err != nil || n < 0 || n >= r.launches || strconv.Itoa(n) != launch {
			lost = append(lost, strconv.Quote(launch))
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("%s: there is no launch %s: launches are numbers from 0 to %d", f.times, strings.Join(lost, ", "), r.launches-1)
}

// overrideCounters puts the counters of --counters into launches.
func overrideCounters(f *powerFlags, m *power.Model, timed []power.Timed, res *powerResult) error {
	rows, err := res.readCounters(f, m)
	if err != nil {
		return err
	}
	if err := power.Override(timed, rows, m); err != nil {
		return fmt.Errorf("%s: %w", f.counters, err)
	}
	return nil
}

// readCounters reads the counters for a GPU.
func (r *powerResult) readCounters(f *powerFlags, m *power.Model) ([]*power.ActivityRow, error) {
	return power.ReadActivities(bytes.NewReader(r.counters), f.counters, m.Chip.SMs)
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
