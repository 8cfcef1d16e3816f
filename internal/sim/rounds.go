package sim

import (
	"hyptx/internal/machine"
	"hyptx/internal/pipe"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
)

// The machine tests before each pass of an unrolled loop whether a thread has as many
// rounds left, and those that have not go through the rounds left over behind it, one by
// one. The emulator goes round with all of them together, so a warp that comes to such a
// loop looks ahead: its trace says how many lanes are still there in each round.

// openLoops returns the open loop that each block of the PTX is in, nil for none: none has
// another one in it.
func openLoops(l *machine.Listing) []*machine.OpenLoop {
	of := make([]*machine.OpenLoop, len(l.Func.Blocks))
	for i := range l.Open {
		for _, b := range l.Open[i].Loop.Blocks() {
			of[b] = &l.Open[i]
		}
	}
	return of
}

// passes are the rounds of an open loop in which a warp is, nil for none.
type passes struct {
	in *machine.OpenLoop
	// unrolled and left are how often it will still come to the loop's header, in rounds
	// that are unrolled and in those left over.
	unrolled, left int
	// idle are rounds left over that it issues though the emulator's trace has no more: of
	// lanes that have left the unrolled rounds before others, and have more of them over.
	idle int
}

// round returns where the machine begins the next round of an open loop, if the
// unrolled one would be at.
func (w *walk) round(o *machine.OpenLoop, at machine.Place) machine.Place {
	t := w.top()
	if t.in != o || t.unrolled+t.left == 0 {
		w.leaveLoop()
		t.passes = w.count(o)
	}
	if t.unrolled > 0 {
		t.unrolled--
		return at
	}
	t.left--
	return o.Left
}

// count looks ahead in the loop that the warp has come to.
func (w *walk) count(o *machine.OpenLoop) passes {
	fn := w.top().fn
	entries, lanes, most := 0, 0, 0 // how often it comes to the header; the most that a lane has over
	over := func() int {
		n := entries
		if o.First {
			n--
		}
		n -= o.Unrolled(n)
		most = max(most, n)
		return n
	}
	for i := w.at; i < len(w.steps); i++ {
		s := w.steps[i]
		switch s.Kind() {
		case stream.AccessStep, stream.SendStep:
			i += s.Follows()
		case stream.EnterStep:
			pc := ir.PC(s.PC())
			block := w.module.Instrs[pc].Block
			if w.byPC[pc] != fn || w.funcs[fn].open[block] != o {
				return split(o, entries, over(), most)
			}
			if int(block) == o.Header && w.funcs[fn].Func.Blocks[block].First == pc {
				if s.Lanes() < lanes {
					over()
				}
				entries, lanes = entries+1, s.Lanes()
			}
		}
	}
	if w.cut { // nobody knows how often
		return passes{in: o, unrolled: entries}
	}
	return split(o, entries, over(), most)
}

// split returns the rounds of a warp that comes to the header so often, of which so many
// are left over, and that has lanes with more.
func split(o *machine.OpenLoop, entries, left, most int) passes {
	r := passes{in: o, unrolled: entries - left, left: left, idle: most - left}
	if o.First { // and finds behind them that there are no more
		r.unrolled--
		r.left++
	}
	return r
}

// leaveLoop issues what rounds are left over when the warp leaves an open loop: what they do in
// memory stands with the unrolled ones.
func (w *walk) leaveLoop() {
	t := w.top()
	if t.in == nil {
		return
	}
	of := t.passes
	t.passes = passes{}
	if of.idle == 0 {
		return
	}
	w.close()
	f := w.funcs[t.fn]
	for range of.idle {
		for _, n := range of.in.Blocks {
			w.last = len(w.out)
			w.out = w.out.Block(f.first+int(n), t.lanes)
			w.skip(&f.Listing.Blocks[n])
		}
	}
	t.open = false
}

// skip writes the records of a block that no lane makes.
func (w *walk) skip(b *machine.CodeBlock) {
	for i := range b.Ops {
		if k := b.Ops[i].Kind; k.Memory() {
			w.out = w.out.None()
		} else if k == pipe.Barrier {
			w.out = w.out.Pass()
		}
	}
}
