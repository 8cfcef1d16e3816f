package order

import (
	"math/bits"
	"slices"
)

// The shared memory of a CTA is there as long as the CTA is: what another CTA of its
// cluster finds there is undefined before the one has begun and when it has ended (PTX
// ISA 5.1.6; CUDA C++ Programming Guide, distributed shared memory). It has begun for who
// knows of something that a thread of it has done. It has not ended if a thread of it
// knew, when it exited, that the access had been made. What a thread says that comes to a
// barrier .relaxed is as good for that as what others say: it puts no memory in order, but
// it was there.

// executed marks the number of a CTA in a clock: what is known is that its threads came so
// far, not what they did to memory.
const executed = 1 << 31

// Executed returns how far lanes of the warp have come, for their asynchronous work, too: they
// have asked for it.
func (w *Warp) Executed(lanes uint32) Clock {
	if w.of != nil {
		return w.of.Executed(lanes)
	}
	c := w.CTA
	far := Clock{{cta: c.number | executed, base: c.base, spans: []span{{w.now(), lanes, w.number, 0}}}}
	w.Advance()
	return far
}

// waiting returns the lanes of a wait for an mbarrier of which a lane of the warp does not know
// that they have come past it.
func (w *Warp) waiting(r *access, lane int) uint32 {
	rest := w.unknown(r, lane)
	if rest == 0 {
		return 0
	}
	if w.of != nil {
		w = w.of
	}
	past := *r
	past.cta |= executed
	return rest & w.CTA.common.unknown(&past) & w.clock(lane).unknown(&past)
}

// pass is that lanes came past a wait for a phase, the last that was over.
type pass struct {
	by    access
	phase uint32
}

// passed notes that a lane comes past a wait for the last phase of an object. Of each warp two
// phases are kept, as its lanes need not come together.
func (w *Warp) passed(lane int, o *object) {
	now := pass{access{cta: w.CTA.number, tick: w.now(), lanes: 1 << lane, warp: w.number}, o.phase - 1}
	older, n := -1, 0
	for i := range o.passes {
		p := &o.passes[i]
		if p.by.cta != now.by.cta || p.by.warp != now.by.warp {
			continue
		}
		if p.phase == now.phase {
			now.by.lanes |= p.by.lanes
			*p = now
			return
		}
		if n++; older < 0 || p.phase < o.passes[older].phase {
			older = i
		}
	}
	if n == 2 {
		o.passes = slices.Delete(o.passes, older, older+1)
	}
	o.passes = append(o.passes, now)
}

// visits are the accesses of other CTAs to the shared memory of one that decisions may
// depend on, the last one of each lane, and what threads of the CTA knew when they exited.
type visits struct {
	list []access
	left Clock
}

// Visit notes that a lane of another CTA reads the shared memory of c, if what it finds
// may decide.
func (c *CTA) Visit(w *Warp, lane int, op *Op) {
	if !op.Decides {
		return
	}
	if w.of != nil { // the threads', for they wait for it
		w = w.of
	}
	a := w.access(lane, op, 0)
	n, known := 0, false
	for _, b := range c.visits.list {
		switch {
		case b.cta != a.cta || b.warp != a.warp:
		case b.tick == a.tick:
			b.lanes |= a.lanes
			b.pc, known = a.pc, true
		default:
			b.lanes &^= a.lanes
		}
		if b.lanes != 0 {
			c.visits.list[n] = b
			n++
		}
	}
	if c.visits.list = c.visits.list[:n]; !known {
		c.visits.list = append(c.visits.list, a)
	}
}

// Begun reports whether a lane knows that CTA c has begun.
func (w *Warp) Begun(c *CTA, lane int) bool {
	if w.of != nil {
		w = w.of
	}
	return w.CTA.common.mentions(c.number) || w.clock(lane).mentions(c.number)
}

// mentions reports whether anything of a CTA is known for certain.
func (c Clock) mentions(cta uint32) bool {
	for i := range c {
		if c[i].cta&^executed == cta && c[i].from == certain {
			return true
		}
	}
	return false
}

// Leave notes that lanes of the warp exit.
func (w *Warp) Leave(lanes uint32) {
	v := &w.CTA.visits
	v.left = Join(v.left, w.CTA.common)
	if w.clocks == nil {
		return
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		v.left = Join(v.left, w.clocks[bits.TrailingZeros32(rest)])
	}
}

// Strays calls found for each visit to c, by CTA and instruction, that may have been made
// when it had ended.
func (c *CTA) Strays(found func(cta, pc uint32)) {
	for i := range c.visits.list {
		a := &c.visits.list[i]
		come := *a
		come.cta |= executed
		if c.visits.left.unknown(a)&c.visits.left.unknown(&come) != 0 {
			found(a.cta, a.pc)
			c.launch.unsettled |= Scheduled
		}
	}
}
