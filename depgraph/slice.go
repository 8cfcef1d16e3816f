package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// slicer makes the filtered graph of a set of criteria: all that they depend
// on, transitively.
type slicer struct {
	walker
	// run and value are the slice's sets; full are the members that are needed
	// for more than their addresses.
	run, value, full ir.PCSet
	// moves were members but only copy special registers (dropMoves).
	moves ir.PCSet
	// listed are the members, in the order found.
	listed []site
	work   []item
	reads  []*ref // of memory that other launches may write
}

type item struct {
	s    site
	full bool
}

func newSlicer(g *Graph, control bool) *slicer {
	k := g.Kernel
	n := len(k.Module.Instrs)
	sl := &slicer{run: ir.NewPCSet(n), value: ir.NewPCSet(n), full: ir.NewPCSet(n), moves: ir.NewPCSet(n)}
	sl.walker = walker{g: g, control: control, seen: make(bitMarks, k.valueAt[len(k.Funcs)]/64+1)}
	sl.walker.emit = func(s site, _ EdgeKind) { sl.need(s, true) }
	return sl
}

// need makes s a member; full: with what it computes, loads or stores.
func (sl *slicer) need(s site, full bool) {
	member := sl.run.Has(s.pc)
	if member && (!full || sl.full.Has(s.pc)) {
		return
	}
	if !member {
		sl.run.Add(s.pc)
		sl.listed = append(sl.listed, s)
	}
	if full {
		sl.full.Add(s.pc)
		if len(sl.g.Kernel.accessesOf(s)) > 0 {
			sl.value.Add(s.pc)
		}
	}
	sl.work = append(sl.work, item{s, full})
}

// close follows the members until no more are found.
func (sl *slicer) close() {
	for len(sl.work) > 0 {
		it := sl.work[len(sl.work)-1]
		sl.work = sl.work[:len(sl.work)-1]
		sl.instr(it.s, it.full)
		if it.full {
			sl.noteReads(it.s)
		}
	}
}

// noteReads collects what s reads from global memory.
func (sl *slicer) noteReads(s site) {
	k := sl.g.Kernel
	first := k.accessAt[k.instr(s)]
	for i := range k.accessesOf(s) {
		if a := first + int32(i); k.accesses[a].read {
			if r := sl.g.ref(a); r.crossCTA() {
				sl.reads = append(sl.reads, r)
			}
		}
	}
}

// criteria adds a mode's criteria.
func (sl *slicer) criteria(mode Mode) {
	g := sl.g
	for i, f := range g.Kernel.Funcs {
		for pc := f.First; pc < f.End; pc++ {
			s := site{int32(i), pc}
			if !g.reached(s) {
				continue
			}
			in := &f.Module.Instrs[pc]
			sl.guardCriterion(s, in)
			switch {
			case mode == Full && g.executes(s):
				sl.need(s, true)
			case mode == Memory && g.executes(s) && sl.addressed(s):
				sl.need(s, false)
			}
		}
	}
}

// guardCriterion adds what decides where s leads and for which threads it is
// executed.
func (sl *slicer) guardCriterion(s site, in *ir.Instr) {
	leads := in.Inst.EndsBlock() || in.Call != nil
	switch {
	case leads && in.Guard != ir.NoReg,
		in.Inst.IsSwitch(),
		in.Call != nil && in.Call.Callee == nil:
		sl.need(s, true)
	case in.Guard != ir.NoReg:
		sl.use(s, in.Guard, Data)
	}
}

// addressed reports whether s loads, stores or changes memory outside the
// .param space.
func (sl *slicer) addressed(s site) bool {
	x := sl.g.Kernel.Module.Instrs[s.pc].Inst
	if !x.IsLoad() && !x.IsStore() && !x.IsAtomic() {
		return false
	}
	for _, a := range sl.g.Kernel.accessesOf(s) {
		if normal(a.space) != isa.Param {
			return true
		}
	}
	return false
}

// consts returns the constant register uses of the members, and the constant
// guards of all other instructions that can be issued, by PC.
func (sl *slicer) consts() []ir.ConstUse {
	var uses []ir.ConstUse
	g := sl.g
	for _, s := range g.Kernel.ordered {
		in := &g.Kernel.Module.Instrs[s.pc]
		member := sl.run.Has(s.pc)
		if !member && in.Guard == ir.NoReg || !g.reached(s) {
			continue
		}
		for i, r := range in.Uses() {
			if !member && r != in.Guard {
				continue
			}
			if sl.readsOtherWays(s, in, r) {
				continue
			}
			if bits, ok := g.folding(s.fn).Const(g.Kernel.SSA[s.fn].Uses(s.pc)[i]); ok {
				uses = append(uses, ir.ConstUse{PC: s.pc, Reg: r, Bits: bits})
			}
		}
	}
	return uses
}

// readsOtherWays reports whether s reads register r also for lanes that may
// have come another way and hold another value.
func (sl *slicer) readsOtherWays(s site, in *ir.Instr, r ir.RegID) bool {
	return in.Inst.CrossLane() && r != in.Guard && len(sl.g.Kernel.definitions(s.fn, r)) != 1
}
