package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/observe"
	"hyptx/ir/isa"
)

// Results of floating point are looked at where they are made. Nearly all are numbers, so
// that first of all their exponents are, all lanes at once. Of operands that results write
// over a copy is kept before.

// maxKept is how many operands are kept at most: the sum of a wgmma has up to 128 registers.
const maxKept = 144

// execObserved runs an instruction that is observed.
func execObserved(w *warp, in *inst, m uint32) {
	o := &w.worker.prog.observed[in.index]
	l := w.worker.launch
	if l.Observer == nil {
		o.exec(w, in, m)
		return
	}
	f := l.Observer.Floats
	if !o.floats || f == nil || f.Done() {
		w.execWatched(in, o, m)
		return
	}
	if o.adds {
		w.addFloats(in, o, m, f)
		return
	}
	kept := w.keep(o)
	w.execWatched(in, o, m)
	odd := uint32(0)
	for i := range o.step.writes {
		odd |= notFinite(w, &o.step.writes[i]) & m
	}
	if odd != 0 {
		w.lookAt(in, o, m, odd, f, kept)
	}
}

// keptSlots are operands as they were.
type keptSlots [maxKept][2]lanes.Slot

// keep copies the operands that results may write over.
func (w *warp) keep(o *observed) *keptSlots {
	if len(o.kept) == 0 {
		return nil
	}
	wk := w.worker
	if wk.kept == nil {
		wk.kept = new(keptSlots)
	}
	for i, n := range o.kept[:min(len(o.kept), maxKept)] {
		r := &o.step.reads[n]
		if r.pred < 0 {
			copy(wk.kept[i][:], w.slots[int(r.at.off)+w.base&int(r.at.mask):][:min(max(r.typ.Slots(), 1), 2)])
		}
	}
	return wk.kept
}

// readsBefore gives the operands of a lane as they were.
func (w *warp) readsBefore(list []observe.Value, o *observed, lane int, kept *keptSlots) []observe.Value {
	for i := range o.step.reads {
		list = append(list, w.valueOf(&o.step.reads[i], lane))
	}
	if kept == nil {
		return list
	}
	for i, n := range o.kept[:min(len(o.kept), maxKept)] {
		switch v := &list[n]; {
		case v.Type == isa.Pred:
		case v.Type.Bits() > 32:
			v.Bits[0] = wide(&kept[i][0])[lane]
		default:
			v.Bits[0] = uint64(kept[i][0][lane])
		}
	}
	return list
}

// lookAt looks at lanes whose results are not all finite.
func (w *warp) lookAt(in *inst, o *observed, m, odd uint32, f *observe.Floats, kept *keptSlots) {
	var room [maxKept]observe.Value
	var together observe.Classes
	var factors []observe.Value // in shared memory
	group := in.multiply != nil && in.multiply.group != nil
	sum := !group || w.groupAdds(in, m)
	before := func(lane int) []observe.Value {
		list := w.readsBefore(room[:0], o, lane, kept)
		for _, n := range o.kept {
			if !sum {
				list[n].Type = isa.B32 // which does not count
			}
		}
		return append(list, factors...)
	}
	if group {
		together, factors = w.groupFactors(in, o.step.in.Inst, m)
	}
	if group || o.step.in.Inst.CrossLane() {
		for lane := range lanesOf(m) {
			addClasses(&together, before(lane))
		}
	}
	for lane := range lanesOf(odd) {
		var results observe.Classes
		for i := range o.step.writes {
			v := w.valueOf(&o.step.writes[i], lane)
			results.Add(v.Type, v.Bits)
		}
		if f.Done() || !f.Wants(results) {
			continue
		}
		had := together
		reads := before(lane)
		if addClasses(&had, reads); o.read {
			had = results
		}
		if !f.News(results, had) {
			continue
		}
		s := &observe.Step{Place: w.threadAt(&o.step, lane), Depth: w.frame.depth, Executed: true, Ended: true, Reads: append([]observe.Value(nil), reads...)}
		w.addWrites(s, &o.step, lane)
		if !o.step.overwritesAddress() {
			w.addMemory(s, &o.step, lane)
		}
		f.Look(s, results, had)
	}
}

// overwritesAddress reports whether an instruction's result is where its address was.
func (p *stepPlan) overwritesAddress() bool {
	return slices.ContainsFunc(p.memory, func(m memoryPlace) bool {
		return slices.ContainsFunc(p.writes, func(v valuePlace) bool { return v.at == m.base })
	})
}

func addClasses(c *observe.Classes, list []observe.Value) {
	for i := range list {
		c.Add(list[i].Type, list[i].Bits)
	}
}

// addFloats runs an atomic of floating point, lane by lane as it is done anyway, and looks
// at what it leaves in memory.
func (w *warp) addFloats(in *inst, o *observed, m uint32, f *observe.Floats) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		s := observe.Step{Place: w.threadAt(&o.step, lane), Depth: w.frame.depth, Executed: true, Ended: true}
		w.addReads(&s, &o.step, lane)
		w.addMemory(&s, &o.step, lane)
		a, n := &s.Memory[0], o.step.memory[0].bytes
		old := w.snapshot(nil, lane, a.Space, a.Address, n)
		w.execWatched(in, o, 1<<lane)
		a.Data = w.snapshot(nil, lane, a.Space, a.Address, n)
		var results, had observe.Classes
		size := a.Type.Bytes()
		for at := 0; at+size <= len(a.Data); at += size {
			before := observe.Word(a.Type, "memory", old[at:at+size])
			s.Reads = append(s.Reads, before)
			had.Add(before.Type, before.Bits)
			results.Add(a.Type, observe.Word(a.Type, "", a.Data[at:at+size]).Bits)
		}
		addClasses(&had, s.Reads)
		if w.addWrites(&s, &o.step, lane); f.News(results, had) {
			f.Look(&s, results, had)
		}
	}
}

// notFinite returns the lanes of which a value is no finite number: its exponent is all
// ones.
func notFinite(w *warp, v *valuePlace) (m uint32) {
	if !observe.Looked(v.typ) {
		return 0
	}
	slot := w.slot(v.at)
	switch v.typ {
	case isa.F32, isa.TF32:
		return exponents(slot, 0x7f800000)
	case isa.F16:
		return exponents(slot, 0x7c00)
	case isa.F16x2:
		return exponents(slot, 0x7c00) | exponents(slot, 0x7c000000)
	case isa.BF16:
		return exponents(slot, 0x7f80)
	case isa.BF16x2:
		return exponents(slot, 0x7f80) | exponents(slot, 0x7f800000)
	}
	if ones := narrowOnes(v.typ.Elem()); ones != 0 {
		for i := range v.typ.Lanes() {
			m |= exponents(slot, ones<<(8*i))
		}
		return m
	}
	const low, double = 0x7f800000, 0x7ff << 52
	for lane, x := range wide(slot) {
		odd := x&double == double
		if v.typ == isa.F32x2 {
			odd = x&low == low || x>>32&low == low
		}
		if odd {
			m |= 1 << lane
		}
	}
	return m
}

// narrowOnes are the bits of a number of 8 bits that are ones if it is none, 0 of other formats: the
// exponent, or all but the sign where a large number has such an exponent.
func narrowOnes(t isa.Type) uint32 {
	switch t {
	case isa.E5M2:
		return 0x7c
	case isa.E4M3:
		return 0x7f
	}
	return 0
}

func exponents(slot *lanes.Slot, ones uint32) (m uint32) {
	for lane, x := range slot {
		if x&ones == ones {
			m |= 1 << lane
		}
	}
	return m
}
