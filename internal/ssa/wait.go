package ssa

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Waits reports whether threads wait in loop l for other threads: whether each
// of its exits depends on memory that another thread may write, at an address
// that the loop does not change and does not store to except by atom
// (docs/design.md, The order of threads). It also reports whether a loop that
// waits counts: whether an exit depends on a register that the loop carries from
// round to round, too. Nobody has to store anything then for it to go on.
//
// Where that definition leaves room:
//
//   - An exit depends on a load if the load's result reaches the exit's guard
//     (or brx.idx's index) through registers within the loop: by the
//     definitions that reach each use along the loop's edges, by the guards of
//     guarded definitions and, where several definitions reach a use, by the
//     branches of the loop that decide between them. Values that go through
//     memory or through a call are not followed.
//   - The loop does not change an address whose register it does not define,
//     or computes anew from unchanged registers only.
//   - A plain ld counts if a store (st, atom, red, an asynchronous copy)
//     outside the loop may reach its bytes: in the function or in what runs
//     with it (what a kernel calls; any function of the module for a device
//     function). Two accesses miss each other only if their spaces differ or
//     they have one base (variable or unchanged register) and disjoint
//     offsets. ld.global.nc, .const, .param and .local are written by no other
//     thread.
//   - A store of the loop that may reach the bytes by the same rule takes the
//     load out; so does a call, which may store anywhere.
//   - A loop without an exit waits for nobody.
func (s *Form) Waits(l *ir.Loop) (waits, counts bool) {
	w := waiter{f: s.Func, ssa: s, l: l}
	waits = w.waits()
	return waits, waits && w.counts()
}

// waiter decides about a loop. The emulator runs a block of
// threads one warp after the other: a warp that waits for another one must give
// way, which it does in loops that are found here, and a loop that cannot go on
// by itself is not to be taken for one that runs for ever.
type waiter struct {
	f   *ir.Func
	ssa *Form
	l   *ir.Loop
	// inside are the stores in the loop.
	inside []*ir.Instr
}

// waits reports whether the loop waits: it can be left, it calls nobody, and
// each of its exits depends on memory that another thread may write.
func (w *waiter) waits() bool {
	left := false
	for e := range w.l.Exits() {
		if left = true; !w.depends(w.f.Blocks[e.From].End-1, w.asks) { // most loops end here
			return false
		}
	}
	if !left {
		return false
	}
	for _, b := range w.l.Blocks() {
		for pc := w.f.Blocks[b].First; pc < w.f.Blocks[b].End; pc++ {
			in := &w.f.Module.Instrs[pc]
			if in.Inst.IsCall() {
				return false
			}
			if writesMemory(in) {
				w.inside = append(w.inside, in)
			}
		}
	}
	for e := range w.l.Exits() {
		if !w.dependsOnMemory(w.f.Blocks[e.From].End - 1) {
			return false
		}
	}
	return true
}

// counts reports whether an exit depends on a value that the loop's rounds
// hand on.
func (w *waiter) counts() bool {
	for e := range w.l.Exits() {
		if w.depends(w.f.Blocks[e.From].End-1, w.handedOn) {
			return true
		}
	}
	return false
}

// asks reports whether v is more than a computation: a load, perhaps, that waits.
func (w *waiter) asks(id ValueID) bool {
	v := &w.ssa.Values[id]
	return v.Kind == Def && !w.f.Module.Instrs[v.PC].Inst.Computes()
}

// handedOn reports whether v is a phi of the header that rounds change.
func (w *waiter) handedOn(id ValueID) bool {
	v := &w.ssa.Values[id]
	if v.Kind != Phi || int(v.Block) != w.l.Header {
		return false
	}
	for i, p := range w.f.Blocks[w.l.Header].Preds() {
		if w.l.Has(p) && v.Args[i] != id && v.Args[i] != NoValue {
			return true
		}
	}
	return false
}

// dependsOnMemory reports whether the outcome of the branch at pc depends on a
// load that waits for other threads.
func (w *waiter) dependsOnMemory(branch ir.PC) bool {
	return w.depends(branch, func(id ValueID) bool {
		v := &w.ssa.Values[id]
		return v.Kind == Def && w.waitsAt(&w.f.Module.Instrs[v.PC])
	})
}

// depends reports whether the outcome of the branch at pc depends on a value
// made in the loop of which is holds. It walks backwards over those.
func (w *waiter) depends(branch ir.PC, is func(ValueID) bool) bool {
	work := slices.Clone(w.ssa.Uses(branch))
	seen := make(map[ValueID]bool)
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id == NoValue || seen[id] {
			continue
		}
		seen[id] = true
		v := &w.ssa.Values[id]
		if v.Kind == Entry || v.Kind == Undef || !w.l.Has(int(v.Block)) {
			continue
		}
		if is(id) {
			return true
		}
		work = append(work, v.Args...)
		switch v.Kind {
		case Def:
			work = append(work, w.ssa.Uses(v.PC)...)
		case Phi:
			work = w.deciders(work, v)
		}
	}
	return false
}

// deciders adds what the branches of the loop read that decide which argument
// a phi takes: those on which the ways into its block depend, though not the
// block itself.
func (w *waiter) deciders(work []ValueID, phi *Value) []ValueID {
	join := int(phi.Block)
	var ways []int
	for i, p := range w.f.Blocks[join].Preds() {
		if w.l.Has(p) && phi.Args[i] != NoValue {
			ways = append(ways, p)
		}
	}
	if len(ways) < 2 {
		return work
	}
	var branches []int
	for _, p := range ways {
		if len(w.f.Blocks[p].Succs()) > 1 {
			branches = append(branches, p)
		}
		branches = append(branches, w.f.ControlDeps(p)...)
	}
	above := w.f.ControlDeps(join)
	done := make(map[int]bool)
	for len(branches) > 0 {
		b := branches[len(branches)-1]
		branches = branches[:len(branches)-1]
		if done[b] || !w.l.Has(b) || slices.Contains(above, b) {
			continue
		}
		done[b] = true
		work = append(work, w.ssa.Uses(w.f.Blocks[b].End-1)...)
		branches = append(branches, w.f.ControlDeps(b)...)
	}
	return work
}

// waitsAt reports whether in reads memory that another thread may write, at an
// address that the loop neither changes nor stores to.
func (w *waiter) waitsAt(in *ir.Instr) bool {
	at := address(in)
	if at == nil || !w.unchangedAddress(in, at) {
		return false
	}
	switch x := in.Inst; {
	case x.Form.Sync == isa.SyncPhase:
		return true // it keeps its own count; nothing stores to it
	case x.IsAtomic() && !x.IsReduction():
	case x.Op == isa.OpLd:
		switch in.Inst.Space {
		case isa.Local, isa.Const, isa.Param, isa.ParamEntry, isa.ParamFunc:
			return false
		}
		switch in.Inst.Sem {
		case isa.Volatile, isa.Relaxed, isa.Acquire, isa.MMIO:
		default:
			if in.Inst.Has(isa.ModNc) || !w.storedOutside(in) {
				return false
			}
		}
	default:
		return false
	}
	for _, st := range w.inside {
		if !st.Inst.IsAtomic() && w.mayMeet(in, st, true) {
			return false
		}
	}
	return true
}
