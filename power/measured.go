package power

import "hyptx/analysis"

// measured estimates a launch from counters alone.
func (m *Model) measured(r *ActivityRow) *Row {
	a := &r.Activity
	row := &Row{
		Kernel: r.Run, Launch: r.Launch, GPU: m.Chip.Name, Variant: string(m.Chip.Variant), Rules: m.Rules.String(), EnergyBasis: m.Chip.Basis, Counts: CountsMeasured,
		TimeSource: "measured", TimeUs: analysis.Ratio(a.Cycles / a.ClockMHz), ClockMHz: analysis.Ratio(a.ClockMHz),
		Lanes: analysis.Ratio(a.Lanes), ActiveSMs: analysis.Ratio(float64(m.Chip.SMs) - a.IdleSMs), Duty: analysis.Ratio(a.Duty),
	}
	e, err := m.Chip.Estimate(a, m.Rules, m.State)
	if err != nil {
		row.Missing = err.Error()
		return row
	}
	row.estimate(m, e)
	return row
}

// estimate fills a row's figures.
func (r *Row) estimate(m *Model, e *Estimate) {
	r.Category = e.Category.String()
	joules := e.Watts.Times(e.Seconds)
	r.setEnergy(&joules)
	r.PowerW, r.EDPpJs = analysis.Ratio(e.TotalW()), analysis.Ratio(pico*e.EDP())
	r.Implausible = m.implausible(e.TotalW())
}
