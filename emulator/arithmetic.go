package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// arith decodes d, a{, b{, c}} around a lane function.
func arith(of func(lanes.Variant) lanes.Fn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		return c.lane(in, i, of(variant(in.Inst)))
	}
}

// extremum decodes min and max, which may have a third operand.
func extremum(of func(lanes.Variant) lanes.Fn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		v := variant(in.Inst)
		v.Three = len(in.Ops()) > 3 && in.Ops()[3].Kind != ir.NoOperand
		return c.lane(in, i, of(v))
	}
}

// lane sets the lane function of d, a{, b{, c}} and its operands.
func (c *compiler) lane(in *ir.Instr, i *inst, fn lanes.Fn) error {
	if fn == nil {
		return c.unsupported(in, "there are no semantics for these modifiers")
	}
	i.lane = fn
	i.d = c.dest(in, 0)
	for n, o := range []*operand{&i.a, &i.b, &i.c} {
		if n+1 < len(in.Ops()) && in.Ops()[n+1].Kind != ir.NoOperand {
			*o = c.narrowed(in, &in.Ops()[n+1])
		}
	}
	i.exec = execLane32
	if c.regBits(in, 0) == 64 {
		i.exec = execLane64
	}
	return nil
}

// regBits returns the width of the register that operand n names.
func (c *compiler) regBits(in *ir.Instr, n int) int {
	op := &in.Ops()[n]
	if op.Kind == ir.OperandReg {
		return c.fn.ir.Regs[op.Reg].Type.Bits()
	}
	return op.Type.Bits()
}

// narrowed is place for a source; of a 64-bit register that is read as a
// narrower type it gives the low words (PTX ISA 9.4.1).
func (c *compiler) narrowed(in *ir.Instr, op *ir.Operand) operand {
	o := c.place(in, op)
	if op.Kind != ir.OperandReg || c.fn.ir.Regs[op.Reg].Type.Bits() != 64 || op.Type.Bits() > 32 {
		return o
	}
	d := operand{off: int32(c.fn.slots), mask: -1}
	c.fn.slots++
	i := noInst(in.PC)
	i.d, i.a, i.exec = d, o, execNarrow
	c.append(i)
	return d
}

// execNarrow copies the low words of a 64-bit register.
func execNarrow(w *warp, in *inst, _ uint32) {
	d, a := w.slot(in.d), wide(w.slot(in.a))
	for i := range d {
		d[i] = uint32(a[i])
	}
}

// carry decodes an operation with the condition code.
func carry(of func(lanes.Variant) lanes.CarryFn) builder {
	return func(c *compiler, in *ir.Instr, i *inst) error {
		fn := of(variant(in.Inst))
		if fn == nil {
			return c.unsupported(in, "there are no semantics for these modifiers")
		}
		if err := c.lane(in, i, func(_, _, _, _ *lanes.Slot) {}); err != nil {
			return err
		}
		i.arith = &arithmetic{carry: fn, wide: c.regBits(in, 0) == 64}
		if c.invertedBorrow && (in.Inst.Op == isa.OpSub || in.Inst.Op == isa.OpSubc) {
			i.arith.carry = inverted(fn, in.Inst.ReadsCC())
		}
		cc := c.register(c.fn, c.fn.ir.CC).off
		i.pa, i.pd = noPred, noPred
		if in.Inst.ReadsCC() {
			i.pa = cc
		}
		if in.Inst.WritesCC() {
			i.pd = cc
		}
		i.exec = execCarry
		return nil
	}
}

// inverted keeps the inverse of the borrow in CC.CF. The manual says that CC.CF is the
// borrow (PTX ISA 9.7.2.3). A GPU subtracts by adding the complement, IADD3.X a, ~b,
// as disassembled code shows (cuobjdump -sass), so that the carry out of it is the
// inverse, which only chains that mix additions and subtractions tell from a borrow. No
// GPU was asked for this emulator: it is unproven, and an option.
func inverted(fn lanes.CarryFn, reads bool) lanes.CarryFn {
	return func(d, a, b, c *lanes.Slot, in uint32) uint32 {
		if reads {
			in = ^in
		}
		return ^fn(d, a, b, c, in)
	}
}

func execCarry(w *warp, in *inst, m uint32) {
	t := &w.worker.tmp[0]
	in0 := uint32(0)
	if in.pa >= 0 {
		in0 = w.preds[in.pa]
	}
	out := in.arith.carry(t, w.slot(in.a), w.slot(in.b), w.slot(in.c), in0)
	commit(w.slot(in.d), t, m, in.arith.wide)
	w.setPred(in.pd, out, m)
}

// addOrCarry decodes add, sub and mad, which .cc makes a carry operation.
func addOrCarry(of func(lanes.Variant) lanes.Fn, cc func(lanes.Variant) lanes.CarryFn) builder {
	plain, withCC := arith(of), carry(cc)
	return func(c *compiler, in *ir.Instr, i *inst) error {
		if in.Inst.Has(isa.ModCc) {
			return withCC(c, in, i)
		}
		return plain(c, in, i)
	}
}

// buildBfi decodes bfi d, a, b, c, e.
func buildBfi(c *compiler, in *ir.Instr, i *inst) error {
	fn := lanes.Bfi(variant(in.Inst))
	if fn == nil {
		return c.unsupported(in, "there are no semantics for these modifiers")
	}
	i.arith = &arithmetic{four: fn, fourth: c.source(in, 4), wide: c.regBits(in, 0) == 64}
	i.d, i.a, i.b, i.c = c.dest(in, 0), c.source(in, 1), c.source(in, 2), c.source(in, 3)
	i.exec = execFour
	return nil
}

func execFour(w *warp, in *inst, m uint32) {
	t := &w.worker.tmp[0]
	in.arith.four(t, w.slot(in.a), w.slot(in.b), w.slot(in.c), w.slot(in.arith.fourth))
	commit(w.slot(in.d), t, m, in.arith.wide)
}

// buildLop3 decodes lop3{.BoolOp}.b32 d{|p}, a, b, c, immLut{, q}.
func buildLop3(c *compiler, in *ir.Instr, i *inst) error {
	v := variant(in.Inst)
	v.LUT = uint8(in.Ops()[4].Imm)
	i.pd = noPred
	if err := c.lane(in, i, lanes.Lop3(v)); err != nil {
		return err
	}
	if in.Inst.Bool == isa.NoBool {
		return nil
	}
	i.pd = c.pairDest(in)
	i.pa, i.paFlip = c.predicate(in, &in.Ops()[5])
	i.test = &test{boolOp: in.Inst.Bool}
	i.exec = execLop3Bool
	return nil
}

// execLop3Bool also makes a predicate: whether the result is not 0, combined
// with another.
func execLop3Bool(w *warp, in *inst, m uint32) {
	t := &w.worker.tmp[0]
	in.lane(t, w.slot(in.a), w.slot(in.b), w.slot(in.c))
	p := combine(in.test.boolOp, lanes.Nonzero(t), w.pred(in.pa, in.paFlip))
	lanes.Merge32(w.slot(in.d), t, m)
	w.setPred(in.pd, p, m)
}

// variant collects what picks an instruction's lane function.
func variant(in *isa.Inst) lanes.Variant {
	v := lanes.Variant{
		Type: in.Types[0], From: in.Types[1], From2: in.Types[2], Rnd: in.Rnd, Cmp: in.Cmp, Mul: in.Mul,
		FTZ: in.Has(isa.ModFtz), Sat: in.Has(isa.ModSat), SatFinite: in.Has(isa.ModSatfinite), Relu: in.Has(isa.ModRelu),
		NaN: in.Has(isa.ModNaN), Abs: in.Has(isa.ModAbs), XorSign: in.Has(isa.ModXorsign), OOB: in.Has(isa.ModOob),
		Approx: in.Has(isa.ModApprox), Full: in.Has(isa.ModFull),
		Wrap: in.Has(isa.ModWrap), Left: in.Has(isa.ModL), ShiftAmt: in.Has(isa.ModShiftamt), High: in.Has(isa.ModHi),
	}
	for _, m := range in.Mods {
		v.Test, v.Prmt = pick(v.Test, testMods, m), pick(v.Prmt, prmtMods, m)
	}
	return v
}

var testMods = map[isa.Mod]lanes.Property{
	isa.ModFinite: lanes.Finite, isa.ModInfinite: lanes.Infinite, isa.ModNumber: lanes.Number,
	isa.ModNotanumber: lanes.NotANumber, isa.ModNormal: lanes.Normal, isa.ModSubnormal: lanes.Subnormal,
}

var prmtMods = map[isa.Mod]lanes.PrmtMode{
	isa.ModF4e: lanes.PrmtF4E, isa.ModB4e: lanes.PrmtB4E, isa.ModRc8: lanes.PrmtRC8,
	isa.ModEcl: lanes.PrmtECL, isa.ModEcr: lanes.PrmtECR, isa.ModRc16: lanes.PrmtRC16,
}

// pick returns what a modifier means, or what was there.
func pick[T any](was T, of map[isa.Mod]T, m isa.Mod) T {
	if is, ok := of[m]; ok {
		return is
	}
	return was
}
