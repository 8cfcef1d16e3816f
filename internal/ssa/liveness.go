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
//
// A function of 100,000 registers and as many blocks would have sets of a gigabyte.
// So registers, which do not depend on each other, are looked at by windows whose
// sets take no more than setBytes; nearly every function has one.
type liveness struct {
	f *ir.Func
	// global numbers the registers that live across a block's border, -1 for
	// the others: the sets below stay small in long straight-line code.
	global []int32
	regs   []ir.RegID
	// exposed are the registers that each block reads before it surely writes them.
	exposed [][]ir.RegID
	// The window are the global registers from first to end, without it. in and out
	// hold one bit for each of them, by block, and kill those that a block writes.
	first, end    int32
	in, out, kill []bitset.Set[int32]
}

// setBytes bounds what in, out and kill take together.
var setBytes = 96 << 20

// liveOf numbers the registers of a function that live across borders.
func liveOf(f *ir.Func) *liveness {
	l := &liveness{f: f, global: make([]int32, len(f.Regs))}
	l.exposed = l.findExposed()
	return l
}

// windows computes which registers are live where, of a window at a time.
func (l *liveness) windows(yield func() bool) {
	blocks := len(l.f.Blocks)
	room := int32(min(bitset.Room(setBytes, 3*blocks), len(l.regs)))
	rows := bitset.Rows[int32](3*blocks, int(room))
	l.in, l.out, l.kill = rows[:blocks], rows[blocks:2*blocks], rows[2*blocks:]
	l.end = 0
	for more := true; more; more = l.end < int32(len(l.regs)) {
		l.first, l.end = l.end, min(l.end+room, int32(len(l.regs)))
		l.solve()
		if !yield() {
			return
		}
	}
}

// bit returns the place of a register in the sets, -1 if it is not in the window.
func (l *liveness) bit(r ir.RegID) int32 {
	if g := l.global[r]; g >= l.first && g < l.end {
		return g - l.first
	}
	return -1
}

// is reports whether a register is looked at in this window: one that lives in one
// block alone is in the first.
func (l *liveness) is(r ir.RegID) bool { return l.bit(r) >= 0 || l.global[r] < 0 && l.first == 0 }

// findExposed returns the registers that each block reads before it surely writes
// them, and numbers all of these.
func (l *liveness) findExposed() [][]ir.RegID {
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
func (l *liveness) solve() {
	blocks := l.f.Blocks
	for i, b := range blocks {
		clear(l.in[i])
		clear(l.out[i])
		clear(l.kill[i])
		l.begin(i, b)
	}
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			for _, s := range blocks[i].Succs {
				if s != ir.Exit {
					l.out[i].Join(l.in[s])
				}
			}
			for w, out := range l.out[i] {
				if in := l.in[i][w] | out&^l.kill[i][w]; in != l.in[i][w] {
					l.in[i][w] = in
					changed = true
				}
			}
		}
	}
}

// begin fills in what block i reads and writes.
func (l *liveness) begin(i int, b *ir.Block) {
	for _, r := range l.exposed[i] {
		if k := l.bit(r); k >= 0 {
			l.in[i].Add(k)
		}
	}
	for pc := b.First; pc < b.End; pc++ {
		in := &l.f.Module.Instrs[pc]
		if in.Guard != ir.NoReg {
			continue
		}
		for _, r := range in.Defs() {
			if k := l.bit(r); k >= 0 {
				l.kill[i].Add(k)
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
