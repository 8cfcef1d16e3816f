package machine

import (
	"math/bits"

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
	case free(inst):
	case class == isa.Integer && d.kind == pureNode, class == isa.Misc && d.kind == pureNode:
		p.charge(d, p.integer(d), class)
	case class == isa.SpecialFP32, class == isa.SpecialFP64, class == isa.SpecialFP16:
		p.special(d)
	case class == isa.FP64 && (inst.Op == isa.OpMin || inst.Op == isa.OpMax) && p.x.sm >= 70:
		p.charge(d, 3, class) // DSETP, and FSEL for each half: own estimate
	case class == isa.Tensor:
		p.charge(d, p.x.matrix(inst), class)
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

// integer returns the instructions of an integer operation. Those of 64 bits
// are done in halves. Division: the counts are own estimates for the inline
// sequences around I2F, MUFU.RCP and F2I.
func (p *bill) integer(d *node) int {
	inst := d.in.Inst
	wide := 1
	for _, a := range d.args {
		if p.nodes[a].width == 64 {
			wide = 2
		}
	}
	switch inst.Op {
	case isa.OpDiv, isa.OpRem:
		return p.divide(d, inst)
	case isa.OpMul, isa.OpMad: // .hi, 16 bits
		if d.width == 64 {
			return 8 // mul.hi.u64: four IMAD.WIDE and the carries, own estimate
		}
		return p.x.multiply(32)
	case isa.OpMin, isa.OpMax:
		return wide * wide // two ISETP, two SEL
	case isa.OpAbs, isa.OpPopc, isa.OpClz, isa.OpBfind:
		if inst.Op == isa.OpClz {
			return 2 * wide // FLO.U32, IADD: latencies data
		}
		return 2*wide - 1
	case isa.OpBrev:
		return 2 * wide // BREV, SGXT: latencies data
	case isa.OpBfe, isa.OpBfi:
		return 2 * wide // SHF, LOP3 or SGXT since Volta, own estimate
	case isa.OpMul24, isa.OpMad24:
		return 2 // SGXT, IMAD: latencies data
	case isa.OpCnot:
		return 2 * wide // ISETP, SEL: latencies data
	case isa.OpFns:
		return 20 // a loop, own estimate
	}
	return wide
}

// divide returns the instructions of an integer quotient or remainder.
func (p *bill) divide(d *node, inst *isa.Inst) int {
	n := 20
	if inst.Type().IsSigned() {
		n = 26
	}
	if c, ok := p.isConst(d.args[1]); ok && c != 0 {
		n = 2 // IMAD.HI, SHF
		if c&(c-1) == 0 {
			n = 1 // SHF or LOP3
		}
		if inst.Type().IsSigned() {
			n++
		}
		if inst.Op == isa.OpRem && c&(c-1) != 0 {
			n++ // IMAD
		}
	}
	if d.width == 64 {
		return 4 * n // called out of line when general
	}
	return n
}

// matrix returns the machine's matrix instructions for one of PTX: HMMA.884
// does the m8n8k4 steps of Volta, HMMA.1688 and HMMA.16816 the larger shapes of
// Turing and Ampere (own estimate from the operations in each).
func (x *expansion) matrix(inst *isa.Inst) int {
	float, integer := inst.TensorOps()
	ops := int(float + integer)
	per := 4096 // HMMA.16816
	switch {
	case x.sm < 75:
		per = 512
	case x.sm < 80:
		per = 2048
	}
	return max(1, (ops+per-1)/per)
}

// sequence is what a special function becomes: instructions by class.
type sequence struct{ special, float, integer, control int }

// special charges for a special function.
func (p *bill) special(d *node) {
	inst := d.in.Inst
	s := specialSequence(inst)
	float := isa.FP32
	switch inst.Form.Class {
	case isa.SpecialFP64:
		float = isa.FP64
	case isa.SpecialFP16:
		float = isa.FP16
	}
	p.charge(d, s.special, inst.Form.Class)
	p.charge(d, s.float, float)
	p.charge(d, s.integer, isa.Integer)
	p.charge(d, s.control, isa.Control)
}

// specialSequence is the table of special functions: the common path, without
// the subroutine for extreme operands. ex2, sin: latencies data (FSETP, FMUL,
// MUFU.EX2, FMUL; FMUL, MUFU.SIN). The others are own estimates from the same
// scheme: .approx without .ftz scales subnormal operands by a guarded FMUL
// before and after; .rn corrects MUFU's result by Newton steps and tests for
// the operands that need the subroutine.
func specialSequence(inst *isa.Inst) sequence {
	ftz := inst.Has(isa.ModFtz)
	approx := inst.Has(isa.ModApprox)
	f64 := inst.Form.Class == isa.SpecialFP64
	switch inst.Op {
	case isa.OpDiv:
		switch {
		case approx && ftz:
			return sequence{special: 1, float: 1}
		case approx, inst.Has(isa.ModFull):
			return sequence{special: 1, float: 4}
		case f64:
			return sequence{special: 1, float: 9, integer: 3, control: 1}
		}
		return sequence{special: 1, float: 7, control: 1}
	case isa.OpSin, isa.OpCos:
		return sequence{special: 1, float: 1}
	case isa.OpTanh:
		return sequence{special: 1}
	case isa.OpRcp, isa.OpSqrt, isa.OpRsqrt:
		switch {
		case f64 && approx && ftz:
			return sequence{special: 1, integer: 1}
		case f64:
			return sequence{special: 1, float: 7, integer: 4, control: 1}
		case !approx:
			return sequence{special: 1, float: 3, integer: 3, control: 1}
		}
	}
	if ftz || inst.Form.Class == isa.SpecialFP16 {
		return sequence{special: 1}
	}
	return sequence{special: 1, float: 3}
}

// branchTable is the number of instructions of brx.idx: the table's entry is
// read, then BRX (own estimate).
const branchTable = 3
