package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hyptx/internal/gpu"
)

// Rates. A rate is work over time: the work is counted by emulation of the
// benchmark's own text, the time is the shortest that was measured. Where
// several benchmarks measure one rate the best list of them counts, as the
// thesis does: T_SP is the better of two ways to keep operands in registers,
// B_mem the mean of copying, reading and writing with the better of two access
// widths.

// A rate is a parameter of the roofline: which benchmarks give it and what
// part of their work counts (Konstantinidis 2017, section 4.2.3, appendix A).
type rate struct {
	// choices are lists of benchmarks: the mean over a list, the best list.
	choices [][]string
	parts   []string
	to      func(*gpu.Measured) **gpu.Float
}

var rates = []rate{
	{[][]string{{"fp_fma"}, {"register_file"}}, []string{"fp_fma", "register_file"}, func(m *gpu.Measured) **gpu.Float { return &m.TSPGFLOPS }},
	{[][]string{{"dp_fma"}}, []string{"dp_fma"}, func(m *gpu.Measured) **gpu.Float { return &m.TDPGFLOPS }},
	{[][]string{{"int_mad"}}, []string{"int_mad"}, func(m *gpu.Measured) **gpu.Float { return &m.TIntGIOPS }},
	{[][]string{{"int_add"}}, []string{"int_add"}, func(m *gpu.Measured) **gpu.Float { return &m.TAddGIOPS }},
	{[][]string{{"shared"}}, []string{"shared"}, func(m *gpu.Measured) **gpu.Float { return &m.TLdstGOPS }},
	{[][]string{{"copy16", "read16", "write16"}, {"copy4", "read4", "write4"}},
		[]string{"copy16", "read16", "write16", "copy4", "read4", "write4"}, func(m *gpu.Measured) **gpu.Float { return &m.BMemGBPerS }},
}

// Rates are what the log's rates say. What was not measured is nil.
type Rates struct {
	gpu.Measured
	LaunchOverheadUs *gpu.Float
	IdleW            *gpu.Float
	// L1BytesPerClock is that of hits of one SM, L2BytesPerClock that of all SMs.
	L1BytesPerClock, L2BytesPerClock *gpu.Float
}

// Evaluate works out the rates of a log.
func Evaluate(ctx context.Context, l *Log, c *Counter) (*Rates, error) {
	out := &Rates{}
	for _, r := range rates {
		v, m, err := r.best(ctx, l, c)
		if err != nil {
			return nil, err
		}
		if m != nil {
			*r.to(&out.Measured) = &gpu.Float{Value: v, Source: l.source(m)}
		}
	}
	if ecc := l.Subject.ECC; ecc != nil && out.BMemGBPerS != nil {
		out.ECC = &gpu.Bool{Value: *ecc, Source: fmt.Sprintf("NVML on %s, driver %s", l.Subject.Name, l.Subject.Driver)}
	}
	if err := out.caches(ctx, l, c); err != nil {
		return nil, err
	}
	if m := l.fastest("launch"); m != nil {
		out.LaunchOverheadUs = &gpu.Float{Value: digits(1e3 * m.MS / float64(max(m.Launches, 1))), Source: l.source(m) + fmt.Sprintf(": %d empty launches, back to back", max(m.Launches, 1))}
	}
	for _, m := range l.Measurements {
		if m.Benchmark == "idle" && m.Power != nil && (out.IdleW == nil || m.Power.MeanW < out.IdleW.Value) {
			out.IdleW = &gpu.Float{Value: digits(m.Power.MeanW), Source: l.source(m) + fmt.Sprintf(": at rest, with a context, at %.0f C", m.Power.TemperatureC)}
		}
	}
	return out, nil
}

// caches works out what hits give a clock; unknown where nobody read the clock.
func (r *Rates) caches(ctx context.Context, l *Log, c *Counter) error {
	for _, x := range []struct {
		benchmark string
		sms       int
		to        **gpu.Float
	}{{"l1", l.Subject.SMs, &r.L1BytesPerClock}, {"l2", 1, &r.L2BytesPerClock}} {
		m := l.fastest(x.benchmark)
		if m == nil || m.Before == nil || m.After == nil || x.sms < 1 {
			continue
		}
		// The clock may change between the two readings. The higher one gives
		// the lower rate a clock, which promises less.
		mhz := max(m.Before.SMClockMHz, m.After.SMClockMHz)
		n, err := c.Count(ctx, *m.Setup)
		if err != nil {
			return err
		}
		if mhz > 0 {
			bytes := n.Work[x.benchmark] * ringEntry
			*x.to = &gpu.Float{Value: digits(bytes / (m.MS * 1e3 * mhz * float64(x.sms))), Source: l.source(m) + ": 64-bit loads"}
		}
	}
	return nil
}

// best returns a rate in 1e9 operations a second, and one of its measurements;
// nil if none was made.
func (r *rate) best(ctx context.Context, l *Log, c *Counter) (best float64, of *Measurement, err error) {
	for _, names := range r.choices {
		sum, last := 0.0, (*Measurement)(nil)
		for _, name := range names {
			m := l.fastest(name)
			if m == nil {
				sum, last = math.NaN(), nil
				break
			}
			n, err := c.Count(ctx, *m.Setup)
			if err != nil {
				return 0, nil, err
			}
			for _, part := range r.parts {
				sum += n.Work[part] / (m.MS * 1e6) / float64(len(names))
			}
			last = m
		}
		if last != nil && sum > best {
			best, of = sum, last
		}
	}
	return digits(best), of, nil
}

// digits keeps what a measurement can tell: five digits.
func digits(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 4-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// fastest returns the rate measurement of a benchmark with the most turns a
// time; nil if there is none.
func (l *Log) fastest(benchmark string) (best *Measurement) {
	speed := func(m *Measurement) float64 { return float64(m.Setup.Iterations*max(m.Launches, 1)) / m.MS }
	for _, m := range l.Measurements {
		if m.Kind == Rate && m.Benchmark == benchmark && m.Setup != nil && m.MS > 0 && (best == nil || speed(m) > speed(best)) {
			best = m
		}
	}
	return best
}

// source says where a number comes from.
func (l *Log) source(m *Measurement) string {
	s := fmt.Sprintf("measured by hyptx %s calibrate on %s, %s, %s", l.Subject.Hyptx, l.Subject.Name, l.driver(), m.At.Format("2006-01-02"))
	var clocks []float64
	switch {
	case m.Power != nil:
		clocks = []float64{math.Round(m.Power.SMClockMHz)}
	case m.Before != nil && m.After != nil:
		clocks = []float64{m.Before.SMClockMHz, m.After.SMClockMHz}
	}
	if len(clocks) > 0 && slices.Max(clocks) > 0 {
		s += fmt.Sprintf(", SM clock %g", slices.Min(clocks))
		if slices.Max(clocks) > slices.Min(clocks) {
			s += fmt.Sprintf(" to %g", slices.Max(clocks))
		}
		s += " MHz"
	}
	return s
}

// driver names the driver.
func (l *Log) driver() string {
	if l.Subject.Driver != "" {
		return "driver " + l.Subject.Driver
	}
	return fmt.Sprintf("CUDA %d.%d", l.Subject.DriverVersion/1000, l.Subject.DriverVersion%1000/10)
}
