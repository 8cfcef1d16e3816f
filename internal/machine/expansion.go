package machine

import (
	"math/bits"

	"hyptx/internal/pipe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// multiply returns the instructions of a product of two registers, the low
// half: IMAD, on Maxwell and Pascal three XMAD (Maxwell's multiplier is 16 bits
// wide: CUDA Binary Utilities, instruction sets); 64 bits are made of four
// (IMAD.WIDE.U32, two IMAD, IADD: own estimate).
func (x *expansion) multiply(width uint8) tally {
	n := 1
	if x.xmad() {
		n = 3
	}
	if width == 64 {
		return tally{mul: 4 * n}
	}
	return tally{mul: n}
}

// xmad reports whether the machine multiplies 16 bits by 16.
func (x *expansion) xmad() bool { return x.sm >= 50 && x.sm < 70 }

// multiplyWide returns the instructions of a 64-bit product of 32-bit factors:
// IMAD.WIDE since Volta, IMAD and IMAD.HI before Maxwell, XMADs between (own
// estimate).
func (x *expansion) multiplyWide() tally {
	switch {
	case x.sm >= 70:
		return tally{wide: 1}
	case x.xmad():
		return tally{mul: 5}
	}
	return tally{mul: 1, wide: 1}
}

// term returns the instructions that multiply a term of a sum by its
// coefficient; product: one of them adds something else as well.
func (x *expansion) term(width uint8, coef int64, inner bool, k kind) (n tally, product bool) {
	power := bits.OnesCount64(uint64(max(coef, -coef))) == 1 // shifted terms may be subtracted
	switch {
	case inner && k == mulNode:
		return x.multiply(32), true
	case inner && k == wideNode:
		return x.multiplyWide(), true
	case inner && k == extNode && coef == 1:
		return tally{add: 2}, true // IADD, LEA.HI.X.SX32
	case inner && k == extNode && x.sm >= 70:
		return tally{wide: 1}, true // IMAD.WIDE
	case inner && k == extNode && power && x.xmad():
		return tally{shift: 2}, false // SHL, SHR, as with several pointers
	case inner && k == extNode && power:
		return tally{shift: 1, add: 2}, true // SHR, ISCADD, IADD.X
	case inner && k == extNode:
		return x.multiplyWide(), true
	case coef == 1, coef == -1:
		return tally{}, false
	case width == 64 && power:
		return tally{add: 2}, true // LEA, LEA.HI.X
	case width == 64:
		return x.multiply(64), true
	case power:
		return tally{add: 1}, true // SHL, LEA, ISCADD
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

// expand charges for an instruction that stays itself, or becomes several, by
// the rule of its column in the table. Instructions that leave no trace have
// returned before: register pairs are built in place, parameters are operands
// from the constant bank, signs are part of floating-point operands.
func (p *bill) expand(d *node) {
	inst := d.in.Inst
	class, cost := inst.Form.Class, inst.Form.Cost
	switch {
	case cost.Rule == isa.CostMove && inst.Type().Bits() == 32 && d.in.Ops()[1].Kind == ir.OperandVec:
		p.charge(d, 1, class) // PRMT
	case free(inst):
	case cost.Rule == isa.CostSelect && p.x.sm >= 70:
		p.charge(d, 1, class) // SETP, and SEL for each half (latencies, cnot)
		p.charge(d, int(max(d.width/32, 1)), isa.Misc)
	case cost.Rule == isa.CostDivide && class == isa.Integer:
		p.divide(d)
	case class == isa.Integer && d.kind == pureNode && kindOf(d, class) == pipe.Convert:
		p.scan(d)
	case class == isa.Integer && d.kind == pureNode, class == isa.Misc && d.kind == pureNode:
		p.charge(d, p.integer(d), class)
	case cost.Rule == isa.CostSteps, cost.Rule == isa.CostDivide:
		p.sequence(d)
	case cost.Rule == isa.CostExtremum && class == isa.FP64 && p.x.sm >= 70:
		p.charge(d, 3, class) // DSETP, and FSEL for each half: own estimate
	case class == isa.Tensor:
		p.charge(d, p.x.matrix(inst), class)
	case d.contracted, cost.Rule == isa.CostFMA && inst.Type().IsFloat():
		p.constants(d)
		p.chargeFloat(d, 1, 1, class, kindOf(d, class))
	case p.x.gathers(inst):
		p.charge(d, 1, isa.Control) // BRA.CONV
		p.charge(d, 1, class)
	default:
		p.charge(d, 1, class)
	}
}

// gathers reports whether a warp is asked in front of an instruction whether its lanes are
// together: since Volta at barriers of the CTA that PTX does not call aligned. If so BRA.CONV
// goes straight to the barrier; if not, a function meets the lanes first, which runs
// seldom. (ptxas' macros __cuda_sm70_barrier_sync_N, and a note on what they become on
// sm_87 by who watched it run; cooperative groups' sync is such a barrier.)
func (x *expansion) gathers(inst *isa.Inst) bool {
	return x.sm >= 70 && inst.Op == isa.OpBarrier && !inst.Has(isa.ModAligned)
}

// scan charges for what counts or turns bits: the multi-function unit does 32 of them (POPC, FLO,
// BREV), and integer instructions what is left.
func (p *bill) scan(d *node) {
	n, halves := p.integer(d), 1
	if p.nodes[d.args[0]].width == 64 {
		halves = 2
	}
	p.charge(d, halves, isa.Integer)
	p.chargeFloat(d, n-halves, 0, isa.Integer, pipe.IntAdd)
}

// free reports whether an instruction leaves no trace.
func free(inst *isa.Inst) bool {
	switch inst.Form.Cost.Rule {
	case isa.CostMove, isa.CostEnd: // what ends threads is counted in control.go
		return true
	case isa.CostWindow:
		return inst.Space == isa.Global || inst.Space == isa.Const
	case isa.CostSign:
		return inst.Type().IsFloat()
	case isa.CostMemory:
		return inst.Space == isa.Param || inst.Space == isa.ParamEntry || inst.Space == isa.ParamFunc
	}
	return false
}

// integer returns the instructions of an integer operation that is no division.
func (p *bill) integer(d *node) int {
	cost := d.in.Inst.Form.Cost
	for _, a := range d.args {
		if p.nodes[a].width == 64 {
			return cost.Wide
		}
	}
	if cost.Rule == isa.CostProduct || cost.Rule == isa.CostFMA { // .hi, 16 bits
		return p.x.multiply(32).all()
	}
	return cost.Short
}

// divide charges for an integer quotient or remainder. By a constant it is a
// shift, or a product's high half and a shift (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication", 1994), one more
// instruction where the dividend has a sign and one for the remainder.
func (p *bill) divide(d *node) {
	inst := d.in.Inst
	c, ok := p.isConst(d.args[1])
	if !ok || c == 0 {
		p.sequence(d)
		return
	}
	n, power := 2, c&(c-1) == 0
	if power {
		n = 1
	}
	if inst.Type().IsSigned() {
		n++
	}
	if inst.Op == isa.OpRem && !power { // the product and the difference
		n++
	}
	if d.width == 64 {
		n *= 4 // products of 64 bits: own estimate
	}
	w := tally{shift: n}
	if !power {
		w = tally{wide: (n + 1) / 2, shift: n / 2}
	}
	p.integers(d, w)
}

// sequence charges for what the machine does step by step. The test for extreme operands
// ends in a branch (BSSY, BRA, BSYNC since Volta) around the call of a subroutine.
func (p *bill) sequence(d *node) {
	s, class := d.in.Inst.Steps(p.x.sm), d.in.Inst.Form.Class
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
	w := tally{add: s.Integer}
	if d.in.Inst.Form.Class == isa.Integer { // a third of a quotient's are products
		w = tally{wide: s.Integer / 3, add: s.Integer - s.Integer/3}
	}
	around := 0
	if p.x.sm >= 70 {
		around = s.Branch
	}
	p.charge(d, around, isa.Control)
	if s.First {
		p.charging(tests, func() { p.integers(d, w) })
		p.charge(d, s.Branch, isa.Control)
	}
	p.charge(d, s.Special, class)
	p.charging(tests, func() { p.charge(d, s.Check, class) })
	if s.Operands && !s.First {
		p.charging(tests, func() { p.integers(d, w) })
	}
	p.chargeFloat(d, s.Float, s.FMA, float, floatKinds[float])
	if !s.Operands {
		p.integers(d, w)
	}
	p.charge(d, s.Convert, isa.BitConvert)
	p.charge(d, s.Misc, isa.Misc)
	if !s.First {
		p.charge(d, s.Branch, isa.Control)
	}
	p.charge(d, around, isa.Control)
}

// charging charges for what is something beside its node's value.
func (p *bill) charging(as role, charge func()) {
	p.as = as
	charge()
	p.as = computes
}

// matrix returns the machine's matrix instructions for one of PTX. The shapes
// of mma are those of the machine, but Volta does m8n8k4 in four steps
// (HMMA.884); wmma's are made of HMMA.884, HMMA.1688 on Turing and HMMA.16816
// since Ampere (own estimate from the operations in each).
func (x *expansion) matrix(inst *isa.Inst) int {
	float, integer := inst.TensorOps()
	per, fragments := float+integer, inst.Form.Cost.Rule == isa.CostFragments
	switch {
	case !fragments && float == 2*4*8*8*4, fragments && x.sm < 75:
		per = 512
	case fragments && x.sm < 80:
		per = 2048
	case fragments:
		per = 4096
	}
	return max(1, int((float+integer+per-1)/max(per, 1)))
}

// tiles returns how many of the machine's n matrix instructions for one of PTX have results of
// their own, the others add to these: each goes 8 bytes deep on Volta (four halves, HMMA.884),
// 16 on Turing (HMMA.1688) and 32 since Ampere (HMMA.16816).
func (x *expansion) tiles(inst *isa.Inst, n int) int {
	_, _, k := inst.Shape()
	bits := 64
	switch {
	case x.sm >= 80:
		bits = 256
	case x.sm >= 75:
		bits = 128
	}
	deep := max(1, k*inst.Matrices()[1].Bits()/bits)
	return max(1, n/deep)
}

// branchTable is the number of instructions of brx.idx: the table's entry is
// read, then BRX (own estimate).
const branchTable = 3
