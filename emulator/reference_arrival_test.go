package emulator

import (
	"slices"

	"hyptx/ir/isa"
)

// signalCase is an operation that changes counts of objects, by several threads. They do so in an
// order that is open; what they do is drawn so that it makes no difference: a phase ends, if it
// does, with the last of them.
type signalCase struct {
	c         *objectCase
	x         *isa.Inst
	remote    bool
	multicast bool
	counted   bool // by an operand, of arrivals
	bytes     bool
	acts      []bool
	to        []int // the CTA
	masks     []uint64
	counts    []int // of arrivals or, with bytes, of bytes
	closed    []bool
	actors    []int // of each CTA's object
}

func (c *objectCase) signal(x *isa.Inst, given []bool) int {
	p := c.p
	s := &signalCase{c: c, x: x, multicast: multicasts(x), acts: make([]bool, p.threads()), to: make([]int, p.threads()),
		masks: make([]uint64, p.threads()), counts: make([]int, p.threads()), closed: make([]bool, p.ctas), actors: make([]int, p.ctas)}
	own := x.Op == isa.OpCpAsyncMbarrierArrive || has(x, "noComplete")
	s.remote = !own && x.Space != isa.Shared && p.ctas > 1 && p.r.IntN(2) == 0
	s.bytes = has(x, "expect_tx") || has(x, "complete_tx")
	for i := range x.Form.Operands {
		s.counted = s.counted || x.Form.Operands[i].Name == "count" && given[i] && !s.bytes
	}
	before := slices.Clone(c.objects)
	lanes := s.draw()
	maskBits := 16
	if has(x, "multicast::cluster::32b") {
		maskBits = 32
	}
	a := p.address(x.Space, func(thread int) spot { return c.spot(s.to[thread]) })
	operands := map[string]string{
		"a": a, "mbar": a, "mask": p.give(maskBits, func(thread int) uint64 { return s.masks[thread] }), "d": "_",
		"count": p.give(32, func(thread int) uint64 { return uint64(s.counts[thread]) }),
	}
	keeps := x.Form.Operands[0].Write && !s.remote && x.Space != isa.SharedCluster && p.r.IntN(4) > 0
	if keeps {
		operands["d"] = p.give(64, func(int) uint64 { return 77 })
	}
	p.execute(x, given, p.guard(s.acts), operands)
	if !keeps {
		return lanes
	}
	state := stateCase{name: operands["d"], counts: has(x, "noComplete")}
	for thread, is := range s.acts {
		rank := p.rank(thread)
		phase, least, most := -1, before[rank].pending, before[rank].pending
		if is {
			phase = before[rank].phase
		}
		if s.actors[rank] > 1 { // in which order they came is open
			least = c.objects[rank].pending + s.arrivals(thread)
		}
		state.phase, state.least, state.most = append(state.phase, phase), append(state.least, least), append(state.most, most)
	}
	p.result(state.name, 64, func(thread int) outcome {
		if s.acts[thread] {
			return anything[0]
		}
		return outcome{bits: 77}
	})
	c.states = append(c.states, state)
	return lanes
}

// multicasts reports whether an instruction does the same in several CTAs.
func multicasts(x *isa.Inst) bool {
	return has(x, "multicast::cluster") || has(x, "multicast::cluster::16b") || has(x, "multicast::cluster::32b")
}

// arrivals is how many a thread performs.
func (s *signalCase) arrivals(thread int) int {
	switch {
	case s.x.Op == isa.OpMbarrierExpectTx, s.x.Op == isa.OpMbarrierCompleteTx:
		return 0
	case s.x.Op == isa.OpCpAsyncMbarrierArrive && !has(s.x, "noinc"):
		return 0 // one more is pending, and comes
	case s.counted:
		return s.counts[thread]
	}
	return 1
}

// draw draws which threads act, and does to the objects what they do.
func (s *signalCase) draw() (lanes int) {
	p, r := s.c.p, s.c.p.r
	some, _ := p.someThreads()
	for _, thread := range r.Perm(p.threads()) {
		s.to[thread] = p.rank(thread)
		if s.remote && !s.multicast {
			s.to[thread] = r.IntN(p.ctas)
		}
		s.masks[thread] = 1 << s.to[thread]
		if s.multicast {
			s.masks[thread] = oneAmong(r, 0, 1<<p.ctas-1, r.Uint64N(1<<p.ctas))
		}
		if !some[thread] || !s.choose(thread) {
			continue
		}
		s.acts[thread] = true
		lanes++
		for rank := range p.ctas {
			if s.masks[thread]>>rank&1 != 0 {
				s.apply(thread, rank)
			}
		}
	}
	return lanes
}

// choose draws the count of a thread; ok is false if there is none that is defined.
func (s *signalCase) choose(thread int) (ok bool) {
	r, least, most, room := s.c.p.r, 0, 1<<20-1, 1<<20-1
	expects := has(s.x, "expect_tx")
	for rank, o := range s.c.objects {
		if s.masks[thread]>>rank&1 == 0 {
			continue
		}
		rest := o.pending
		if has(s.x, "noComplete") {
			rest--
		}
		if s.x.Op == isa.OpMbarrierArriveDrop {
			rest = min(rest, o.expected-1)
		}
		most = min(most, rest)
		plain := s.x.Op == isa.OpMbarrierExpectTx || s.x.Op == isa.OpMbarrierCompleteTx
		switch {
		case s.closed[rank], !plain && rest < 1:
			return false
		case s.x.Op == isa.OpMbarrierExpectTx && o.pending == 0 && o.tx <= 0:
			return false // whether an announcement can end a phase is open
		case expects:
			room = min(room, 1<<20-1-o.tx)
		case s.bytes && o.pending == 0 && o.tx > 0:
			room = min(room, o.tx)
		case s.bytes:
			room = min(room, 1<<20-1+o.tx)
		}
		if s.x.Op == isa.OpCpAsyncMbarrierArrive && o.pending >= s.c.mostCounted() {
			return false
		}
	}
	switch {
	case s.bytes:
		s.counts[thread] = r.IntN(min(room, 4096) + 1)
		if r.IntN(2) == 0 {
			s.counts[thread] = min(room, oneAmong(r, 0, 1, 16, room))
		}
	case s.counted:
		s.counts[thread] = oneAmong(r, 1, 1, 1+r.IntN(min(most, 8)), most)
	}
	return s.counts[thread] >= least
}

// apply does to an object what a thread does.
func (s *signalCase) apply(thread, rank int) {
	o := &s.c.objects[rank]
	n := s.arrivals(thread)
	s.actors[rank]++
	switch {
	case s.x.Op == isa.OpMbarrierCompleteTx:
		o.tx -= s.counts[thread]
	case s.bytes:
		o.tx += s.counts[thread]
	}
	if s.x.Op == isa.OpMbarrierArriveDrop {
		o.expected -= n
	}
	o.pending -= n
	if s.x.Op != isa.OpMbarrierExpectTx && (n > 0 || s.x.Op == isa.OpMbarrierCompleteTx) && o.settle() {
		s.closed[rank] = true
	}
}
