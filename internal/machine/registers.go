package machine

import (
	"iter"
	"math"
	"slices"

	"hyptx/internal/bitset"
	"hyptx/internal/pipe"
)

// fixedRegisters are those that every function has beside its values: the stack
// pointer, and some for pairs and quadruples that begin at a multiple of their
// size (own estimate: the middle of 4 to 8).
const fixedRegisters = 6

// liveness says which slots hold a value that is still read, at the beginning
// of each block. Most slots are written and read in one block alone; wide are
// the others, which the sets number.
//
// Of very many slots and blocks it is computed by windows of slots, so that the sets
// take no more than setBytes. A slot that a phi copies is live if the phi is, which
// may belong to another window: so the windows are gone through until nothing
// changes.
type liveness struct {
	*quit
	*Listing
	wide   []Slot
	number []int32 // of each slot, -1 of those within one block
	// The window are the wide slots from first to end, without it. in are those
	// alive where a block begins, uses those that it reads before it writes them,
	// and defs those that it writes.
	first, end     int32
	in, uses, defs []bitset.Set[int32]
	out, over      bitset.Set[int32] // of the block that is looked at, of an edge
	// copied says of each move of an edge whether what it writes is read, moves
	// where those of a block begin.
	copied []bool
	moves  []int
	// maker is the instruction that makes a slot again, nil without one.
	maker []*Op
	// now are the registers that are alive in the window, held their slots that have a
	// bit, again the slots that are made again; at is what all windows need together at
	// each point.
	alive       []bool
	now         int32
	held, again bitset.Set[int32]
	at          []int32
}

// setBytes bounds what in, uses and defs take together.
var setBytes = 96 << 20

// live prepares the liveness of a listing.
func (l *Listing) live(q *quit) *liveness {
	v := &liveness{quit: q, Listing: l, alive: make([]bool, l.Slots)}
	v.cross()
	v.makers()
	blocks := len(l.Blocks)
	room := min(bitset.Room(setBytes, 3*blocks), len(v.wide))
	rows := bitset.Rows[int32](3*blocks+4, room)
	v.in, v.uses, v.defs = rows[:blocks], rows[blocks:2*blocks], rows[2*blocks:3*blocks]
	v.out, v.over, v.held, v.again = rows[3*blocks], rows[3*blocks+1], rows[3*blocks+2], rows[3*blocks+3]
	if room < len(v.wide) {
		for changed := true; changed; {
			changed = false
			for range v.windows {
				changed = v.copies() || changed
			}
		}
	}
	return v
}

// windows computes what is alive of a window at a time.
func (v *liveness) windows(yield func() bool) {
	v.end = 0
	for more := true; more; more = v.end < int32(len(v.wide)) {
		v.first = v.end
		v.end = min(v.first+int32(len(v.out))*64, int32(len(v.wide)))
		for b := range v.Blocks {
			v.look()
			clear(v.in[b])
			clear(v.uses[b])
			clear(v.defs[b])
			v.read(b)
		}
		for changed := true; changed; {
			changed = false
			for b := len(v.Blocks) - 1; b >= 0; b-- {
				v.after(b)
				for i, out := range v.out {
					if in := out&^v.defs[b][i] | v.uses[b][i]; in != v.in[b][i] {
						v.in[b][i], changed = in, true
					}
				}
			}
		}
		if !yield() {
			return
		}
	}
}

// bit returns the place of a slot in the sets, -1 if it is not in the window.
func (v *liveness) bit(s Slot) int32 {
	if k := v.number[s]; k >= v.first && k < v.end {
		return k - v.first
	}
	return -1
}

// copies notes which moves write what is read, as far as the window says so.
func (v *liveness) copies() (changed bool) {
	for b := range v.Blocks {
		v.look()
		at := v.moves[b]
		for to, moves := range v.edges(b) {
			for _, m := range moves {
				if k := v.bit(m.Dst); k >= 0 && !v.copied[at] && v.in[to].Has(k) {
					v.copied[at], changed = true, true
				}
				at++
			}
		}
	}
	return changed
}

// edges goes through the edges from a block to others, with their moves.
func (v *liveness) edges(b int) iter.Seq2[int32, []Move] {
	return func(yield func(int32, []Move) bool) {
		for _, p := range v.Blocks[b].Parts {
			for _, e := range p.Edges {
				if e.To.Part == 0 && !yield(e.To.Block, e.Moves) {
					return
				}
			}
		}
	}
}

// cross numbers the slots that live longer than a block.
func (v *liveness) cross() {
	v.number = slices.Repeat([]int32{-1}, v.Slots)
	add := func(s Slot) {
		if v.number[s] < 0 {
			v.number[s] = int32(len(v.wide))
			v.wide = append(v.wide, s)
		}
	}
	moves := 0
	written := slices.Repeat([]int32{-1}, v.Slots) // the block that wrote a slot
	for b := range v.Blocks {
		v.look()
		for i := range v.Blocks[b].Ops {
			o := &v.Blocks[b].Ops[i]
			for _, s := range o.Srcs {
				if written[s] != int32(b) {
					add(s)
				}
			}
			if o.Dst != NoSlot {
				written[o.Dst] = int32(b)
			}
		}
		v.moves = append(v.moves, moves)
		for _, p := range v.Blocks[b].Parts {
			for _, e := range p.Edges {
				for _, m := range e.Moves {
					add(m.Dst)
					add(m.Src)
				}
				if e.To.Part == 0 {
					moves += len(e.Moves)
				}
			}
		}
	}
	v.copied = make([]bool, moves)
}

// read fills in what a block reads and writes.
func (v *liveness) read(b int) {
	for i := range v.Blocks[b].Ops {
		v.look()
		o := &v.Blocks[b].Ops[i]
		for _, s := range o.Srcs {
			if k := v.bit(s); k >= 0 && !v.defs[b].Has(k) {
				v.uses[b].Add(k)
			}
		}
		// A guarded write leaves what was there in the other lanes: the value was
		// a source then, or is not read.
		if o.Dst != NoSlot {
			if k := v.bit(o.Dst); k >= 0 {
				v.defs[b].Add(k)
			}
		}
	}
}

// after fills out with the slots that are live at the end of a block: what its
// successors read, before their phis were renamed.
func (v *liveness) after(b int) {
	v.look()
	clear(v.out)
	at := v.moves[b]
	for to, moves := range v.edges(b) {
		if len(moves) == 0 {
			v.out.Join(v.in[to])
			continue
		}
		copy(v.over, v.in[to])
		for _, m := range moves {
			if k := v.bit(m.Dst); k >= 0 {
				v.over.Remove(k)
			}
		}
		for i, m := range moves {
			read := v.copied[at+i]
			if k := v.bit(m.Dst); k >= 0 {
				read = v.in[to].Has(k)
			}
			if k := v.bit(m.Src); k >= 0 && read {
				v.over.Add(k)
			}
		}
		at += len(moves)
		v.out.Join(v.over)
	}
}

// set makes a slot of the window alive or not; one that lives in one block alone is
// in the first window.
func (v *liveness) set(s Slot, to bool) {
	k := v.bit(s)
	if v.alive[s] == to || k < 0 && (v.number[s] >= 0 || v.first > 0) {
		return
	}
	v.alive[s] = to
	if v.now += int32(v.Regs[s]); !to {
		v.now -= 2 * int32(v.Regs[s])
	}
	switch {
	case k >= 0 && to:
		v.held.Add(k)
	case k >= 0:
		v.held.Remove(k)
	}
}

// leave makes alive what is at the end of a block, but for what is not touched in it
// and made again, and nothing else. Few slots differ from what was alive before.
func (v *liveness) leave(b int) {
	v.after(b)
	for i := range v.out {
		v.out[i] &^= v.again[i] &^ (v.uses[b][i] | v.defs[b][i])
	}
	for k := range v.held.Differ(v.out) {
		v.set(v.wide[v.first+k], v.out.Has(k))
	}
}

// maxRemade is how many instructions, one after the other, make a value again rather
// than that it is kept (own estimate).
const maxRemade = 3

// remade reports whether a slot's value need not be kept where it is not used: few
// instructions make it again from constants, parameters and special registers.
// (Rematerialisation, as any allocator of registers does it.)
func (v *liveness) remade(s Slot, depth int) bool {
	o := v.maker[s]
	return o != nil && depth < maxRemade && !slices.ContainsFunc(o.Srcs, func(from Slot) bool { return !v.remade(from, depth+1) })
}

// makers finds the slots that one cheap instruction writes, and nothing else.
func (v *liveness) makers() {
	v.maker = make([]*Op, v.Slots)
	written := make([]bool, v.Slots)
	for b := range v.Blocks {
		for _, moves := range v.edges(b) {
			for _, m := range moves {
				written[m.Dst] = true
			}
		}
	}
	for b := range v.Blocks {
		for i := range v.Blocks[b].Ops {
			o := &v.Blocks[b].Ops[i]
			if o.Dst == NoSlot {
				continue
			}
			v.maker[o.Dst] = nil
			if !written[o.Dst] && !o.Guarded && cheap(o.Kind) && !slices.Contains(o.Srcs, o.Dst) {
				v.maker[o.Dst] = o
			}
			written[o.Dst] = true
		}
	}
}

// cheap reports whether an instruction costs less than a register.
func cheap(k pipe.Kind) bool {
	switch k {
	case pipe.IntAdd, pipe.IntShift, pipe.IntMul, pipe.IntMulWide, pipe.Move, pipe.ReadSpecial:
		return true
	}
	return false
}

// pressure returns the most registers that are alive at a time.
func (v *liveness) pressure() int {
	for range v.windows {
		clear(v.again)
		for k, s := range v.wide[v.first:v.end] {
			if v.remade(s, 0) {
				v.again.Add(int32(k))
			}
		}
		point := 0
		note := func() {
			if point == len(v.at) {
				v.at = append(v.at, 0)
			}
			v.at[point] += v.now
			point++
		}
		for b := range v.Blocks {
			v.leave(b)
			note()
			for i := range slices.Backward(v.Blocks[b].Ops) {
				v.look()
				o := &v.Blocks[b].Ops[i]
				if o.Dst != NoSlot {
					v.set(o.Dst, true)
					note()
					v.set(o.Dst, false)
				}
				for _, s := range o.Srcs {
					v.set(s, true)
				}
				note()
			}
		}
		for k := range v.held.All {
			v.set(v.wide[v.first+k], false)
		}
	}
	return int(slices.Max(append(v.at, 0)))
}

// minRegisters are the least that the machine allocates; perSM are those of an SM,
// which CTAs share that are to be resident together (CUDA C Programming Guide,
// technical specifications).
const (
	minRegisters = 16
	perSM        = 64 << 10
)

// registers returns how many 32-bit registers a thread is expected to need: those
// alive at the point of highest pressure, unless the kernel bounds them. No thread
// can have more than 255: who asks says what becomes of the rest.
func (l *Listing) registers(q *quit) int {
	n := l.live(q).pressure() + fixedRegisters
	f := l.Func
	if f.MaxRegisters > 0 {
		n = min(n, f.MaxRegisters)
	}
	threads := 1
	for axis := range 3 {
		threads *= max(f.MaxNTID[axis], f.ReqNTID[axis], 1)
	}
	if f.MinCTAsPerSM > 0 && threads > 1 {
		const unit = 8 // warps are given multiples of 256
		warps := (threads + 31) / 32 * f.MinCTAsPerSM
		n = min(n, max(perSM/32/warps/unit*unit, minRegisters))
	}
	return max(min(n, l.mostRegisters), minRegisters)
}

// mostRegisters returns how many registers a thread can have at most for a launch to be
// possible, which ptxas does not know, but whoever launches it does: a CTA's fit into an
// SM. Of a launch without extents any number fits.
func (l *Launch) mostRegisters() int {
	if l == nil || l.NTID[0] == 0 {
		return math.MaxInt
	}
	const unit = 8 // as above
	warps := (int(l.NTID[0])*int(max(l.NTID[1], 1))*int(max(l.NTID[2], 1)) + 31) / 32
	return max(perSM/32/warps/unit*unit, minRegisters)
}
