package compare

import (
	"context"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/vary"
)

// Follower compares a program launch by launch with another machine that runs
// it at the same time. Its emulators run as far as the other has come; the
// variations begin when bits differ for the first time.
type Follower struct {
	open Opener
	ours *analysis.Session
	// at is how many launches the emulator has executed.
	at     int
	others []*follower
	probe  *follower
	// order is what may depend on the order of threads, ordered the run that
	// follows it, begun when it is needed.
	order   analysis.OrderDependence
	ordered *analysis.Session
	// Open is what of the program is open.
	Open []Open
}

// follower is a variation on its way.
type follower struct {
	run     Run
	session *analysis.Session
}

// Watch makes all buffers of a session its outputs. Left out are tables of
// pointers, for each machine has addresses of its own, and what has no size.
func Watch(s *analysis.Session) {
	m := s.Manifest
	m.Outputs = nil
	for _, b := range m.Buffers {
		if b.Elastic || b.Init != nil && b.Init.Kind == manifest.InitPointers {
			continue
		}
		m.Outputs = append(m.Outputs, &manifest.Output{Path: b.Path, Name: b.Name, Buffer: b, Bytes: b.Bytes, Type: b.Type})
	}
}

// NewFollower begins a comparison. What open opens is watched.
func NewFollower(open Opener) (*Follower, error) {
	watched := func(v *vary.Variation) (*analysis.Session, error) {
		s, err := open(v)
		if err == nil {
			Watch(s)
		}
		return s, err
	}
	s, err := watched(nil)
	if err != nil {
		return nil, err
	}
	return &Follower{open: watched, ours: s, Open: OpenResults(s), order: s.OrderDependence()}, nil
}

// After judges what the other machine has in all buffers after its next launch.
func (f *Follower) After(ctx context.Context, theirs []analysis.Output) (*Report, error) {
	if _, ok, err := f.ours.Step(ctx); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("launch %d: the program has only %d", f.at, f.at)
	}
	f.at++
	ours, err := f.ours.Outputs()
	if err != nil {
		return nil, err
	}
	r, err := Outputs(ours, theirs, &Tolerance{})
	if err != nil || r.Verdict == Equal {
		return f.finish(r, err)
	}
	t, err := f.tolerance(ctx)
	if err != nil {
		return nil, err
	}
	if r, err = Outputs(ours, theirs, t); err != nil || !needsOrder(r.Verdict, f.order) {
		return f.finish(r, err)
	}
	if f.ordered == nil {
		if f.ordered, err = f.open(vary.Ordered()); err != nil {
			return nil, err
		}
	}
	if t.Order, err = orderAfter(ctx, f.ordered, f.order, len(ours), f.at); err != nil {
		return nil, err
	}
	return f.finish(Outputs(ours, theirs, t))
}

func (f *Follower) finish(r *Report, err error) (*Report, error) {
	if err == nil {
		r.Open = append([]Open{}, f.Open...)
	}
	return r, err
}

// tolerance runs the variations as far as the emulator has come.
func (f *Follower) tolerance(ctx context.Context) (*Tolerance, error) {
	if f.others == nil && f.probe == nil {
		if err := f.begin(ctx); err != nil {
			return nil, err
		}
	}
	t := &Tolerance{}
	for _, o := range f.others {
		if err := o.follow(ctx, f.at); err != nil {
			return nil, err
		}
		t.Runs = append(t.Runs, o.run)
	}
	if f.probe != nil {
		if err := f.probe.follow(ctx, f.at); err != nil {
			return nil, err
		}
		t.Probe = &f.probe.run
	}
	return t, nil
}

// begin opens the variations.
func (f *Follower) begin(ctx context.Context) error {
	sums, err := recorded(ctx, f.open, f.Open)
	if err != nil {
		return err
	}
	for _, v := range variations(sums, f.Open, f.order) {
		s, err := f.open(v)
		if err != nil {
			return err
		}
		o := &follower{Run{Variation: v}, s}
		if v.Unbounded {
			f.probe = o
		} else {
			f.others = append(f.others, o)
		}
	}
	return nil
}

// follow runs a variation until it has executed n launches. One that has ended in
// an error stays where it is.
func (o *follower) follow(ctx context.Context, n int) error {
	for o.run.Err == nil && o.session.Executed() < n {
		_, _, o.run.Err = o.session.Step(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if o.run.Err == nil {
		o.run.Outputs, o.run.Err = o.session.Outputs()
	}
	return nil
}
