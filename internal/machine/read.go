package machine

import (
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// read adds the nodes of an instruction and says what it leaves in registers.
// A guarded instruction leaves a choice between its result and what the
// register held before; a guarded branch only a condition for its copy.
func (b *builder) read(in *ir.Instr) {
	guard := id(0)
	if in.Guard != ir.NoReg {
		guard = b.at(b.s.Use(in.PC, in.Guard))
		if in.GuardNot {
			guard = b.not(guard)
		}
	}
	if in.Inst.Form.Flow == isa.FlowBranch {
		b.conds[b.cur] = guard
		return
	}
	results := b.results(in, guard)
	olds := b.s.Defs(in.PC)
	for i := range in.Defs() {
		v := b.s.Written(in.PC, i)
		b.set(v, results[i])
		if all := olds[i]; all != v && all != ssa.NoValue {
			old := b.at(b.s.Values[all].Args[ssa.SelectOld])
			b.set(all, b.choose(guard, results[i], old, false))
		}
	}
}

// results returns the nodes of an instruction's definitions.
func (b *builder) results(in *ir.Instr, guard id) []id {
	n := len(in.Defs())
	if n == 1 && len(in.Ops()) >= 2 && in.Call == nil {
		if k, ok := b.scalar(in); ok {
			return []id{k}
		}
	}
	whole := b.whole(in, guard)
	if n <= 1 {
		return []id{whole}
	}
	out := make([]id, n)
	for i, r := range in.Defs() {
		out[i] = b.fixedOrPure(whole, node{kind: partNode, width: widthOf(b.s.Func.Regs[r].Type), args: []id{whole}, imm: uint64(i)})
	}
	return out
}

// fixedOrPure adds a part of a node: next to it.
func (b *builder) fixedOrPure(whole id, part node) id {
	if b.nodes[whole].kind == effectNode {
		return b.fixed(part)
	}
	return b.add(part)
}

// scalar knows the instructions that become something else than themselves:
// copies, which are the value copied; parameters, which are operands from the
// constant bank; conversions between integers; selections; and integer
// arithmetic, which becomes sums or is simplified. ok is false for the rest,
// which whole adds as it is.
func (b *builder) scalar(in *ir.Instr) (id, bool) {
	width := widthOf(b.s.Func.Regs[in.Defs()[0]].Type)
	if in.Ops()[0].Kind != ir.OperandReg {
		return 0, false
	}
	switch in.Inst.Op {
	case isa.OpMov:
		if in.Ops()[1].Kind == ir.OperandVec {
			return 0, false
		}
		n := b.source(in, &in.Ops()[1])
		return n, b.nodes[n].width == width
	case isa.OpCvta:
		if s := in.Inst.Space; s != isa.Global && s != isa.Const || in.Ops()[1].Kind != ir.OperandReg {
			return 0, false
		}
		return b.source(in, &in.Ops()[1]), true
	case isa.OpLd:
		return b.parameter(in, width)
	case isa.OpCvt:
		return b.convert(in, width)
	case isa.OpSelp:
		args := b.sources(in)
		return b.choose(args[2], args[0], args[1], true), true
	}
	if !in.Inst.Type().IsFloat() && in.Inst.Type().Lanes() == 1 && !in.Inst.WritesCC() && !in.Inst.ReadsCC() && !in.Inst.Has(isa.ModSat) {
		return b.integer(in, width)
	}
	return 0, false
}

// convert reads a conversion between integers.
func (b *builder) convert(in *ir.Instr, width uint8) (id, bool) {
	to, from := in.Inst.Types[0], in.Inst.Types[1]
	if to.IsFloat() || from.IsFloat() || in.Inst.Has(isa.ModSat) {
		return 0, false
	}
	n := b.source(in, &in.Ops()[1])
	have := int(b.nodes[n].width)
	switch {
	case to.Bits() == from.Bits() && have == to.Bits() && int(width) == have:
		return n, true
	case from.Bits() == 32 && to.Bits() == 64 && have == 32 && width == 64:
		return b.widen(n, from.IsSigned()), true
	case have == 64 && from.Bits() >= 32 && to.Bits() == 32 && width == 32:
		return b.narrow(n, 0), true
	}
	return 0, false
}

// integer reads integer and predicate operations. What is linear becomes a sum,
// which ptxas arranges anew: the PTX's order of additions says little about the
// machine's.
func (b *builder) integer(in *ir.Instr, width uint8) (id, bool) {
	args := b.sources(in)
	for _, a := range args {
		if a == 0 {
			return 0, false
		}
	}
	switch {
	case in.Inst.Mul == isa.WIDE:
		return b.wide(in, args, width)
	case width == 32 || width == 64:
		if n, ok := b.sum(in, args, width); ok {
			return n, true
		}
	}
	if in.Inst.Op == isa.OpNot && width == 1 {
		return b.not(args[0]), true
	}
	if !logical(in.Inst.Op) {
		return 0, false
	}
	if in.Inst.Op == isa.OpSetp {
		b.shifted(in.Inst, args)
	}
	if n, ok := b.simplify(in, args, width); ok {
		return n, true
	}
	return b.add(node{kind: pureNode, width: width, in: in, args: args}), true
}

// logical reports whether simplify may be asked about an operation.
func logical(op isa.Op) bool {
	switch op {
	case isa.OpSetp, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpShr, isa.OpMin, isa.OpMax, isa.OpDiv, isa.OpRem:
		return true
	}
	return false
}

// sum reads what can be written as a linear form.
func (b *builder) sum(in *ir.Instr, args []id, width uint8) (id, bool) {
	if widthOf(in.Inst.Type()) != width || in.Inst.Mul == isa.HI_ {
		return 0, false
	}
	for _, a := range args[:min(len(args), 2)] {
		if b.nodes[a].width != width && in.Inst.Op != isa.OpShl {
			return 0, false
		}
	}
	switch in.Inst.Op {
	case isa.OpAdd:
		return b.sumNode(args[0], args[1], 1), true
	case isa.OpSub:
		return b.sumNode(args[0], args[1], -1), true
	case isa.OpNeg:
		n := b.linear(b.sumOf(args[0]).scale(-1))
		b.madeOf(n, args[0], -1, 0, 0)
		return n, true
	case isa.OpMul:
		return b.times(args[0], args[1]), true
	case isa.OpMad:
		return b.sumNode(b.times(args[0], args[1]), args[2], 1), true
	case isa.OpShl:
		if c, ok := b.isConst(args[1]); ok && c < uint64(width) && b.nodes[args[0]].width == width {
			return b.linear(b.sumOf(args[0]).scale(1 << c)), true
		}
	}
	return 0, false
}

// wide reads mul.wide and mad.wide of 32-bit factors: an index times the size
// of an element, mostly. By a constant it is a term of a 64-bit sum, so that it
// meets the additions that make an address of it.
func (b *builder) wide(in *ir.Instr, args []id, width uint8) (id, bool) {
	if width != 64 || b.nodes[args[0]].width != 32 || b.nodes[args[1]].width != 32 {
		return 0, false
	}
	signed := in.Inst.Type().IsSigned()
	x, y := args[0], args[1]
	if _, ok := b.isConst(x); ok {
		x, y = y, x
	}
	var p id
	if c, ok := b.isConst(y); ok {
		k := int64(c)
		if signed {
			k = value.SignExtend(c, 32)
		}
		p = b.linear(b.sumOf(b.widen(x, signed)).scale(k))
	} else {
		n := node{kind: wideNode, width: 64, args: []id{min(x, y), max(x, y)}}
		if signed {
			n.imm = 1
		}
		p = b.add(n)
	}
	if len(args) == 3 {
		p = b.sumNode(p, args[2], 1)
	}
	return p, true
}

// choose returns p ? yes : no.
func (b *builder) choose(p, yes, no id, selp bool) id {
	if c, ok := b.isConst(p); ok {
		if c != 0 {
			return yes
		}
		return no
	}
	if yes == no {
		return yes
	}
	// A second guarded definition for the other case leaves one choice.
	if n := &b.nodes[no]; n.kind == selNode && n.args[0] == b.not(p) {
		return b.choose(p, yes, n.args[1], selp)
	}
	n := node{kind: selNode, width: b.nodes[yes].width, args: []id{p, yes, no}}
	if selp {
		n.imm = 1
	}
	return b.add(n)
}

// sources returns the nodes of the source operands; 0 for a kind that only
// whole knows.
func (b *builder) sources(in *ir.Instr) []id {
	args := make([]id, 0, len(in.Ops()))
	for i := range in.Ops() {
		op := &in.Ops()[i]
		if op.Kind == ir.NoOperand || in.Inst.Form.Operands[i].Write {
			continue
		}
		switch op.Kind {
		case ir.OperandImm, ir.OperandReg, ir.OperandSReg, ir.OperandVar, ir.OperandFunc:
			args = append(args, b.source(in, op))
		default:
			args = append(args, 0)
		}
	}
	return args
}

// whole adds an instruction as it is.
func (b *builder) whole(in *ir.Instr, guard id) id {
	n := node{kind: effectNode, in: in, guard: guard, args: make([]id, 0, len(in.Ops()))}
	if len(in.Defs()) > 0 {
		n.width = widthOf(b.s.Func.Regs[in.Defs()[0]].Type)
	}
	for i := range in.Ops() {
		op := &in.Ops()[i]
		spec := &in.Inst.Form.Operands[i] // an accumulator is read, and written
		if op.Kind == ir.NoOperand || spec.Write && !spec.Read && op.Kind != ir.OperandAddr {
			continue
		}
		switch op.Kind {
		case ir.OperandAddr:
			if n.base != 0 { // of a copy's destination
				n.args = append(n.args, n.base)
			}
			n.base, n.v, n.offset = b.address(in, op)
		case ir.OperandVec, ir.OperandBrackets:
			n.args = b.elements(n.args, in, op)
		case ir.OperandImm, ir.OperandReg, ir.OperandSReg, ir.OperandVar, ir.OperandFunc:
			n.args = append(n.args, b.source(in, op))
		}
	}
	if in.Call != nil {
		n.varies = true
		for i := range in.Call.Args {
			if in.Call.Args[i].Kind == ir.OperandReg {
				n.args = append(n.args, b.source(in, &in.Call.Args[i]))
			}
		}
	}
	if pure(in) {
		n.kind, n.guard = pureNode, 0
		return b.add(n)
	}
	n.varies = n.varies || in.Inst.IsLoad() || in.Inst.IsAtomic() || in.Inst.Form.Class == isa.Texture
	k := b.fixed(n)
	b.effects = append(b.effects, k)
	return k
}

// elements adds what stands in a vector, or in brackets.
func (b *builder) elements(args []id, in *ir.Instr, op *ir.Operand) []id {
	for j := range op.Elems() {
		switch e := op.Elems()[j]; {
		case e.Kind == ir.OperandVec:
			args = b.elements(args, in, &e)
		case e.Kind == ir.OperandAddr && e.Reg != ir.NoReg:
			e.Kind, e.Type = ir.OperandReg, b.s.Func.Regs[e.Reg].Type
			args = append(args, b.source(in, &e))
		case e.Kind != ir.OperandSink && e.Kind != ir.OperandAddr:
			args = append(args, b.source(in, &e))
		}
	}
	return args
}

// pure reports whether an instruction only computes its result from its
// operands.
func pure(in *ir.Instr) bool {
	for i := range in.Ops() {
		if in.Ops()[i].Kind == ir.OperandAddr {
			return false
		}
	}
	return len(in.Defs()) > 0 && in.Inst.Computes() && !in.Inst.ReadsCC() && !in.Inst.WritesCC()
}
