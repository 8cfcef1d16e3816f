package power

import (
	"errors"
	"fmt"

	"hyptx/internal/csvfile"
	"hyptx/internal/number"
)

// A clock that changes inside a run, as a governor or a power limit changes it. From its
// time on, each step of the trace holds until the next one; a launch that a step falls into
// is done in pieces. At each clock a launch has a time and a power of its own (a sweep has
// them all); a piece of dt at a clock at which the launch takes T does dt/T of it, costs that
// share of its energy at that clock, and the rest is done at the next one. So waiting for
// DRAM takes as long at any clock, what is issued goes with the clock, energies of events
// with the square of the voltage and static power with the voltage (equation 2), piece by
// piece, and a trace that never changes is a run at that clock.

// ClockTrace is the clock of the SMs over time.
type ClockTrace []clockStep

// clockStep is a row of a trace.
type clockStep struct {
	// FromUs is when the clock is set, from the start of the first launch.
	FromUs float64 `csv:"time_us"`
	MHz    float64 `csv:"clock_mhz"`
	// VoltageRatio is V over the voltage at which energies were tuned; 0 for what goes with
	// the clock.
	VoltageRatio float64 `csv:"v_rel,omitempty"`
}

// ReadClockTrace reads a trace: columns time_us, from 0 and rising, clock_mhz and, where
// the model has no voltage of its own, v_rel.
func ReadClockTrace(name string, text []byte) (ClockTrace, error) {
	steps, err := csvfile.Into[clockStep](tableFormat, name, text)
	switch {
	case err != nil:
		return nil, err
	case len(steps) == 0:
		return nil, fmt.Errorf("%s: no row says which clock", name)
	case steps[0].FromUs != 0:
		return nil, fmt.Errorf("%s: the first time_us is %g: must be 0, where the first launch begins", name, steps[0].FromUs)
	}
	for i, s := range steps {
		switch {
		case i > 0 && !(s.FromUs > steps[i-1].FromUs && s.FromUs <= maxTimeUs):
			return nil, fmt.Errorf("%s: time_us %g after %g: must rise, to at most %g", name, s.FromUs, steps[i-1].FromUs, float64(maxTimeUs))
		case !(s.MHz > 0 && s.MHz <= maxClockMHz):
			return nil, fmt.Errorf("%s: at %g us: clock_mhz is %g: must be above 0, and at most %g", name, s.FromUs, s.MHz, float64(maxClockMHz))
		case !(s.VoltageRatio >= 0 && s.VoltageRatio <= MaxVoltageRatio):
			return nil, fmt.Errorf("%s: at %g us: v_rel is %g: must be above 0, and at most %d", name, s.FromUs, s.VoltageRatio, MaxVoltageRatio)
		}
	}
	return steps, nil
}

// CheckTrace returns an error for a trace that the model cannot follow: of clocks that the
// GPU does not have, or of voltages where the calibration knows the voltage of each clock.
func (m *Model) CheckTrace() error {
	var clocks []float64
	for _, s := range m.Trace {
		if clocks = append(clocks, s.MHz); s.VoltageRatio != 0 && m.Chip.Law != nil {
			return fmt.Errorf("%s: v_rel at %g us: the voltage of each clock is known from measured boards; leave the column out", m.Chip.Name, s.FromUs)
		}
	}
	return m.CheckClocks(clocks)
}

// piece is a part of a launch at one clock.
type piece struct {
	model *Model
	at    *Timed // the launch at that clock
	// from and to are shares of the launch's time at that clock.
	from, to, beginUs float64
}

// longUs is how long the piece takes.
func (p *piece) longUs() float64 { return (p.to - p.from) * p.at.Time.Us.X }

// errNoClock is why a launch behind one without a time has none.
var errNoClock = errors.New("no time before it: which clock is set then is unknown")

// errOneClock is why a launch whose time is known at one clock alone has none.
var errOneClock = errors.New("its time at the trace's clock is unknown: the time model says nothing of other clocks")

// alongTrace cuts launches into the pieces that the trace makes of them. A launch without a
// time has none, nor has any behind it.
func (m *Model) alongTrace(launches []Timed) (of [][]piece, err error) {
	of = make([][]piece, len(launches))
	if m.Trace == nil {
		return of, nil
	}
	now, step := 0.0, 0
	for i := range launches {
		t := &launches[i]
		if t.Err != nil {
			return of, nil
		}
		for done := 0.0; done < 1; {
			for step+1 < len(m.Trace) && m.Trace[step+1].FromUs <= now {
				step++
			}
			p := piece{model: m.atStep(&m.Trace[step], t), from: done, to: 1, beginUs: now}
			if t.Activity != nil || t.Time.IsMeasured() {
				return nil, errors.New("counters and times were measured at one clock: option clock-trace needs those of the model")
			}
			var ok bool
			if p.at, ok = t.at(m.Trace[step].MHz); !ok || !(p.at.Time.Us.X > 0) {
				return of, nil
			}
			end := now + p.longUs()
			if step+1 < len(m.Trace) && m.Trace[step+1].FromUs < end {
				end = m.Trace[step+1].FromUs
				p.to = min(done+(end-now)/p.at.Time.Us.X, 1)
			}
			of[i], now, done = append(of[i], p), end, p.to
		}
	}
	return of, nil
}

// atStep is the model in a step's state.
func (m *Model) atStep(s *clockStep, t *Timed) *Model {
	at := *m
	at.Trace, at.FixedClock = nil, true
	switch {
	case s.VoltageRatio != 0:
		at.State.VoltageRatio = s.VoltageRatio
	case m.Chip.Law == nil:
		at.State.VoltageRatio = s.MHz / m.referenceMHz(t.Time)
	}
	return &at
}

// tracedRow is the row of a launch that is done in pieces: their times and energies add up.
func (m *Model) tracedRow(t *Timed, pieces []piece) *Row {
	if len(pieces) == 0 {
		cut := *t
		if cut.Err == nil {
			cut.Err = errNoClock
			if _, known := t.at(m.Trace[0].MHz); !known {
				cut.Err = errOneClock
			}
		}
		return m.row(&cut)
	}
	var sum *Row
	var joules watts
	us, activityUs := 0.0, 0.0
	for i := range pieces {
		p := &pieces[i]
		r := p.model.row(p.at)
		if r.Missing != "" {
			return r
		}
		var whole watts
		r.addTo(&whole)
		for c, j := range whole {
			joules[c] += j * (p.to - p.from)
		}
		us += p.longUs()
		activityUs += (p.to - p.from) * r.ActivityTimeUs.X
		if sum == nil {
			sum = r
			continue
		}
		if r.ClockMHz != sum.ClockMHz {
			sum.ClockMHz, sum.Duty, sum.WarpIPC = number.Real{}, number.Real{}, number.Real{}
		}
		if sum.Implausible == "" {
			sum.Implausible = r.Implausible
		}
	}
	sum.setEnergy(&joules)
	sum.TimeUs, sum.ActivityTimeUs = number.Ratio(us), number.Ratio(activityUs)
	sum.PowerW, sum.EDPpJs = number.Ratio(joules.total()*micro/us), number.Ratio(pico*joules.total()*us/micro)
	return sum
}

// overTime returns the rows of power over time of a piece: those of the launch at its
// clock, as far as the piece goes.
func (p *piece) overTime() (rows []*OverTimeRow) {
	_, e, err := p.model.estimate(p.at)
	if err != nil {
		return nil
	}
	whole := p.at.Time.Us.X
	for _, r := range p.model.overTime(p.at, e, 0) {
		begin, end := max(r.BeginUs.X, p.from*whole), min(r.EndUs.X, p.to*whole)
		if begin < end {
			shift := p.beginUs - p.from*whole
			r.BeginUs, r.EndUs = number.Ratio(begin+shift), number.Ratio(end+shift)
			rows = append(rows, r)
		}
	}
	return rows
}
