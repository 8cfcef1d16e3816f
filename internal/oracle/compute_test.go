package oracle

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// The arithmetic, one number at a time and in plain Go, from the manual's
// definitions. It knows what random programs use and refuses everything else, so
// that nothing passes unchecked.

// compute executes an instruction that only computes. Values of up to 32 bits
// stand zero-extended in their registers, predicates are 0 or 1.
func (t *thread) compute(in *ir.Instr) error {
	switch {
	case in.Inst.Op == isa.OpSetp:
		return t.setp(in)
	case in.Inst.Type() == isa.B128:
		return t.mov128(in)
	}
	if v, ok := t.video(in); ok {
		t.set(&in.Ops()[0], v)
		return nil
	}
	var x [3]uint64
	for i := 1; i < len(in.Ops()) && i <= 3; i++ {
		if in.Ops()[i].Kind != ir.NoOperand {
			x[i-1] = t.value(&in.Ops()[i])
		}
	}
	v, ok := result(in.Inst, x[0], x[1], x[2])
	if !ok {
		return fmt.Errorf("the oracle does not know %s", in.Inst)
	}
	switch typ := in.Inst.Type(); {
	case typ == isa.Pred:
		v &= 1
	case typ.Bits() < 64 && in.Inst.Mul != isa.WIDE:
		v &= 1<<typ.Bits() - 1
	}
	t.set(&in.Ops()[0], v)
	return nil
}

// mov128 moves between 128-bit registers, or packs or unpacks one of two
// 64-bit halves, the lower one first (PTX ISA 9.7.10.4).
func (t *thread) mov128(in *ir.Instr) error {
	f, d, a := t.top(), &in.Ops()[0], &in.Ops()[1]
	if in.Inst.Op != isa.OpMov {
		return fmt.Errorf("the oracle does not know %s", in.Inst)
	}
	var low, high uint64
	if len(a.Elems()) == 2 {
		low, high = t.value(&a.Elems()[0]), t.value(&a.Elems()[1])
	} else {
		low, high = f.regs[a.Reg], f.high[a.Reg]
	}
	if len(d.Elems()) == 2 {
		t.set(&d.Elems()[0], low)
		t.set(&d.Elems()[1], high)
		return nil
	}
	f.regs[d.Reg], f.high[d.Reg] = low, high
	return nil
}

// result is what an instruction makes of its sources (PTX ISA 9.7.1, 9.7.9,
// 9.7.10).
func result(in *isa.Inst, a, b, c uint64) (v uint64, ok bool) {
	signed := in.Type() == isa.S32
	switch in.Op {
	case isa.OpMov, isa.OpCvt:
		return a, true
	case isa.OpAdd:
		return a + b, true
	case isa.OpSub:
		return a - b, true
	case isa.OpMul:
		return multiply(in, a, b), true
	case isa.OpMad:
		return multiply(in, a, b) + c, true
	case isa.OpAnd:
		return a & b, true
	case isa.OpOr:
		return a | b, true
	case isa.OpXor:
		return a ^ b, true
	case isa.OpNot:
		return ^a, true
	case isa.OpShl:
		return a << b, true // Go shifts everything out, as the manual asks
	case isa.OpShr:
		if signed {
			return uint64(int64(int32(a)) >> b), true
		}
		return a >> b, true
	case isa.OpMin:
		return pick(less(in.Type(), b, a), b, a), true
	case isa.OpMax:
		return pick(less(in.Type(), a, b), b, a), true
	case isa.OpSelp:
		return pick(c != 0, a, b), true
	case isa.OpSlct:
		return pick(int32(c) >= 0, a, b), true
	}
	return 0, false
}

// multiply is the product of 32-bit numbers as .lo and .wide give it.
func multiply(in *isa.Inst, a, b uint64) uint64 {
	if in.Type() == isa.S32 {
		return uint64(int64(int32(a)) * int64(int32(b)))
	}
	return a * b
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

func less(t isa.Type, a, b uint64) bool {
	if t == isa.S32 {
		return int32(a) < int32(b)
	}
	return a < b
}

// setp is p|q = (a cmp b) op c, q with the comparison inverted (PTX ISA
// 9.7.7.2).
func (t *thread) setp(in *ir.Instr) error {
	a, b := t.value(&in.Ops()[1]), t.value(&in.Ops()[2])
	typ := in.Inst.Type()
	var r bool
	switch in.Inst.Cmp {
	case isa.EQ:
		r = a == b
	case isa.NE:
		r = a != b
	case isa.LT:
		r = less(typ, a, b)
	case isa.LE:
		r = !less(typ, b, a)
	case isa.GT:
		r = less(typ, b, a)
	case isa.GE:
		r = !less(typ, a, b)
	default:
		return fmt.Errorf("the oracle does not know %s", in.Inst)
	}
	other := false
	if in.Inst.Bool != isa.NoBool {
		other = t.value(&in.Ops()[3]) != 0
	}
	d := &in.Ops()[0]
	q := d.Pair
	t.set(d, bit(join(in.Inst.Bool, r, other)))
	if q != ir.NoReg {
		t.top().regs[q] = bit(join(in.Inst.Bool, !r, other))
	}
	return nil
}

func join(op isa.BoolOp, a, b bool) bool {
	switch op {
	case isa.AND:
		return a && b
	case isa.OR:
		return a || b
	case isa.XOR:
		return a != b
	}
	return a
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
