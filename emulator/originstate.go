package emulator

import (
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/internal/order"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// An mbarrier object is opaque, and so is the state that an arrival returns: what their bits
// are is the machine's matter (PTX ISA 9.7.15.16.1, 9.7.15.16.13). A program may hand a state
// on to who asks for its phase or its count; whatever else it does with it is undefined, and
// so is what any other access finds in a valid object, or leaves there.

// addObject says of an access by something else than an operation on mbarrier objects that
// what it finds or leaves is undefined if it touches one.
func (w *warp) addObject(in *inst, lane int, space isa.Space, addr, n uint64, from *order.Lanes) {
	if space != isa.Shared || in.mem != nil && in.mem.object != nil {
		return
	}
	if owner, at := w.ownerOf(address.Resolve(space, addr)); owner.Holds(at, n) {
		from.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
	}
}

// asksState reports whether an instruction computes with the bits of a state.
func (c *compiler) asksState(in *ir.Instr) bool {
	if !c.hasStates() || in.Call != nil || in.Inst.Form.Sync == isa.SyncPhase || in.Inst.IsStore() {
		return false
	}
	if handsOn(in) || in.Inst.Op == isa.OpMbarrierPendingCount || in.Inst.Op == isa.OpShfl {
		return false
	}
	form, seen := c.form(c.fn), map[ssa.ValueID]bool{}
	for _, r := range in.Uses() {
		if r != in.Guard && c.isState(form, form.Use(in.PC, r), seen) {
			return true
		}
	}
	return false
}

// handsOn reports whether an instruction does no more with a value than to hand it on.
func handsOn(in *ir.Instr) bool { return in.Inst.Op == isa.OpMov || in.Inst.Op == isa.OpSelp }

// hasStates reports whether an instruction of the function returns a state.
func (c *compiler) hasStates() bool {
	has, known := c.stateful[c.fn]
	if known {
		return has
	}
	instrs := c.fn.ir.Instrs()
	for i := range instrs {
		has = has || returnsState(&instrs[i])
	}
	if c.stateful == nil {
		c.stateful = map[*function]bool{}
	}
	c.stateful[c.fn] = has
	return has
}

// returnsState reports whether an instruction returns the state of an mbarrier object.
func returnsState(in *ir.Instr) bool {
	x := in.Inst
	return x != nil && x.Form.Sync == isa.SyncObject && x.Op != isa.OpMbarrierCheckLayout && len(in.Defs()) > 0
}

// isState reports whether a value may be a state, or a part of one, that moves have handed on.
func (c *compiler) isState(form *ssa.Form, v ssa.ValueID, seen map[ssa.ValueID]bool) bool {
	if v == ssa.NoValue || seen[v] {
		return false
	}
	seen[v] = true
	value := &form.Values[v]
	args := value.Args
	switch value.Kind {
	case ssa.Def:
		in := &c.mod.Instrs[value.PC]
		if returnsState(in) {
			return true
		}
		if !handsOn(in) {
			return false
		}
		args = form.Uses(value.PC)
	case ssa.Select:
		args = args[ssa.SelectNew:]
	}
	for _, a := range args {
		if c.isState(form, a, seen) {
			return true
		}
	}
	return false
}

// stateOperand returns the operand of an instruction that is to be a state, and where it stands;
// nil if there is none.
func stateOperand(in *ir.Instr, i *inst) (*ir.Operand, operand) {
	switch {
	case in.Inst.Op == isa.OpMbarrierPendingCount:
		return &in.Ops[1], i.a
	case i.mem != nil && i.mem.object != nil && i.mem.object.byState:
		n := slices.IndexFunc(in.Inst.Form.Operands, func(s isa.OperandSpec) bool { return s.Kind == isa.Address })
		return &in.Ops[n+1], i.b
	}
	return nil, operand{}
}

// wrongStates finds the lanes whose operand is for certain no state that an arrival has returned:
// before it was one expected that had not arrived.
func wrongStates(o operand) func(*warp, *inst, uint32) uint32 {
	return func(w *warp, _ *inst, m uint32) (wrong uint32) {
		for lane := range lanesOf(m) {
			if b := mbarrier.Unpack(wide(w.slot(o))[lane]); b.Pending < 1 || b.Pending > b.Expected {
				wrong |= 1 << lane
			}
		}
		return wrong
	}
}

// mayBeState reports whether a value is a state on some way on which it comes here. What
// memory, another lane or a caller has handed over may be one.
func (c *compiler) mayBeState(form *ssa.Form, v ssa.ValueID, seen map[ssa.ValueID]bool) bool {
	if v == ssa.NoValue || seen[v] {
		return false
	}
	seen[v] = true
	value := &form.Values[v]
	args := value.Args
	switch value.Kind {
	case ssa.Def:
		in := &c.mod.Instrs[value.PC]
		if handsOn(in) {
			sources := in.Ops[1:min(3, len(in.Ops))] // the third of selp chooses
			return slices.ContainsFunc(sources, func(op ir.Operand) bool { return c.isStateFrom(form, in, &op, seen) })
		}
		return returnsState(in) || in.Call != nil || in.Inst.CrossLane() || len(in.Inst.Form.Memory) > 0
	case ssa.Entry:
		return true
	case ssa.Select:
		args = args[ssa.SelectNew:]
	}
	return slices.ContainsFunc(args, func(a ssa.ValueID) bool { return c.mayBeState(form, a, seen) })
}

// isStateFrom reports whether an operand of an instruction may be a state: not a constant, and not
// what an instruction has computed. Of halves nothing is asked.
func (c *compiler) isStateFrom(form *ssa.Form, in *ir.Instr, op *ir.Operand, seen map[ssa.ValueID]bool) bool {
	if op.Kind != ir.OperandReg {
		return op.Kind != ir.OperandImm
	}
	return c.mayBeState(form, form.Use(in.PC, op.Reg), seen)
}
