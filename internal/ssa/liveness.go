package ssa

import (
	"slices"

	"hyptx/internal/bitset"
	"hyptx/ir"
)

// liveness says which registers are live at the borders of each block: where
// the value that a register holds may still be read, by an instruction or by
// the caller after a return. A guarded definition does not end a register's
// life: where the guard is false the old value stays.
//
// It is the usual problem of data flow against the direction of control: what
// is live where a block begins is what the block reads before it writes it, and
// what is live at its end without what it surely writes. Two things keep it
// fast on code with tens of thousands of registers in few blocks: only those
// that live across a border have a bit in the sets, and the iteration goes
// through the blocks from the last to the first, in which order it settles at
// once but for loops.
type liveness struct {
	f *ir.Func
	// global numbers the registers that live across a block's border, -1 for
	// the others: the sets below stay small in long straight-line code.
	global []int32
	regs   []ir.RegID
	// in and out hold one bit for each global register, by block.
	in, out []bitset.Set[int32]
}

// liveOf computes which registers are live where.
func liveOf(f *ir.Func) *liveness {
	l := &liveness{f: f, global: make([]int32, len(f.Regs))}
	exposed := l.exposed()
	n := len(l.regs)
	l.in, l.out = make([]bitset.Set[int32], len(f.Blocks)), make([]bitset.Set[int32], len(f.Blocks))
	kill := make([]bitset.Set[int32], len(f.Blocks))
	for i, b := range f.Blocks {
		l.in[i], l.out[i], kill[i] = bitset.New[int32](n), bitset.New[int32](n), bitset.New[int32](n)
		for _, r := range exposed[i] {
			l.in[i].Add(l.global[r])
		}
		for pc := b.First; pc < b.End; pc++ {
			in := &f.Module.Instrs[pc]
			if in.Guard != ir.NoReg {
				continue
			}
			for _, r := range in.Defs() {
				if g := l.global[r]; g >= 0 {
					kill[i].Add(g)
				}
			}
		}
	}
	l.solve(kill)
	return l
}

// exposed returns the registers that each block reads before it surely writes
// them, and numbers all of these.
func (l *liveness) exposed() [][]ir.RegID {
	for r := range l.global {
		l.global[r] = -1
	}
	found := make([][]ir.RegID, len(l.f.Blocks))
	killed := make([]int32, len(l.f.Regs)) // 1 + the block that last wrote it
	read := make([]int32, len(l.f.Regs))
	for i, b := range l.f.Blocks {
		mark := int32(i + 1)
		use := func(r ir.RegID) {
			if killed[r] == mark || read[r] == mark {
				return
			}
			read[r] = mark
			found[i] = append(found[i], r)
			if l.global[r] < 0 {
				l.global[r] = int32(len(l.regs))
				l.regs = append(l.regs, r)
			}
		}
		for pc := b.First; pc < b.End; pc++ {
			in := &l.f.Module.Instrs[pc]
			for _, r := range in.Uses() {
				use(r)
			}
			if in.Guard != ir.NoReg {
				continue
			}
			for _, r := range in.Defs() {
				killed[r] = mark
			}
		}
		if returns(b) {
			for _, r := range returnRegs(l.f) {
				use(r)
			}
		}
	}
	return found
}

// solve iterates in = exposed | (out &^ kill) backwards to the fixed point.
func (l *liveness) solve(kill []bitset.Set[int32]) {
	blocks := l.f.Blocks
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			for _, s := range blocks[i].Succs {
				if s != ir.Exit {
					l.out[i].Join(l.in[s])
				}
			}
			for w, out := range l.out[i] {
				if in := l.in[i][w] | out&^kill[i][w]; in != l.in[i][w] {
					l.in[i][w] = in
					changed = true
				}
			}
		}
	}
}

// returns reports whether threads return to the caller at the end of b:
// by ret or by falling off the end.
func returns(b *ir.Block) bool { return slices.Contains(b.Succs, ir.Exit) }

// returnRegs returns the formal return parameters that are registers.
func returnRegs(f *ir.Func) []ir.RegID {
	var regs []ir.RegID
	for _, p := range f.Returns {
		if p.Var == nil {
			regs = append(regs, p.Reg)
		}
	}
	return regs
}
