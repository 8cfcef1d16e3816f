package machine

import (
	"slices"

	"hyptx/internal/bitset"
)

// fixedRegisters are those that every function has beside its values: the stack
// pointer, and some for pairs and quadruples that begin at a multiple of their
// size (own estimate).
const fixedRegisters = 4

// liveness says which slots hold a value that is still read, at the beginning
// of each block. Most slots are written and read in one block alone; wide are
// the others, which the sets number.
type liveness struct {
	*Listing
	wide   []Slot
	number []int32 // of each slot, -1 of those within one block
	in     []bitset.Set[int32]
	// uses are the slots that a block reads before it writes them, defs those
	// that it writes.
	uses, defs []bitset.Set[int32]
}

// live computes the liveness of a listing.
func (l *Listing) live() *liveness {
	v := &liveness{Listing: l}
	v.cross()
	n := len(v.wide)
	for b := range l.Blocks {
		v.in = append(v.in, bitset.New[int32](n))
		v.uses, v.defs = append(v.uses, bitset.New[int32](n)), append(v.defs, bitset.New[int32](n))
		v.read(b)
	}
	for changed := true; changed; {
		changed = false
		for b := len(l.Blocks) - 1; b >= 0; b-- {
			in := v.after(b)
			for i, w := range v.defs[b] {
				in[i] = in[i]&^w | v.uses[b][i]
			}
			if !slices.Equal(in, v.in[b]) {
				v.in[b], changed = in, true
			}
		}
	}
	return v
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
	written := slices.Repeat([]int32{-1}, v.Slots) // the block that wrote a slot
	for b := range v.Blocks {
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
		for _, p := range v.Blocks[b].Parts {
			for _, e := range p.Edges {
				for _, m := range e.Moves {
					add(m.Dst)
					add(m.Src)
				}
			}
		}
	}
}

// read fills in what a block reads and writes.
func (v *liveness) read(b int) {
	for i := range v.Blocks[b].Ops {
		o := &v.Blocks[b].Ops[i]
		for _, s := range o.Srcs {
			if k := v.number[s]; k >= 0 && !v.defs[b].Has(k) {
				v.uses[b].Add(k)
			}
		}
		// A guarded write leaves what was there in the other lanes: the value was
		// a source then, or is not read.
		if o.Dst != NoSlot && v.number[o.Dst] >= 0 {
			v.defs[b].Add(v.number[o.Dst])
		}
	}
}

// after returns the slots that are live at the end of a block: what its
// successors read, before their phis were renamed.
func (v *liveness) after(b int) bitset.Set[int32] {
	out := bitset.New[int32](len(v.wide))
	for _, p := range v.Blocks[b].Parts {
		for _, e := range p.Edges {
			if e.To.Part != 0 {
				continue
			}
			over := slices.Clone(v.in[e.To.Block])
			for _, m := range e.Moves {
				over.Remove(v.number[m.Dst])
			}
			for _, m := range e.Moves {
				if v.in[e.To.Block].Has(v.number[m.Dst]) {
					over.Add(v.number[m.Src])
				}
			}
			out.Join(over)
		}
	}
	return out
}

// pressure returns the most registers that are alive at a time.
func (v *liveness) pressure() int {
	most := 0
	alive := make([]bool, v.Slots)
	for b := range v.Blocks {
		now := 0
		set := func(s Slot, to bool) {
			if alive[s] != to {
				alive[s] = to
				if now += int(v.Regs[s]); !to {
					now -= 2 * int(v.Regs[s])
				}
			}
		}
		clear(alive)
		for k := range v.after(b).All {
			set(v.wide[k], true)
		}
		most = max(most, now)
		for i := range slices.Backward(v.Blocks[b].Ops) {
			o := &v.Blocks[b].Ops[i]
			if o.Dst != NoSlot {
				set(o.Dst, true)
				most = max(most, now)
				set(o.Dst, false)
			}
			for _, s := range o.Srcs {
				set(s, true)
			}
			most = max(most, now)
		}
	}
	return most
}

// minRegisters are the least that the machine allocates; perSM are those of an SM,
// which CTAs share that are to be resident together (CUDA C Programming Guide,
// technical specifications).
const (
	minRegisters = 16
	perSM        = 64 << 10
)

// Registers returns how many 32-bit registers a thread is expected to need: those
// alive at the point of highest pressure, unless the kernel bounds them. No thread
// can have more than 255: who asks says what becomes of the rest.
func (l *Listing) Registers() int {
	n := l.live().pressure() + fixedRegisters
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
	return max(n, minRegisters)
}
