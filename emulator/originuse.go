package emulator

import (
	"math"
	"slices"

	"hyptx/internal/slice"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Whether an atomic's result is read decides what races with it: a reduction and an
// atomic whose result nobody needs are the same. A register may be read and yet not
// this value of it, where something else is written to it in between; so it is the
// value that is followed, through the joins of paths and guarded definitions.

// readBy reports whether an instruction of a slice, a guard or a call may read what in
// writes.
func (c *compiler) readBy(of *slice.Slice, in *ir.Instr) bool {
	return c.registersReadBy(of, in, in.Defs())
}

// registersReadBy is readBy of some of the registers that in writes.
func (c *compiler) registersReadBy(of *slice.Slice, in *ir.Instr, regs []ir.RegID) bool {
	needs := func(form *ssa.Form, pc ir.PC, v ssa.ValueID) bool { return c.needs(of, form, pc, v) }
	return c.valuesReadBy(in, regs, func(ir.PC) bool { return false }, needs) || c.exchanged(of, regs)
}

// stateReadBy is readBy for the state that an arrival at an mbarrier returns, but for
// those who wait for the end of a phase: they read only which phase it is. Moves hand it on.
func (c *compiler) stateReadBy(of *slice.Slice, in *ir.Instr) bool {
	moved := func(pc ir.PC) bool { return c.mod.Instrs[pc].Inst != nil && handsOn(&c.mod.Instrs[pc]) }
	return c.valuesReadBy(in, in.Defs(), moved, func(form *ssa.Form, pc ir.PC, v ssa.ValueID) bool {
		return c.needs(of, form, pc, v) && c.mod.Instrs[pc].Inst.Form.Sync != isa.SyncPhase && !moved(pc)
	}) || c.exchanged(of, in.Defs())
}

// valuesReadBy reports whether an instruction that needs a value reads some of the registers
// that in writes, or what instructions have made of them that hand it on.
func (c *compiler) valuesReadBy(in *ir.Instr, regs []ir.RegID, handOn func(ir.PC) bool, needs func(*ssa.Form, ir.PC, ssa.ValueID) bool) bool {
	form := c.form(c.fn)
	seen := map[ssa.ValueID]bool{}
	var work []ssa.ValueID
	for i, r := range in.Defs() {
		if slices.Contains(regs, r) {
			work = append(work, form.Written(in.PC, i))
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == ssa.NoValue || seen[v] {
			continue
		}
		seen[v] = true
		for _, u := range form.Users(v) {
			if u.Value != ssa.NoValue {
				work = append(work, u.Value)
			} else if handOn(u.PC) {
				for i := range c.mod.Instrs[u.PC].Defs() {
					work = append(work, form.Written(u.PC, i))
				}
			}
			if u.Value == ssa.NoValue && needs(form, u.PC, v) {
				return true
			}
		}
	}
	return c.returnedFrom(form, seen)
}

// functionOf numbers what an atomic does to a word: two that do the same have one number. 0 is
// of those that are too many.
func (c *compiler) functionOf(x *isa.Inst) uint8 {
	if c.functions == nil {
		c.functions = map[string]uint8{}
	}
	name := x.Sub.String() + " " + x.Type().String()
	if x.Has(isa.ModNoftz) {
		name += " noftz"
	}
	n, known := c.functions[name]
	if !known && len(c.functions) < math.MaxUint8 {
		n = uint8(len(c.functions) + 1)
		c.functions[name] = n
	}
	return n
}

// needs reports whether instruction pc reads a value for a slice: because it is run,
// or because the value decides.
func (c *compiler) needs(of *slice.Slice, form *ssa.Form, pc ir.PC, v ssa.ValueID) bool {
	in := &c.mod.Instrs[pc]
	return of.Run.Has(pc) || in.Call != nil || isTerminator(in) || in.Guard != ir.NoReg && form.Use(pc, in.Guard) == v
}

// returnedFrom reports whether the function returns one of some values in a register.
func (c *compiler) returnedFrom(form *ssa.Form, values map[ssa.ValueID]bool) bool {
	for b := range c.fn.ir.Blocks {
		if slices.ContainsFunc(form.Returned(b), func(v ssa.ValueID) bool { return values[v] }) {
			return true
		}
	}
	return false
}

// exchanged reports whether an instruction of a slice reads, of other lanes, one of
// some registers: they may have come another way, on which it is the last to write it.
func (c *compiler) exchanged(of *slice.Slice, regs []ir.RegID) bool {
	instrs := c.fn.ir.Instrs()
	for i := range instrs {
		x := &instrs[i]
		if !x.Inst.CrossLane() || !of.Run.Has(x.PC) {
			continue
		}
		if ops := ofOthers(x); ops != nil {
			if slices.ContainsFunc(ops, func(op ir.Operand) bool { return op.Kind == ir.OperandReg && slices.Contains(regs, op.Reg) }) {
				return true
			}
			continue
		}
		for _, r := range x.Uses() {
			if r != x.Guard && slices.Contains(regs, r) {
				return true
			}
		}
	}
	return false
}

// ofOthers returns the operands of which an exchange reads those of other lanes, nil if
// that may be all: each lane reads its own member mask, and in a shuffle its own source lane.
func ofOthers(in *ir.Instr) []ir.Operand {
	switch in.Inst.Op {
	case isa.OpShfl, isa.OpVote, isa.OpMatch, isa.OpRedux:
		return in.Ops()[1:2]
	case isa.OpElect, isa.OpActivemask:
		return []ir.Operand{}
	}
	return nil
}

// form returns what the registers of a function hold.
func (c *compiler) form(fn *function) *ssa.Form {
	f := c.ssas[fn]
	if f == nil {
		if c.ssas == nil {
			c.ssas = map[*function]*ssa.Form{}
		}
		f = ssa.Build(fn.ir)
		c.ssas[fn] = f
	}
	return f
}
