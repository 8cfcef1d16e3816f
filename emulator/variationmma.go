package emulator

import (
	"math"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/vary"
	"hyptx/ir/isa"
)

// execVariedMMA moves the sums of an mma by what their order and roundings may
// make: k additions of the largest error each, on the sum of the terms'
// absolute values, which is the product of the operands without their signs;
// then a rounding of D. Sums that need no rounding in any order stay.
func execVariedMMA(w *warp, in *inst, m uint32) {
	v, e, wk := in.varied, in.multiply, w.worker
	slots := make([]*lanes.Slot, len(e.elems))
	for k, o := range e.elems {
		slots[k] = w.slot(o)
	}
	d, a, b, c, more := e.cut(slots)
	sums, sizes := make([]*lanes.Slot, len(d)), make([]*lanes.Slot, len(d))
	for k := range d {
		sums[k], sizes[k] = &wk.scratch[2*k], &wk.scratch[16+2*k]
	}
	e.fn(sums, a, b, c, more)
	e.fn(sizes, v.unsigned(a, 0), v.unsigned(b, 1), v.unsigned(c, 2), more)
	quantum := min(v.quantum(a, 0)+v.quantum(b, 1)+v.scaled(more), v.quantum(c, 2))
	for k := range d {
		for lane := range lanesOf(m) {
			v.setWord(sums[k], lane, w.movedProduct(in, lane, v.word(sums[k], lane), v.word(sizes[k], lane), quantum))
		}
		commit(d[k], sums[k], m, v.wide)
	}
}

// movedProduct moves the elements of one register of D; size holds the sums of
// absolute values, of terms that are multiples of 2^quantum.
func (w *warp) movedProduct(in *inst, lane int, word, size uint64, quantum int) uint64 {
	v := in.varied
	for _, at := range v.shifts {
		was := v.element(word, at)
		if v.format.IsNaN(was) {
			if v.v.NaNs {
				word = v.replaced(word, v.format.OtherNaN(), at)
			}
			continue
		}
		site := w.site(in, lane, was)
		up, moved := v.v.Up(site)
		terms := v.format.Value(v.element(size, at))
		if !moved || v.format.Exact(terms, quantum) {
			continue
		}
		r := vary.Result{Format: v.format, Exact: v.format.Value(was), Nominal: was}
		edge := r.Sum(v.unit*terms+2*v.format.Roundoff()*math.Abs(r.Exact), up)
		word = v.replaced(word, v.v.Stop(v.format, was, edge, site), at)
	}
	return word
}

// scaled returns the logarithm of a number of which all products of the bytes of two
// scales are multiples, 0 without scales: more ends in a scale, its byte and its thread,
// of a and then of b.
func (v *varied) scaled(more []*lanes.Slot) (quantum int) {
	if v.scales == isa.NoType {
		return 0
	}
	for _, at := range []int{6, 3} {
		least := 0xff
		for _, w := range more[len(more)-at] {
			for shift := 0; shift < 32; shift += 8 {
				least = min(least, int(w>>shift&0xff))
			}
		}
		if v.scales == isa.UE4M3 {
			quantum += max(least>>3, 1) - 7 - 3
		} else {
			quantum += least - 127
		}
	}
	return quantum
}

// unsigned returns copies of an operand's registers with all signs cleared.
func (v *varied) unsigned(regs []*lanes.Slot, operand int) []*lanes.Slot {
	out := make([]*lanes.Slot, len(regs))
	for k, r := range regs {
		var pair [2]lanes.Slot
		out[k] = &pair[0]
		for lane := range lanes.Width {
			if v.wide {
				wide(out[k])[lane] = wide(r)[lane] & v.abs[operand]
			} else {
				out[k][lane] = r[lane] & uint32(v.abs[operand])
			}
		}
	}
	return out
}

// quantum returns the logarithm of a power of two of which all elements of an
// operand are multiples.
func (v *varied) quantum(regs []*lanes.Slot, operand int) int {
	f, width := v.formats[operand], uint(32)
	if f == (vary.Format{}) { // of less than a byte
		return v.least[operand]
	}
	if v.wide {
		width = 64
	}
	least := vary.NoQuantum
	for _, r := range regs {
		for lane := range lanes.Width {
			word := v.word(r, lane)
			for at := uint(0); at < width; at += f.Bits() {
				least = min(least, f.Quantum(word>>at))
			}
		}
	}
	return least
}
