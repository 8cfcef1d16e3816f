package golden

import (
	"context"

	"hyptx/analysis"
)

// Run executes a program and returns its outputs and the times of its
// launches, if it takes them. The error is a [Refusal] if the program cannot
// run on this device at all.
type Run func(ctx context.Context, s *analysis.Session) (outputs []analysis.Output, timesMs []float64, err error)

// Refusal is the error of a program that the device's driver does not take.
type Refusal struct{ Err error }

func (r Refusal) Error() string { return r.Err.Error() }
func (r Refusal) Unwrap() error { return r.Err }

// Make runs a sample and packs what it leaves. What goes wrong stands in the
// result; broken tells that the device may not be used any more.
func Make(ctx context.Context, s Sample, run Run) (p Program, broken bool) {
	p.Name = s.Name
	session, err := s.Open()
	if err != nil {
		p.Failed = err.Error()
		return p, false
	}
	p.Inputs = s.Inputs(session)
	outputs, times, err := run(ctx, session)
	if r, ok := err.(Refusal); ok {
		p.Skipped = r.Error()
		return p, false
	}
	if err != nil {
		p.Failed = err.Error()
		return p, true
	}
	p.TimesMs = times
	for _, o := range outputs {
		packed, err := Pack(o)
		if err != nil {
			p.Failed = err.Error()
			return p, false
		}
		p.Outputs = append(p.Outputs, packed)
	}
	return p, false
}
