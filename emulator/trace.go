package emulator

import (
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A trace is written beside the counters, by warps of CTAs of which somebody asked for
// it (stream.Trace): each segment that is entered, each access that is counted
// (package traffic), each barrier. Nothing is left out of it, so that in traced CTAs
// no round of a loop is counted without being run. Who follows a warp for a billion
// instructions wants no more than its beginning: then the warp ends there, and those that
// wait for it go on.

// traceSegment notes that the warp enters a segment; it reports false if the trace has
// come to its end.
func (w *warp) traceSegment(s *segment, mask uint32) bool {
	if len(*w.moved.Trace) >= w.worker.launch.TraceWords {
		w.moved.CTA.Cut = true
		return false
	}
	w.moved.Trace.Enter(uint32(s.pcFirst), int(popcount(mask)))
	// A barrier for all threads of the CTA is no member of a slice: there is nothing
	// that it could decide.
	in := &w.worker.prog.Module.Instrs[max(s.pcEnd, 1)-1]
	if s.length > 0 && s.term != termBarrier && s.term != termCluster && isBarrier(in.Inst) {
		if in.Inst.Form.Sync == isa.SyncCluster {
			w.traceClusterBarrier(in, false)
			return true
		}
		id := 0
		if len(in.Ops()) > 0 && in.Ops()[0].Kind == ir.OperandImm {
			id = int(in.Ops()[0].Imm) & (numBarriers - 1)
		}
		w.moved.Trace.Meet(uint32(in.PC), id, 0, false, false)
	}
	return true
}

// endCut ends the clusters of which some warp has ended with its trace: others may wait for
// what it would have done. It reports whether there was any.
func endCut(open []*cluster) (ended bool) {
	for _, g := range open {
		if !slices.ContainsFunc(g.ctas, func(c *cta) bool { return c.requests != nil && c.requests.Cut }) {
			continue
		}
		for _, c := range g.ctas {
			c.requests.Cut = true
			for _, w := range c.warps {
				for len(w.paths) > 0 {
					w.cur, ended = 0, true
					w.exitLanes(w.paths[0].mask)
					w.removePath(0)
				}
			}
		}
	}
	return ended
}

// objectAt is the address of an object within shared memory.
func objectAt(space isa.Space, addr uint64) uint64 {
	_, off := address.Resolve(space, addr)
	return off
}

// objectHere is objectAt of an object of the CTA, which the address may name as one of its
// cluster.
func (w *warp) objectHere(space isa.Space, addr uint64) uint64 {
	_, off := w.sharedOf(objectAt(space, addr))
	return off
}

// traceObjects notes that lanes have changed the objects at their addresses: what all of
// them do to that of the first is one event.
func (w *warp) traceObjects(in *inst, addr *[lanes.Width]uint64, m uint32) {
	first := true
	for lane := range lanesOf(m) {
		at := objectAt(in.mem.space, addr[lane])
		if in.mem.object.made {
			w.moved.CTA.Renew(at)
			continue
		}
		parity := mbarrier.Unpack(words.Get(w.bytesAt(in, lane, in.mem.space, addr[lane], 8, false))).Parity
		if first {
			w.moved.CTA.Arrive(w.moved.Trace, uint32(in.pc), at, parity)
			first = false
		} else {
			w.moved.CTA.Told(at, parity)
		}
	}
}

// traceBarrier notes that lanes have come to a barrier.
func (w *warp) traceBarrier(s *segment, id uint32, b *barrier) {
	part := w.worker.prog.sm70 && w.alive&^b.lanes[w.index] != 0
	w.moved.Trace.Meet(uint32(s.in.pc), int(id), b.threads, s.bar.arriveOnly, part)
}

// traceClusterBarrier notes that lanes arrive or wait at the barrier of their cluster. In one
// of a single CTA it is a barrier of the CTA that has no number, to which they come when
// they wait.
func (w *warp) traceClusterBarrier(in *ir.Instr, part bool) {
	arrives := in.Inst.Has(isa.ModArrive)
	switch {
	case w.clustered():
		w.moved.Trace.MeetCluster(uint32(in.PC), arrives, part, in.Inst.Sem != isa.Relaxed)
	case !arrives:
		w.moved.Trace.Meet(uint32(in.PC), numBarriers-1, 0, false, part)
	}
}
