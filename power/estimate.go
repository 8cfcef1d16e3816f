package power

import (
	"fmt"
	"math"
	"strings"
)

// The estimate. With k of N SMs at work and y active lanes in each warp a launch
// draws, in W (equations 10 to 12 of the paper),
//
//	P = sum of a_i E_i / T  +  P_static(y) k/N  +  P_idle (N - k)  +  P_const
//
// where a_i is how often event i happened in the T seconds and E_i its energy in
// J. Only the first term depends on what was executed: 1e9 active lanes of 32-bit
// integer additions in a millisecond are 1e9 x 1.584 pJ / 1 ms = 1.58 W under the
// variant ptx_sim. The other three are drawn by a GPU that has the launch at all;
// static.go and idle.go say where their numbers come from. The time divides the
// first term alone: a launch that takes twice as long draws less power and needs
// more energy. Of a launch that is charged for its PTX, T is not the time that the
// energy is drawn for (activitytime.go).

// Estimate is the power of one launch.
type Estimate struct {
	Watts    watts
	Category Category
	// Seconds is how long the power is drawn: the launch's time.
	Seconds float64
}

// TotalW returns the power in W.
func (e *Estimate) TotalW() float64 { return e.Watts.total() }

// energyJ returns the energy in J.
func (e *Estimate) energyJ() float64 { return e.TotalW() * e.Seconds }

// Estimate returns the power that a launch draws: equation 12. Nothing is
// clamped. The error names the counts that cost something and are
// missing, or the field that cannot be.
func (c *Chip) Estimate(a *Activity, r Rules, s State) (*Estimate, error) {
	if err := a.check(c.SMs); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if missing := a.Missing & c.needs(); missing != 0 {
		return nil, fmt.Errorf("no figure without %s", strings.Join(missing.Names(), ", "))
	}
	e := &Estimate{Seconds: a.seconds(), Category: categoryOf(&a.Counts, r)}
	u := c.Law.switching(a.ClockMHz)
	c.dynamic(&e.Watts, a, u)
	active := float64(c.SMs) - a.IdleSMs
	e.Watts[ConstP] = c.ConstantW
	e.Watts[IdleCoreP] = c.idleW(a.IdleSMs, a.ClockMHz)
	if c.Law != nil {
		e.Watts[StaticP] = active * c.Law.ActiveSMW * u * a.ClockMHz / mhzPerGHz
	} else {
		static, err := staticW(c.Static[e.Category], e.Category, a.Lanes, r)
		if err != nil {
			return nil, err
		}
		e.Watts[StaticP] = static * active / c.staticSMs(r)
	}
	s.apply(&e.Watts, r)
	if t := e.TotalW(); math.IsInf(t, 0) || math.IsNaN(t) {
		return nil, fmt.Errorf("the counts in %g s give no finite power", e.Seconds)
	}
	return e, nil
}

// idleW is what idle SMs draw at a clock.
func (c *Chip) idleW(idleSMs, clockMHz float64) float64 {
	if c.Law == nil {
		return idleSMs * c.IdleSMW
	}
	return idleSMs * c.IdleSMW * c.Law.switching(clockMHz) * clockMHz / mhzPerGHz
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

// dynamic adds what the events cost: equation 11. The duty cycle is no count but
// a share of the pipelines' cycles, so that it is multiplied by N f instead of
// being divided by T: duty 0.5 on 80 SMs at 1447 MHz is 7.24 W under sass_sim.
// u is by what the square of the voltage multiplies it, which DRAM's own supply knows
// nothing of.
func (c *Chip) dynamic(w *watts, a *Activity, u float64) {
	t := a.seconds()
	for _, e := range c.Energies.terms {
		if e.counter == Duty {
			w[e.component] += a.Duty * float64(c.SMs) * a.ClockMHz * 1e6 * e.joules * u
			continue
		}
		joules := e.joules
		if !e.counter.ofDRAM() {
			joules *= u
		}
		w[e.component] += a.Counts[e.counter] * joules / t
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

// apply scales powers from the reference state by equation 2,
//
//	P = m C V^2 f  +  n V  +  P_const
//
// Dynamic power goes with V^2 f, of which f is in the time already; leakage goes
// with V; fans and regulators with neither. At 0.8 of the voltage a launch that
// draws 100 W dynamic, 40 W static and 32 W constant is left with 64 + 32 + 32 W.
// The released program scales the constant part like the dynamic one.
func (s State) apply(w *watts, r Rules) {
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
