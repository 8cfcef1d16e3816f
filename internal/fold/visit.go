package fold

import (
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// This file says what a step of the propagation does: with an instruction, with
// the end of a block, with a call and with a return. Each may be visited again
// whenever an operand is better known; visits only ever lower what is known
// (see [cell]) and only ever add blocks and edges, so they come to an end.

// visitInstr evaluates what an instruction writes and, if it ends its block,
// where control goes.
func (f *Folding) visitInstr(ff *Func, pc ir.PC) {
	in := &ff.SSA.Func.Module.Instrs[pc]
	switch {
	case in.Call != nil:
		f.visitCall(ff, in)
	case len(in.Defs()) > 0:
		f.visitDefs(ff, in)
	}
	if b := int(in.Block); ff.SSA.Func.Blocks[b].End == pc+1 {
		f.visitEnd(ff, b)
	}
}

// visitDefs evaluates an instruction's definitions.
func (f *Folding) visitDefs(ff *Func, in *ir.Instr) {
	e := &f.eval
	*e = evaluator{f: f, ff: ff, in: in, out: e.out[:0]}
	if !ff.SSA.Unsettled(in.PC) { // else it is anything
		e.evaluate()
	}
	for i, r := range in.Defs() {
		f.revise(ff, ff.SSA.Written(in.PC, i), e.result(r))
	}
	f.visitSelects(ff, in)
}

// visitSelects evaluates the selects of a guarded instruction. They are users
// of the new values, but those may stay top while the guard is false.
func (f *Folding) visitSelects(ff *Func, in *ir.Instr) {
	if in.Guard != ir.NoReg {
		for _, v := range ff.SSA.Defs(in.PC) {
			f.visitValue(ff, v)
		}
	}
}

// visitEnd finds the edges that the end of block b can take.
func (f *Folding) visitEnd(ff *Func, b int) {
	fn := ff.SSA.Func
	block := fn.Blocks[b]
	if block.First == block.End || !fn.Module.Instrs[block.End-1].Inst.EndsBlock() {
		f.takeTo(ff, b, fn.BlockAt(block.End))
		return
	}
	in := &fn.Module.Instrs[block.End-1]
	guard := constCell(1)
	if in.Guard != ir.NoReg {
		guard = ff.cells[ff.SSA.Use(in.PC, in.Guard)]
		if in.GuardNot && guard.state == constant {
			guard.bits ^= 1
		}
	}
	if guard.state == top {
		return
	}
	if guard.state == varying || guard.bits == 0 {
		f.takeTo(ff, b, fn.BlockAt(block.End))
	}
	if guard.state == varying || guard.bits != 0 {
		f.takeTargets(ff, b, in)
	}
}

// takeTargets takes the edges of a branch, or of what else ends a block, that
// is executed.
func (f *Folding) takeTargets(ff *Func, b int, in *ir.Instr) {
	fn := ff.SSA.Func
	switch in.Inst.Form.Flow {
	case isa.FlowBranch:
		f.takeTo(ff, b, fn.BlockAt(in.Target))
	case isa.FlowSwitch:
		e := evaluator{f: f, ff: ff, in: in}
		index := e.source(&in.Ops()[0])
		switch {
		case index.state == top:
		case index.state == constant && index.sym == nil && index.bits < uint64(len(in.Targets())):
			f.takeTo(ff, b, fn.BlockAt(in.Targets()[index.bits]))
		default:
			for _, t := range in.Targets() {
				f.takeTo(ff, b, fn.BlockAt(t))
			}
		}
	default:
		f.takeTo(ff, b, ir.Exit)
	}
}

// takeTo takes the edge from b to block to.
func (f *Folding) takeTo(ff *Func, b, to int) {
	if i := ff.edge(b, to); i >= 0 {
		f.take(ff, b, i)
		return
	}
	panic("BUG: a block's end leads to no successor")
}

// visitCall passes what is known of the arguments to the callees.
func (f *Folding) visitCall(ff *Func, in *ir.Instr) {
	known := false
	for _, g := range in.Call.Callees(f.Kernel.Module) {
		callee := f.of[g]
		if callee == nil {
			continue
		}
		known = true
		f.reach(callee, 0)
		for i, p := range g.Params {
			if p.Var != nil {
				continue
			}
			if v := callee.SSA.Param(p.Reg); v != ssa.NoValue {
				f.lower(callee, v, f.argument(ff, in, i))
			}
		}
		for b := range g.Blocks {
			f.passReturned(callee, b, callSite{ff, in.PC})
		}
	}
	for i := range in.Defs() {
		if !known || len(in.Call.Callees(f.Kernel.Module)) == 0 {
			f.lower(ff, ff.SSA.Written(in.PC, i), cell{state: varying})
		}
	}
	f.visitSelects(ff, in)
}

// argument returns what is known of the i'th argument of a call.
func (f *Folding) argument(ff *Func, in *ir.Instr, i int) cell {
	if i >= len(in.Call.Args) {
		return cell{state: varying}
	}
	e := evaluator{f: f, ff: ff, in: in}
	return e.source(&in.Call.Args[i])
}

// returns tells the callers what block b of ff returns.
func (f *Folding) returns(ff *Func, b int) {
	for _, site := range f.callers[ff.SSA.Func] {
		if site.ff.reached[site.ff.SSA.Func.Module.Instrs[site.pc].Block] {
			f.passReturned(ff, b, site)
		}
	}
}

// passReturned meets what callee returns at the end of block b into what the
// call at site writes.
func (f *Folding) passReturned(callee *Func, b int, site callSite) {
	fn := callee.SSA.Func
	if !callee.reached[b] || !callee.Passes(b, ir.Exit) {
		return
	}
	call := &site.ff.SSA.Func.Module.Instrs[site.pc]
	values := callee.SSA.Returned(b)
	next := 0
	for i, p := range fn.Returns {
		c := cell{state: varying}
		if p.Var == nil {
			c = callee.cells[values[next]]
			next++
		}
		if i >= len(call.Call.Returns) || call.Call.Returns[i].Kind != ir.OperandReg {
			continue
		}
		for d, r := range call.Defs() {
			if r == call.Call.Returns[i].Reg {
				f.lower(site.ff, site.ff.SSA.Written(site.pc, d), c)
			}
		}
	}
	f.visitSelects(site.ff, call)
}

// visitReturned passes v on to the callers if it is returned somewhere.
func (f *Folding) visitReturned(ff *Func, v ssa.ValueID) {
	if !ff.returns {
		return
	}
	for b := range ff.SSA.Func.Blocks {
		for _, r := range ff.SSA.Returned(b) {
			if r == v {
				f.returns(ff, b)
			}
		}
	}
}
