package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Most instructions pass on the origins of all that they read to all that they write.
// Two would then say too much too often. A vector load writes registers that have
// nothing to do with each other: each depends on its own bytes, and whether it decides is
// its own matter, too. And a shuffle hands each lane one other lane's value: what else is
// exchanged does not concern it.

// loadedElement is a register that a vector load writes.
type loadedElement struct {
	def int32 // its place among the origins
	at  uint64
	op  order.Op
}

// vectorElements returns the elements of a vector load, nil for any other instruction;
// at of each is where it begins. Of elements less than a word a shadow would have cells
// of bytes, and a register that is there twice has the last of its values.
func (c *compiler) vectorElements(in *ir.Instr, i *inst, t *originRule) (list []loadedElement) {
	if in.Inst.Op != isa.OpLd && in.Inst.Op != isa.OpLdu || i.vec < 2 || i.width < 4 {
		return nil
	}
	for n, e := range elementsOf(&in.Ops()[0]) {
		if e.Kind != ir.OperandReg {
			continue
		}
		of := loadedElement{def: c.originPlace(e.Reg), at: uint64(n) * uint64(i.width), op: t.op}
		if slices.ContainsFunc(list, func(o loadedElement) bool { return o.def == of.def }) {
			return nil
		}
		of.op.Decides = t.op.Decides && (c.prog.order || c.elementReadBy(in, e.Reg))
		list = append(list, of)
	}
	return list
}

// elementReadBy reports whether a decision may depend on one of the registers that an
// instruction writes.
func (c *compiler) elementReadBy(in *ir.Instr, r ir.RegID) bool {
	of := c.decides
	if of == nil {
		of = c.origins
	}
	return c.registersReadBy(of, in, []ir.RegID{r})
}

// followElements accounts for a vector load, and runs it.
func followElements(w *warp, in *inst, m uint32, from *order.Lanes) {
	t, addr := in.rule, *w.addresses(in)
	n := uint64(in.width) * uint64(in.vec)
	for i := range t.elements {
		e := &t.elements[i]
		one := *from
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			if at := addr[lane]; at%n == 0 {
				w.followLoad(in, &e.op, lane, in.mem.space, at+e.at, uint64(in.width), &one)
			} else { // it fails, or is forgiven
				one.Add(1<<lane, order.Assumed, 0)
			}
		}
		w.worker.apart[i] = one
	}
	t.exec(w, in, m)
	for i := range t.elements {
		w.originsOf(w.frame, t.elements[i].def).Set(m, w.worker.apart[i])
	}
}

// exchanged is what a shuffle hands over.
type exchanged struct {
	// value is the place of the register whose values go from lane to lane, result that
	// of the one that gets them.
	value, result   int32
	handed, written bool // there is one
}

// laneNumbers are what a shuffle is given that is to tell where values come from.
var laneNumbers = func() (s lanes.Slot) {
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}()

// shuffleRule says of a shuffle what goes from lane to lane: the rest of its operands
// is each lane's own, and so is the predicate.
func (c *compiler) shuffleRule(in *ir.Instr, t *originRule) {
	t.cross, t.exchanged = false, &exchanged{}
	r := in.Ops()[1].Reg
	if in.Ops()[1].Kind == ir.OperandReg && !c.givenOrigin(in.PC, r) {
		t.exchanged.value, t.exchanged.handed = c.originPlace(r), true
		own := slices.ContainsFunc(in.Ops()[2:], func(op ir.Operand) bool { return op.Kind == ir.OperandReg && op.Reg == r })
		if !own {
			t.uses = slices.DeleteFunc(t.uses, func(place int32) bool { return place == t.exchanged.value })
		}
	}
	for _, d := range in.Defs() {
		if c.fn.ir.Regs[d].Type != isa.Pred {
			t.exchanged.result, t.exchanged.written = c.originPlace(d), true
		}
	}
}

// followShuffle runs a shuffle and hands the origins over with the values.
func followShuffle(w *warp, in *inst, m uint32, from *order.Lanes) {
	x := in.rule.exchanged
	var handed order.Lanes
	if x.handed {
		if of := w.originsOf(w.frame, x.value).And(m); !of.Exact() {
			source, _, _ := in.exchange.shuffle.Run(&laneNumbers, w.slot(in.b), w.slot(in.c), m, fullMask)
			for lane := range lanesOf(m) {
				one := of.Of(int(source[lane]))
				if one&order.Located != 0 && int(source[lane]) != lane {
					one |= order.Foreign
				}
				handed.Add(1<<lane, one, of.Cause)
			}
		}
	}
	in.rule.exec(w, in, m)
	w.worker.handed = handed
}
