package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// walker finds the instructions that an instruction directly depends on. It is
// the only place that knows what a dependence is: slices are its closure, the
// gonum graph its edges.
type walker struct {
	g *Graph
	// emit receives each instruction found; full says that what it computes
	// or stores is needed.
	emit func(on site, kind EdgeKind)
	// seen are the values already followed, params the .param variables.
	seen   marks
	params map[*ir.Var]bool
	// control: follow control dependences, too.
	control bool
}

// marks is a set of numbers.
type marks interface {
	// mark adds i and reports whether it was new.
	mark(i int32) bool
}

// bitMarks is a set of small numbers, mapMarks one of few.
type bitMarks []uint64

func (m bitMarks) mark(i int32) bool {
	old := m[i>>6]
	m[i>>6] |= 1 << (i & 63)
	return old>>(i&63)&1 == 0
}

type mapMarks map[int32]bool

func (m mapMarks) mark(i int32) bool {
	if m[i] {
		return false
	}
	m[i] = true
	return true
}

// use follows register r as instruction s reads it, unless it is a constant.
func (w *walker) use(s site, r ir.RegID, kind EdgeKind) {
	v := w.g.Kernel.use(s, r)
	if _, ok := w.g.folding(s.fn).Const(v); !ok {
		w.value(value{s.fn, v}, kind)
	}
}

// value follows a value to the instructions that write it. Constants are
// followed, too: a phi reads them from the register.
func (w *walker) value(v value, kind EdgeKind) {
	k := w.g.Kernel
	if v.id == ir.NoValue || !w.seen.mark(k.valueIndex(v)) {
		return
	}
	val := &k.SSA[v.fn].Values[v.id]
	switch val.Kind {
	case ir.Def:
		s := site{v.fn, val.PC}
		if k.Module.Instrs[val.PC].Call != nil {
			w.emit(s, Return)
			w.result(s, val.Reg)
			return
		}
		w.emit(s, kind)
	case ir.Phi:
		w.phi(v, val, kind)
	case ir.Select:
		guard, known := w.g.guard(site{v.fn, val.PC})
		if !known || guard {
			w.value(value{v.fn, val.Args[ir.SelectNew]}, kind)
		}
		if !known || !guard {
			w.value(value{v.fn, val.Args[ir.SelectOld]}, kind)
		}
	case ir.Entry:
		w.formal(v.fn, val.Reg)
	}
}

// phi follows the arguments that come along edges that can be taken.
func (w *walker) phi(v value, val *ir.Value, kind EdgeKind) {
	f := w.g.Kernel.Funcs[v.fn]
	fold := w.g.folding(v.fn)
	preds := f.Blocks[val.Block].Preds
	for i, p := range preds {
		if !edgeTaken(f, fold, p, int(val.Block)) {
			continue
		}
		w.value(value{v.fn, val.Args[i]}, kind)
		if w.control {
			w.branches(v.fn, p)
			w.end(v.fn, p)
		}
	}
	if len(val.Args) > len(preds) {
		w.value(value{v.fn, val.Args[len(preds)]}, kind)
	}
}

// edgeTaken reports whether control can pass from block p to block b.
func edgeTaken(f *ir.Func, fold *ir.FuncFolding, p, b int) bool {
	for i, s := range f.Blocks[p].Succs {
		if s == b && fold.Taken(p, i) {
			return true
		}
	}
	return false
}

// formal follows a formal parameter in a register to the arguments of all
// calls.
func (w *walker) formal(fn int32, r ir.RegID) {
	k := w.g.Kernel
	for i, p := range k.Funcs[fn].Params {
		if p.Var != nil || p.Reg != r {
			continue
		}
		for _, c := range k.callers[fn] {
			if w.g.executes(c) {
				w.emit(c, Argument)
				w.argument(c, i)
			}
		}
	}
}

// argument follows the i'th argument of the call at c.
func (w *walker) argument(c site, i int) {
	args := w.g.Kernel.Module.Instrs[c.pc].Call.Args
	if i >= len(args) {
		return
	}
	switch a := &args[i]; a.Kind {
	case ir.OperandReg:
		w.use(c, a.Reg, Argument)
	case ir.OperandVar:
		w.contents(c.fn, a.Var)
	}
}

// result follows what the call at s returns in register r.
func (w *walker) result(s site, r ir.RegID) {
	k := w.g.Kernel
	for _, fn := range k.callees(s.pc) {
		for _, v := range k.returned(s, fn, r) {
			w.value(v, Return)
		}
		if i := k.returnIndex(s, r); i < len(k.Funcs[fn].Returns) && k.Funcs[fn].Returns[i].Var != nil {
			w.contents(fn, k.Funcs[fn].Returns[i].Var)
		}
		w.returns(fn)
	}
}

// returns follows what decides where function fn returns, for what it returns
// is chosen there.
func (w *walker) returns(fn int32) {
	if !w.control {
		return
	}
	for b, block := range w.g.Kernel.Funcs[fn].Blocks {
		for i, s := range block.Succs {
			if s == ir.Exit && w.g.folding(fn).Taken(b, i) {
				w.branches(fn, b)
				w.end(fn, b)
			}
		}
	}
}

// contents follows what a variable in the .param space of a call holds: what
// function fn stores there, what callers pass in it and what callees return
// in it.
func (w *walker) contents(fn int32, v *ir.Var) {
	if w.params[v] {
		return
	}
	if w.params == nil {
		w.params = make(map[*ir.Var]bool)
	}
	w.params[v] = true
	k := w.g.Kernel
	whole := &ref{space: isa.Param, places: []place{{v: v}}}
	w.stores(whole)
	for i, p := range k.Funcs[fn].Params {
		if p.Var != v {
			continue
		}
		for _, c := range k.callers[fn] {
			if w.g.executes(c) {
				w.emit(c, Argument)
				w.argument(c, i)
			}
		}
	}
	for _, pc := range k.Funcs[fn].Calls {
		w.returnedIn(site{fn, pc}, v)
	}
}

// returnedIn follows what the call at s returns in variable v, if it does.
func (w *walker) returnedIn(s site, v *ir.Var) {
	k := w.g.Kernel
	for i, r := range k.Module.Instrs[s.pc].Call.Returns {
		if r.Kind != ir.OperandVar || r.Var != v || !w.g.executes(s) {
			continue
		}
		w.emit(s, Return)
		for _, fn := range k.callees(s.pc) {
			returns := k.Funcs[fn].Returns
			if i < len(returns) && returns[i].Var != nil {
				w.contents(fn, returns[i].Var)
			} else if i < len(returns) {
				w.returnedRegister(fn, i)
			}
			w.returns(fn)
		}
	}
}

// returnedRegister follows the i'th formal return parameter, a register.
func (w *walker) returnedRegister(fn int32, i int) {
	k := w.g.Kernel
	at := 0
	for _, p := range k.Funcs[fn].Returns[:i] {
		if p.Var == nil {
			at++
		}
	}
	for b := range k.Funcs[fn].Blocks {
		if vs := k.SSA[fn].Returned(b); vs != nil {
			w.value(value{fn, vs[at]}, Return)
		}
	}
}
