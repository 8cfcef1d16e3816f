package machine

import (
	"iter"
	"math/bits"
	"slices"

	"hyptx/internal/bitset"
)

// liveness says which slots hold a value that is still read, at the beginning
// of each block. Most slots are written and read in one block alone; wide are
// the others, which the sets number.
//
// Of very many slots and blocks it is computed by windows of slots, so that the sets
// take no more than setBytes. Slots are numbered as they come in the code, so that those
// of a window are alive in few blocks, and only these are looked at. A slot that a phi
// copies is live if the phi is, which may belong to another window: such windows are gone
// through until nothing changes, the last first, as a phi mostly stands behind what it
// copies.
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
	room           int32             // slots of a window
	// touched are the blocks that name a slot of each window, ascending; preds those from
	// which edges lead to block b, from predsAt[b] on. active are those of the window in which
	// some slot is alive or named, open those that are to be computed again.
	touched        [][]int32
	preds, predsAt []int32
	active, open   bitset.Set[int32]
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
	// points are where those of each block begin in at, through what windows in which a
	// block names no slot need in it.
	points, through []int32
}

// setBytes bounds what in, uses and defs take together.
var setBytes = 96 << 20

// windowSlots is how many slots a window has where not all are in one: some words, so that
// what is done for each block and window is little beside them (own choice). Where blocks are
// long they are more: a block is read once for each window whose slots it names.
const windowSlots = 1024

// live prepares the liveness of a listing.
func (l *Listing) live(q *quit) *liveness {
	v := &liveness{quit: q, Listing: l, alive: make([]bool, l.Slots)}
	ops := v.cross()
	v.makers()
	blocks := len(l.Blocks)
	room := min(bitset.Room(setBytes, 3*blocks), len(v.wide))
	if room < len(v.wide) {
		room = min(room, max(windowSlots, ops/blocks*16))
	}
	v.room = int32(room)
	rows := bitset.Rows[int32](3*blocks+4, room)
	v.in, v.uses, v.defs = rows[:blocks], rows[blocks:2*blocks], rows[2*blocks:3*blocks]
	v.out, v.over, v.held, v.again = rows[3*blocks], rows[3*blocks+1], rows[3*blocks+2], rows[3*blocks+3]
	v.active, v.open = bitset.New[int32](blocks), bitset.New[int32](blocks)
	v.findPreds()
	v.touch()
	v.copyAcross()
	return v
}

// findPreds fills preds.
func (v *liveness) findPreds() {
	v.predsAt = make([]int32, len(v.Blocks)+1)
	for b := range v.Blocks {
		for to := range v.edges(b) {
			v.predsAt[to]++
		}
	}
	sum := int32(0)
	for b, n := range v.predsAt { // first where those of each end
		sum += n
		v.predsAt[b] = sum
	}
	v.preds = make([]int32, sum)
	for b := range v.Blocks {
		for to := range v.edges(b) {
			v.predsAt[to]--
			v.preds[v.predsAt[to]] = int32(b)
		}
	}
}

// windows computes what is alive of a window at a time.
func (v *liveness) windows(yield func() bool) {
	for w := range v.touched {
		v.window(w)
		if !yield() {
			return
		}
	}
}

// window computes what is alive of a window's slots.
func (v *liveness) window(w int) {
	for b := range v.active.All {
		clear(v.in[b])
		clear(v.uses[b])
		clear(v.defs[b])
	}
	clear(v.active)
	v.first = int32(w) * v.room
	v.end = min(v.first+v.room, int32(len(v.wide)))
	for _, b := range v.touched[w] {
		v.look()
		v.active.Add(b)
		v.open.Add(b)
		v.read(int(b))
	}
	for any := len(v.touched[w]) > 0; any; {
		any = false
		for i := len(v.open) - 1; i >= 0; i-- {
			for v.open[i] != 0 {
				b := int32(i<<6 + bits.Len64(v.open[i]) - 1)
				v.open.Remove(b)
				any = v.solve(b) || any
			}
		}
	}
}

// solve computes what is alive where block b begins. It reports whether one behind it, which
// was passed, is to be computed again.
func (v *liveness) solve(b int32) (behind bool) {
	v.after(int(b))
	changed := false
	for i, out := range v.out {
		if in := out&^v.defs[b][i] | v.uses[b][i]; in != v.in[b][i] {
			v.in[b][i], changed = in, true
		}
	}
	if !changed {
		return false
	}
	v.active.Add(b)
	for _, p := range v.preds[v.predsAt[b]:v.predsAt[b+1]] {
		v.open.Add(p)
		behind = behind || p >= b
	}
	return behind
}

// touch finds the blocks that name slots of each window.
func (v *liveness) touch() {
	v.touched = make([][]int32, max((len(v.wide)+int(v.room)-1)/max(int(v.room), 1), 1))
	last := slices.Repeat([]int32{-1}, len(v.touched))
	for b := range v.Blocks {
		v.look()
		for s := range v.named(b) {
			if w := v.windowOf(s); w >= 0 && last[w] != int32(b) {
				last[w] = int32(b)
				v.touched[w] = append(v.touched[w], int32(b))
			}
		}
	}
}

// windowOf returns the window that has a slot, -1 of those within one block.
func (v *liveness) windowOf(s Slot) int32 {
	if v.number[s] < 0 {
		return -1
	}
	return v.number[s] / v.room
}

// named goes through the slots that a block and its edges name, as often as they do.
func (v *liveness) named(b int) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for i := range v.Blocks[b].Ops {
			o := &v.Blocks[b].Ops[i]
			for _, s := range o.Srcs {
				if !yield(s) {
					return
				}
			}
			for s := range o.Results {
				if !yield(s) {
					return
				}
			}
		}
		for _, moves := range v.edges(b) {
			for _, m := range moves {
				if !yield(m.Dst) || !yield(m.Src) {
					return
				}
			}
		}
	}
}

// copyAcross finds the moves between windows that copy what is read.
func (v *liveness) copyAcross() {
	crosses, open := make([]bool, len(v.touched)), false // windows whose slots are copies of others'
	for b := range v.Blocks {
		for _, moves := range v.edges(b) {
			for _, m := range moves {
				if v.windowOf(m.Dst) != v.windowOf(m.Src) {
					crosses[v.windowOf(m.Dst)], open = true, true
				}
			}
		}
	}
	for todo := slices.Clone(crosses); open; {
		open = false
		for w := len(todo) - 1; w >= 0; w-- {
			if !todo[w] {
				continue
			}
			todo[w] = false
			v.window(w)
			v.copies(w, func(of int32) {
				todo[of] = crosses[of]
				open = open || crosses[of] && int(of) >= w
			})
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

// copies notes which moves write what is read, as far as window w says so, and tells the
// windows of what they copy.
func (v *liveness) copies(w int, tell func(of int32)) {
	for _, b := range v.touched[w] {
		v.look()
		at := v.moves[b]
		for to, moves := range v.edges(int(b)) {
			for _, m := range moves {
				if k := v.bit(m.Dst); k >= 0 && !v.copied[at] && v.in[to].Has(k) {
					v.copied[at] = true
					if of := v.windowOf(m.Src); int(of) != w {
						tell(of)
					}
				}
				at++
			}
		}
	}
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

// cross numbers the slots that live longer than a block; it returns how many instructions
// there are.
func (v *liveness) cross() (ops int) {
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
			for s := range o.Results {
				written[s] = int32(b)
			}
		}
		v.moves = append(v.moves, moves)
		ops += len(v.Blocks[b].Ops)
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
	return ops
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
		for s := range o.Results {
			if k := v.bit(s); k >= 0 {
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
