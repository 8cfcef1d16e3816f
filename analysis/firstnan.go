package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hyptx/internal/observe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Where the first NaN and the first infinity come from takes up to three runs, each of
// which is the same as the one before. The first finds them, and gives the program's
// outputs. The second ends where it has come to them again; of the threads that made them
// it has the last steps, so that it knows which instructions gave the operands. The third
// watches the words that these have loaded, and knows who has stored them. The first one's
// memory is kept, so that a program takes up to twice of it.

// firstOf is one of those that were found.
type firstOf struct {
	*observe.Event
	at     debugPlace
	causes []*observe.Cause
	// own is what the instruction itself has read from memory.
	own *observe.Cause
}

// lookForNaN makes a session look.
func (s *Session) lookForNaN(d *debugging) {
	d.floats = &observe.Floats{Found: func(e *observe.Event) { d.found = append(d.found, &firstOf{Event: e, at: d.at}) }}
}

// errReplayed ends a run that has come to what it was for.
var errReplayed = errors.New("BUG: a replay is no run of anybody's")

// replay runs the program again for what prepare says, until stop is called.
func (s *Session) replay(ctx context.Context, prepare func(t *Session, d *debugging, stop func())) error {
	opts := s.Options
	opts.Debug, opts.Print, opts.Progress = nil, nil, nil
	t, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		return err
	}
	t.planner, t.written, t.ends, t.Assumed = s.planner, s.written, s.ends, s.Assumed
	if len(s.launches) > 0 {
		t.numberFrom(s.launches[0].number)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.debugging = &debugging{threads: make([][]observe.Thread, len(t.launches)), kernels: t.allKernels(),
		step:  func(debugPlace, *observe.Step) {},
		wrote: func(debugPlace, *watchedElements, *observe.Write) {},
	}
	prepare(t, t.debugging, func() { cancel(errReplayed) })
	if err = t.execute(ctx); errors.Is(context.Cause(ctx), errReplayed) {
		return nil
	}
	return err
}

// same returns the same place of another session.
func (p debugPlace) same(q debugPlace) bool {
	return p.launch != nil && q.launch != nil && p.launch.index == q.launch.index && p.repetition == q.repetition
}

// explain finds out where the operands come from.
func (s *Session) explain(ctx context.Context, found []*firstOf) error {
	err := s.replay(ctx, func(_ *Session, d *debugging, stop func()) {
		d.what = observe.What{Steps: true, Floats: true}
		histories := make([]*observe.History, len(found))
		for i, f := range found {
			histories[i] = &observe.History{}
			d.threads[f.at.launch.index] = append(d.threads[f.at.launch.index], f.ID)
		}
		d.step = func(at debugPlace, step *observe.Step) {
			for i, f := range found {
				if at.same(f.at) && f.ID == step.ID {
					histories[i].Add(step)
				}
			}
		}
		n := 0
		d.floats = &observe.Floats{Found: func(e *observe.Event) {
			if n < len(found) {
				found[n].back(histories[n], e)
			}
			if n++; n == len(found) {
				stop()
			}
		}}
	})
	if err != nil {
		return err
	}
	return s.findWriters(ctx, found)
}

// back goes back from an event.
func (f *firstOf) back(h *observe.History, e *observe.Event) {
	f.Number = h.Next()
	f.causes = h.Causes(f.Step, func(v *observe.Value) bool {
		if looked := observe.Looked(v.Type); f.Made || !looked {
			return looked || !f.Made && v.Type != isa.Pred
		}
		var c observe.Classes
		c.Add(v.Type, v.Bits)
		return c[f.Class]
	})
	if x := f.In.Inst; (x.IsLoad() || x.IsAtomic()) && len(f.Memory) > 0 {
		f.own = &observe.Cause{Step: f.Step, Load: &f.Memory[len(f.Memory)-1]}
	}
}

// loads are what was loaded on the way to what was found.
func (f *firstOf) loads() (list []*observe.Cause) {
	if f.own != nil {
		list = append(list, f.own)
	}
	for _, c := range f.causes {
		if c.Load != nil {
			list = append(list, c)
		}
	}
	return list
}

// wanted is a word of which is asked who stored it before a thread has loaded it.
type wanted struct {
	*observe.Cause
	at   debugPlace
	last string
	// before is who had stored it when the thread itself did (an atomic loads, too), if own.
	before    string
	own, done bool
}

// findWriters finds out who stored what was loaded.
func (s *Session) findWriters(ctx context.Context, found []*firstOf) error {
	var list []*wanted
	for _, f := range found {
		for _, c := range f.loads() {
			if a := c.Load; a.Space == isa.Global || a.Space == isa.Shared {
				list = append(list, &wanted{Cause: c, at: f.at})
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return s.replay(ctx, func(t *Session, d *debugging, stop func()) {
		d.what = observe.What{Steps: true, Writes: true}
		of := map[*observe.Range]*wanted{}
		for _, w := range list {
			e := t.wordOf(w)
			of[e.Range] = w
			d.ranges = append(d.ranges, e)
			d.threads[w.at.launch.index] = append(d.threads[w.at.launch.index], w.Step.ID)
		}
		d.wrote = func(at debugPlace, e *watchedElements, write *observe.Write) {
			w := of[write.Range]
			if w.done || e.Space == isa.Shared && !at.same(w.at) {
				return
			}
			if write.Func != nil && at.same(w.at) && write.ID == w.Step.ID && write.In == w.Step.In {
				w.before, w.own = w.last, true
			}
			if w.last = at.text(); write.Func != nil {
				w.last += "  " + writerText(e, write)
			}
		}
		left := len(list)
		d.step = func(at debugPlace, step *observe.Step) {
			for _, w := range list {
				if w.done || !at.same(w.at) || step.ID != w.Step.ID || step.Returned {
					continue
				}
				own := w.own
				if w.own = false; step.Number != w.Step.Number {
					continue
				}
				w.done = true
				if w.Writer = w.last; own {
					w.Writer = w.before
				}
				if left--; left == 0 {
					stop()
				}
			}
		}
	})
}

// wordOf is the range of what was loaded.
func (s *Session) wordOf(w *wanted) *watchedElements {
	a := w.Load
	n := max(a.Type.Bytes(), 1)
	e := &watchedElements{Range: &observe.Range{Space: a.Space, Base: a.Address, Bytes: n, Elem: n, CTA: -1}, typ: a.Type}
	if a.Space == isa.Shared {
		e.CTA = w.Step.ID.CTA
		return e
	}
	for _, b := range s.memory {
		if a.Address-b.Base < uint64(b.Bytes) {
			e.buffer = b
		}
	}
	return e
}

// tellFirst writes what was found.
func (s *Session) tellFirst(ctx context.Context) {
	log, found := s.Options.Debug.Log, s.debugging.found
	if len(found) == 0 {
		log.Say("no NaN and no infinity in the results of floating point (formats of 8 bits and more)")
		return
	}
	if err := s.explain(ctx, found); err != nil {
		log.Say("where the operands come from is not known: %v", err)
	}
	for _, f := range found {
		log.Say("%s: %s, %v", f.Title(), f.at.text(), &f.Place)
		log.Say("  %s  %s", f.Where(), f.Line())
		if why := f.Reason(); why != "" {
			log.Say("  made by %s", why)
		}
		if f.own != nil {
			log.Say("    %s", s.origin(f.own))
		}
		for _, c := range f.causes {
			log.Say("%s%s", strings.Repeat("  ", c.Level+2), s.causeText(c))
		}
	}
	if d := s.debugging.floats; !d.HasMade(observe.NaN) {
		log.Say("no instruction makes a NaN of operands that are numbers")
	}
}

// causeText says what gave an operand.
func (s *Session) causeText(c *observe.Cause) string {
	head := fmt.Sprintf("%s=%s  ", c.Value.Name, c.Value.String())
	switch {
	case c.Step == nil:
		return head + "an argument of the call, or written too long before"
	case c.Step.Returned:
		return head + "returned by  " + c.Step.Where() + "  " + c.Step.Text()
	case c.Load != nil:
		return head + c.Step.Where() + "  " + c.Step.Text() + "  " + s.origin(c)
	}
	return head + c.Step.Where() + "  " + c.Step.Line()
}

// origin says what was loaded and who stored it.
func (s *Session) origin(c *observe.Cause) string {
	text := "loaded from " + c.Load.Name()
	switch {
	case c.Writer != "":
		return text + ", stored by " + c.Writer
	case c.Load.Space == isa.Param:
		return text + ", a parameter of the kernel"
	case c.Load.Space == isa.Global:
		for b, of := range s.memory {
			if b.Name == c.Load.Object && of.Unspecified {
				return text + ", which nobody has written"
			} else if b.Name == c.Load.Object {
				return text + ", as it was given at the start"
			}
		}
		return text + ", as its module has it"
	case c.Load.Space == isa.Shared:
		return text + ", which nobody has written"
	}
	return text
}

// allKernels are the kernels that are launched.
func (s *Session) allKernels() map[*ir.Func]bool {
	all := map[*ir.Func]bool{}
	for _, l := range s.launches {
		all[l.kernel] = true
	}
	return all
}
