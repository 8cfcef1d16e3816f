package power

import (
	"fmt"
	"strings"

	"hyptx/internal/number"
)

// Launches at once. Launches of different streams of a manifest need not wait for each
// other: one begins as soon as those before it in its stream have ended and there are SMs
// for its CTAs, first come, first served. Constant power is then drawn once, the idle power
// of SMs that no launch has once, and what each launch draws for itself, static power of its
// SMs and dynamic power, adds up (equation 10 with several launches; the paper did so by
// hand in section 7.2). So a launch's row has its own power alone, and the total has what
// is shared.
//
// Each launch takes as long as it would alone: what launches take from each other in L2 and
// DRAM is not in it.

// run is a launch in a schedule.
type run struct {
	*Timed
	activity *Activity
	own      watts // what it draws for itself, in W
	activeSM float64
	beginUs  float64
	begun    bool
}

func (r *run) endUs() float64 { return r.beginUs + r.Time.Us.X }

// schedule gives launches of streams their beginnings. The error is of the first launch
// without a figure: when those behind it begin is unknown.
func (m *Model) schedule(launches []Timed) (runs []*run, err error) {
	for i := range launches {
		t := &launches[i]
		a, e, err := m.estimate(t)
		if err != nil {
			return nil, fmt.Errorf("launch %s has no figure: %w", t.Launch.Name(), err)
		}
		r := &run{Timed: t, activity: a, own: e.Watts, activeSM: float64(m.Chip.SMs) - a.IdleSMs}
		for c, w := range m.shared(a.IdleSMs, a.ClockMHz) {
			r.own[c] -= w
		}
		runs = append(runs, r)
	}
	for now, begun := 0.0, 0; begun < len(runs); {
		free := float64(m.Chip.SMs)
		busy := map[string]bool{} // streams with a launch that runs, or waits
		next := 0.0
		for _, r := range runs {
			if r.begun && r.endUs() > now {
				free -= r.activeSM
				busy[r.Launch.Stream] = true
			}
		}
		for _, r := range runs {
			if r.begun || busy[r.Launch.Stream] {
				continue
			}
			busy[r.Launch.Stream] = true
			if r.activeSM <= free*(1+1e-9) {
				r.beginUs, r.begun = now, true
				free -= r.activeSM
				begun++
			}
		}
		for _, r := range runs {
			if r.begun && r.endUs() > now && (next == 0 || r.endUs() < next) {
				next = r.endUs()
			}
		}
		now = next
	}
	return runs, nil
}

// shared is what the GPU draws whatever runs, with that many SMs idle.
func (m *Model) shared(idleSMs, clockMHz float64) (w watts) {
	w[ConstP], w[MCP] = m.Chip.ConstantW, m.Chip.MemControllerW
	w[IdleCoreP] = m.Chip.idleW(idleSMs, clockMHz)
	m.State.apply(&w, m.Rules)
	return w
}

// spans returns the power of a schedule over time: a row for each span in which the same
// launches run.
func (m *Model) spans(runs []*run) (rows []*OverTimeRow, joules watts) {
	for now := 0.0; ; {
		next, idle, clock := 0.0, float64(m.Chip.SMs), 0.0
		var w watts
		var launches, kernels []string
		for _, r := range runs {
			if r.endUs() > now && (next == 0 || r.endUs() < next) {
				next = r.endUs()
			}
			if r.beginUs > now && (next == 0 || r.beginUs < next) {
				next = r.beginUs
			}
			if r.beginUs > now || r.endUs() <= now {
				continue
			}
			idle -= r.activeSM
			clock = max(clock, r.activity.ClockMHz)
			launches, kernels = append(launches, r.Launch.Name()), append(kernels, r.Launch.Demangled)
			for c, x := range r.own {
				w[c] += x
			}
		}
		if next <= now {
			return rows, joules
		}
		for c, x := range m.shared(max(idle, 0), clock) {
			w[c] += x
		}
		row := &OverTimeRow{Network: runs[0].Launch.Network, Kernel: strings.Join(kernels, " + "), Launch: strings.Join(launches, "+"), GPU: m.Chip.Name, Phase: "concurrent",
			BeginUs: number.Ratio(now), EndUs: number.Ratio(next), ClockMHz: number.Ratio(clock), PowerW: number.Ratio(w.total())}
		of := w.byGroup()
		for g, to := range row.Values() {
			*to = number.Ratio(of[g])
		}
		rows = append(rows, row)
		for c, x := range w.times((next - now) / micro) {
			joules[c] += x
		}
		now = next
	}
}

// reportConcurrent is Report where launches of different streams run at once.
func (m *Model) reportConcurrent(launches []Timed, batch int) (rows []*Row) {
	at := *m
	at.FixedClock = true
	runs, err := at.schedule(launches)
	for i := range launches {
		t := launches[i]
		if err != nil && t.Err == nil {
			t.Err = err
		}
		r := at.row(&t)
		if err == nil {
			own := runs[i].own.times(r.TimeUs.X / micro)
			r.setEnergy(&own)
			r.PowerW, r.EDPpJs = number.Ratio(runs[i].own.total()), number.Ratio(pico*own.total()*r.TimeUs.X/micro)
			r.StartUs = number.Ratio(runs[i].beginUs)
		}
		rows = append(rows, r)
	}
	sum := at.total(rows, batch)
	if err == nil && len(runs) > 0 {
		spans, joules := at.spans(runs)
		seconds := spans[len(spans)-1].EndUs.X / micro
		sum.setTotal(&joules, seconds, batch)
		sum.Implausible = strings.TrimPrefix(at.beyondBoard(sum.PowerW.X), "; ")
		for _, r := range rows {
			r.SharePct = number.Ratio(100 * r.EnergyUJ.X / sum.EnergyUJ.X)
		}
	}
	return append(rows, sum)
}
