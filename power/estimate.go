package power

import (
	"fmt"
	"math"
)

// Estimate is the power of one launch.
type Estimate struct {
	Watts    Watts
	Category Category
	// Seconds is how long the power is drawn: the launch's time.
	Seconds float64
}

// TotalW returns the power in W.
func (e *Estimate) TotalW() float64 { return e.Watts.total() }

// energyJ returns the energy in J.
func (e *Estimate) energyJ() float64 { return e.TotalW() * e.Seconds }

// edp returns the energy-delay product in J s.
func (e *Estimate) edp() float64 { return e.energyJ() * e.Seconds }

// Estimate returns the power that a launch draws: equation 12. Nothing is
// clamped. The error is a *MissingError if a count is missing that costs
// anything, and names the field otherwise.
func (c *Chip) Estimate(a *Activity, r Rules, s State) (*Estimate, error) {
	if err := a.check(c.SMs); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if missing := a.Missing & c.needs(); missing != 0 {
		return nil, &MissingError{missing}
	}
	e := &Estimate{Seconds: a.seconds(), Category: categoryOf(&a.Counts, r)}
	c.dynamic(&e.Watts, a)
	active := float64(c.SMs) - a.IdleSMs
	e.Watts[IdleCoreP] = a.IdleSMs * c.IdleSMW
	static, err := staticW(c.Static[e.Category], e.Category, a.Lanes, r)
	if err != nil {
		return nil, err
	}
	e.Watts[StaticP] = static * active / c.staticSMs(r)
	e.Watts[ConstP] = c.ConstantW
	s.apply(&e.Watts, r)
	if t := e.TotalW(); math.IsInf(t, 0) || math.IsNaN(t) {
		return nil, fmt.Errorf("the counts in %g s give no finite power", e.Seconds)
	}
	return e, nil
}

// unseen are counters that hardware has not and the HW and HYBRID models do
// without: FP_INST is in INT_INST, products and quotients go with their units.
var unseen = CounterSet(0).with(FPInst, ICacheHit, ICacheMiss, TexHit, TexMiss, ConstMiss, RegRead, RegWrite, NonReg, IntMul24, IntMul32, IntDiv, FPDiv, DPDiv, DRAMPrecharge)

// needs returns the counters without which there is no figure.
func (c *Chip) needs() CounterSet {
	s := c.Energies.needs()
	if c.Variant.FromHardware() {
		s &^= unseen
	}
	return s
}

// dynamic adds what the events cost: equation 11.
func (c *Chip) dynamic(w *Watts, a *Activity) {
	t := a.seconds()
	for _, e := range c.Energies.terms {
		if e.counter == Duty {
			w[e.component] += a.Duty * float64(c.SMs) * a.ClockMHz * 1e6 * e.joules
			continue
		}
		w[e.component] += a.Counts[e.counter] * e.joules / t
	}
	w[MCP] += c.MemControllerW
}

// staticSMs returns how many active SMs the static coefficients stand for. The
// released program takes those of 80 SMs for the whole of any chip.
func (c *Chip) staticSMs(r Rules) float64 {
	if r.set().perSM {
		return float64(c.StaticSMs)
	}
	return float64(c.SMs)
}

// apply scales powers from the reference state: dynamic power goes with V^2 f
// (f is in the time already), static power with V (equation 2).
func (s State) apply(w *Watts, r Rules) {
	v := s.VoltageRatio
	for c := range w {
		switch {
		case Component(c) == StaticP || Component(c) == IdleCoreP:
			w[c] *= v * s.TemperatureFactor
		case Component(c) != ConstP || r.set().constantByVoltage:
			w[c] *= v * v
		}
	}
}
