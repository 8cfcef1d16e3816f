package ssa

import (
	"slices"
	"sync"

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
	// exposed are the registers that each block reads before it surely writes them, from
	// exposedAt of the block on.
	exposed   []ir.RegID
	exposedAt []int32
	marks     []mark
	// The window are the global registers from first to end, without it. in and out
	// hold one bit for each of them, by block, and kill those that a block writes.
	first, end    int32
	in, out, kill bitset.Table[int32]
}

// setBytes bounds what in, out and kill take together.
var setBytes = 96 << 20

// mark says which block, counted from 1, last wrote a register, and which read it first.
type mark struct{ killed, read int32 }

// liveOf numbers the registers of a function that live across borders.
func liveOf(f *ir.Func) *liveness {
	l := new(liveness)
	l.of(f)
	return l
}

// of makes l that of another function, in the memory that it has.
func (l *liveness) of(f *ir.Func) {
	l.f, l.regs, l.exposed = f, l.regs[:0], l.exposed[:0]
	l.global = slices.Grow(l.global[:0], len(f.Regs))[:len(f.Regs)]
	l.findExposed()
}

// spare is the memory of functions before, of which a module has many that are small.
var spare = sync.Pool{New: func() any { return new(liveness) }}

// done gives the memory back, but for sets, which may be large.
func (l *liveness) done() {
	*l = liveness{global: l.global, regs: l.regs, exposed: l.exposed, exposedAt: l.exposedAt, marks: l.marks}
	spare.Put(l)
}

// windows computes which registers are live where, of a window at a time.
func (l *liveness) windows(yield func() bool) {
	blocks := len(l.f.Blocks)
	room := int32(min(bitset.Room(setBytes, 3*blocks), len(l.regs)))
	for _, t := range []*bitset.Table[int32]{&l.in, &l.out, &l.kill} {
		*t = bitset.NewTable[int32](blocks, int(room))
	}
	l.end = 0
	for more := true; more; more = !l.last() {
		l.first, l.end = l.end, min(l.end+room, int32(len(l.regs)))
		l.solve()
		if !yield() {
			return
		}
	}
}

// last says whether no window comes behind this one.
func (l *liveness) last() bool { return l.end == int32(len(l.regs)) }

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

// findExposed finds the registers that each block reads before it surely writes
// them, and numbers all of these.
func (l *liveness) findExposed() {
	for r := range l.global {
		l.global[r] = -1
	}
	l.exposedAt = append(l.exposedAt[:0], make([]int32, len(l.f.Blocks)+1)...)
	l.marks = slices.Grow(l.marks[:0], len(l.f.Regs))[:len(l.f.Regs)]
	clear(l.marks)
	at := l.marks
	for i, b := range l.f.Blocks {
		block := int32(i + 1)
		use := func(r ir.RegID) {
			if at[r].killed == block || at[r].read == block {
				return
			}
			at[r].read = block
			l.exposed = append(l.exposed, r)
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
				at[r].killed = block
			}
		}
		if returns(b) {
			for _, r := range returnRegs(l.f) {
				use(r)
			}
		}
		l.exposedAt[i+1] = int32(len(l.exposed))
	}
}

// solve iterates in = exposed | (out &^ kill) backwards to the fixed point.
func (l *liveness) solve() {
	blocks := l.f.Blocks
	l.in.Clear()
	l.out.Clear()
	l.kill.Clear()
	for i, b := range blocks {
		l.begin(i, b)
	}
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			in, out, kill := l.in.At(i), l.out.At(i), l.kill.At(i)
			for _, s := range blocks[i].Succs() {
				if s != ir.Exit {
					out.Join(l.in.At(s))
				}
			}
			for w, after := range out {
				if before := in[w] | after&^kill[w]; before != in[w] {
					in[w] = before
					changed = true
				}
			}
		}
	}
}

// begin fills in what block i reads and writes.
func (l *liveness) begin(i int, b *ir.Block) {
	for _, r := range l.exposed[l.exposedAt[i]:l.exposedAt[i+1]] {
		if k := l.bit(r); k >= 0 {
			l.in.At(i).Add(k)
		}
	}
	for pc := b.First; pc < b.End; pc++ {
		in := &l.f.Module.Instrs[pc]
		if in.Guard != ir.NoReg {
			continue
		}
		for _, r := range in.Defs() {
			if k := l.bit(r); k >= 0 {
				l.kill.At(i).Add(k)
			}
		}
	}
}

// returns reports whether threads return to the caller at the end of b:
// by ret or by falling off the end.
func returns(b *ir.Block) bool { return slices.Contains(b.Succs(), ir.Exit) }

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
