package analysis

import (
	"fmt"
	"slices"

	"hyptx/internal/check"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Volatile accesses are strong (PTX ISA 8.4.1: as .relaxed with the widest scope), so that two of
// them are no data race, and who polls a flag by them does right. But they put nothing in order.
// Four ways to rely on that they do are faults all the same:
//
//   - several threads load, change and store one word, of which updates get lost
//   - several threads store different values to one word: nobody knows which stays
//   - threads of a warp exchange values through shared memory as if they ran in step, which
//     they do not from sm_70 on (programming guide, Independent Thread Scheduling)
//   - threads of several warps exchange them there, and nobody polls

// volatileFault is what is wrong with two volatile accesses that nothing puts in order.
type volatileFault uint8

const (
	noVolatileFault volatileFault = iota
	lostVolatile
	overwrittenVolatile
	outOfStep
	acrossWarps
)

// volatileFault says what is wrong with two strong accesses, if both are volatile and no atomics.
func (s *Session) volatileFault(l *launchPlan, f *check.Finding, n *order.Fact, log *order.Log) volatileFault {
	m := l.kernel.Module
	a, b := &m.Instrs[n.A.PC], &m.Instrs[n.B.PC]
	isVolatile := func(in *ir.Instr) bool { return in.Inst.Sem == isa.Volatile && !in.Inst.IsAtomic() }
	if !n.IsRace() || !isVolatile(a) || !isVolatile(b) {
		return noVolatileFault
	}
	if n.Kind == order.RaceWrite {
		if n.SameValue || s.handsOver(l, a) || s.handsOver(l, b) {
			return noVolatileFault
		}
		return overwrittenVolatile
	}
	load, store := a, b
	if store.Inst.IsLoad() {
		load, store = b, a
	}
	switch {
	case f.Updates && s.changes(l, load, store) && storedByMany(log, store):
		return lostVolatile
	case n.SameValue || isa.Space(n.At.Space) != isa.Shared || s.polls(l, load):
	case n.SameWarp && m.Target.SM >= 70:
		return outOfStep
	case !n.SameWarp && n.A.CTA == n.B.CTA && !s.handsOver(l, store):
		return acrossWarps
	}
	return noVolatileFault
}

// storedByMany reports whether a store races with itself.
func storedByMany(log *order.Log, store *ir.Instr) bool {
	return slices.ContainsFunc(log.Facts, func(o order.Fact) bool {
		return o.Kind == order.RaceWrite && o.A.PC == uint32(store.PC) && o.B.PC == uint32(store.PC)
	})
}

// handsOver reports whether threads that store somewhere wait for what they find there, by an atomic
// or a loop that polls: they hand the word to each other, as those do that release a lock.
func (s *Session) handsOver(l *launchPlan, store *ir.Instr) bool {
	at, f := addressOf(store), l.kernel.Module.FuncOf(store.PC)
	return slices.ContainsFunc(f.Instrs(), func(in ir.Instr) bool {
		if in.Inst == nil || !in.Inst.IsAtomic() && !in.Inst.IsLoad() {
			return false
		}
		return sameAddress(addressOf(&in), at) && (in.Inst.IsAtomic() || s.polls(l, &in))
	})
}

// polls reports whether a load is in a loop that waits for other threads.
func (s *Session) polls(l *launchPlan, load *ir.Instr) bool {
	f := l.kernel.Module.FuncOf(load.PC)
	block, form := f.BlockAt(load.PC), s.formOf(l, f)
	return slices.ContainsFunc(f.Loops(), func(loop *ir.Loop) bool {
		waits, _ := form.Waits(loop)
		return waits && loop.Has(block)
	})
}

// changes reports whether what is stored is made of what was loaded.
func (s *Session) changes(l *launchPlan, load, store *ir.Instr) bool {
	form := s.formOf(l, l.kernel.Module.FuncOf(store.PC))
	return madeOf(form, slices.Clone(form.Uses(store.PC)), load, func(*ir.Instr) bool { return true })
}

// whyVolatile says what is missing.
func (s *Session) whyVolatile(l *launchPlan, f *check.Finding, n *order.Fact, log *order.Log) string {
	first, second := f.Other, &f.At
	switch s.volatileFault(l, f, n, log) {
	case lostVolatile:
		return fmt.Sprintf("two threads read, change and write the same place at %s, so that one update gets lost: volatile makes each access happen and puts none in order, an atomic (atomicAdd and its like) is missing", second.At())
	case acrossWarps:
		return fmt.Sprintf("the threads are of two warps, and volatile puts their accesses in no order: no barrier (__syncthreads, bar.sync) between the %s at %s and this %s", first.Does, first.At(), second.Does)
	case outOfStep:
		return fmt.Sprintf("both threads are of one warp, whose threads nothing keeps in step from sm_70 on, volatile neither: no __syncwarp (bar.warp.sync) between the %s at %s and this %s", first.Does, first.At(), second.Does)
	}
	if first.PC == second.PC {
		return fmt.Sprintf("two threads store different values at %s in the same place, and the last one stays: volatile puts them in no order, an atomic is missing, or an index that differs between threads", second.At())
	}
	return fmt.Sprintf("two threads store different values in the same place, and the last one stays: volatile puts them in no order, a barrier or an atomic is missing between the store at %s and this one", first.At())
}
