package emulator

import (
	"slices"

	"hyptx/internal/observe"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Somebody who debugs a program wants to be told what a thread does, who writes a word, or
// where a NaN comes from (package observe). What is compiled for that has its instructions
// wrapped, or pseudo-instructions before and behind them; what is not runs as ever. Which
// thread and which words are meant a launch says (LaunchConfig.Observer), so that kernels
// are compiled once. Such a launch has one worker: what is told comes in the order of the
// schedule.

// observed is what an instruction, or a pseudo-instruction, takes to be observed.
type observed struct {
	exec execFunc // what it does, nil of a pseudo-instruction
	step stepPlan
	// floats: it has results of floating point. read: they come from memory, or of bits, as they are, or nobody knows.
	// adds: memory has a result. kept are the operands that a result may write over, by
	// their number in step.reads.
	floats, read, adds bool
	kept               []int
	writes             writing
}

// writing is how an instruction writes memory.
type writing uint8

const (
	writesNothing  writing = iota
	writesEach             // each lane at its own address
	writesTogether         // all lanes together, or elsewhere
)

// stepPlan says where the operands of an instruction are.
type stepPlan struct {
	in            *ir.Instr
	fn            *ir.Func
	guard         int32
	flip          uint32
	reads, writes []valuePlace
	memory        []memoryPlace
	// factor is what the registers of an operand hold that are a factor of a product of matrices, NoType of others.
	factor isa.Type
}

// valuePlace is where a value is: in a register, a predicate, or nowhere, if it is a constant.
type valuePlace struct {
	name     string
	reg      ir.RegID
	typ      isa.Type
	at       operand
	pred     int32
	constant bool
	bits     uint64
}

// memoryPlace is an access: its address, its space, and how much of which type it is of.
type memoryPlace struct {
	location
	space isa.Space
	typ   isa.Type
	bytes int
}

// note keeps what the next instruction that is appended takes.
func (c *compiler) note(o observed) {
	n := len(c.prog.insts) + 1
	c.prog.observed = slices.Grow(c.prog.observed, max(n-len(c.prog.observed), 0))[:n]
	c.prog.observed[n-1] = o
}

// observeStep appends the pseudo-instruction that stands before an instruction or, with
// execStepEnd, behind it.
func (c *compiler) observeStep(in *ir.Instr, exec execFunc) {
	if !c.observing.Steps || c.fn.ir.Library {
		return
	}
	i := noInst(in.PC)
	i.exec = exec
	c.note(observed{step: c.stepPlan(in)})
	c.append(i)
}

// observe wraps a decoded instruction if somebody may ask for its results or its writes.
func (c *compiler) observe(in *ir.Instr, i *inst) {
	if c.fn.ir.Library {
		return
	}
	o := observed{exec: i.exec}
	if c.observing.Writes {
		o.writes = writingOf(in.Inst, i)
	}
	if c.observing.Floats {
		c.observeFloats(in, &o)
	}
	if c.observing.Floats && i.multiply != nil && i.multiply.product != nil { // its results lie in tensor memory
		o.step, i.exec = c.stepPlan(in), execProductObserved
		c.note(o)
		return
	}
	if !o.floats && o.writes == writesNothing {
		return
	}
	if o.step.in == nil {
		o.step = c.stepPlan(in)
	}
	i.exec = execObserved
	c.note(o)
}

// writingOf says how an instruction writes memory that several threads see.
func writingOf(x *isa.Inst, i *inst) writing {
	f := x.Form
	plain := i.mem != nil && i.mem.async == nil && i.mem.bulk == nil && i.mem.tensor == nil && i.mem.field == nil
	switch {
	case x.Op == isa.OpCpAsync, plain && x.PlainAccess() && (x.IsStore() || x.IsAtomic()):
		return writesEach
	case f.Async, f.Anywhere, f.Object == isa.Writes, f.Object == isa.Updates, slices.Contains(f.Memory, isa.Writes), slices.Contains(f.Memory, isa.Updates):
		return writesTogether // by a tensor map, at addresses that no operand names
	}
	return writesNothing
}

// observeFloats finds out whether results are to be looked at.
func (c *compiler) observeFloats(in *ir.Instr, o *observed) {
	x := in.Inst
	o.step = c.stepPlan(in)
	for i := range o.step.writes {
		o.floats = o.floats || observe.Looked(o.step.writes[i].typ)
	}
	if o.adds = x.IsAtomic() && len(o.step.memory) == 1 && x.PlainAccess() && observe.Looked(x.Type()); o.adds {
		o.floats = true
	}
	o.read = x.IsLoad() || x.Form.Object == isa.Reads || x.Op == isa.OpMov || x.Form.Tensor == isa.Reads
	if !o.floats {
		o.step = stepPlan{}
		return
	}
	for n := range o.step.reads {
		r := &o.step.reads[n]
		if slices.ContainsFunc(o.step.writes, func(w valuePlace) bool { return w.reg == r.reg && r.reg != ir.NoReg }) {
			o.kept = append(o.kept, n)
		}
	}
}

// stepPlan finds the places of an instruction's operands.
func (c *compiler) stepPlan(in *ir.Instr) stepPlan {
	p := stepPlan{in: in, fn: c.fn.ir, guard: noPred}
	if in.Guard != ir.NoReg {
		p.guard = c.register(c.fn, in.Guard).off
		if in.GuardNot {
			p.flip = fullMask
		}
		p.reads = c.addValue(p.reads, in.Guard, isa.Pred)
	}
	for n := range in.Ops() {
		spec := &in.Inst.Form.Operands[n]
		p.factor = factorType(in.Inst, spec.Name)
		c.addOperand(&p, &in.Ops()[n], spec.Write, spec.Read)
	}
	if call := in.Call; call != nil {
		if call.Callee == nil {
			c.addOperand(&p, &call.Address, false, false)
		}
		for n := range call.Args {
			c.addOperand(&p, &call.Args[n], false, false)
		}
		for n := range call.Returns {
			c.addOperand(&p, &call.Returns[n], true, false)
		}
	}
	if in.Inst.ReadsCC() {
		p.reads = c.addValue(p.reads, c.fn.ir.CC, isa.Pred)
	}
	if in.Inst.WritesCC() {
		p.writes = c.addValue(p.writes, c.fn.ir.CC, isa.Pred)
	}
	return p
}

// factorType returns what a register holds of a factor of a product of matrices, by the operand's name.
func factorType(x *isa.Inst, operand string) isa.Type {
	if x.Op != isa.OpMma && x.Op != isa.OpMmaSp && x.Op != isa.OpMmaSpOrdered && x.Op != isa.OpWgmmaMmaAsync && x.Op != isa.OpWgmmaMmaAsyncSp {
		return isa.NoType
	}
	at := map[string]int{"a": 1, "b": 2}[operand]
	if at == 0 {
		return isa.NoType
	}
	return map[isa.Type]isa.Type{isa.F16: isa.F16x2, isa.BF16: isa.BF16x2, isa.TF32: isa.TF32, isa.E4M3: isa.E4M3x4, isa.E5M2: isa.E5M2x4}[x.Matrices()[at]]
}

// addOperand adds what an operand is of an instruction.
func (c *compiler) addOperand(p *stepPlan, op *ir.Operand, write, read bool) {
	switch op.Kind {
	case ir.OperandReg:
		typ := c.shownType(p.in, op)
		if p.factor != isa.NoType && c.fn.ir.Regs[op.Reg].Type.Bits() == 32 {
			typ = p.factor
		}
		if !write || read {
			p.reads = c.addValue(p.reads, op.Reg, typ)
		}
		if write {
			p.writes = c.addValue(p.writes, op.Reg, typ)
		}
	case ir.OperandSReg:
		if p.in.Inst.Op != isa.OpMov && op.Type.Bits() > 1 { // whose result shows it
			p.reads = append(p.reads, valuePlace{name: op.SReg.String(), reg: ir.NoReg, typ: op.Type, at: c.special(sregKey{sreg: op.SReg}), pred: noPred})
		}
	case ir.OperandImm:
		if observe.Looked(op.Type) {
			p.reads = append(p.reads, valuePlace{reg: ir.NoReg, typ: op.Type, pred: noPred, constant: true, bits: op.Imm})
		}
	case ir.OperandAddr:
		if !c.addAccess(p, op) && op.Reg != ir.NoReg {
			p.reads = c.addValue(p.reads, op.Reg, c.fn.ir.Regs[op.Reg].Type)
		}
	case ir.OperandVec, ir.OperandBrackets:
		for i := range op.Elems() {
			c.addOperand(p, &op.Elems()[i], write, read)
		}
	}
	if op.Pair != ir.NoReg {
		p.writes = c.addValue(p.writes, op.Pair, isa.Pred)
	}
}

// addValue adds a register, once.
func (c *compiler) addValue(list []valuePlace, r ir.RegID, typ isa.Type) []valuePlace {
	if slices.ContainsFunc(list, func(v valuePlace) bool { return v.reg == r }) {
		return list
	}
	v := valuePlace{name: c.fn.ir.Regs[r].Name, reg: r, typ: typ, pred: noPred}
	if v.at = c.register(c.fn, r); c.fn.ir.Regs[r].Type == isa.Pred {
		v.typ, v.pred = isa.Pred, v.at.off
	}
	return append(list, v)
}

// shownType is the type that a register has for an instruction, or was declared with where
// that says more: mov.b32 moves numbers of floating point, too. Matrices have two halves
// in a register.
func (c *compiler) shownType(in *ir.Instr, op *ir.Operand) isa.Type {
	declared, typ := c.fn.ir.Regs[op.Reg].Type, op.Type
	switch {
	case in.Inst.CrossLane() && declared.Bits() == 32 && typ == isa.F16:
		return isa.F16x2
	case in.Inst.CrossLane() && declared.Bits() == 32 && typ == isa.BF16:
		return isa.BF16x2
	case typ.IsFloat() && typ.Bits() <= declared.Bits():
		return typ
	case typ.Bits() != declared.Bits() || typ.Kind() == isa.Bit:
		return declared
	}
	return typ
}

// addAccess adds the access at an address; false if it is none that has one place.
func (c *compiler) addAccess(p *stepPlan, op *ir.Operand) bool {
	x := p.in.Inst
	if x.Form.Unseen || x.Form.Apart || x.Form.Bulk || x.Form.Object != 0 || !(x.IsLoad() || x.IsStore() || x.IsAtomic()) {
		return false
	}
	m := memoryPlace{typ: x.Type()}
	if m.location, m.space = c.location(p.in, op); x.Form.Async {
		if len(p.memory) > 1 {
			return false
		}
		m.space, m.typ = [...]isa.Space{isa.Shared, isa.Global}[len(p.memory)], isa.B32
		m.bytes = int(p.in.Ops()[2].Imm)
	} else if m.bytes = m.typ.Bytes() * max(int(x.Vec), 1); x.CrossLane() && x.Op != isa.OpWmmaLoad && x.Op != isa.OpWmmaStore {
		m.bytes = 16 // a row of a matrix
	}
	p.memory = append(p.memory, m)
	return true
}
