package emulator

import (
	"strings"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A matrix multiplication is one operation of the whole warp: D = A*B + C, each
// matrix spread over the registers of all lanes in fragments whose layout depends on
// shape and type (package lanes). All 32 lanes have to take part, and do: the forms
// are .aligned. Its registers are gathered as a list of slots, those of D first.

// buildMMA decodes mma and mma.sp: d, a, b, c, metadata and its selector, and the scales
// of a and b (PTX ISA 9.7.16.5, .6).
func buildMMA(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	m, _ := matrixOf(x)
	if x.Op == isa.OpMma && !narrow(x) {
		return c.multiply(in, i, lanes.MMA(m))
	}
	m.Bytes = strings.Contains(x.Form.Syntax, "f8f6f4")
	if m.Sparse = x.Op != isa.OpMma; m.Sparse {
		m.Selector = int(uint32(in.Ops()[5].Imm))
	}
	if scaled := x.Types[4] != isa.NoType; scaled {
		m.Scale, m.ScaleVec = x.Types[4], scaleVec(x)
	}
	if err := c.multiply(in, i, lanes.MMANarrow(m)); err != nil || !m.Sparse {
		return err
	}
	e := i.multiply
	e.meta, e.open = e.elems[e.parts[0]+e.parts[1]+e.parts[2]+e.parts[3]], lanes.MetadataRule(m, x.Op == isa.OpMmaSpOrdered || narrow(x))
	return nil
}

// narrow reports whether factors may have fewer than 8 bits, and scales.
func narrow(x *isa.Inst) bool { return strings.Contains(x.Form.Syntax, ".kind::") }

// scaleVec returns how many scales a row has (PTX ISA 9.7.16.3): what is written, or else
// 1 of .kind::mxf8f6f4 and 2 of .kind::mxf4.
func scaleVec(x *isa.Inst) int {
	for _, mod := range x.Mods {
		if n, ok := strings.CutPrefix(mod.String(), "scale_vec::"); ok {
			return int(n[0] - '0')
		}
	}
	if strings.Contains(x.Form.Syntax, "f8f6f4") {
		return 1
	}
	return 2
}

// multiply decodes the operands of a product d, a, b, c.
func (c *compiler) multiply(in *ir.Instr, i *inst, fn lanes.MatrixFn) error {
	if fn == nil {
		return c.unsupported(in, "this shape with these types")
	}
	e := &multiply{fn: fn}
	for n := range in.Ops() {
		if in.Inst.Form.Operands[n].Name == "f" { // the selector, which is part of the function
			continue
		}
		es := c.elements(in, &in.Ops()[n])
		if n == 0 {
			es = c.results(&in.Ops()[n])
		}
		if n < len(e.parts) {
			e.parts[n] = len(es)
		}
		e.elems = append(e.elems, es...)
	}
	e.wide = c.elementBits(&in.Ops()[0]) == 64
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

// cut cuts the registers of an mma into those of D, A, B, C and all that follow.
func (e *multiply) cut(slots []*lanes.Slot) (d, a, b, c, more []*lanes.Slot) {
	d, slots = slots[:e.parts[0]], slots[e.parts[0]:]
	a, slots = slots[:e.parts[1]], slots[e.parts[1]:]
	b, slots = slots[:e.parts[2]], slots[e.parts[2]:]
	return d, a, b, slots[:e.parts[3]], slots[e.parts[3]:]
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
	d, a, b, c, more := e.cut(slots)
	if m == fullMask {
		e.fn(d, a, b, c, more)
		return
	}
	t := wk.fragment[:0]
	for k := range d {
		t = append(t, &wk.scratch[2*k])
	}
	wk.fragment = t
	e.fn(t, a, b, c, more)
	for k := range d {
		commit(d[k], t[k], m, e.wide)
	}
}
