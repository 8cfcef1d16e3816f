package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
)

// The general way of a load and a store: lane by lane, each element of a vector by
// itself, each access checked. Fast ways come before it (fastmem.go) and take what
// is plain. Vectors are aligned to their whole size, which no element shows, so that
// is checked first; then bytesAt gives an element's memory or ends the launch with a
// fault that names the thread, the instruction's line, and what lies near the
// address. For the latter, module variables lie 256 bytes apart: an index one past
// the end of one hits nothing, and is not the first element of the next.

// execLoad reads vec elements of width bytes for each lane of m into the
// destinations, extended as the form says.
func execLoad(w *warp, in *inst, m uint32) {
	if in.mem.words && m == fullMask && w.loadRegular(in) {
		return
	}
	addr := w.addresses(in)
	if w.fast(in, m, addr, false) {
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		if lane := bits.TrailingZeros32(rest); !w.checkVector(in, lane, addr) {
			m &^= 1 << lane
		}
	}
	for v, d := range in.mem.elems {
		if d.off < 0 {
			continue // a sink
		}
		slot := w.slot(d)
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			b := w.bytesAt(in, lane, in.mem.space, addr[lane]+uint64(v)*uint64(in.width), int(in.width), false)
			in.mem.setLoaded(slot, lane, b)
		}
	}
}

// execStore writes vec elements of width bytes for each lane of m, lane by
// lane: where two write one address, the higher lane's value stays.
func execStore(w *warp, in *inst, m uint32) {
	w.worker.stores++
	addr := w.addresses(in)
	if w.fast(in, m, addr, true) {
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if !w.checkVector(in, lane, addr) {
			continue
		}
		for v, e := range in.mem.elems {
			if e.off < 0 {
				continue // nothing is written there
			}
			b := w.bytesAt(in, lane, in.mem.space, addr[lane]+uint64(v)*uint64(in.width), int(in.width), true)
			in.mem.putLane(b, w.slot(e), lane)
		}
	}
}

// putLane writes the low len(b) bytes of one lane of a register of regBits
// bits (PTX ISA 9.4.1, table 27).
func (e *access) putLane(b []byte, slot *lanes.Slot, lane int) {
	switch {
	case len(b) == 16:
		q := quad(slot)[lane]
		words.Put(b[:8], q[0])
		words.Put(b[8:], q[1])
	case e.regBits == 128:
		words.Put(b, quad(slot)[lane][0])
	case e.regBits == 64:
		words.Put(b, wide(slot)[lane])
	default:
		words.Put(b, uint64(slot[lane]))
	}
}

// checkVector faults a vector access that is not aligned to its whole size. It reports
// whether it is; it is not where faults are noted only.
func (w *warp) checkVector(in *inst, lane int, addr *[lanes.Width]uint64) bool {
	n := uint64(in.width) * uint64(in.vec) // a power of two
	if addr[lane]&(n-1) == 0 {
		return true
	}
	w.failMisaligned(in, lane, in.mem.space, addr[lane], n)
	return false
}

// setLoaded writes what was loaded into one lane of a register, extended to
// the register's width (PTX ISA 9.4.1, table 28).
func (e *access) setLoaded(slot *lanes.Slot, lane int, b []byte) {
	switch {
	case len(b) == 16:
		quad(slot)[lane] = [2]uint64{words.Get(b[:8]), words.Get(b[8:])}
	case e.signed:
		setReg(e.regBits, true, slot, lane, words.GetSigned(b))
	default:
		setReg(e.regBits, false, slot, lane, words.Get(b))
	}
}

// setReg writes a value into a lane of a register of regBits bits.
func setReg(regBits int, signed bool, slot *lanes.Slot, lane int, v uint64) {
	switch regBits {
	case 128:
		high := uint64(0)
		if signed {
			high = uint64(int64(v) >> 63)
		}
		quad(slot)[lane] = [2]uint64{v, high}
	case 64:
		wide(slot)[lane] = v
	case 16:
		slot[lane] = uint32(v) & 0xffff
	case 8:
		slot[lane] = uint32(v) & 0xff
	default:
		slot[lane] = uint32(v)
	}
}
