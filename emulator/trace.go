package emulator

import "hyptx/emulator/internal/abort"

// A trace is written beside the counters, by warps of CTAs of which somebody asked for
// it (stream.Trace): each segment that is entered, each access that is counted
// (package traffic), each barrier. Nothing is left out of it, so that in traced CTAs
// no round of a loop is counted without being run.

// traceSegment notes that the warp enters a segment.
func (w *warp) traceSegment(s *segment, mask uint32) {
	if err := w.moved.CTA.Step(1); err != nil {
		abort.Throw(err)
	}
	w.moved.Trace.Enter(uint32(s.pcFirst), int(popcount(mask)))
}

// traceBarrier notes that lanes have come to a barrier.
func (w *warp) traceBarrier(s *segment, id uint32, b *barrier) {
	part := w.worker.prog.sm70 && w.alive&^b.lanes[w.index] != 0
	w.moved.Trace.Meet(uint32(s.in.pc), int(id), b.threads, s.bar.arriveOnly, part)
}
