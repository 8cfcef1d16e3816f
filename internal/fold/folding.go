package fold

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
)

// Folding is the result of constant propagation over a kernel and what it
// calls: which values are constants of the launch and which blocks and edges
// can be executed at all. (Sparse conditional constant propagation: Wegman and
// Zadeck 1991, across calls.)
//
// It begins with nothing: no block is reached, no value is known to exist. From
// the kernel's entry on, the instructions of a block that is reached are
// evaluated over what is known of their operands ([cell]); a branch whose guard
// is known takes one edge, another both; a phi joins only what comes along
// edges that are taken. Whenever more becomes known of a value, who reads it is
// looked at again. A branch that a parameter of the launch decides thus hides
// the code behind its other edge from everything else, which is more than
// folding and removing dead code in turn can find.
//
// Calls pass what is known of arguments to the callee's parameters and of what
// it returns back to the caller. What is found for a function holds for all of
// its calls together.
//
// Undefined values and whatever is loaded vary, but for kernel parameters.
type Folding struct {
	Kernel *ir.Func
	// Funcs are the functions of Kernel.Closure(), in that order.
	Funcs []*Func
	of    map[*ir.Func]*Func
	// callers are the call sites of each function.
	callers map[*ir.Func][]callSite
	work    []workItem
	consts  *Consts
	eval    evaluator // reused
	// met counts the arguments of phis that were looked at, which have to be in proportion
	// to the text.
	met int
}

// Func is the part of a Folding that concerns one function. What holds,
// holds for all its calls together.
type Func struct {
	SSA     *ssa.Form
	cells   []cell
	reached []bool
	// taken says of each block's successors whether the edge can be taken; those of a
	// block stand from takenAt on.
	taken   []bool
	takenAt []int32
	// edges are the places of successors, by block and successor, of blocks with many.
	edges map[[2]int]int
	// returns: the function has return parameters in registers.
	returns bool
	// counters are the intervals in which phis are known to stay.
	counters map[ssa.ValueID]cell
}

type callSite struct {
	ff *Func
	pc ir.PC
}

// workItem is something to look at again: a block's arrival, a value, or an
// instruction.
type workItem struct {
	ff    *Func
	block int32 // with value == NoValue: visit the whole block
	value ssa.ValueID
}

// Const returns the constant that value v always is. Addresses of variables
// are no constants.
func (f *Func) Const(v ssa.ValueID) (bits uint64, ok bool) {
	c := f.cells[v]
	return c.bits, c.state == constant && c.sym == nil
}

// Range returns bounds of what value v can be, as a signed number of its type.
// Addresses of variables have none.
func (f *Func) Range(v ssa.ValueID) (low, high int64, ok bool) {
	i := f.cells[v].as(f.SSA.Func.Regs[f.SSA.Values[v].Reg].Type)
	return i.Low, i.High, i.Known
}

// Reached reports whether block b can be executed.
func (f *Func) Reached(b int) bool { return f.reached[b] }

// Passes reports whether control can pass from block b to its successor to,
// which may be Exit.
func (f *Func) Passes(b, to int) bool {
	i := f.edge(b, to)
	return i >= 0 && f.taken[f.takenAt[b]+int32(i)]
}

// manyEdges is from how many successors on those of a block are looked up, not looked
// through: a brx.idx may have thousands.
const manyEdges = 16

// edge returns which of the successors of block b block to is, -1 if none.
func (f *Func) edge(b, to int) int {
	succs := f.SSA.Func.Blocks[b].Succs()
	if len(succs) < manyEdges {
		return slices.Index(succs, to)
	}
	if i, ok := f.edges[[2]int{b, to}]; ok {
		return i
	}
	return -1
}

// indexEdges gives the edges their places, and makes what edge looks up.
func (f *Func) indexEdges() {
	f.takenAt = make([]int32, len(f.SSA.Func.Blocks))
	edges := int32(0)
	for b, block := range f.SSA.Func.Blocks {
		f.takenAt[b] = edges
		edges += int32(len(block.Succs()))
	}
	f.taken = make([]bool, edges)
	for b, block := range f.SSA.Func.Blocks {
		if len(block.Succs()) < manyEdges {
			continue
		}
		if f.edges == nil {
			f.edges = map[[2]int]int{}
		}
		for i, to := range block.Succs() {
			f.edges[[2]int{b, to}] = i
		}
	}
}

// Of returns the part that concerns fn, nil if the kernel cannot reach it.
func (f *Folding) Of(fn *ir.Func) *Func { return f.of[fn] }

// Propagate carries the constants of a launch through kernel and what it calls.
// forms are the overlays of the functions of kernel.Closure(), in that order.
//
// Where the first run finds counters of loops, a second one knows the intervals
// in which these stay, and decides more comparisons with them. The intervals
// follow from what holds without them, so one repetition is sound; another
// would find little more.
func Propagate(kernel *ir.Func, forms []*ssa.Form, consts *Consts) *Folding {
	f := propagate(kernel, forms, consts, nil)
	if counters := f.findCounters(); len(counters) > 0 {
		return propagate(kernel, forms, consts, counters)
	}
	return f
}

// propagate does it once, knowing the intervals of loop counters.
func propagate(kernel *ir.Func, forms []*ssa.Form, consts *Consts, counters map[*ssa.Form]map[ssa.ValueID]cell) *Folding {
	f := &Folding{Kernel: kernel, of: make(map[*ir.Func]*Func, len(forms)), consts: consts}
	for _, s := range forms {
		ff := &Func{SSA: s, cells: make([]cell, s.Len()), reached: make([]bool, len(s.Func.Blocks))}
		ff.counters = counters[s]
		ff.returns = slices.ContainsFunc(s.Func.Returns, func(p ir.Formal) bool { return p.Var == nil })
		ff.indexEdges()
		f.Funcs = append(f.Funcs, ff)
		f.of[s.Func] = ff
	}
	f.callers = make(map[*ir.Func][]callSite)
	for _, ff := range f.Funcs {
		for _, pc := range ff.SSA.Func.Calls {
			for _, g := range ff.SSA.Func.Module.Instrs[pc].Call.Callees(kernel.Module) {
				f.callers[g] = append(f.callers[g], callSite{ff, pc})
			}
		}
	}
	f.reach(f.Funcs[0], 0)
	f.run()
	return f
}

// run takes items until none is left: values only fall, from top through a
// constant to varying, so it ends.
func (f *Folding) run() {
	for len(f.work) > 0 {
		it := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		if it.value == ssa.NoValue {
			f.visitBlock(it.ff, int(it.block))
			continue
		}
		for _, u := range it.ff.SSA.Users(it.value) {
			if u.Value != ssa.NoValue {
				if it.ff.reached[it.ff.SSA.Values[u.Value].Block] {
					f.visitValue(it.ff, u.Value)
				}
			} else if b := it.ff.SSA.Func.Module.Instrs[u.PC].Block; it.ff.reached[b] {
				f.visitInstr(it.ff, u.PC)
			}
		}
		f.visitReturned(it.ff, it.value)
	}
	f.work = nil // of a long block it had all values at once
}

// reach marks block b as executable.
func (f *Folding) reach(ff *Func, b int) {
	if !ff.reached[b] {
		ff.reached[b] = true
		f.work = append(f.work, workItem{ff: ff, block: int32(b)})
	}
}

// take marks the i'th edge out of b as executable.
func (f *Folding) take(ff *Func, b, i int) {
	taken := &ff.taken[ff.takenAt[b]+int32(i)]
	if *taken {
		return
	}
	*taken = true
	succ := ff.SSA.Func.Blocks[b].Succs()[i]
	if succ == ir.Exit {
		f.returns(ff, b)
		return
	}
	if !ff.reached[succ] {
		f.reach(ff, succ)
		return
	}
	if phis := ff.SSA.Phis(succ); len(phis) > 0 {
		n := ff.SSA.Way(b, succ)
		for _, phi := range phis {
			f.arrive(ff, phi, n)
		}
	}
}

// arrive meets a phi with what comes along its n'th edge, which can be taken since just
// now: what came along others is in its cell, or on its way there. A block may have
// thousands of edges, so that all of them are not looked through for each.
func (f *Folding) arrive(ff *Func, id ssa.ValueID, n int) {
	f.met++
	if arg := ff.SSA.Values[id].Args[n]; arg != ssa.NoValue {
		f.fall(ff, id, ff.cells[arg])
	}
}

// fall makes a phi's cell the meet of what it was and c; a counter's is its interval.
func (f *Folding) fall(ff *Func, id ssa.ValueID, c cell) {
	c = meet(ff.cells[id], c)
	if known, ok := ff.counters[id]; ok && c.state == varying {
		c = known
	}
	f.put(ff, id, c)
}

// visitBlock looks at everything in a block that has just been reached.
func (f *Folding) visitBlock(ff *Func, b int) {
	if b == 0 {
		f.enter(ff)
	}
	for _, phi := range ff.SSA.Phis(b) {
		f.visitValue(ff, phi)
	}
	block := ff.SSA.Func.Blocks[b]
	for pc := block.First; pc < block.End; pc++ {
		f.visitInstr(ff, pc)
	}
	f.visitEnd(ff, b)
}

// enter sets the values that a function starts with: undefined ones vary. What
// is known of formal parameters comes from the calls.
func (f *Folding) enter(ff *Func) {
	for id := 1; id < len(ff.SSA.Values); id++ {
		if ff.SSA.Values[id].Kind == ssa.Undef {
			f.lower(ff, ssa.ValueID(id), cell{state: varying})
		}
	}
}

// lower makes v's cell the meet of what it was and c.
func (f *Folding) lower(ff *Func, v ssa.ValueID, c cell) {
	f.put(ff, v, meet(ff.cells[v], c))
}

// revise makes v's cell c, which comes from all that v is made from and so
// covers what it was; only an interval may not have grown in step.
func (f *Folding) revise(ff *Func, v ssa.ValueID, c cell) {
	was := ff.cells[v]
	switch {
	case was.state == varying && !was.ends || c.state < was.state:
		c = was
	case was.ends && c.ends:
		c = ranged(was.within().Hull(c.within()))
	case was.state == constant && c.state == constant:
		c = meet(was, c)
	}
	f.put(ff, v, c)
}

// put sets v's cell and, if that is news, asks for its readers to be looked at.
func (f *Folding) put(ff *Func, v ssa.ValueID, c cell) {
	if bits, given := f.consts.Decided[v]; given && c.state == varying && ff == f.Funcs[0] {
		c = constCell(bits)
	}
	if c != ff.cells[v] {
		ff.cells[v] = c
		f.work = append(f.work, workItem{ff: ff, value: v})
	}
}

// visitValue evaluates a phi or a select.
func (f *Folding) visitValue(ff *Func, id ssa.ValueID) {
	v := &ff.SSA.Values[id]
	switch v.Kind {
	case ssa.Phi:
		if ff.cells[id] != (cell{state: varying}) { // which falls no more
			f.fall(ff, id, f.phi(ff, v))
		}
	case ssa.Select:
		guard, now, old := ff.cells[v.Args[ssa.SelectGuard]], ff.cells[v.Args[ssa.SelectNew]], ff.cells[v.Args[ssa.SelectOld]]
		switch {
		case guard.state == top:
		case guard.state == constant && (guard.bits != 0) != v.GuardNot:
			f.revise(ff, id, now)
		case guard.state == constant:
			f.revise(ff, id, old)
		case now.state != top && old.state != top:
			f.revise(ff, id, join(now, old, ff.SSA.Func.Regs[v.Reg].Type))
		}
	}
}

// phi meets the arguments that come along executable edges.
func (f *Folding) phi(ff *Func, v *ssa.Value) cell {
	var c cell
	f.met += len(v.Args)
	for i, p := range ff.SSA.Func.Blocks[v.Block].Preds() {
		if v.Args[i] != ssa.NoValue && ff.Passes(p, int(v.Block)) {
			c = meet(c, ff.cells[v.Args[i]])
		}
	}
	if v.Block == 0 {
		c = meet(c, ff.cells[v.Args[len(v.Args)-1]])
	}
	return c
}
