package silicon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// onGPU predicts the rows of a GPU from what a manifest's launches counted.
func (p *Plan) onGPU(ctx context.Context, g *gpu.GPU, rows []*Row, all *analysis.Profile) error {
	profile := all.On(g)
	machine, err := roofline.FromProfile(profile, roofline.Machine)
	if err != nil {
		return err
	}
	watts, noWatts := p.watts(g, profile)
	for _, r := range rows {
		if r.Missing != "" {
			continue
		}
		of := launches{watts: watts}
		for i, lp := range profile.Launches {
			if r.number == "" || lp.Name() == r.number {
				of.list = append(of.list, launch{lp, machine[i], watts.of(i)})
			}
		}
		if len(of.list) > 0 { // else the run ended before it: its error says why
			p.predict(ctx, r, of, noWatts)
		}
	}
	return nil
}

// launch is a launch as the models of time and power see it.
type launch struct {
	profile *analysis.LaunchProfile
	machine *roofline.Launch
	charged *power.Launch // nil without a power model
}

// launches are those of a row.
type launches struct {
	list  []launch
	watts *watts
}

// watts is what the power of a board is made of, at any clock.
type watts struct {
	charged     []*power.Launch
	energyScale float64
}

func (w *watts) of(i int) *power.Launch {
	if w == nil {
		return nil
	}
	return w.charged[i]
}

// watts returns the launches as the board's power model charges them, with the
// plan's factor on energies if there is no other.
func (p *Plan) watts(g *gpu.GPU, profile *analysis.Profile) (*watts, error) {
	w := &watts{}
	m, err := predict.PowerModel(&roofline.Device{Name: g.Label(), Spec: g}, 0)
	if err != nil && p.EnergyScale != 0 {
		w.energyScale = p.EnergyScale
		m, err = predict.PowerModel(&roofline.Device{Name: g.Label(), Spec: g}, p.EnergyScale)
	}
	if err != nil {
		return nil, err
	}
	w.charged, err = power.FromProfile(profile, power.CountsOf(m.Chip.Variant), m.Rules)
	return w, err
}

// predict fills a row.
func (p *Plan) predict(ctx context.Context, r *Row, of launches, noWatts error) {
	g := r.gpu
	r.Board = g.Label()
	if mhz, err := g.ClockMHz(); err == nil {
		r.ClockMHz = number.Ratio(mhz)
	}
	d, err := roofline.NewDevice(g)
	if err != nil {
		r.Missing, r.PowerMissing = roofline.Explain(err), roofline.Explain(err)
		return
	}
	if err := r.time(ctx, d, of, p.Time); err != nil {
		r.lacks(err)
		return
	}
	r.RooflineUs = plainRoofline(of, g).Scaled(r.Scale)
	if of.watts == nil {
		r.PowerMissing = roofline.Explain(noWatts)
		return
	}
	r.power(d, of, p.Time)
}

// time fills what the time model says: of several launches their total.
func (r *Row) time(ctx context.Context, d *roofline.Device, of launches, o roofline.Options) error {
	var list []*roofline.Launch
	for _, l := range of.list {
		list = append(list, l.machine)
	}
	rows, err := roofline.Report(ctx, func(*roofline.Device) []*roofline.Launch { return list }, []*roofline.Device{d}, o)
	if err != nil {
		return err
	}
	t := rows[0]
	if len(list) > 1 {
		t = rows[len(rows)-1]
		t.Missing = cmp.Or(rows[0].Missing, t.Missing)
	}
	r.Terms, r.TimeModel = t.Terms, t.TimeModel
	for _, us := range r.Terms.All() {
		*us = us.Scaled(r.Scale)
	}
	r.TimeUs, r.Missing, r.Exactness, r.Warnings = t.TimeUs.Scaled(r.Scale), t.Missing, t.Exactness, t.Warnings
	if !r.TimeUs.Known && r.Missing == "" {
		r.Missing = "the time model says nothing"
	}
	r.Term, r.ErrorPct = leading(t), number.ErrorPct(r.TimeUs, r.MeasuredUs)
	return nil
}

// leading names the term of a time that is the longest.
func leading(t *roofline.Row) string {
	switch {
	case !t.TimeUs.Known:
		return ""
	case t.Bound == "Memory":
		return cmp.Or(t.MemoryLimit, "memory")
	case t.Bound == "Latency":
		return "latency"
	case t.Bound == "Launch":
		return "launch"
	case t.IssueLimit != "" && t.IssueLimit != "issue":
		return "issue (" + t.IssueLimit + ")"
	}
	return "issue"
}

// power fills the watts that the power model says, in the predicted time and in
// the measured one.
func (r *Row) power(d *roofline.Device, of launches, o roofline.Options) {
	m, err := predict.PowerModel(d, of.watts.energyScale)
	if err != nil {
		r.PowerMissing = roofline.Explain(err)
		return
	}
	m.FixedClock = r.SMMHz.Known
	timed := make([]power.Timed, len(of.list))
	total := 0.0
	for i, l := range of.list {
		timed[i].Launch = l.charged
		if l.profile.Error != "" {
			timed[i].Err = errors.New(l.profile.Error)
			continue
		}
		timed[i].Predict(m, l.machine, d, o)
		total += timed[i].Time.Us.X
	}
	sum, missing := mean(m, timed)
	r.PowerW, r.PowerMissing = sum.PowerW, missing
	r.slowed(sum)
	r.PowerPct = number.ErrorPct(r.PowerW, r.MeasuredW)
	if !r.MeasuredUs.Known || len(timed) > 1 && total == 0 {
		return
	}
	for i := range timed {
		us := r.MeasuredUs.X / r.Scale
		if len(timed) > 1 {
			us *= timed[i].Time.Us.X / total
		}
		m.Measure(&timed[i], roofline.Measured(us, r.ClockMHz.X))
	}
	sum, missing = mean(m, timed)
	r.TimedW = sum.PowerW
	r.TimedPct, r.PowerMissing = number.ErrorPct(r.TimedW, r.MeasuredW), cmp.Or(r.PowerMissing, missing)
}

// slowed puts the time in which the board's power limit lets the launches run in the
// place of the predicted one, where nobody recorded the clock and the limit lowers it.
func (r *Row) slowed(sum *power.Row) {
	if sum.LimitW.Known && r.TimeUs.Known {
		r.TimeUs, r.ClockMHz = sum.TimeUs.Scaled(r.Scale), sum.ClockMHz
		r.ErrorPct = number.ErrorPct(r.TimeUs, r.MeasuredUs)
		r.Warnings = strings.TrimPrefix(r.Warnings+fmt.Sprintf("; the power limit of %g W lowers the clock", sum.LimitW.X), "; ")
	}
}

// mean is the total of launches, with their mean power, or why there is none.
func mean(m *power.Model, timed []power.Timed) (*power.Row, string) {
	rows := m.Report(slices.Clone(timed), 1)
	return rows[len(rows)-1], rows[0].Missing
}
