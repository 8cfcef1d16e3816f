package emulator

import (
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
		if len(in.Ops) > 0 && in.Ops[0].Kind == ir.OperandImm {
			id = int(in.Ops[0].Imm) & (numBarriers - 1)
		}
		w.moved.Trace.Meet(uint32(in.PC), id, 0, false, false)
	}
	return true
}

// traceBarrier notes that lanes have come to a barrier.
func (w *warp) traceBarrier(s *segment, id uint32, b *barrier) {
	part := w.worker.prog.sm70 && w.alive&^b.lanes[w.index] != 0
	w.moved.Trace.Meet(uint32(s.in.pc), int(id), b.threads, s.bar.arriveOnly, part)
}

// traceClusterBarrier notes that lanes wait at the barrier of their cluster: as for a
// barrier of the CTA that has no number.
func (w *warp) traceClusterBarrier(in *ir.Instr, part bool) {
	if !in.Inst.Has(isa.ModArrive) {
		w.moved.Trace.Meet(uint32(in.PC), numBarriers-1, 0, false, part)
	}
}
