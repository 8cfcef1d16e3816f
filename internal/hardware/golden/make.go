package golden

import (
	"context"

	"hyptx/analysis"
)

// Result is what a run leaves.
type Result struct {
	Outputs []analysis.Output
	TimesMs []float64 // of the launches in a second run, if they were taken
	// Target is what the PTX was retargeted to, "" if it stayed.
	Target string
}

// Run executes a sample, which is opened. The error is a [Refusal] if the program cannot run on
// this device at all.
type Run func(ctx context.Context, s Sample, session *analysis.Session) (Result, error)

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
	got, err := run(ctx, s, session)
	p.Target = got.Target
	if r, ok := err.(Refusal); ok {
		p.Skipped = r.Error()
		return p, false
	}
	if err != nil {
		p.Failed = err.Error()
		return p, true
	}
	p.TimesMs = got.TimesMs
	for _, o := range got.Outputs {
		packed, err := Pack(o)
		if err != nil {
			p.Failed = err.Error()
			return p, false
		}
		p.Outputs = append(p.Outputs, packed)
	}
	return p, false
}
