package power

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// A network is its launches, one after the other on one GPU. Energies add up, mean
// power is their sum over the sum of the times; the energy-delay product is that of
// the whole, not a sum. A network of which one launch has no figure has none.

// Model is a GPU with the rules and the state that estimates are made in.
type Model struct {
	GPU   *gpu.GPU
	Chip  *Chip
	Rules Rules
	State State
	// FixedClock: launches keep their clocks, whatever the board's limit.
	FixedClock bool
	// Trace is the clock over time; nil where each launch has its own from start to end.
	Trace ClockTrace
	// Concurrent: launches of different streams run at once, as far as there are SMs.
	Concurrent bool
}

// Timed is a launch with its time, or with the reason why it has none.
type Timed struct {
	Launch *Launch
	Time   roofline.Time
	// ActivityTime is the time in which what is charged is executed, which makes
	// the activities' rates: Time, unless PTX is charged ([Model.ChargesPTX]).
	ActivityTime roofline.Time
	Err          error
	// Activity is what hardware counters say; nil if it follows from Launch.
	Activity *Activity
}

// Report returns the rows of a network's launches on a GPU, then their total.
// batch is how many inferences the network makes.
func (m *Model) Report(launches []Timed, batch int) []*Row {
	if m.Concurrent {
		return m.reportConcurrent(launches, batch)
	}
	var rows []*Row
	start := number.Ratio(0)
	pieces, err := m.alongTrace(launches)
	for i := range launches {
		var r *Row
		switch t := launches[i]; {
		case m.Trace == nil:
			r = m.row(&t)
		case err != nil:
			t.Err = err
			r = m.row(&t)
		default:
			r = m.tracedRow(&t, pieces[i])
		}
		r.StartUs = start
		if start.X += r.TimeUs.X; !r.TimeUs.Known {
			start = number.Real{}
		}
		rows = append(rows, r)
	}
	sum := m.total(rows, batch)
	for _, r := range rows {
		if r.EnergyUJ.Known && sum.EnergyUJ.Known && sum.EnergyUJ.X > 0 {
			r.SharePct = number.Ratio(100 * r.EnergyUJ.X / sum.EnergyUJ.X)
		}
	}
	return append(rows, sum)
}

// newRow is a row without figures; counts says what was charged.
func (m *Model) newRow(launch, kind, counts string) *Row {
	return &Row{Launch: launch, Kind: kind, Counts: counts, GPU: m.Chip.Name, Variant: string(m.Chip.Variant), Rules: m.Rules.String(),
		EnergyBasis: m.Chip.Basis, StaticBasis: m.Chip.StaticBasis, Calibration: m.Chip.Law.said()}
}

// row estimates one launch.
func (m *Model) row(t *Timed) *Row {
	l := t.Launch
	r := m.newRow(l.Name(), analysis.KindLaunch, l.Counts)
	r.Network, r.Kernel, r.Label, r.Count = l.Network, l.Demangled, l.Label, l.Facts.Of(analysis.Launches)
	r.CacheModel, r.CacheErrorPct = l.Facts.CacheModel(l.CacheGPU), l.Facts.CacheErrorPct()
	r.Exactness, r.AssumedInputs = l.AllExactness(), l.AssumedInputs
	t, a, e, limitW, err := m.limited(t)
	r.LimitW = limitW
	if t.Err == nil {
		r.TimeSource = t.Time.Source
		r.TimeUs, r.ActivityTimeUs, r.ClockMHz = t.Time.Us, t.ActivityTime.Us, number.Ratio(t.Time.ClockMHz)
	}
	if a != nil {
		r.state(m, a, min(float64(m.Chip.SMs), l.Facts.X(analysis.CTAs)))
	}
	if err != nil {
		r.Missing = strings.ReplaceAll(err.Error(), "\n", "; ")
		return r
	}
	r.estimate(m, e)
	return r
}

// estimate returns what a launch does in its activities' time, and the power
// that it draws in its own; without an error both are known.
func (m *Model) estimate(t *Timed) (a *Activity, e *Estimate, err error) {
	if t.Err != nil {
		return nil, nil, t.Err
	}
	switch {
	case t.Activity != nil:
	case t.Launch.Facts.OpaqueTensor:
		return nil, nil, roofline.ErrOpaqueTensor
	}
	if why := t.Launch.Facts.UnknownTraffic(); t.Activity == nil && why != nil {
		return nil, nil, why
	}
	if a = t.Activity; a == nil {
		if a, err = t.Launch.activity(m.GPU, m.Chip.SMs, t.ActivityTime, m.Chip.Law != nil); err != nil {
			return nil, nil, err
		}
	}
	if e, err = m.Chip.Estimate(a, m.Rules, m.State); err != nil {
		return a, nil, err
	}
	e.Seconds = t.Time.Us.X / micro
	return a, e, nil
}

// total sums the launches. A sum of which a part is unknown is unknown.
func (m *Model) total(rows []*Row, batch int) *Row {
	sum := m.newRow(total, analysis.KindTotal, "")
	unknown, seconds, activitySeconds := 0, 0.0, 0.0
	var joules watts
	var odd []string
	for i, r := range rows {
		if r.LimitW.Known {
			sum.LimitW = r.LimitW
		}
		if i == 0 {
			sum.Network, sum.Counts, sum.TimeSource, sum.Exactness, sum.ClockMHz = r.Network, r.Counts, r.TimeSource, r.Exactness, r.ClockMHz
		}
		if r.TimeSource != sum.TimeSource {
			sum.TimeSource = "several"
		}
		if r.ClockMHz != sum.ClockMHz {
			sum.ClockMHz = number.Real{}
		}
		sum.Exactness = analysis.Worse(sum.Exactness, r.Exactness)
		if !r.EnergyUJ.Known {
			unknown++
			continue
		}
		seconds += r.TimeUs.X / micro
		activitySeconds += r.ActivityTimeUs.X / micro
		r.addTo(&joules)
		if r.Implausible != "" {
			odd = append(odd, r.Launch)
		}
	}
	if len(odd) > 0 {
		sum.Implausible = "launches " + strings.Join(odd, ", ")
	}
	switch {
	case len(rows) == 0:
		sum.Missing = "no launches"
		return sum
	case unknown > 0:
		sum.Missing = fmt.Sprintf("%d of %d launches have no figure", unknown, len(rows))
		return sum
	}
	sum.ActivityTimeUs = number.Ratio(micro * activitySeconds)
	sum.setTotal(&joules, seconds, batch)
	if w := m.beyondBoard(sum.PowerW.X); w != "" {
		sum.Implausible = strings.TrimPrefix(sum.Implausible+"; the mean: "+w, "; ")
	}
	return sum
}

// setTotal fills what a total says of energies in J in that time.
func (r *Row) setTotal(joules *watts, seconds float64, batch int) {
	r.setEnergy(joules)
	r.TimeUs, r.PowerW = number.Ratio(micro*seconds), number.Ratio(joules.total()/seconds)
	r.EDPpJs = number.Ratio(pico * joules.total() * seconds)
	r.SharePct = number.Ratio(100)
	r.PerInfUJ = number.Ratio(micro * joules.total() / float64(batch))
}

// addTo adds a row's energies in J.
func (r *Row) addTo(joules *watts) {
	for c, x := range r.ComponentEnergy.all() {
		joules[c] += x.X / micro
	}
	joules[ConstP] += r.Const.X / micro
	joules[StaticP] += r.Static.X / micro
	joules[IdleCoreP] += r.IdleSM.X / micro
}

// WithoutTotal returns the rows of launches of a network that is not complete:
// without the total and the shares in it.
func WithoutTotal(rows []*Row) []*Row {
	rows = slices.DeleteFunc(rows, func(r *Row) bool { return r.Launch == total })
	for _, r := range rows {
		r.SharePct = number.Real{}
	}
	return rows
}

// SortByEnergy puts the launches with most energy first, those without a figure
// last; the total stays at the end.
func SortByEnergy(rows []*Row) {
	slices.SortStableFunc(rows, func(a, b *Row) int {
		known := func(r *Row) int { return map[bool]int{true: 0, false: 1}[r.EnergyUJ.Known] }
		total := func(r *Row) int { return map[bool]int{true: 1, false: 0}[r.Launch == total] }
		return cmp.Or(cmp.Compare(total(a), total(b)), cmp.Compare(known(a), known(b)), cmp.Compare(b.EnergyUJ.X, a.EnergyUJ.X))
	})
}
