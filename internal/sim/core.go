package sim

import (
	"slices"

	"hyptx/internal/pipe"
)

// core is a sub-core: a scheduler and its units.
type core struct {
	sm    *sm
	warps []*warp // in the order in which they came
	last  *warp   // that issued last
	// free are the times from which units take another instruction; unit 0 is none.
	free [maxUnits]Tick
	// served is whose instruction a shared unit took last from here, and until when what
	// that warp issues goes on with it.
	served [maxUnits]served
	// next is when something may be issued, at the earliest.
	next  Tick
	lines codeLines // in the L0
	// queued are accesses that wait for the L1, addressed when the unit that computes their
	// addresses is free; returned is when the way back to the registers is.
	queued              int
	addressed, returned Tick
	// tensorPort is when the way to tensor memory is free.
	tensorPort Tick
	// unfull is when there was room among these again.
	unfull Tick
	issued uint64
	busy   [maxUnits]Tick // what units were taken for
}

// served is whose instruction a unit took, and until when the next one follows it.
type served struct {
	w     *warp
	until Tick
}

// issue issues an instruction at t, or finds out when that will be possible.
func (c *core) issue(t Tick) {
	w, next := c.pick(t)
	if w == nil {
		c.next = next
		return
	}
	c.last = w
	c.next = t + ticksPerCycle
	o := c.do(w, t)
	if c.sm.m.IssueWidth == 1 || w.ready > t || w.op == w.end {
		return
	}
	// Two independent instructions of one warp go together.
	if second := c.sm.code.next(w); (!second.math || !o.math || c.sm.m.DualMath) && c.earliest(w) <= t {
		c.do(w, t)
	}
}

// pick returns the warp that issues at t; nil, and the next time at which one may, if
// none can.
func (c *core) pick(t Tick) (*warp, Tick) {
	next := never
	if w := c.last; w != nil {
		if next = c.earliest(w); next <= t {
			return w, t
		}
	}
	n, first, step := len(c.warps), 0, 1
	switch {
	case c.sm.m.InTurn && c.last != nil:
		first = slices.Index(c.warps, c.last) + 1
	case !c.sm.m.Oldest && !c.sm.m.InTurn:
		first, step = n-1, -1
	}
	for k := range n {
		i := first + k*step
		if i >= n {
			i -= n
		}
		w := c.warps[i]
		if at := c.earliest(w); at <= t {
			return w, t
		} else if at < next {
			next = at
		}
	}
	return nil, next
}

// earliest returns the cycle in which the warp's next instruction can be issued.
func (c *core) earliest(w *warp) Tick {
	at := w.ready
	if at >= never {
		return never
	}
	o := c.sm.code.next(w)
	// A unit that becomes free within a cycle takes an instruction of that cycle.
	at = max(at, min(c.free[o.unit], c.free[o.otherUnit])-ticksPerCycle+1, c.free[o.secondUnit]-ticksPerCycle+1, c.sm.free[o.sharedUnit]-ticksPerCycle+1)
	if o.memory && c.queued >= c.sm.m.L1.QueuedPerCore {
		return never // an access that leaves the queue wakes the core
	}
	return at.roundUp()
}

// do issues the warp's next instruction at t and returns it.
func (c *core) do(w *warp, t Tick) *op {
	s := c.sm
	o := s.code.next(w)
	if t > s.wait.issued {
		s.gap(t)
	} else {
		s.wait.issued = max(s.wait.issued, t+ticksPerCycle)
	}
	c.charge(w, o, t)
	c.issued++
	if !o.memory || w.trace[w.pos] != 0 { // one that no lane makes takes its slot alone
		c.occupy(w, o, t)
	}
	w.op++
	w.next, w.nextWhy = t+ticksPerCycle, Wait
	if s.m.IssueWidth == 2 {
		w.next = t
	}
	switch {
	case o.memory:
		s.enqueue(w, o, t)
	case o.kind == pipe.Barrier:
		s.barrier(w, w.trace[w.pos], t)
		w.pos++
	case o.waits:
		s.awaitGroups(w, o, t)
	default:
		for _, v := range o.dst[:o.ndst] {
			w.regs[v], w.by[v] = t+o.latency, lateness[o.kind]
		}
	}
	if w.op == w.end {
		if o.kind == pipe.Branch {
			w.next, w.nextWhy = max(w.next, t+o.latency), BranchResolving
		}
		follows := w.end
		if !w.enter(s.code) {
			s.exit(w, t)
			return o
		}
		if there := c.fetch(w.op, w.end, w.op != follows, w.next); there > w.next {
			w.next, w.nextWhy = there.roundUp(), NoInstruction
		}
	}
	w.look(s.code)
	return o
}

// occupy takes the units of the sub-core and of the SM that an instruction needs, for as long as
// they are busy with it.
func (c *core) occupy(w *warp, o *op, t Tick) {
	s := c.sm
	if o.unit != 0 {
		u := o.unit
		if c.free[o.otherUnit] < c.free[u] {
			u = o.otherUnit
		}
		c.free[u] = max(c.free[u], t) + o.interval
		c.busy[u] += o.interval
	}
	if o.secondUnit != 0 {
		c.free[o.secondUnit] = max(c.free[o.secondUnit], t) + o.second
		c.busy[o.secondUnit] += o.second
	}
	if o.sharedUnit != 0 {
		busy := o.shared
		if o.switched > 0 {
			last := &c.served[o.sharedUnit]
			if last.w != w || w.ready > last.until {
				busy += o.switched
			}
			*last = served{w, t + o.shared}
		}
		s.free[o.sharedUnit] = max(s.free[o.sharedUnit], t) + busy
		s.busy[o.sharedUnit] += busy
	}
}

// wake lets the core look at its warps again from t on.
func (c *core) wake(t Tick) { c.next = min(c.next, t.roundUp()) }

// remove takes a warp out that has ended.
func (c *core) remove(w *warp) {
	for i := range c.warps {
		if c.warps[i] == w {
			c.warps = append(c.warps[:i], c.warps[i+1:]...)
			break
		}
	}
	if c.last == w {
		c.last = nil
	}
}
