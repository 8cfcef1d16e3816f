package fold

import (
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// evaluator evaluates one instruction over cells. It knows integers,
// predicates, selection and the movement of bits, exactly, and nothing of
// floating point: what it does not know varies. What an operation makes of
// numbers is said in package internal/value; here stands what operands are:
// registers and their types, packed vectors, addresses of variables, the
// kernel's parameters. The emulator's lanes compute on their own, and a test
// there (TestFoldAgrees) holds the two against each other.
type evaluator struct {
	f  *Folding
	ff *Func
	in *ir.Instr
	// out are the results, by register; what is missing varies.
	out []regCell
}

type regCell struct {
	reg  ir.RegID
	cell cell
}

// result returns the cell of definition r.
func (e *evaluator) result(r ir.RegID) cell {
	for _, o := range e.out {
		if o.reg == r {
			return o.cell
		}
	}
	return cell{state: varying}
}

// evaluate fills out.
func (e *evaluator) evaluate() {
	in := e.in
	if ssa.WritesTwice(in) { // what is in the register then is open
		return
	}
	switch in.Inst.Op {
	case isa.OpMov:
		e.mov()
	case isa.OpLd:
		e.ldParam()
	case isa.OpCvta:
		e.cvta()
	case isa.OpSetp:
		e.setp()
	case isa.OpSelp:
		e.selp()
	default:
		e.arithmetic()
	}
}

// set gives the register of a destination operand its cell: a result of type t
// takes the whole register, extended by its sign if t has one.
func (e *evaluator) set(op *ir.Operand, c cell, t isa.Type) {
	if op.Kind != ir.OperandReg {
		return
	}
	e.setReg(op.Reg, c, t)
}

// setReg is set for a register. A result narrower than the register is extended
// to it, so an interval must be read as the result's type first.
func (e *evaluator) setReg(r ir.RegID, c cell, t isa.Type) {
	if r == ir.NoReg {
		return
	}
	if c.state == constant && c.sym == nil {
		c.bits = value.Truncate(value.Extend(c.bits, t), e.ff.SSA.Func.Regs[r].Type.Bits())
	}
	if c.ends && t.Bits() < e.ff.SSA.Func.Regs[r].Type.Bits() {
		c = ranged(c.as(t))
	}
	e.out = append(e.out, regCell{r, c})
}

// source returns the cell of a source operand, extended to 64 bits by the
// operand's type; a predicate is 0 or 1.
func (e *evaluator) source(op *ir.Operand) cell {
	c := e.raw(op)
	if c.state != constant {
		if op.Neg {
			c = c.bare()
		}
		return c
	}
	if op.Type == isa.Pred {
		if op.Not {
			c.bits ^= 1
		}
		return c
	}
	if c.sym == nil {
		c.bits = value.Extend(c.bits, op.Type)
	}
	if op.Neg {
		if c.sym != nil {
			return cell{state: varying}
		}
		c.bits = value.Extend(-c.bits, op.Type)
	}
	return c
}

// raw returns the cell of an operand as it stands, not yet read as the type that
// the instruction takes it for.
func (e *evaluator) raw(op *ir.Operand) cell {
	switch op.Kind {
	case ir.OperandImm:
		return constCell(op.Imm)
	case ir.OperandReg:
		return e.ff.cells[e.ff.SSA.Use(e.in.PC, op.Reg)]
	case ir.OperandSReg:
		return e.f.consts.sreg(op.SReg)
	case ir.OperandVar:
		return cell{state: constant, sym: op.Var, bits: uint64(int64(op.Imm))}
	}
	return cell{state: varying}
}

// mov copies a value or packs and unpacks a vector (PTX ISA 9.7.10.3 and .4).
func (e *evaluator) mov() {
	d, a := &e.in.Ops()[0], &e.in.Ops()[1]
	switch {
	case d.Kind == ir.OperandVec && a.Kind == ir.OperandVec:
		for i := range min(len(d.Elems()), len(a.Elems())) {
			e.set(&d.Elems()[i], e.source(&a.Elems()[i]), a.Elems()[i].Type)
		}
	case d.Kind == ir.OperandVec:
		e.unpack(d, e.source(a), e.in.Inst.Type().Bits())
	case a.Kind == ir.OperandVec:
		e.set(d, e.pack(a, e.in.Inst.Type().Bits()), e.in.Inst.Type())
	default:
		e.set(d, e.source(a), e.in.Inst.Type())
	}
}

// unpack spreads a value of the given size over the elements of d.
func (e *evaluator) unpack(d *ir.Operand, c cell, bits int) {
	n := len(d.Elems())
	if c.sym != nil || n == 0 || bits > 64 {
		return
	}
	for i := range d.Elems() {
		part := c.bare()
		part.bits = value.Truncate(c.bits>>(i*bits/n), bits/n)
		e.set(&d.Elems()[i], part, isa.BitsType(bits/n))
	}
}

// pack joins the elements of a to a value of the given size.
func (e *evaluator) pack(a *ir.Operand, bits int) cell {
	n := len(a.Elems())
	if n == 0 || bits > 64 {
		return cell{state: varying}
	}
	all := constCell(0)
	for i := range a.Elems() {
		c := e.raw(&a.Elems()[i])
		if c.sym != nil {
			c = cell{state: varying}
		}
		if c.state != constant {
			return c.bare()
		}
		all.bits |= value.Truncate(c.bits, bits/n) << (i * bits / n)
	}
	return all
}

// ldParam reads the kernel's parameter block.
func (e *evaluator) ldParam() {
	in := e.in
	addr := &in.Ops()[1]
	t := in.Inst.Type()
	size := t.Bytes()
	base := e.paramAddress(addr)
	if s := in.Inst.Space; s != isa.Param && s != isa.ParamEntry { // there the same number is another place
		base = cell{state: varying}
	}
	elems := in.Ops()[:1]
	if in.Ops()[0].Kind == ir.OperandVec {
		elems = in.Ops()[0].Elems()
	}
	for i := range elems {
		c := base
		if base.state == constant {
			c = e.f.consts.load(int64(base.bits)+int64(i*size), size)
		}
		e.set(&elems[i], c, t)
	}
}

// paramAddress returns the place in the parameter block that an address names.
func (e *evaluator) paramAddress(addr *ir.Operand) cell {
	var c cell
	switch {
	case addr.Kind != ir.OperandAddr:
		return cell{state: varying}
	case addr.Var != nil:
		c = cell{state: constant, sym: addr.Var}
	case addr.Reg != ir.NoReg:
		c = e.ff.cells[e.ff.SSA.Use(e.in.PC, addr.Reg)]
	}
	if c.state != constant {
		return c.bare()
	}
	if c.sym == nil || c.sym.Space != isa.ParamEntry {
		return cell{state: varying}
	}
	return constCell(c.bits + uint64(int64(addr.Imm)) + uint64(c.sym.Offset))
}
