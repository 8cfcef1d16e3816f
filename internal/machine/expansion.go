package machine

import (
	"math/bits"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// multiply returns the instructions of a product of two registers, the low
// half: IMAD, on Maxwell and Pascal three XMAD (Maxwell's multiplier is 16 bits
// wide: CUDA Binary Utilities, instruction sets); 64 bits are made of four
// (IMAD.WIDE.U32, two IMAD, IADD: own estimate).
func (x *expansion) multiply(width uint8) int {
	n := 1
	if x.xmad() {
		n = 3
	}
	if width == 64 {
		return 4 * n
	}
	return n
}

// xmad reports whether the machine multiplies 16 bits by 16.
func (x *expansion) xmad() bool { return x.sm >= 50 && x.sm < 70 }

// multiplyWide returns the instructions of a 64-bit product of 32-bit factors:
// IMAD.WIDE since Volta, IMAD and IMAD.HI before Maxwell, XMADs between (own
// estimate).
func (x *expansion) multiplyWide() int {
	switch {
	case x.sm >= 70:
		return 1
	case x.xmad():
		return 5
	}
	return 2
}

// term returns the instructions that multiply a term of a sum by its
// coefficient; product: one of them adds something else as well.
func (x *expansion) term(width uint8, coef int64, inner bool, k kind) (n int, product bool) {
	power := bits.OnesCount64(uint64(coef)) == 1 || coef == -1<<63
	switch {
	case inner && k == mulNode:
		return x.multiply(32), true
	case inner && k == wideNode:
		return x.multiplyWide(), true
	case inner && k == extNode && coef == 1:
		return 2, true // IADD, LEA.HI.X.SX32
	case inner && k == extNode && x.sm >= 70:
		return 1, true // IMAD.WIDE
	case inner && k == extNode && power:
		return 3, true // SHR, ISCADD, IADD.X
	case inner && k == extNode:
		return x.multiplyWide(), true
	case coef == 1, coef == -1:
		return 0, false
	case width == 64 && power:
		return 2, true // LEA, LEA.HI.X
	case width == 64:
		return x.multiply(64), true
	case power:
		return 1, true // SHL, LEA, ISCADD
	}
	return x.multiply(32), true
}

// adds returns the instructions of n additions: IADD3 takes two at a time since
// Maxwell; 64 bits are added in two halves.
func (x *expansion) adds(width uint8, n int) int {
	if width == 64 {
		return 2 * n
	}
	if x.sm >= 50 {
		return (n + 1) / 2
	}
	return n
}

// expand charges for an instruction that stays itself, or becomes several.
func (p *bill) expand(d *node) {
	inst := d.in.Inst
	class := inst.Form.Class
	switch {
	case inst.Op == isa.OpMov && inst.Type().Bits() == 32 && d.in.Ops[1].Kind == ir.OperandVec:
		p.charge(d, 1, class) // PRMT
	case free(inst):
	case (inst.Op == isa.OpSet || inst.Op == isa.OpSlct) && p.x.sm >= 70:
		p.charge(d, 1, class) // SETP, and SEL for each half (latencies, cnot)
		p.charge(d, int(max(d.width/32, 1)), isa.Misc)
	case class == isa.Integer && (inst.Op == isa.OpDiv || inst.Op == isa.OpRem):
		p.divide(d)
	case class == isa.Integer && d.kind == pureNode, class == isa.Misc && d.kind == pureNode:
		p.charge(d, p.integer(d), class)
	case class == isa.SpecialFP32, class == isa.SpecialFP64, class == isa.SpecialFP16:
		p.sequence(d, findSequence(inst))
	case class == isa.FP64 && (inst.Op == isa.OpMin || inst.Op == isa.OpMax) && p.x.sm >= 70:
		p.charge(d, 3, class) // DSETP, and FSEL for each half: own estimate
	case class == isa.Tensor:
		p.charge(d, p.x.matrix(inst), class)
	case d.contracted, (inst.Op == isa.OpFma || inst.Op == isa.OpMad) && inst.Type().IsFloat():
		p.chargeFloat(d, 1, 1, class)
	default:
		p.charge(d, 1, class)
	}
}

// free are the instructions that leave no trace: register pairs are built in
// place, parameters are operands from the constant bank, signs are part of
// floating-point operands.
func free(inst *isa.Inst) bool {
	switch inst.Op {
	case isa.OpMov, isa.OpCvta:
		return inst.Op == isa.OpMov || inst.Space == isa.Global || inst.Space == isa.Const
	case isa.OpNeg, isa.OpAbs:
		return inst.Type().IsFloat()
	case isa.OpLd, isa.OpSt:
		return inst.Space == isa.Param || inst.Space == isa.ParamEntry || inst.Space == isa.ParamFunc
	case isa.OpRet, isa.OpExit, isa.OpTrap:
		return true // control.go
	}
	return false
}

// integer returns the instructions of an integer operation that is no division.
func (p *bill) integer(d *node) int {
	wide := false
	for _, a := range d.args {
		wide = wide || p.nodes[a].width == 64
	}
	inst := d.in.Inst
	if !wide && (inst.Op == isa.OpMul || inst.Op == isa.OpMad) { // .hi, 16 bits
		return p.x.multiply(32)
	}
	row, ok := halves[inst.Op]
	switch {
	case ok && wide:
		return row.wide
	case ok:
		return row.short
	case wide:
		return 2 // in halves
	}
	return 1
}

// divide charges for an integer quotient or remainder. By a constant it is a
// shift, or a product's high half and a shift (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication", 1994), one more
// instruction where the dividend has a sign and one for the remainder.
func (p *bill) divide(d *node) {
	inst := d.in.Inst
	c, ok := p.isConst(d.args[1])
	if !ok || c == 0 {
		p.sequence(d, findSequence(inst))
		return
	}
	n, power := 2, c&(c-1) == 0
	if power {
		n = 1
	}
	if inst.Type().IsSigned() {
		n++
	}
	if inst.Op == isa.OpRem && !power {
		n++
	}
	if d.width == 64 {
		n *= 4 // products of 64 bits: own estimate
	}
	p.charge(d, n, isa.Integer)
}

// sequence charges for what the machine does step by step.
func (p *bill) sequence(d *node, s *sequence) {
	class := d.in.Inst.Form.Class
	if class == isa.Integer {
		class = isa.SpecialFP32 // MUFU.RCP
	}
	float := isa.FP32
	switch class {
	case isa.SpecialFP64:
		float = isa.FP64
	case isa.SpecialFP16:
		float = isa.FP16
	}
	p.charge(d, s.special, class)
	p.chargeFloat(d, s.float, s.fma, float)
	p.charge(d, s.integer, isa.Integer)
	p.charge(d, s.convert, isa.BitConvert)
	p.charge(d, s.misc, isa.Misc)
	control := s.branch
	if p.x.sm >= 70 {
		control *= 3 // BSSY, BRA, BSYNC
	}
	p.charge(d, control, isa.Control)
}

// matrix returns the machine's matrix instructions for one of PTX. The shapes
// of mma are those of the machine, but Volta does m8n8k4 in four steps
// (HMMA.884); wmma's are made of HMMA.884, HMMA.1688 on Turing and HMMA.16816
// since Ampere (own estimate from the operations in each).
func (x *expansion) matrix(inst *isa.Inst) int {
	float, integer := inst.TensorOps()
	per := float + integer
	switch {
	case inst.Op == isa.OpMma && float == 2*4*8*8*4, inst.Op == isa.OpWmmaMma && x.sm < 75:
		per = 512
	case inst.Op == isa.OpWmmaMma && x.sm < 80:
		per = 2048
	case inst.Op == isa.OpWmmaMma:
		per = 4096
	}
	return max(1, int((float+integer+per-1)/max(per, 1)))
}

// branchTable is the number of instructions of brx.idx: the table's entry is
// read, then BRX (own estimate).
const branchTable = 3
