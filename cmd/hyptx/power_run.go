package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// From programs to power. Each program is emulated once, beside which all GPUs are
// simulated or their caches listen; then each GPU, for itself, adds times (its time model's, or those
// of --time), charges events and writes rows. So rows come by program and GPU, but
// are shown by GPU: who compares launches compares them on one board, and totals
// stand below their launches.
//
// Errors are collected, not thrown: of three GPUs of which one has no energies, two
// have rows, and the exit code says that something is missing.

// powerResult gathers the rows of all programs on all GPUs.
type powerResult struct {
	powerRows
	notes []string
	// counters is the text of --counters, times what --time says.
	counters []byte
	times    map[string]roofline.Time
	trace    power.ClockTrace
	// time are the choices of the time model.
	time roofline.Options
	// names are what each program's launches are called.
	names []launchNames
	// limitW is the limit of the only board, 0 if it is unknown.
	limitW float64
}

// powerRows are rows of power, a GPU's or all.
type powerRows struct {
	rows  []*power.Row
	sweep []*power.SweepRow
	hot   []*power.HotRow
	class []*power.ClassRow
	// overTime are those of --over-time.
	overTime []*power.OverTimeRow
}

// powerOn is a GPU with its model and its rows. In the flags stands what they
// leave to the GPU's file.
type powerOn struct {
	*powerFlags
	model *power.Model
	powerRows
}

// power runs the command. What is complete is written even if something failed.
func (a *app) power(c *cobra.Command, args []string, f *powerFlags, res *powerResult) error {
	gpus, err := f.check(c, args)
	if err != nil {
		return err
	}
	if err := f.begin(a, append(slices.Clone(args), f.counters, f.times, f.clockTrace), f.gpus); err != nil {
		return err
	}
	if err := a.powerInputs(f, res); err != nil {
		return err
	}
	on, failed := f.models(gpus, res)
	if len(args) == 0 {
		for _, g := range on {
			failed = errors.Join(failed, a.powerCounters(g, res))
		}
	} else {
		failed = errors.Join(failed, a.powerPrograms(c.Context(), args, f, on, res))
	}
	if isUsage(failed) {
		return failed
	}
	for _, g := range on { // a GPU after the other
		res.rows, res.sweep = append(res.rows, g.rows...), append(res.sweep, g.sweep...)
		res.overTime = append(res.overTime, g.powerRows.overTime...)
		res.hot, res.class = append(res.hot, g.powerRows.hot...), append(res.class, g.class...)
	}
	failed = errors.Join(failed, res.checkTimes(f))
	if len(res.rows)+len(res.sweep) == 0 {
		return failed
	}
	if n := len(slices.DeleteFunc(slices.Clone(res.rows), func(r *power.Row) bool { return r.Missing != "" })); failed != nil && n > 0 {
		a.keep(are(n, "row"), "")
	}
	if failed == nil {
		failed = res.withoutPower()
	}
	return errors.Join(failed, a.writePower(res, f))
}

// powerInputs reads the files that results depend on beside the programs.
func (a *app) powerInputs(f *powerFlags, res *powerResult) (err error) {
	if res.trace, err = readRows(a, f.clockTrace, &f.inputs, power.ReadClockTrace); err != nil {
		return err
	}
	if res.times, err = readRows(a, f.times, &f.inputs, power.ReadTimes); err == nil {
		res.counters, err = readRows(a, f.counters, &f.inputs, func(_ string, text []byte) ([]byte, error) { return text, nil })
	}
	return err
}

// models returns the power models of GPUs, and what is wrong with those that
// have none.
func (f *powerFlags) models(gpus []*gpu.GPU, res *powerResult) (on []*powerOn, failed error) {
	for _, g := range gpus {
		o, err := f.on(g, res.trace)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if tdp := g.Power.TDPW; tdp.Known() {
			res.limitW = tdp.Value
		}
		for _, n := range o.model.Chip.Notes {
			res.notes = append(res.notes, g.Name+": "+n)
		}
		on = append(on, o)
	}
	for _, o := range on[min(1, len(on)):] {
		if first := on[0]; o.variant != first.variant || o.counts != first.counts {
			res.notes = append(res.notes, fmt.Sprintf("%s is charged by %s for counts of %s, %s by %s for %s: a part of what they differ by, component by component, is that; --variant makes them one",
				first.model.GPU.Name, first.variant, first.counts, o.model.GPU.Name, o.variant, o.counts))
		}
	}
	return on, failed
}

// on returns a GPU with its power model and the flags that this leads to.
func (f *powerFlags) on(g *gpu.GPU, trace power.ClockTrace) (*powerOn, error) {
	own, err := f.of(g)
	if err != nil {
		return nil, err
	}
	chip, err := power.ChipOf(g, power.ChipOptions{Variant: power.Variant(own.variant), Rules: f.parsedRules, EnergyScale: f.energyScale})
	if err != nil {
		return nil, err
	}
	m := &power.Model{GPU: g, Chip: chip, Rules: f.parsedRules, State: power.State{VoltageRatio: f.voltage, TemperatureFactor: f.temperature}, Trace: trace, Concurrent: f.concurrent}
	if err := m.CheckTrace(); trace != nil && err != nil {
		return nil, fmt.Errorf("--clock-trace: %w", err)
	}
	if err := m.CheckClocks(f.clocks); f.clocks != nil && err != nil {
		return nil, fmt.Errorf("--clock: %w", err)
	}
	return &powerOn{powerFlags: own, model: m}, nil
}

// powerCounters adds the rows of a counter file alone on one GPU. A profiler's file
// under a variant that needs more than hardware counts gives rows without figures,
// and every row would say so; one note says it once, and what can be done.
func (a *app) powerCounters(g *powerOn, res *powerResult) error {
	rows, err := g.readCounters(res)
	if err != nil {
		return err
	}
	list, err := g.model.Measured(rows)
	if err != nil {
		return fmt.Errorf("%s: %w", g.counters, err)
	}
	lacking := 0
	for _, r := range list {
		if !r.EnergyUJ.Known {
			lacking++
		}
	}
	if lacking > 0 {
		how := "; the column missing says why"
		if !power.Variant(g.variant).FromHardware() {
			how = ": its energies need counters that hardware does not have; --variant hw has energies for those that it has"
		}
		a.note("%s: %d of %d rows have no figure of variant %s on %s%s", g.counters, lacking, len(list), g.variant, g.model.GPU.Label(), how)
	}
	if g.sort == "energy" {
		power.SortByEnergy(list)
	}
	g.rows = append(g.rows, list...)
	return nil
}

// powerPrograms adds the rows of programs: each is emulated once, and the caches
// of all GPUs listen. A GPU of whose caches a figure is unknown has no rows.
func (a *app) powerPrograms(ctx context.Context, args []string, f *powerFlags, on []*powerOn, res *powerResult) (failed error) {
	model, err := f.choice()
	if err != nil {
		return err
	}
	res.time = roofline.DefaultOptions()
	res.time.Model = model
	o := a.options(analysis.Control, &f.programFlags)
	o.Sample = f.sample
	o.OverTime = f.asksOverTime()
	f.into(&o)
	var able []*powerOn
	var devices []*roofline.Device
	for _, g := range on {
		d, err := roofline.NewDevice(g.model.GPU)
		if err := cmp.Or(hierarchy.Check(g.model.GPU), err); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		able, devices = append(able, g), append(devices, d)
	}
	if able == nil {
		return failed
	}
	f.prepare = func(of []*analysis.Session) error {
		c := predict.Choice{Model: model, Simulated: f.simulated}
		err := c.Prepare(of, devices, func(*roofline.Device, *gpu.UnknownError) {})
		a.noteSample(&f.programFlags, of)
		return err
	}
	return errors.Join(failed, a.programs(ctx, args, &f.programFlags, o, func(p *program) (failed error) {
		res.addProgram(p)
		for _, g := range able {
			failed = errors.Join(failed, a.powerProgram(ctx, p, g, res))
		}
		return failed
	}))
}

// addProgram notes what a program's launches are called.
func (r *powerResult) addProgram(p *program) { r.names = append(r.names, namesOf(p.sessions)) }

// powerProgram adds the rows of a program on one GPU. The counts are those of the one
// emulation; what is the GPU's own is the traffic of its caches, its times and the
// energies. The files of --time and --counters name launches by their numbers, that of
// times by their labels, too; one of counters may leave them out if it has a row for each
// launch, in order.
func (a *app) powerProgram(ctx context.Context, p *program, g *powerOn, res *powerResult) (failed error) {
	profile := p.profile.On(g.model.GPU)
	a.noteSamples(profile)
	if len(profile.Launches) == 0 {
		if g.clocks != nil {
			return noSweep(0)
		}
		return nil
	}
	var timed []power.Timed
	var err error
	if g.times == "" {
		timed, err = predict.Timed(profile, g.model, g.counts, res.time)
	} else {
		timed, err = predict.TimedBy(namesOf(p.sessions).numbered(res.times), g.times, profile, g.model, g.counts, res.time)
	}
	if err == nil && g.counters != "" {
		err = g.override(timed, res)
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // what can be made of it at once is
		late, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), graceTime, context.Cause(ctx))
		defer cancel()
		ctx = late
	}
	for _, network := range predict.Networks(timed) {
		if g.concurrent && !slices.ContainsFunc(network, func(t power.Timed) bool { return t.Launch.Stream != network[0].Launch.Stream }) {
			a.note("%s: all launches are of one stream, so that none runs beside another; `stream` of a launch in the manifest says which", network[0].Launch.Network)
		}
		failed = errors.Join(failed, g.add(ctx, network, !p.failed))
	}
	return failed
}

// add adds the rows of one network; without a total, which is of whole
// networks, unless it is complete. A sweep over clocks is of whole networks, too:
// the clock with least energy of half a network says nothing about the whole.
func (g *powerOn) add(ctx context.Context, launches []power.Timed, complete bool) error {
	if g.clocks != nil {
		whole := slices.DeleteFunc(slices.Clone(launches), func(t power.Timed) bool { return t.Launch.Error != "" })
		if !complete || len(whole) < len(launches) {
			return noSweep(len(whole))
		}
		rows, err := g.model.Sweep(launches, g.clocks)
		g.sweep = append(g.sweep, rows...)
		return err
	}
	rows := g.model.Report(launches, g.batch)
	if !complete {
		rows = power.WithoutTotal(rows)
	}
	if g.sort == "energy" {
		power.SortByEnergy(rows)
	}
	g.rows = append(g.rows, rows...)
	if g.asksOverTime() {
		g.powerRows.overTime = append(g.powerRows.overTime, g.model.OverTime(launches)...)
	}
	if g.model.Trace != nil {
		return nil // an instruction has another energy at each clock
	}
	n := 10
	if g.powerFlags.hot.asked() {
		n = 1 << 20
	}
	hot, classes, err := g.model.Hottest(ctx, launches, n)
	g.powerRows.hot, g.class = append(g.powerRows.hot, hot...), append(g.class, classes...)
	return err
}

// noSweep says that only some launches of a network are complete.
func noSweep(launches int) error {
	return fmt.Errorf("--clock: no sweep, as it is of whole networks, of which only %s complete", are(launches, "launch"))
}

// override puts the counters of --counters into launches. That is the hybrid
// variant: events that hardware counts are taken from there, the others (register
// reads, lanes) from the emulation.
func (g *powerOn) override(timed []power.Timed, res *powerResult) error {
	rows, err := g.readCounters(res)
	if err != nil {
		return err
	}
	if err := power.Override(timed, rows, g.model); err != nil {
		return fmt.Errorf("%s: %w", g.counters, err)
	}
	return nil
}

// readCounters reads the counters for a GPU.
func (g *powerOn) readCounters(res *powerResult) ([]*power.ActivityRow, error) {
	return power.ReadActivities(g.counters, res.counters, g.model.Chip.SMs)
}

// checkTimes holds --time against the launches of the programs, chosen or not.
func (r *powerResult) checkTimes(f *powerFlags) error {
	if r.names == nil {
		return nil // no program could be opened
	}
	most := 0
	var failed error
	for _, names := range r.names {
		most = max(most, len(names))
		failed = cmp.Or(failed, names.twice(f.times, r.times))
	}
	return errors.Join(failed, strayTimes(f.times, r.times, func(name string) bool {
		return slices.ContainsFunc(r.names, func(l launchNames) bool { return len(l.named(name)) == 1 })
	}, fmt.Sprintf("there is no launch %%s: launches are numbers from 0 to %d, or labels that one launch has", most-1)))
}
