package emulator

import (
	"iter"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// An execFunc is a shape around a lane function: the shape fetches operands,
// knows the mask and commits results; the lane function does the arithmetic
// for all lanes.
//
// A lane function computes 32 lanes whether they are on or not: that is what lets it
// be a loop without branches, or a few vector instructions. If all lanes are on it
// writes the destination itself. If not it writes a slot of the worker's, tmp, from
// which the lanes that are on are copied; the others keep their value. Lanes that
// have exited may be overwritten, since nobody reads them again, which makes the
// copy rare: without divergence and guards it never happens.

// lanesOf goes through the lanes of m, the lowest first. It is for families that
// most kernels hardly use; what stands in every kernel's inner loops has the loop
// written out, which the compiler is sure to keep in registers.
func lanesOf(m uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := m; rest != 0; rest &= rest - 1 {
			if !yield(bits.TrailingZeros32(rest)) {
				return
			}
		}
	}
}

// covers reports whether m leaves out no lane that lives: then results may be
// written for all lanes.
func (w *warp) covers(m uint32) bool { return m|^w.alive == fullMask }

// execLane32 runs a lane function with a destination of up to 32 bits.
func execLane32(w *warp, in *inst, m uint32) {
	d := w.slot(in.d)
	if w.covers(m) {
		in.lane(d, w.slot(in.a), w.slot(in.b), w.slot(in.c))
		return
	}
	t := &w.worker.tmp[0]
	in.lane(t, w.slot(in.a), w.slot(in.b), w.slot(in.c))
	lanes.Merge32(d, t, m)
}

// execLane64 runs a lane function with a 64-bit destination.
func execLane64(w *warp, in *inst, m uint32) {
	d := w.slot(in.d)
	if w.covers(m) {
		in.lane(d, w.slot(in.a), w.slot(in.b), w.slot(in.c))
		return
	}
	t := &w.worker.tmp[0]
	in.lane(t, w.slot(in.a), w.slot(in.b), w.slot(in.c))
	lanes.Merge64(d, t, m)
}

// commit copies the lanes of m of a register of 64 bits, or of fewer.
func commit(d, t *lanes.Slot, m uint32, wide bool) {
	if wide {
		lanes.Commit64(d, t, m)
		return
	}
	lanes.Commit32(d, t, m)
}

// commit128 copies the lanes of m of a 128-bit register.
func commit128(d, t *lanes.Slot, m uint32) {
	dq, tq := quad(d), quad(t)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		dq[lane] = tq[lane]
	}
}

// execCompare runs a comparison into a predicate, or two (p|q).
func execCompare(w *warp, in *inst, m uint32) {
	r := in.test.pred(w.slot(in.a), w.slot(in.b))
	w.setPred(in.pd, r, m)
	w.setPred(in.pq, ^r, m)
}

// execSelect32 and execSelect64 are selp: a where the predicate holds, b elsewhere.
func execSelect32(w *warp, in *inst, m uint32) {
	choose((*[lanes.Width]uint32)(w.slot(in.d)), (*[lanes.Width]uint32)(w.slot(in.a)), (*[lanes.Width]uint32)(w.slot(in.b)),
		w.pred(in.pa, in.paFlip), m)
}

func execSelect64(w *warp, in *inst, m uint32) {
	choose(wide(w.slot(in.d)), wide(w.slot(in.a)), wide(w.slot(in.b)), w.pred(in.pa, in.paFlip), m)
}

func choose[T uint32 | uint64](d, a, b *[lanes.Width]T, p, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if p>>lane&1 != 0 {
			d[lane] = a[lane]
		} else {
			d[lane] = b[lane]
		}
	}
}

// execMove32, execMove64 and execMove128 copy a register.
func execMove32(w *warp, in *inst, m uint32) {
	d, a := w.slot(in.d), w.slot(in.a)
	if w.covers(m) {
		*d = *a
		return
	}
	lanes.Merge32(d, a, m)
}

func execMove64(w *warp, in *inst, m uint32) {
	d, a := wide(w.slot(in.d)), wide(w.slot(in.a))
	if w.covers(m) {
		*d = *a
		return
	}
	lanes.Merge64(w.slot(in.d), w.slot(in.a), m)
}

func execMove128(w *warp, in *inst, m uint32) { commit128(w.slot(in.d), w.slot(in.a), m) }

// moveFor returns the move for registers of the given width in bits.
func moveFor(bits int) execFunc {
	switch {
	case bits <= 32:
		return execMove32
	case bits == 64:
		return execMove64
	}
	return execMove128
}

// execPredMove is mov.pred and not.pred.
func execPredMove(w *warp, in *inst, m uint32) {
	w.setPred(in.pd, w.pred(in.pa, in.paFlip), m)
}

// combine applies a Boolean operator to two predicates.
func combine(op isa.BoolOp, a, b uint32) uint32 {
	switch op {
	case isa.AND:
		return a & b
	case isa.OR:
		return a | b
	case isa.XOR:
		return a ^ b
	}
	return a
}

// pred reads a predicate source.
func (w *warp) pred(index int32, flip uint32) uint32 {
	if index < 0 {
		return flip
	}
	return w.preds[index] ^ flip
}

// setPred writes a predicate for the lanes of m.
func (w *warp) setPred(index int32, value, m uint32) {
	if index >= 0 {
		w.preds[index] = w.preds[index]&^m | value&m
	}
}

// guardLanes returns the lanes for which the terminator's guard holds, and
// counts them.
func (w *warp) guardLanes(in *inst, mask uint32) uint32 {
	if in == nil || in.guard < 0 {
		return mask
	}
	m := mask & (w.preds[in.guard] ^ in.flip)
	w.counts[in.count] += popcount(m)
	return m
}

// laneValue reads n bytes of one lane of a register.
func (w *warp) laneValue(o operand, lane, n int) uint64 {
	if n == 8 {
		return wide(w.slot(o))[lane]
	}
	v := uint64(w.slot(o)[lane])
	return v & (1<<(8*n) - 1)
}
