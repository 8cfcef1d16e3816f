package compare

import (
	"context"
	"fmt"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/vary"
)

// Report is what came of comparing a program's outputs.
type Report struct {
	Verdict Verdict  `json:"verdict"`
	Outputs []Buffer `json:"outputs"`
	// Open is what of the program the manual leaves open, Runs the variations
	// that made the tolerances: none where all bits are equal.
	Open   []Open    `json:"open_results"`
	Runs   []RunNote `json:"variations"`
	Factor float64   `json:"factor"`
}

// RunNote says how a variation ended.
type RunNote struct {
	Name  string `json:"name"`
	Error string `json:"error,omitempty"`
}

// Agrees reports whether everything is equal or within its bound.
func (r *Report) Agrees() bool { return r.Verdict <= Within }

// Program judges outputs that another machine left: it runs the program in the
// emulator and, where bits differ and the program has open results, as the
// variations.
func Program(ctx context.Context, open Opener, theirs []analysis.Output) (*Report, error) {
	s, err := open(nil)
	if err != nil {
		return nil, err
	}
	ours, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	return Judge(ctx, open, s, ours, theirs)
}

// Judge judges outputs that another machine left against the emulator's, which
// session s left.
func Judge(ctx context.Context, open Opener, s *analysis.Session, ours, theirs []analysis.Output) (*Report, error) {
	r, err := Outputs(ours, theirs, &Tolerance{})
	if err != nil {
		return nil, err
	}
	results := OpenResults(s)
	if r.Verdict != Equal {
		if r, err = judgeVaried(ctx, open, results, s.OrderDependence(), ours, theirs); err != nil {
			return nil, err
		}
	}
	r.Open = append([]Open{}, results...)
	return r, nil
}

// judgeVaried judges outputs of which bits differ.
func judgeVaried(ctx context.Context, open Opener, results []Open, order analysis.OrderDependence, ours, theirs []analysis.Output) (*Report, error) {
	t, err := Vary(ctx, open, results, order)
	if err != nil {
		return nil, err
	}
	r, err := Outputs(ours, theirs, t)
	if err != nil || !needsOrder(r.Verdict, order) {
		return r, err
	}
	ordered, err := open(vary.Ordered())
	if err != nil {
		return nil, err
	}
	if t.Order, err = orderAfter(ctx, ordered, order, len(ours), -1); err != nil {
		return nil, err
	}
	return Outputs(ours, theirs, t)
}

// Outputs judges outputs against the emulator's with a tolerance. They must be
// of the same names, types and sizes, in any order.
func Outputs(ours, theirs []analysis.Output, t *Tolerance) (*Report, error) {
	r := &Report{Verdict: Equal, Outputs: []Buffer{}, Runs: []RunNote{}, Factor: Factor}
	byName := map[string]analysis.Output{}
	var names []string
	for _, o := range theirs {
		byName[o.Name] = o
		names = append(names, o.Name)
	}
	for i, o := range ours {
		other, ok := byName[o.Name]
		switch {
		case !ok && len(names) == 0:
			return nil, fmt.Errorf("output %q: there are no outputs to compare it with", o.Name)
		case !ok:
			return nil, fmt.Errorf("output %q is missing; there are %s", o.Name, strings.Join(names, ", "))
		case len(other.Data) != len(o.Data):
			return nil, fmt.Errorf("output %q has %d bytes, the emulator's %d", o.Name, len(other.Data), len(o.Data))
		case other.Type != o.Type:
			return nil, fmt.Errorf("output %q is of type %s, the emulator's of %s", o.Name, other.Type, o.Type)
		}
		b := judgeBuffer(t.values(o, other, i))
		r.Verdict = max(r.Verdict, b.Verdict)
		r.Outputs = append(r.Outputs, b)
	}
	for _, run := range t.Runs {
		r.Runs = append(r.Runs, run.note())
	}
	if t.Probe != nil {
		r.Runs = append(r.Runs, t.Probe.note())
	}
	return r, nil
}

func (r *Run) note() RunNote {
	n := RunNote{Name: r.Variation.Name}
	if r.Err != nil {
		n.Error = r.Err.Error()
	}
	return n
}

// values collects what the runs have of output i.
func (t *Tolerance) values(ours, theirs analysis.Output, i int) *values {
	v := &values{ours: ours, theirs: theirs, closed: len(t.Runs) == 0 && t.Probe == nil}
	if t.Order != nil {
		v.order = t.Order[i]
	}
	for _, run := range t.Runs {
		if run.Err != nil {
			continue
		}
		o := &run.Outputs[i]
		v.runs = append(v.runs, *o)
		switch run.Variation.Name {
		case "up":
			v.up = o
		case "down":
			v.down = o
		}
	}
	if t.Probe != nil {
		if v.blind = t.Probe.Err != nil; !v.blind {
			v.probe = &t.Probe.Outputs[i]
		}
	}
	return v
}
