package emulator

import (
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/internal/order"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Where buffers lie the manifest says. Where variables lie, and the stack, the functions and the
// windows of generic addresses, is the machine's matter (PTX ISA 5.1, 6.4.2): a program that uses
// the number of such an address for anything but an address has another one elsewhere. So these
// numbers have an origin of their own, order.Located, which goes along with what is computed from them.
// It ends where the number does not count: at an access, in a difference of two, in a comparison with
// another one or with null, and in the bits that an alignment fixes. Who decides on what is left has
// decided on what belongs to the machine.

// locationUse is what an instruction makes of the number of an address.
type locationUse uint8

const (
	passesLocation   locationUse = iota
	endsLocation                 // what comes of it does not depend on it
	reachesLocation              // it accesses what lies there; what it stores keeps its origin
	comparesLocation             // that of two does not depend on where both lie
)

// fixedBits are the bits of an address that are taken for fixed by an alignment: those of a vector.
const fixedBits = 15

// locationRule says of an instruction what it makes of numbers of addresses.
func (c *compiler) locationRule(in *ir.Instr, t *originRule) {
	x := in.Inst
	for i := range in.Ops() {
		kind := in.Ops()[i].Kind
		t.locates = t.locates || in.Call == nil && (kind == ir.OperandVar || kind == ir.OperandFunc) && len(x.Form.Memory) == 0
	}
	t.locates = t.locates || x.Op == isa.OpAlloca || x.Op == isa.OpStacksave
	immediate := func(n int) (uint64, bool) {
		if n >= len(in.Ops()) {
			return 0, false
		}
		op := &in.Ops()[n]
		if op.Kind == ir.OperandReg {
			return constIn(c.origins, in.PC, op.Reg)
		}
		return op.Imm, op.Kind == ir.OperandImm
	}
	switch x.Op {
	case isa.OpIsspacep:
		t.location = endsLocation
	case isa.OpAnd:
		if bits, ok := immediate(2); ok && bits <= fixedBits && c.isWhole(in, &in.Ops()[1]) {
			t.location = endsLocation
		}
	case isa.OpSub, isa.OpMin, isa.OpMax:
		t.location = comparesLocation
	case isa.OpSetp, isa.OpSet:
		t.location = comparesLocation
		if bits, ok := immediate(len(x.Form.Operands) - 1); ok && bits == 0 && x.Type().Bits() == 64 { // null
			t.location = endsLocation
		}
	}
	if len(x.Form.Memory) > 0 || x.Form.Matrices || x.Form.Tensor != 0 || x.Form.Class == isa.Tensor {
		t.location, t.data = reachesLocation, nil
		for i := range in.Ops() {
			c.dataPlaces(in, &in.Ops()[i], t)
		}
	}
}

// isWhole reports whether an operand, if it is the number of an address, is so from its lowest bit on.
func (c *compiler) isWhole(in *ir.Instr, op *ir.Operand) bool {
	if op.Kind != ir.OperandReg {
		return true
	}
	form := c.form(c.fn)
	v := form.Use(in.PC, op.Reg)
	if v == ssa.NoValue || form.Values[v].Kind != ssa.Def {
		return true
	}
	switch from := &c.mod.Instrs[form.Values[v].PC]; from.Inst.Op {
	case isa.OpMov, isa.OpCvta, isa.OpCvt, isa.OpAdd, isa.OpSub, isa.OpMad, isa.OpSelp, isa.OpAlloca, isa.OpStacksave, isa.OpMapa:
		return true
	default:
		return from.Call != nil || len(from.Inst.Form.Memory) > 0
	}
}

// dataPlaces finds the origins of what a store, or an atomic, takes to memory.
func (c *compiler) dataPlaces(in *ir.Instr, op *ir.Operand, t *originRule) {
	for i := range op.Elems() {
		c.dataPlaces(in, &op.Elems()[i], t)
	}
	if op.Kind == ir.OperandReg && (in.Inst.IsStore() || in.Inst.IsAtomic()) && slices.Contains(in.Uses(), op.Reg) && !c.givenOrigin(in.PC, op.Reg) {
		t.data = append(t.data, c.originPlace(op.Reg))
	}
}

// locate accounts for the numbers of addresses among the operands of an instruction.
func (w *warp) locate(in *inst, m uint32, from *order.Lanes) {
	t := in.rule
	switch t.location {
	case endsLocation:
		from.Leave(m)
	case reachesLocation:
		foreign := from.Foreign()
		from.Leave(m)
		for _, place := range t.data {
			of := w.originsOf(w.frame, place)
			from.Add(of.Located()&m, order.Located, 0)
			from.Add(of.Foreign()&m, order.Foreign, 0)
		}
		if foreign != 0 && t.reaches {
			w.reachLocal(in, m, from)
		}
	case comparesLocation:
		both, n := m, 0
		for _, place := range t.uses[:min(2, len(t.uses))] {
			both &= w.originsOf(w.frame, place).Located()
			n++
		}
		if n == 2 || n == 1 && t.locates {
			from.Leave(both)
			m &^= both
		}
	}
	if t.locates {
		from.Add(m, order.Located, 0)
	}
}

// reachLocal says of an access that what it finds is undefined where it comes to local memory by a number
// that another thread has handed over: that memory is private to a thread (PTX ISA 5.1.5), and the number
// leads each to its own, or anywhere. What is stored is missing elsewhere, too.
func (w *warp) reachLocal(in *inst, m uint32, from *order.Lanes) {
	t, foreign, lost := in.rule, uint32(0), uint32(0)
	for _, place := range t.uses {
		if !slices.Contains(t.data, place) {
			foreign |= w.originsOf(w.frame, place).Foreign() & m
		}
	}
	addr := w.addresses(in)
	for lane := range lanesOf(foreign) {
		if space, _ := address.Resolve(in.mem.space, addr[lane]); space == isa.Local {
			lost |= 1 << lane
		}
	}
	if lost == 0 {
		return
	}
	why := w.worker.launch.log.Note(order.Private, uint32(in.pc))
	if from.Add(lost, order.Undefined, why); t.copied {
		w.decide(in, order.Undefined, why)
	}
}
