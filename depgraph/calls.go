package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What passes through calls. A function is analysed once, for all of its calls
// together: a formal parameter depends on that argument of every call that the
// launch can execute, what a call returns on every place where the callee
// returns. Parameters come in registers, or as variables in the .param space
// that the caller stores to and the callee loads from, and the other way round
// for results; a variable has a node of its own, which depends on all who may
// put something into it.

// passed finds the i'th argument of all calls of function fn.
func (g *Graph) passed(fn int32, i int) {
	for _, c := range g.Kernel.callers[fn] {
		if g.executes(c) {
			g.dependOn(c, edgeArgument)
			g.argument(c, i)
		}
	}
}

// argument finds the i'th argument of the call at c.
func (g *Graph) argument(c site, i int) {
	args := g.Kernel.Module.Instrs[c.pc].Call.Args
	if i >= len(args) {
		return
	}
	switch a := &args[i]; a.Kind {
	case ir.OperandReg:
		g.use(c, a.Reg, edgeArgument)
	case ir.OperandVar:
		g.variable(a.Var, edgeArgument)
	}
}

// returned finds what the call at s returns in register r.
func (g *Graph) returned(s site, r ir.RegID) {
	k := g.Kernel
	for _, fn := range k.callees(s.pc) {
		g.returnedBy(fn, k.returnIndex(s, r))
	}
}

// returnedBy finds the i'th return parameter of function fn, and what decides
// where the function returns, for what it returns is chosen there.
func (g *Graph) returnedBy(fn int32, i int) {
	k := g.Kernel
	returns := k.Funcs[fn].Returns
	if i >= len(returns) {
		return
	}
	if v := returns[i].Var; v != nil {
		g.variable(v, edgeReturned)
	} else {
		for _, v := range k.returnedValues(fn, i) {
			g.source(v, edgeReturned)
		}
	}
	for b := range k.Funcs[fn].Blocks {
		if g.folding(fn).Passes(b, ir.Exit) {
			g.leaving(fn, b)
		}
	}
}

// contents finds what a variable in the .param space of a call holds: what
// function fn, whose it is, stores there, what callers pass in it and what
// callees return in it.
func (g *Graph) contents(fn int32, v *ir.Var) {
	k := g.Kernel
	g.stores(&ref{space: isa.Param, places: []place{{v: v}}}, false)
	for i, p := range k.Funcs[fn].Params {
		if p.Var == v {
			g.passed(fn, i)
		}
	}
	for _, pc := range k.Funcs[fn].Calls {
		s := site{fn, pc}
		for i, r := range k.Module.Instrs[pc].Call.Returns {
			if r.Kind != ir.OperandVar || r.Var != v || !g.executes(s) {
				continue
			}
			g.dependOn(s, edgeReturned)
			for _, callee := range k.callees(pc) {
				g.returnedBy(callee, i)
			}
		}
	}
}

// callees returns the functions of Funcs that the call at pc may call.
func (k *Kernel) callees(pc ir.PC) []int32 {
	var fns []int32
	for _, g := range k.Module.Instrs[pc].Call.Callees(k.Module) {
		if i, known := k.index[g]; known {
			fns = append(fns, i)
		}
	}
	return fns
}

// returnIndex returns the place of register r among the actual return
// parameters of the call at s.
func (k *Kernel) returnIndex(s site, r ir.RegID) int {
	for i, op := range k.Module.Instrs[s.pc].Call.Returns {
		if op.Kind == ir.OperandReg && op.Reg == r {
			return i
		}
	}
	panic("BUG: a call writes a register that is no return parameter")
}

// returnedValues returns the values that function fn may return as its i'th
// return parameter; none if that is a variable.
func (k *Kernel) returnedValues(fn int32, i int) []value {
	returns := k.Funcs[fn].Returns
	if i >= len(returns) || returns[i].Var != nil {
		return nil
	}
	at := 0 // its place among those in registers
	for _, p := range returns[:i] {
		if p.Var == nil {
			at++
		}
	}
	var vs []value
	for b := range k.Funcs[fn].Blocks {
		if r := k.SSA[fn].Returned(b); r != nil {
			vs = append(vs, value{fn, r[at]})
		}
	}
	return vs
}
