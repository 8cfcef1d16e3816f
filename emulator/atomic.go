package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Atomics of a warp are done lane after lane, the lowest first, each a read, an
// operation (package atomics) and a write: no other warp runs in between, so that
// they are atomic without anything being done for it. A value that does not change
// is not written, and does not count as a store: a compare-and-swap loop that fails
// must not look like progress to those that wait for one (cta.stuck).

// buildAtomic decodes atom (d, [a], b {, c}) and red ([a], b).
func buildAtomic(c *compiler, in *ir.Instr, i *inst) error {
	t := in.Inst.Type()
	sub := in.Inst.Sub.String()
	n := 0
	a := &atomicUpdate{op: atomics.Of(sub, t, !in.Inst.Has(isa.ModNoftz)), shared: atomics.Of(sub, t, false)}
	if a.op == nil {
		return c.unsupported(in, "this operation on this type")
	}
	if !in.Inst.IsReduction() {
		a.dests = c.destinations(&in.Ops()[0])
		n = 1
	}
	e := &access{regBits: t.Bits(), atomic: a}
	c.access(in, e, &in.Ops()[n])
	e.elems = c.elements(in, &in.Ops()[n+1])
	if n+2 < len(in.Ops()) && in.Ops()[n+2].Kind != ir.NoOperand && sub == "cas" {
		a.third, a.hasThird = c.place(in, &in.Ops()[n+2]), true
	}
	i.width, i.vec = uint8(t.Bytes()), uint8(len(e.elems))
	i.mem, i.exec = e, execAtomic
	if t.Bits() == 128 {
		i.exec = execAtomic128
	}
	return nil
}

// execAtomic does a read-modify-write for each lane of m, in the order of the
// lanes.
func execAtomic(w *warp, in *inst, m uint32) {
	addr := w.addresses(in)
	e, a := in.mem, in.mem.atomic
	var given [maxVector]uint64 // before any of them is written over by a result
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if !w.checkVector(in, lane, addr) {
			continue
		}
		for v, src := range e.elems {
			given[v] = w.laneValue(src, lane, int(in.width))
		}
		for v := range e.elems {
			b := w.bytesAt(in, lane, e.space, addr[lane]+uint64(v)*uint64(in.width), int(in.width), true)
			old := words.Get(b)
			third := uint64(0)
			if a.hasThird {
				third = w.laneValue(a.third, lane, len(b))
			}
			op := a.op
			if space, _ := address.Resolve(e.space, addr[lane]); space == isa.Shared {
				op = a.shared
			}
			value := op(old, given[v], third)
			if value != old {
				words.Put(b, value)
				w.worker.stores++
			}
			if v < len(a.dests) && a.dests[v].off >= 0 {
				setReg(e.regBits, false, w.slot(a.dests[v]), lane, old)
			}
		}
	}
}

// execAtomic128 is exch and cas of 128 bits.
func execAtomic128(w *warp, in *inst, m uint32) {
	addr := w.addresses(in)
	e, a := in.mem, in.mem.atomic
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		mem := w.bytesAt(in, lane, e.space, addr[lane], 16, true)
		old := [2]uint64{words.Get(mem[:8]), words.Get(mem[8:])}
		value := quad(w.slot(e.elems[0]))[lane]
		if a.hasThird {
			compare := value
			if value = old; compare == old {
				value = quad(w.slot(a.third))[lane]
			}
		}
		if value != old {
			words.Put(mem[:8], value[0])
			words.Put(mem[8:], value[1])
			w.worker.stores++
		}
		if len(a.dests) > 0 && a.dests[0].off >= 0 {
			quad(w.slot(a.dests[0]))[lane] = old
		}
	}
}
