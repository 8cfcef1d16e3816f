package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// result returns what the value that instruction s writes to register r points
// to.
func (ps *pointers) result(s site, in *ir.Instr, r ir.RegID) (p pointer) {
	t := ps.k.Funcs[s.fn].Regs[r].Type
	switch in.Inst.Op {
	case isa.OpLd, isa.OpLdu:
		return ps.loaded(s, in, r)
	case isa.OpAtom:
		return fromMemory(t)
	case isa.OpMov:
		return ps.moved(s, in, t)
	case isa.OpAdd:
		return ps.sum(s, in, 1)
	case isa.OpSub:
		return ps.sum(s, in, -1)
	case isa.OpMad: // a scaled index plus, usually, a base
		return ps.scaled(s, in, &in.Ops()[1], &in.Ops()[2]).sum(ps.operand(s, &in.Ops()[3]))
	case isa.OpShl, isa.OpMul:
		return ps.scaled(s, in, &in.Ops()[1], &in.Ops()[2])
	case isa.OpCvta:
		return ps.operand(s, &in.Ops()[1])
	case isa.OpSelp, isa.OpSlct, isa.OpMin, isa.OpMax:
		return ps.operand(s, &in.Ops()[1]).join(ps.operand(s, &in.Ops()[2]))
	case isa.OpAnd:
		return ps.masked(s, in)
	}
	return ps.mixed(s, in, t)
}

// mixed is the result of an operation of which nothing is known but its
// operands: made from all of them. Only of some is it sure that what is left
// is still an address in the object of an operand.
func (ps *pointers) mixed(s site, in *ir.Instr, t isa.Type) pointer {
	p := number
	for i := range in.Ops() {
		switch op := &in.Ops()[i]; op.Kind {
		case ir.OperandAddr, ir.OperandBrackets:
			return fromMemory(t)
		case ir.OperandReg, ir.OperandVar, ir.OperandVec:
			if !in.Inst.Form.Operands[i].Write {
				p = p.sum(ps.operand(s, op))
			}
		}
	}
	switch in.Inst.Op {
	case isa.OpCvt, isa.OpOr, isa.OpXor, isa.OpShfl, isa.OpMapa:
		return p
	}
	return p.orNumber()
}

// masked is an alignment, which keeps the object, or a selection by bits,
// which leaves it or nothing.
func (ps *pointers) masked(s site, in *ir.Instr) pointer {
	a, b := &in.Ops()[1], &in.Ops()[2]
	p := ps.operand(s, a).sum(ps.operand(s, b))
	for _, op := range []*ir.Operand{a, b} {
		if n, ok := ps.constant(s, op); ok && n < 0 && n >= -maxAlignment {
			return p
		}
	}
	return p.orNumber()
}

// maxAlignment is the largest alignment to which a mask is taken to round an
// address down.
const maxAlignment = 4096

// fromMemory is what a loaded value may point to: everything, unless it is too
// narrow for an address of global memory.
func fromMemory(t isa.Type) pointer {
	if t.Bits() <= 32 {
		return fromWord
	}
	return anywhere
}

// fromWord is what a 32-bit word from memory may point to.
var fromWord = pointer{loaded: true, alts: number.alts}

// loaded returns what a load gives: an object of its own for each place of the
// kernel's parameter block.
func (ps *pointers) loaded(s site, in *ir.Instr, r ir.RegID) pointer {
	p := ps.address(s, &in.Ops()[1])
	if !p.known() {
		return p
	}
	space := normal(in.Inst.Space)
	if len(p.objs) != 1 || !p.exact || p.any || !isParam(ps.objects[p.objs[0]].v) || space != isa.Param && space != isa.Generic {
		return fromMemory(ps.k.Funcs[s.fn].Regs[r].Type)
	}
	t := in.Inst.Type()
	if t.Bits() < ps.k.Module.AddressSize {
		return number // too narrow for an address
	}
	off := ps.objects[p.objs[0]].v.Offset + int(p.off)
	for i, e := range in.Ops()[0].Elems() {
		if e.Reg == r {
			off += i * t.Bytes()
		}
	}
	return at(ps.number(object{param: off}), 0)
}

// address returns what a memory operand points to.
func (ps *pointers) address(s site, op *ir.Operand) pointer {
	p := number
	switch {
	case op.Var != nil:
		p = at(ps.number(object{v: op.Var}), 0)
	case op.Reg != ir.NoReg:
		p = ps.get(value{s.fn, ps.k.use(s, op.Reg)})
	}
	if p.exact {
		p.off += int64(op.Imm)
	}
	return p
}

// handle returns what an operand that names a texture or surface points to: a parameter
// holds the name itself.
func (ps *pointers) handle(s site, op *ir.Operand) pointer {
	if op.Var != nil && isParam(op.Var) {
		return at(ps.number(object{param: op.Var.Offset}), 0)
	}
	return ps.address(s, op)
}

// moved copies; a pointer that is packed from parts, or a part of one, keeps
// its objects.
func (ps *pointers) moved(s site, in *ir.Instr, t isa.Type) pointer {
	p := ps.operand(s, &in.Ops()[1])
	switch {
	case in.Ops()[0].Kind == ir.OperandVec:
		if p.any && t.Bits() <= 32 {
			return fromWord
		}
		return p.blur()
	case in.Ops()[1].Kind == ir.OperandVec && p.loaded:
		return anywhere
	}
	return p
}

// sum adds or subtracts. The offset stays exact when a number is added.
func (ps *pointers) sum(s site, in *ir.Instr, sign int64) pointer {
	a, b := &in.Ops()[1], &in.Ops()[2]
	p, q := ps.operand(s, a), ps.operand(s, b)
	r := p.sum(q)
	if r.any || !r.known() || len(p.objs)+len(q.objs) != 1 {
		return r
	}
	base, number := p, b
	if len(q.objs) == 1 {
		base, number = q, a
		if sign < 0 {
			return r
		}
	}
	if n, ok := ps.constant(s, number); ok && base.exact {
		r.off, r.exact = base.off+sign*n, true
	}
	return r
}

// maxScale is the largest scale, in powers of two, by which an index is not
// suspected to be half of an address that is being put together.
const maxScale = 16

// scaled is a product or a shift: a number, but for halves of addresses moved
// to their place.
func (ps *pointers) scaled(s site, in *ir.Instr, a, b *ir.Operand) pointer {
	p, q := ps.operand(s, a), ps.operand(s, b)
	r := p.sum(q)
	if !r.loaded || in.Inst.Type().Bits() < 64 {
		return r
	}
	limit := int64(1) << maxScale
	if in.Inst.Op == isa.OpShl {
		limit = maxScale
	}
	for _, op := range []*ir.Operand{a, b} {
		if n, ok := ps.constant(s, op); ok && n >= 0 && n <= limit {
			return r
		}
	}
	return anywhere
}
