package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A matrix multiplication is one operation of the whole warp: D = A*B + C, each
// matrix spread over the registers of all lanes in fragments whose layout depends on
// shape and type (package lanes). All 32 lanes have to take part, and do: the forms
// are .aligned. Its registers are gathered as a list of slots, those of D first.

// buildMMA decodes mma.sync d, a, b, c (PTX ISA 9.7.16.5).
func buildMMA(c *compiler, in *ir.Instr, i *inst) error {
	m, _ := matrixOf(in.Inst)
	return c.multiply(in, i, lanes.MMA(m))
}

// multiply decodes the operands of a product d, a, b, c.
func (c *compiler) multiply(in *ir.Instr, i *inst, fn lanes.MatrixFn) error {
	if fn == nil {
		return c.unsupported(in, "this shape with these types")
	}
	e := &multiply{fn: fn}
	for n := range 4 {
		es := c.elements(in, &in.Ops[n])
		if n == 0 {
			es = c.destinations(&in.Ops[n])
		}
		e.parts[n] = len(es)
		e.elems = append(e.elems, es...)
	}
	e.wide = c.elementBits(&in.Ops[0]) == 64
	i.multiply, i.exec = e, execMMA
	return nil
}

// byteOf is the signedness of a type below 8 bits, as package lanes has it.
func byteOf(t isa.Type) isa.Type {
	if t.IsSigned() {
		return isa.S8
	}
	return isa.U8
}

// cut cuts the registers of an mma into those of D, A, B and C.
func (e *multiply) cut(slots []*lanes.Slot) (d, a, b, c []*lanes.Slot) {
	d, slots = slots[:e.parts[0]], slots[e.parts[0]:]
	a, slots = slots[:e.parts[1]], slots[e.parts[1]:]
	return d, a, slots[:e.parts[2]], slots[e.parts[2]:]
}

// execMMA multiplies the whole warp's fragments; only lanes of m, which for an
// aligned operation are all that live, get the result.
func execMMA(w *warp, in *inst, m uint32) {
	e, wk := in.multiply, w.worker
	slots := wk.matrix[:0]
	for _, o := range e.elems {
		slots = append(slots, w.slot(o))
	}
	wk.matrix = slots
	d, a, b, c := e.cut(slots)
	if m == fullMask {
		e.fn(d, a, b, c)
		return
	}
	t := wk.fragment[:0]
	for k := range d {
		t = append(t, &wk.scratch[2*k])
	}
	wk.fragment = t
	e.fn(t, a, b, c)
	for k := range d {
		commit(d[k], t[k], m, e.wide)
	}
}
