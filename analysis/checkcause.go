package analysis

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/check"
	"hyptx/internal/order"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What is missing where two threads race follows from more than the two accesses: whether
// others store there as well, whether the kernel takes a lock or has a fence, and how far that
// fence goes. Where that leaves two causes open both are told.

// losesUpdate reports whether a load and a store of one address are what several threads do:
// then the store races with itself, too. Where one thread stores what others load nothing
// gets lost.
func losesUpdate(f *check.Finding, n *order.Fact, log *order.Log) bool {
	if !f.Updates || n.SameValue {
		return false
	}
	store := max(n.A.PC, n.B.PC)
	for i := range log.Facts {
		o := &log.Facts[i]
		if o.Kind == order.RaceWrite && o.A.PC == store && o.B.PC == store && !o.A.Async && !o.B.Async {
			return true
		}
	}
	return false
}

// whyUpdate says what is missing where an update gets lost.
func (l *launchPlan) whyUpdate(f *check.Finding, n *order.Fact) string {
	at := f.At.At()
	if take, give := l.lockAround(min(n.A.PC, n.B.PC), max(n.A.PC, n.B.PC)); take != nil {
		return fmt.Sprintf("two threads read, change and write the same place at %s, so that one update gets lost: if the atomics at %s and %s take and release a lock, a fence (__threadfence) after taking it and before releasing it is missing; if not, an atomic (atomicAdd and its like)",
			at, l.at(take), l.at(give))
	}
	return fmt.Sprintf("two threads read, change and write the same place at %s, so that one update gets lost: an atomic (atomicAdd and its like) is missing", at)
}

// lockAround returns what may take and release a lock around two instructions: a
// compare-and-swap or exchange before the first one, and an atomic or strong store behind the
// second, in the same function; nil if there is none. Whether that is a lock nobody knows.
func (l *launchPlan) lockAround(first, last uint32) (take, give *ir.Instr) {
	instrs := l.instrsOf(first)
	for i := range instrs {
		in := &instrs[i]
		x := in.Inst
		switch {
		case x == nil:
		case uint32(in.PC) < first && x.Op == isa.OpAtom && (x.Sub.String() == "cas" || x.Sub.String() == "exch"):
			take = in
		case uint32(in.PC) > last && give == nil && (x.IsAtomic() || x.IsStore() && x.Sem > isa.Weak):
			give = in
		}
	}
	if take == nil || give == nil {
		return nil, nil
	}
	return take, give
}

// guessed reports whether a race is of a load and the compare-and-swap of a loop that takes
// what was loaded for its first guess: one that is out of date costs another round, and no more.
func (s *Session) guessed(l *launchPlan, n *order.Fact) bool {
	m := l.kernel.Module
	load, swap := &m.Instrs[n.A.PC], &m.Instrs[n.B.PC]
	if load.Inst.IsAtomic() {
		load, swap = swap, load
	}
	f := m.FuncOf(swap.PC)
	if !load.Inst.IsLoad() || load.Inst.IsAtomic() || swap.Inst.Op != isa.OpAtom || swap.Inst.Sub.String() != "cas" || len(swap.Ops()) < 3 || swap.Ops()[2].Kind != ir.OperandReg || m.FuncOf(load.PC) != f {
		return false
	}
	x, y := addressOf(load), addressOf(swap)
	loops := slices.ContainsFunc(f.Loops(), func(l *ir.Loop) bool { return l.Has(f.BlockAt(swap.PC)) && !l.Has(f.BlockAt(load.PC)) })
	if !loops || !sameAddress(x, y) {
		return false
	}
	form := s.formOf(l, f)
	return madeOf(form, []ssa.ValueID{form.Use(swap.PC, swap.Ops()[2].Reg)}, load, func(in *ir.Instr) bool { return in.Inst != nil && in.Inst.Op == isa.OpMov })
}

// sameAddress reports whether two operands are written alike; false if one is none.
func sameAddress(x, y *ir.Operand) bool {
	return x != nil && y != nil && x.Reg == y.Reg && x.Var == y.Var && x.Imm == y.Imm
}

// formOf is the SSA form of a function that the kernel may call.
func (s *Session) formOf(l *launchPlan, f *ir.Func) *ssa.Form {
	k := s.planner.Kernel(l.kernel)
	return k.SSA[slices.Index(k.Funcs, f)]
}

// madeOf reports whether some values are made of what was loaded, through instructions of which
// a function says so.
func madeOf(form *ssa.Form, work []ssa.ValueID, load *ir.Instr, through func(*ir.Instr) bool) bool {
	seen := map[ssa.ValueID]bool{}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id == ssa.NoValue || seen[id] {
			continue
		}
		seen[id] = true
		v := &form.Values[id]
		if work = append(work, v.Args...); v.Kind != ssa.Def {
			continue
		}
		if v.PC == load.PC {
			return true
		}
		if through(&form.Func.Module.Instrs[v.PC]) {
			work = append(work, form.Uses(v.PC)...)
		}
	}
	return false
}

// narrowFence returns a fence of the function whose scope is the CTA, nil if there is none or
// one that goes further, too.
func (l *launchPlan) narrowFence(pc uint32) (narrow *ir.Instr) {
	instrs := l.instrsOf(pc)
	for i := range instrs {
		in := &instrs[i]
		x := in.Inst
		switch {
		case x == nil || x.Op != isa.OpMembar && x.Op != isa.OpFence || x.Scope == 0:
		case x.Scope != isa.CTA:
			return nil
		case narrow == nil:
			narrow = in
		}
	}
	return narrow
}

// instrsOf are the instructions of the function that one is of.
func (l *launchPlan) instrsOf(pc uint32) []ir.Instr {
	return l.kernel.Module.FuncOf(ir.PC(pc)).Instrs()
}

// at says where an instruction stands.
func (l *launchPlan) at(in *ir.Instr) string {
	m := l.kernel.Module
	a := check.Access{File: m.FileOf(in.PC), Line: int(in.Pos.Line), Source: sourceOf(m, in)}
	return a.At()
}

// whyApart says what is missing between threads of two CTAs.
func (l *launchPlan) whyApart(n *order.Fact, pair string) string {
	if fence := l.narrowFence(n.A.PC); fence != nil {
		return fmt.Sprintf("the threads are of different CTAs, and the fence at %s is for threads of one CTA: a release and an acquire of a wider scope (__threadfence, fence.acq_rel.gpu) are missing %s", l.at(fence), pair)
	}
	return fmt.Sprintf("the threads are of different CTAs, which run in any order: no release and acquire (a __threadfence or fence.acq_rel.gpu before a flag is set and after it was seen), atomic, or end of a launch %s", pair)
}

// waits reports whether a function waits for copies anywhere.
func (l *launchPlan) waits(pc uint32) bool {
	instrs := l.instrsOf(pc)
	return slices.ContainsFunc(instrs, func(in ir.Instr) bool {
		return in.Inst != nil && (strings.Contains(in.Inst.Opcode, "_wait") || strings.Contains(in.Inst.Opcode, ".wait_"))
	})
}

// pastEnd says how far beyond its object, which has so many elements, an index goes: of a few
// that is a bound which is off by as much, not one that is missing.
func pastEnd(ends *check.Fact, size, has int64) string {
	const few = 1024 // as many threads as a CTA has
	before := max(0, (size-1-ends.Least)/size)
	past := max(0, (ends.Most+2*size-1)/size-has)
	upTo := func(n int64) string {
		if n > 1 && ends.Least != ends.Most {
			return "up to " + elements(n)
		}
		return elements(n)
	}
	switch {
	case before > few || past > few:
		return "the index has no bound that keeps it inside, or one that is too wide"
	case before > 0 && past > 0:
		return fmt.Sprintf("indices go %s before the beginning and %s past the end", upTo(before), upTo(past))
	case before > 0:
		return fmt.Sprintf("the index goes %s before the beginning", upTo(before))
	}
	return fmt.Sprintf("the index goes %s past the end", upTo(past))
}

// inOneLoop reports whether two accesses are in a loop of one function, and that has no barrier
// of all threads, so that its rounds are in no order either.
func (l *launchPlan) inOneLoop(n *order.Fact) bool {
	m := l.kernel.Module
	f := m.FuncOf(ir.PC(n.A.PC))
	if f != m.FuncOf(ir.PC(n.B.PC)) || n.A.CTA != n.B.CTA {
		return false
	}
	a, b := f.BlockAt(ir.PC(n.A.PC)), f.BlockAt(ir.PC(n.B.PC))
	return slices.ContainsFunc(f.Loops(), func(l *ir.Loop) bool {
		return l.Has(a) && l.Has(b) && !slices.ContainsFunc(l.Blocks(), func(block int) bool {
			return slices.ContainsFunc(m.Instrs[f.Blocks[block].First:f.Blocks[block].End], func(in ir.Instr) bool {
				return in.Inst != nil && (in.Inst.Op == isa.OpBar || in.Inst.Op == isa.OpBarrier)
			})
		})
	})
}

func elements(n int64) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}
