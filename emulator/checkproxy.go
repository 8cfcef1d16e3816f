package emulator

import (
	"slices"
)

// What threads have written bulk copies and products may read only behind a fence.proxy.async: of the
// writer, or of somebody who knows of the write; and who reads has to know of the fence (PTX ISA
// 8.9.5, Async Proxy). The filter keeps the last such fence of each warp.

// proxyFence is that of lanes of a warp: when it was, as the warp's accesses are stamped, how many
// barriers of all threads were over, what the lanes knew. One at time 0 is none.
type proxyFence struct {
	lanes, at, now uint32
	knows          warpTimes
}

// execProxyFence notes a fence.proxy.async.
func execProxyFence(w *warp, _ *inst, m uint32) {
	s := w.beginApart()
	f := &s.clocks.fences[w.clockNumber()]
	f.lanes, f.at, f.now = m, s.stamp(w), s.now
	copy(f.knows, s.rowOf(w, m))
	s.advance(w, f.at)
}

// unfenced reports whether threads of a lane's CTA have written a cell that its asynchronous work reads, and no
// fence that the lane knows of is behind that; of the memory of another CTA no fence is known to be.
func (s *sharedCells) unfenced(w *warp, lane int, written uint64) bool {
	own := w.cta.cells
	by := int(written & cellThread >> 5)
	filled := by >= s.clocks.first && by < s.clocks.first+mostStreams && s.clocks.filled[by-s.clocks.first]
	if written < 1<<cellTime || written&cellMark == 0 && (by < own.first || by >= own.first+own.warps) && !filled {
		return false // it is of a bulk copy, or another CTA's
	}
	if own != s {
		return true
	}
	row := s.rowOf(w, 1<<lane)
	for v := s.first; v < s.first+s.warps; v++ {
		f := &s.clocks.fences[v]
		known := f.at < s.now || row[v] >= f.at || v == w.clockNumber() && f.lanes>>lane&1 != 0
		if f.at != 0 && known && f.covers(written, v, s.clocks.warps) {
			return false
		}
	}
	return true
}

// covers reports whether a fence of warp v is behind what was written.
func (f *proxyFence) covers(written uint64, v, warps int) bool {
	at, by := uint32(written>>cellTime), int(written&cellThread>>5)
	switch {
	case at < f.now:
		return true
	case written&cellMark != 0: // of atomics nobody knows whose
		return slices.Min(f.knows[:warps]) >= at
	}
	return f.knows[by] >= at || by == v && f.lanes>>(written&31)&1 != 0 && at <= f.at
}
