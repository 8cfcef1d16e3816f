package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/internal/check"
	"hyptx/ir/isa"
)

// Accesses whose addresses stem from one buffer or variable for certain (check.Stem), and lie
// in another: memory is there, so that nothing else would find them.

// beginStems finds where variables of shared memory lie; of one whose name another has as well
// nothing is said, nor of those of clusters, whose addresses have ranks.
func (l *launch) beginStems() {
	at := map[string]uint64{}
	twice := map[string]bool{}
	for v, begins := range l.prog.sharedVar {
		_, twice[v.Name] = at[v.Name]
		at[v.Name] = uint64(begins)
	}
	for i := range l.Check.SharedStems {
		s := &l.Check.SharedStems[i]
		begins, known := at[s.Object]
		if s.Base = begins; !known || twice[s.Object] || l.shape.size > 1 {
			*s = check.Stem{}
		}
	}
}

// stemOf is what an instruction's address stems from in a space, nil if nobody knows.
func (w *warp) stemOf(in *inst, shared bool) *check.Stem {
	stems := w.worker.launch.Check.Stems
	if shared {
		stems = w.worker.launch.Check.SharedStems
	}
	if uint(in.pc) >= uint(len(stems)) || stems[in.pc].Bytes == 0 {
		return nil
	}
	return &stems[in.pc]
}

// lookAstray looks for lanes whose address in shared memory lies in another variable than it stems
// from.
func (w *warp) lookAstray(in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	s := w.stemOf(in, true)
	if s == nil {
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		if at := addr[lane] - s.Base; (at >= s.Bytes || n > s.Bytes-at) && addr[lane]+n <= uint64(len(w.cta.shared)) {
			w.noteAstray(in, lane, s, addr[lane], n)
		}
	}
}

// halfAstray reports whether half a warp has such lanes.
func (w *warp) halfAstray(in *inst, first, stride, n uint64) bool {
	s := w.stemOf(in, true)
	return s != nil && (first-s.Base >= s.Bytes || first-s.Base+stride*(words.HalfLanes-1)+n > s.Bytes)
}

// noteAstray notes that an address lies in another piece of memory than it stems from.
func (w *warp) noteAstray(in *inst, lane int, s *check.Stem, addr, n uint64) {
	off := int64(addr - s.Base)
	f := w.note(check.OutOfBounds, in.pc, lane)
	if f == nil {
		if f = w.worker.launch.Check.Find(check.OutOfBounds, w.noteAt(in.pc)); f != nil && f.Object == s.Object {
			f.Least, f.Most = min(f.Least, off), max(f.Most, off)
		}
		return
	}
	space := isa.Global
	if s.Shared {
		space = isa.Shared
	}
	f.Space, f.Address, f.Bytes, f.Object, f.ObjectBytes = spaceName(space), addr, int(n), s.Object, int64(s.Bytes)
	f.Offset, f.Least, f.Most = off, off, off
	if there, at, _ := w.objectNear(space, addr); there != "" && there != s.Object {
		f.Astray, f.AstrayAt = there, at
	}
}
