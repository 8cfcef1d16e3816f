package power

import (
	"hyptx/analysis"
	"hyptx/internal/number"
)

// measured estimates a launch from counters alone.
func (m *Model) measured(r *ActivityRow) *Row {
	a := &r.Activity
	us := number.Ratio(a.Cycles / a.ClockMHz)
	row := m.newRow(r.Launch, analysis.KindLaunch, countsMeasured)
	row.Kernel, row.TimeSource, row.TimeUs, row.ActivityTimeUs, row.ClockMHz = r.Run, "measured", us, us, number.Ratio(a.ClockMHz)
	row.state(m, a, float64(m.Chip.SMs))
	e, err := m.Chip.Estimate(a, m.Rules, m.State)
	if err != nil {
		row.Missing = err.Error()
		return row
	}
	row.estimate(m, e)
	return row
}

// state fills in how the chip is used; mostSMs is how many SMs at most can have
// work.
func (r *Row) state(m *Model, a *Activity, mostSMs float64) {
	r.Lanes, r.ActiveSMs, r.Duty = number.Ratio(a.Lanes), number.Ratio(float64(m.Chip.SMs)-a.IdleSMs), number.Ratio(a.Duty)
	if a.Cycles > 0 && !a.Missing.Has(TotInst) {
		r.WarpIPC = number.Ratio(a.Counts[TotInst] / (a.Cycles * mostSMs))
	}
}

// estimate fills a row's figures.
func (r *Row) estimate(m *Model, e *Estimate) {
	r.Category = e.Category.String()
	joules := e.Watts.times(e.Seconds)
	r.setEnergy(&joules)
	r.PowerW, r.EDPpJs = number.Ratio(e.TotalW()), number.Ratio(pico*e.energyJ()*e.Seconds)
	r.Implausible = m.implausible(r)
}
