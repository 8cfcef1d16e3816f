package emulator

import (
	"fmt"
	"math/bits"
	"slices"

	"hyptx/internal/check"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Reads of registers that nobody has written. Which reads may be such is known before
// anything runs, from the overlay of values (package ssa): of a value that is undefined, or
// may be by the way that a thread has come. Only functions that have some pay: of each
// register that may hold one a mask says in which lanes it was written.
//
// A move is no read: compilers move what is undefined where it does not matter, and what
// was moved is as undefined as before. Nor is selp, one of whose operands does not count.

// unwrittenRegs are the registers of a function that may be read before they are written.
type unwrittenRegs struct {
	form  *ssa.Form
	maybe []bool // by value: it may be undefined
	// seen are the masks, places of predicates, by register; 0 stands for none, as all are
	// moved up by one.
	seen map[ir.RegID]int32
}

// unwrittenIn returns those of the function being filled, nil if there are none.
func (c *compiler) unwrittenIn() *unwrittenRegs {
	if u, known := c.unwritten[c.fn]; known {
		return u
	}
	if c.unwritten == nil {
		c.unwritten = map[*function]*unwrittenRegs{}
	}
	c.unwritten[c.fn] = c.findUnwritten()
	return c.unwritten[c.fn]
}

func (c *compiler) findUnwritten() *unwrittenRegs {
	if c.fn.ir.Library {
		return nil
	}
	form := c.form(c.fn)
	if !slices.ContainsFunc(form.Values, func(v ssa.Value) bool { return v.Kind == ssa.Undef }) {
		return nil
	}
	u := &unwrittenRegs{form: form, maybe: make([]bool, len(form.Values)), seen: map[ir.RegID]int32{}}
	for again := true; again; {
		again = false
		for id := range form.Values {
			if !u.maybe[id] && id > 0 && u.mayBe(&form.Values[id], c.mod) {
				u.maybe[id], again = true, true
			}
		}
	}
	read := false
	for i := range c.fn.ir.Instrs() {
		in := &c.fn.ir.Instrs()[i]
		for _, r := range u.reads(in) {
			read = read || r != ir.NoReg
		}
	}
	if !read {
		return nil
	}
	for id, maybe := range u.maybe {
		if r := form.Values[id].Reg; maybe && u.seen[r] == 0 && !c.writtenElsewhere(r) {
			c.fn.preds++
			u.seen[r] = int32(c.fn.preds)
		}
	}
	return u
}

// mayBe reports whether a value may be undefined, as far as others are known to.
func (u *unwrittenRegs) mayBe(v *ssa.Value, m *ir.Module) bool {
	args := v.Args
	switch v.Kind {
	case ssa.Undef:
		return true
	case ssa.Select:
		args = args[ssa.SelectNew:]
	case ssa.Def:
		if m.Instrs[v.PC].Inst == nil || m.Instrs[v.PC].Inst.Op != isa.OpMov {
			return false
		}
		args = u.form.Uses(v.PC)
	case ssa.Entry:
		return false
	}
	return slices.ContainsFunc(args, func(a ssa.ValueID) bool { return u.maybe[a] })
}

// writtenElsewhere reports whether something writes a register that no hook sees: a call, a
// reduction at a barrier, a caller.
func (c *compiler) writtenElsewhere(r ir.RegID) bool {
	for _, f := range slices.Concat(c.fn.ir.Params, c.fn.ir.Returns) {
		if f.Var == nil && f.Reg == r {
			return true
		}
	}
	return slices.ContainsFunc(c.fn.ir.Instrs(), func(in ir.Instr) bool {
		return (in.Call != nil || isTerminator(&in) && in.Inst.Form.Sync == 0 || isBarrier(in.Inst)) && slices.Contains(in.Defs(), r)
	})
}

// reads returns the registers that an instruction reads and that may be undefined there.
func (u *unwrittenRegs) reads(in *ir.Instr) (regs []ir.RegID) {
	moves := in.Call == nil && in.Inst != nil && (in.Inst.Op == isa.OpMov || in.Inst.Op == isa.OpSelp)
	values := u.form.Uses(in.PC)
	for i, r := range in.Uses() {
		if inGroup(in.Inst.Op) && slices.Contains(in.Defs(), r) {
			continue // of an accumulator that may not count (scale-d) nobody knows yet
		}
		if u.maybe[values[i]] && (!moves || r == in.Guard) {
			regs = append(regs, r)
		}
	}
	return regs
}

// checkReads puts before an instruction a look at the registers that it reads, if they may
// be unwritten.
func (c *compiler) checkReads(in *ir.Instr, guarded inst) {
	if !c.prog.checked {
		return
	}
	u := c.unwrittenIn()
	if u == nil {
		return
	}
	for _, r := range u.reads(in) {
		seen := u.seen[r]
		if seen == 0 {
			continue
		}
		i := noInst(in.PC)
		i.pa, i.paFlip = noPred, fullMask
		if r != in.Guard && guarded.guard >= 0 {
			i.pa, i.paFlip = guarded.guard, guarded.flip
		}
		name := c.fn.ir.Regs[r].Name
		i.exec = func(w *warp, in *inst, m uint32) {
			if m &= w.pred(in.pa, in.paFlip) &^ w.preds[seen-1]; m != 0 {
				w.noteRegister(in, m, name)
			}
		}
		c.append(i)
	}
}

// checkTerminatorReads is checkReads for what ends a segment.
func (c *compiler) checkTerminatorReads(in *ir.Instr) {
	if c.prog.checked && in.Inst != nil && c.productsOf(in) != nil {
		c.prog.unfiltered = true
	}
	if !c.prog.checked || c.unwrittenIn() == nil {
		return
	}
	guarded := noInst(in.PC)
	if in.Guard != ir.NoReg {
		guarded.guard = c.register(c.fn, in.Guard).off
		if in.GuardNot {
			guarded.flip = fullMask
		}
	}
	c.checkReads(in, guarded)
}

// noteRegister notes a read of a register that was not written.
func (w *warp) noteRegister(in *inst, m uint32, name string) {
	f := w.note(check.UnwrittenValue, in.pc, bits.TrailingZeros32(m))
	if f == nil {
		return
	}
	f.Said = fmt.Sprintf("no instruction on the thread's way here has written %s: a value that sets it first is missing, on this path at least", name)
}

// checkWrites makes an instruction note that its registers are written.
func (c *compiler) checkWrites(in *ir.Instr, i *inst) {
	u := c.unwrittenIn()
	if u == nil {
		return
	}
	var written []int32
	for _, r := range in.Defs() {
		if seen := u.seen[r]; seen != 0 {
			written = append(written, seen-1)
		}
	}
	if written == nil || i.exec == nil {
		return
	}
	var from []int32
	if in.Inst.Op == isa.OpMov {
		for k, r := range in.Uses() {
			if seen := u.seen[r]; seen != 0 && r != in.Guard && u.maybe[u.form.Uses(in.PC)[k]] {
				from = append(from, seen-1)
			}
		}
	}
	exec := i.exec
	i.exec = func(w *warp, in *inst, m uint32) {
		exec(w, in, m)
		known := fullMask
		for _, k := range from {
			known &= w.preds[k]
		}
		for _, k := range written {
			w.preds[k] = w.preds[k]&^m | known&m
		}
	}
}
