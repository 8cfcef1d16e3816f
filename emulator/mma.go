package emulator

import (
	"fmt"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// buildMMA decodes mma.sync d, a, b, c (PTX ISA 9.7.15.5).
func buildMMA(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	m := lanes.Matrix{D: x.Types[0], A: x.Types[1], B: x.Types[2], C: x.Types[3], Rnd: x.Rnd}
	if n := m.A.Bits(); n < 8 {
		m.SubByte, m.A, m.B = n, byteOf(m.A), byteOf(m.B)
	}
	layouts := 0
	for _, mod := range x.Mods {
		var mm, nn, kk int
		if n, _ := fmt.Sscanf(mod.String(), "m%dn%dk%d", &mm, &nn, &kk); n == 3 {
			m.M, m.K = mm, kk
		}
		switch mod {
		case isa.ModRow, isa.ModCol:
			if layouts == 0 {
				m.ColA = mod == isa.ModCol
			} else {
				m.RowB = mod == isa.ModRow
			}
			layouts++
		case isa.ModSatfinite:
			m.Satfinite = true
		case isa.ModXor:
			m.Xor = true
		}
	}
	fn := lanes.MMA(m)
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

// execMMA multiplies the whole warp's fragments; only lanes of m, which for an
// aligned operation are all that live, get the result.
func execMMA(w *warp, in *inst, m uint32) {
	e, wk := in.multiply, w.worker
	slots := wk.matrix[:0]
	for _, o := range e.elems {
		slots = append(slots, w.slot(o))
	}
	wk.matrix = slots
	n0, n1, n2 := e.parts[0], e.parts[1], e.parts[2]
	d, a, b, c := slots[:n0], slots[n0:n0+n1], slots[n0+n1:n0+n1+n2], slots[n0+n1+n2:]
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
		if e.wide {
			commit64(d[k], t[k], m)
		} else {
			commit32(d[k], t[k], m)
		}
	}
}
