package analysis

import (
	"context"
	"fmt"
	"slices"

	"hyptx/internal/manifest"
	"hyptx/internal/observe"
	"hyptx/ir"
)

// A program that is executed can be debugged (Options.Debug): threads are followed step by
// step, writes of some elements are told, and where the first NaN comes from. What a user
// has written is held against the program before anything runs; CTAs then run in the order
// of the schedule, whatever Options.Jobs says, with the same results.

// debugging is what a session is debugged for.
type debugging struct {
	what observe.What
	// threads are those that are followed, by launch; kernels has those of which any is.
	threads [][]observe.Thread
	kernels map[*ir.Func]bool
	ranges  []*watchedElements
	floats  *observe.Floats
	found   []*firstOf
	// step and wrote hear what happens in the launch that runs, the n-th repetition of it.
	// wrote hears of the host, too, with its step in the place of a thread.
	step  func(at debugPlace, s *observe.Step)
	wrote func(at debugPlace, e *watchedElements, w *observe.Write)
	at    debugPlace
}

// debugPlace is when something happened: in a launch, or in a step of the host's.
type debugPlace struct {
	launch     *launchPlan
	repetition int64
	host       *manifest.Step
}

// text names the launch, or the step.
func (p debugPlace) text() string {
	switch {
	case p.host != nil:
		return hostText(p.host)
	case p.launch.launch.Count > 1:
		return fmt.Sprintf("launch %d (%s), repetition %d", p.launch.number, p.launch.kernel.Name, p.repetition)
	}
	return fmt.Sprintf("launch %d (%s)", p.launch.number, p.launch.kernel.Name)
}

// hostText says what the host does in a step.
func hostText(step *manifest.Step) string {
	what := "write"
	switch {
	case step.Copy != nil:
		what = "copy"
	case step.Memset != nil:
		what = "memset"
	}
	return fmt.Sprintf("the host's %s (%s)", what, step.Path)
}

// debug prepares what Options.Debug asks for.
func (s *Session) debug() error {
	r := s.Options.Debug
	if r == nil || s.debugging != nil {
		return nil
	}
	d := &debugging{threads: make([][]observe.Thread, len(s.launches)), kernels: map[*ir.Func]bool{}}
	for _, t := range r.Threads {
		if err := s.findThread(d, t); err != nil {
			return fmt.Errorf("%s: option trace %s: %w", s.Manifest.File, t.Text, err)
		}
	}
	for _, e := range r.Elements {
		found, err := s.findElements(e)
		if err != nil {
			return fmt.Errorf("%s: option watch %s: %w", s.Manifest.File, e.Text, err)
		}
		d.ranges = append(d.ranges, found...)
	}
	d.step = func(at debugPlace, t *observe.Step) {
		r.Log.Event(fmt.Sprintf("%s, %v", at.text(), &t.Place), t.String())
	}
	d.wrote = func(at debugPlace, e *watchedElements, w *observe.Write) { s.logWrite(r.Log, at, e, w) }
	s.debugging = d
	if r.FirstNaN {
		s.lookForNaN(d)
	}
	d.what = observe.What{Steps: len(r.Threads) > 0, Floats: r.FirstNaN, Writes: len(d.ranges) > 0}
	for _, e := range d.ranges {
		r.Log.Say("%s", s.atStart(e))
	}
	return nil
}

// findThread finds the launches in which a thread is followed.
func (s *Session) findThread(d *debugging, t observe.ThreadSpec) error {
	var kernels []*ir.Func
	for _, l := range s.launches {
		if !slices.Contains(kernels, l.kernel) {
			kernels = append(kernels, l.kernel)
		}
	}
	name, err := kernelNamed(t.Kernel, kernels)
	if err != nil {
		return err
	}
	chosen := make([]bool, len(s.launches))
	if err := s.chooseLaunches(chosen, t.Launches); err != nil {
		return err
	}
	var outside error
	of, found := 0, 0
	for i, l := range s.launches {
		if !chosen[i] || l.kernel.Name != name {
			continue
		}
		of++
		cta, ok := t.CTA.In(l.grid)
		if !ok {
			outside = cmpError(outside, "launch %d of %s has a grid of %v CTAs: there is no such CTA", l.number, name, l.grid)
			continue
		}
		thread, ok := t.Thread.In(l.cta)
		if !ok {
			outside = cmpError(outside, "launch %d of %s has a block of %v threads: there is no such thread", l.number, name, l.cta)
			continue
		}
		found++
		d.threads[i] = append(d.threads[i], observe.Thread{CTA: cta, Thread: int(thread)})
		d.kernels[l.kernel] = true
	}
	switch {
	case of == 0:
		return fmt.Errorf("none of the launches %s is of kernel %s", t.Launches, name)
	case found == 0:
		return outside
	}
	return nil
}

// cmpError keeps the first of several errors.
func cmpError(first error, format string, args ...any) error {
	if first != nil {
		return first
	}
	return fmt.Errorf(format, args...)
}

// observes says what of a kernel may be observed.
func (s *Session) observes(k *ir.Func) (what observe.What) {
	if d := s.debugging; d != nil {
		what = d.what
		what.Steps = what.Steps && d.kernels[k]
	}
	return what
}

// observer is told of a launch what is debugged, nil if nothing.
func (s *Session) observer(l *launchPlan, repetition int64) *observe.Observer {
	d := s.debugging
	if d == nil {
		return nil
	}
	d.at = debugPlace{launch: l, repetition: repetition}
	o := &observe.Observer{Threads: d.threads[l.index], Floats: d.floats}
	o.Step = func(t *observe.Step) { d.step(d.at, t) }
	byRange := map[*observe.Range]*watchedElements{}
	for _, e := range d.ranges {
		o.Ranges = append(o.Ranges, e.Range)
		byRange[e.Range] = e
	}
	o.Wrote = func(w *observe.Write) { d.wrote(d.at, byRange[w.Range], w) }
	return o
}

// endDebug says what came of it, and explains the first NaN.
func (s *Session) endDebug(ctx context.Context) error {
	d, r := s.debugging, s.Options.Debug
	if r == nil {
		return nil
	}
	if d != nil && s.left == nil { // else the session belongs to work that was left behind
		for _, e := range d.ranges {
			r.Log.Say("%s", e.atEnd())
		}
		if d.floats != nil {
			s.tellFirst(ctx)
		}
	}
	return r.Log.End()
}
