package emulator

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// What an opaque variable holds, a texture, a sampler or a surface, nobody knows before
// there are textures. Which type a variable has the module says, and istypep asks that of
// an address.

// buildIstypep decodes istypep.type p, a: whether a is the address of a variable of the
// type (PTX ISA 9.7.12.6).
func buildIstypep(c *compiler, in *ir.Instr, i *inst) error {
	for _, f := range c.prog.Kernel.Params {
		if f.Var != nil && f.Var.Type.Kind() == isa.Opaque {
			return c.unsupported(in, "what the kernel's parameters of opaque types point to is not known")
		}
	}
	m := &move{narrow: c.regBits(in, 1) == 32}
	for _, v := range c.mod.Vars {
		if v.Type == in.Inst.Type() && v.Space == isa.Global {
			m.opaque = append(m.opaque, c.data.address(v, true))
		}
	}
	i.pd, i.a, i.move, i.exec = c.predDest(&in.Ops[0]), c.source(in, 1), m, execIstypep
	if op := &in.Ops[1]; op.Kind == ir.OperandVar {
		i.a, m.narrow = c.varAddress(op.Var, op.Off, 2), false
	}
	return nil
}

func execIstypep(w *warp, in *inst, m uint32) {
	bytes := 8
	if in.move.narrow {
		bytes = 4
	}
	var is uint32
	for lane := range lanesOf(m) {
		if slices.Contains(in.move.opaque, w.laneValue(in.a, lane, bytes)) {
			is |= 1 << lane
		}
	}
	w.setPred(in.pd, is, m)
}
