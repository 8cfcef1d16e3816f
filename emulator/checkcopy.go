package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What a cp.async writes is nobody's until its thread has waited for it (PTX ISA 9.7.10.28.3).
// Its cells have a time that never comes: whoever touches them before is a suspect, the thread
// itself, too. The wait makes them that thread's, as if it had stored there just then, so that
// others need a barrier behind the wait. What it reads may be read until then by somebody
// whom nobody knows.

// uncertain is the time of cells that a copy may write at any moment.
const uncertain = mostTimes << cellTime

// mostCopies bounds the copies of a warp that are kept; a program with more that it has not
// waited for is left to the detector.
const mostCopies = 1 << 14

// copyingBytes is what each of them takes.
const copyingBytes = 12

// begunCopies are the copies of a warp that are under way, and how many groups each lane has committed.
type begunCopies struct {
	under  []copyUnderWay
	groups [lanes.Width]uint32
}

// copyUnderWay is what one copy writes, of which lane and group.
type copyUnderWay struct {
	at, group   uint32
	bytes, lane uint8
}

// begin makes it that of a new warp.
func (c *begunCopies) begin() {
	c.under = c.under[:0]
	c.groups = [lanes.Width]uint32{}
}

// checkCopies makes the instructions look that begin copies and wait for them.
func (c *compiler) checkCopies(in *ir.Instr, i *inst) {
	switch in.Inst.Op {
	case isa.OpCpAsync:
		i.mem.checked = &checkedAccess{exec: i.exec, copies: true}
		i.exec = execCheckedCopy
	case isa.OpCpAsyncCommitGroup:
		i.exec = func(w *warp, _ *inst, m uint32) {
			for rest := m; rest != 0; rest &= rest - 1 {
				w.begunCopies.groups[bits.TrailingZeros32(rest)&31]++
			}
		}
	case isa.OpCpAsyncWaitAll:
		i.exec = func(w *warp, _ *inst, m uint32) {
			w.copiesDone(func(c *copyUnderWay) bool { return m>>c.lane&1 != 0 })
		}
	case isa.OpCpAsyncWaitGroup:
		i.b = c.source(in, 0)
		i.exec = func(w *warp, in *inst, m uint32) {
			but := w.slot(in.b)[bits.TrailingZeros32(m)]
			w.copiesDone(func(c *copyUnderWay) bool { return m>>c.lane&1 != 0 && c.group+but < w.begunCopies.groups[c.lane] })
		}
	}
}

// execCheckedCopy looks at what a cp.async reads, notes that it writes, and does it.
func execCheckedCopy(w *warp, in *inst, m uint32) {
	from, size := in.mem.copies, w.slot(in.b)
	reading := m
	if from.ignore {
		reading &^= w.pred(in.pa, in.paFlip)
	}
	for rest := reading; rest != 0; rest &= rest - 1 {
		if lane := bits.TrailingZeros32(rest) & 31; size[lane] < uint32(in.width) {
			if reading &^= 1 << lane; size[lane] > 0 {
				w.suspect(in) // of a part of its bytes
			}
		}
	}
	lookGlobalRead(w, in, reading, w.addressesOf(&from.location), uint64(in.width))
	to := w.addresses(in)
	lookSharedWrite(w, in, m, to, uint64(in.width))
	w.copiesBegin(in, m, to)
	in.mem.checked.exec(w, in, m)
}

// copiesBegin notes that lanes have begun to copy to shared memory.
func (w *warp) copiesBegin(in *inst, m uint32, to *[lanes.Width]uint64) {
	s, c := w.cta.cells, &w.begunCopies
	if len(c.under)+lanes.Width > mostCopies {
		w.suspect(in)
		c.under = c.under[:0]
	}
	if n := len(c.under); n+lanes.Width > cap(c.under) {
		more := max(n, lanes.Width)
		w.worker.hold(int64(more) * copyingBytes)
		c.under = append(make([]copyUnderWay, 0, n+more), c.under...)
	}
	n := uint64(in.width)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		k, last, ok := s.cellsOf(to[lane], n)
		if !ok {
			continue
		}
		for ; k <= last; k++ {
			s.write[k] = uncertain | uint64(w.clockNumber()*lanes.Width+lane)
		}
		c.under = append(c.under, copyUnderWay{at: uint32(to[lane]), group: c.groups[lane], bytes: in.width, lane: uint8(lane)})
	}
}

// copiesDone makes what some copies have written their threads'.
func (w *warp) copiesDone(done func(*copyUnderWay) bool) {
	at := uint64(w.cta.cells.stamp(w)) << cellTime
	w.endCopies(done, func(thread uint64) uint64 { return at | thread })
}

// endCopies makes what some copies have written, where nobody has written over it, what self says of
// their threads.
func (w *warp) endCopies(done func(*copyUnderWay) bool, self func(thread uint64) uint64) {
	s, c := w.cta.cells, &w.begunCopies
	kept := c.under[:0]
	for i := range c.under {
		d := &c.under[i]
		if !done(d) {
			kept = append(kept, *d)
			continue
		}
		thread := uint64(w.clockNumber()*lanes.Width) + uint64(d.lane)
		k, last, _ := s.cellsOf(uint64(d.at), uint64(d.bytes))
		for ; k <= last; k++ {
			if s.write[k] == uncertain|thread {
				s.write[k] = self(thread)
			}
		}
	}
	c.under = kept
}
