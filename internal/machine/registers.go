package machine

import (
	"math"
	"slices"

	"hyptx/internal/pipe"
)

// fixedRegisters are those that every function has beside its values: the stack
// pointer, and some for pairs and quadruples that begin at a multiple of their
// size (own estimate: the middle of 4 to 8).
const fixedRegisters = 6

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

// pressure returns the most registers that are alive at a time. A point is where a block
// ends, and before and behind what each instruction writes.
func (v *liveness) pressure() int {
	v.points, v.through = make([]int32, len(v.Blocks)+1), make([]int32, len(v.Blocks))
	for b := range v.Blocks {
		n := int32(1 + len(v.Blocks[b].Ops))
		for i := range v.Blocks[b].Ops {
			if v.Blocks[b].Ops[i].Dst != NoSlot {
				n++
			}
		}
		v.points[b+1] = v.points[b] + n
	}
	v.at = make([]int32, v.points[len(v.Blocks)])
	for range v.windows {
		v.addWindow()
	}
	most := int32(0)
	for b, through := range v.through {
		most = max(most, through+slices.Max(v.at[v.points[b]:v.points[b+1]]))
	}
	return int(most)
}

// addWindow adds what the slots of the window need. What lives in one block alone is in the
// first, which looks at all blocks; others look at those in which something of theirs is alive.
func (v *liveness) addWindow() {
	clear(v.again)
	for k, s := range v.wide[v.first:v.end] {
		if v.remade(s, 0) {
			v.again.Add(int32(k))
		}
	}
	touched := v.touched[v.first/max(v.room, 1)]
	if v.first == 0 {
		for b := range v.Blocks {
			v.leave(b)
			v.addPoints(b)
		}
	} else {
		for b := range v.active.All {
			v.leave(int(b))
			if len(touched) == 0 || touched[0] != b {
				v.through[b] += v.now
				continue
			}
			touched = touched[1:]
			v.addPoints(int(b))
		}
	}
	for k := range v.held.All {
		v.set(v.wide[v.first+k], false)
	}
}

// addPoints goes through a block from its end, what is alive at which has been set.
func (v *liveness) addPoints(b int) {
	at := v.at[v.points[b]:v.points[b+1]]
	note := func() {
		at[0] += v.now
		at = at[1:]
	}
	note()
	for i := range slices.Backward(v.Blocks[b].Ops) {
		v.look()
		o := &v.Blocks[b].Ops[i]
		if o.Dst != NoSlot {
			for s := range o.Results {
				v.set(s, true)
			}
			note()
			for s := range o.Results {
				v.set(s, false)
			}
		}
		for _, s := range o.Srcs {
			v.set(s, true)
		}
		note()
	}
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
