package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// powerResult gathers the rows of all programs on all GPUs.
type powerResult struct {
	powerRows
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

// powerRows are rows of power, a GPU's or all.
type powerRows struct {
	rows  []*power.Row
	sweep []*power.SweepRow
	hot   []*power.HotRow
	class []*power.ClassRow
}

// powerOn is a GPU with its model and its rows. In the flags stands what they
// leave to the GPU's file.
type powerOn struct {
	*powerFlags
	model *power.Model
	powerRows
}

// power runs the command. What is complete is written even if something failed.
func (a *app) power(c *cobra.Command, args []string, f *powerFlags) error {
	if err := formatOf(&f.out, &f.json); err != nil {
		return err
	}
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
	on, failed := f.models(gpus, res)
	if len(args) == 0 {
		for _, g := range on {
			failed = errors.Join(failed, a.powerCounters(g, res))
		}
	} else {
		failed = errors.Join(failed, a.powerPrograms(ctx, args, f, on, res))
	}
	if isUsage(failed) {
		return failed
	}
	for _, g := range on { // a GPU after the other
		res.rows, res.sweep = append(res.rows, g.rows...), append(res.sweep, g.sweep...)
		res.hot, res.class = append(res.hot, g.powerRows.hot...), append(res.class, g.class...)
	}
	failed = errors.Join(failed, res.checkTimes(f))
	if len(res.rows)+len(res.sweep) == 0 {
		return failed
	}
	if n := len(res.rows); failed != nil && n > 0 {
		a.note("%s complete and written all the same", are(n, "row"))
	}
	return errors.Join(failed, a.writePower(res, f))
}

// powerInputs reads the files that results depend on beside the programs.
func (a *app) powerInputs(f *powerFlags, res *powerResult) error {
	if err := a.readGPUs(&res.inputs, f.gpus); err != nil {
		return err
	}
	if f.times != "" {
		src, err := a.readInput(f.times, &res.inputs)
		if err != nil {
			return err
		}
		if res.times, err = power.ReadTimes(bytes.NewReader(src.Text), f.times); err != nil {
			return err
		}
	}
	if f.counters != "" {
		src, err := a.readInput(f.counters, &res.inputs)
		res.counters = src.Text
		return err
	}
	return nil
}

// models returns the power models of GPUs, and what is wrong with those that
// have none.
func (f *powerFlags) models(gpus []*gpu.GPU, res *powerResult) (on []*powerOn, failed error) {
	for _, g := range gpus {
		m, own, err := f.model(g)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if tdp := g.Power.TDPW; tdp.Known() {
			res.limitW = tdp.Value
		}
		for _, n := range m.Chip.Notes {
			res.notes = append(res.notes, g.Name+": "+n)
		}
		on = append(on, &powerOn{powerFlags: own, model: m})
	}
	return on, failed
}

// model returns the power model of a GPU, with the flags that it leads to.
func (f *powerFlags) model(g *gpu.GPU) (*power.Model, *powerFlags, error) {
	own, err := f.of(g)
	if err != nil {
		return nil, nil, err
	}
	chip, err := power.ChipOf(g, power.ChipOptions{Variant: own.parsedVariant, Rules: f.parsedRules, EnergyScale: f.energyScale})
	if err != nil {
		return nil, nil, err
	}
	m := &power.Model{GPU: g, Chip: chip, Rules: f.parsedRules, State: f.state()}
	if err := m.CheckClocks(f.clocks); f.clocks != nil && err != nil {
		return nil, nil, fmt.Errorf("--clock: %w", err)
	}
	return m, own, nil
}

// powerCounters adds the rows of a counter file alone on one GPU.
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
		if !g.parsedVariant.FromHardware() {
			how = ": its energies need counters that hardware does not have; --variant hw has energies for those that it has"
		}
		a.note("%s: %d of %d rows have no figure of variant %s on %s%s", g.counters, lacking, len(list), g.parsedVariant, g.model.GPU.Label(), how)
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
	o, err := a.options(analysis.Memory, f.kernel, f.launch)
	if err != nil {
		return err
	}
	o.LongestWarp, o.Sample = true, f.parsedSample
	var able []*powerOn
	for _, g := range on {
		if err := hierarchy.Check(g.model.GPU); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		able, o.GPUs = append(able, g), append(o.GPUs, g.model.GPU)
	}
	if able == nil {
		return failed
	}
	return errors.Join(failed, a.programs(ctx, args, &f.bare, o, func(p *program) (failed error) {
		res.addProgram(p)
		for _, g := range able {
			failed = errors.Join(failed, a.powerProgram(p, g, res))
		}
		return failed
	}))
}

// addProgram notes what a program is made of.
func (r *powerResult) addProgram(p *program) {
	r.inputs = append(r.inputs, p.sessions[0].Inputs...)
	launches := 0
	for _, s := range p.sessions {
		for step := range s.Manifest.All() {
			if step.Launch != nil {
				launches++
			}
		}
	}
	r.launches = max(r.launches, launches)
}

// powerProgram adds the rows of a program on one GPU.
func (a *app) powerProgram(p *program, g *powerOn, res *powerResult) (failed error) {
	profile := p.profile.On(g.model.GPU)
	a.noteSamples(profile)
	if len(profile.Launches) == 0 {
		return nil
	}
	var timed []power.Timed
	var err error
	if g.times == "" {
		timed, err = predict.Timed(profile, g.model, g.counts)
	} else {
		timed, err = predict.TimedBy(res.times, g.times, profile, g.model, g.counts)
	}
	if err == nil && g.counters != "" {
		err = g.override(timed, res)
	}
	if err != nil {
		return err
	}
	for _, network := range predict.Networks(timed) {
		failed = errors.Join(failed, g.add(network, !p.failed))
	}
	return failed
}

// add adds the rows of one network; without a total, which is of whole
// networks, unless it is complete.
func (g *powerOn) add(launches []power.Timed, complete bool) error {
	if g.clocks != nil {
		if !complete {
			return errors.New("--clock: no sweep, as it is of whole networks")
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
	n := 10
	if g.powerFlags.hot != "" {
		n = 1 << 20
	}
	hot, classes := g.model.Hottest(launches, n)
	g.powerRows.hot, g.class = append(g.powerRows.hot, hot...), append(g.class, classes...)
	return nil
}

// override puts the counters of --counters into launches.
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
	return power.ReadActivities(bytes.NewReader(res.counters), g.counters, g.model.Chip.SMs)
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
