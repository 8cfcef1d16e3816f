package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// buildCvt decodes cvt d, a{, b}{, c}.
func buildCvt(c *compiler, in *ir.Instr, i *inst) error {
	v := variant(in.Inst)
	v.DstBits = c.regBits(in, 0)
	for _, m := range in.Inst.Mods {
		switch m.String() {
		case "pzo":
			v.PZO = true
		case "scaled::n1::ue8m0":
			v.Scales = 1
		case "scaled::n2::ue8m0":
			v.Scales = 2
		}
	}
	if v.Type.Lanes() == 4 {
		return c.buildCvtFour(in, i, v)
	}
	return c.lane(in, i, lanes.Cvt(v))
}

// convertFour is a conversion of four registers to one.
type convertFour struct {
	of   func(d *lanes.Slot, from [4]*lanes.Slot, random *lanes.Slot)
	from [4]operand
}

// buildCvtFour decodes cvt.rs d, {a, b, e, f}, rbits.
func (c *compiler) buildCvtFour(in *ir.Instr, i *inst, v lanes.Variant) error {
	four := &convertFour{of: lanes.CvtFour(v)}
	if four.of == nil {
		return c.unsupported(in, "there are no semantics for these modifiers")
	}
	copy(four.from[:], c.elements(in, &in.Ops()[1]))
	i.d, i.a, i.arith, i.exec = c.dest(in, 0), c.source(in, 2), &arithmetic{convert: four}, execCvtFour
	return nil
}

func execCvtFour(w *warp, in *inst, m uint32) {
	t, four := &w.worker.tmp[0], in.arith.convert
	var from [4]*lanes.Slot
	for i := range from {
		from[i] = w.slot(four.from[i])
	}
	four.of(t, from, w.slot(in.a))
	lanes.Merge32(w.slot(in.d), t, m)
}

// buildCvtPack decodes cvt.pack.sat.convertType.abType d, a, b{, c}.
func buildCvtPack(c *compiler, in *ir.Instr, i *inst) error {
	to := in.Inst.Types[0]
	if to == isa.NoType {
		return c.unsupported(in, "the type")
	}
	return c.lane(in, i, lanes.CvtPack(to.Bits(), to.IsSigned()))
}
