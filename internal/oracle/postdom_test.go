package oracle

import (
	"math/bits"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Post-dominators, found by the definition rather than by a fast algorithm:
// start with everything, and take away what is not on all ways to the end until
// nothing changes. A node is one instruction, so that blocks, which the
// emulator's own analysis works with, cannot be cut wrongly here.

// never is the virtual exit as a merge point: there, paths of a kernel do not
// merge.
const never = -1

// postDominators returns for each instruction of a function the nearest one
// that every way from it to the end passes, as an offset from First; never if
// there is none. Every instruction is a node, the sets are solved as the
// textbook has it: slow and plain.
func postDominators(f *ir.Func) []int32 {
	n := int(f.End - f.First)
	succs := make([][]int, n)
	for i := range succs {
		succs[i] = successors(f, i)
	}
	endless(succs, n)
	words := (n + 64) / 64
	sets := make([][]uint64, n+1) // sets[i]: what post-dominates i, i included
	for i := range sets {
		sets[i] = make([]uint64, words)
		for k := range sets[i] {
			sets[i][k] = ^uint64(0)
		}
	}
	clear(sets[n])
	sets[n][n/64] |= 1 << (n % 64)
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			changed = meet(sets, i, succs[i]) || changed
		}
	}
	merge := make([]int32, n)
	for i := range merge {
		merge[i] = never
		// The nearest strict post-dominator has all the others but i.
		for d := range n {
			if d != i && sets[i][d/64]>>(d%64)&1 != 0 && size(sets[d]) == size(sets[i])-1 {
				merge[i] = int32(d)
			}
		}
	}
	return merge
}

// meet sets i's post-dominators to what those of all its successors share, and
// i itself.
func meet(sets [][]uint64, i int, succs []int) (changed bool) {
	for k := range sets[i] {
		v := ^uint64(0)
		for _, s := range succs {
			v &= sets[s][k]
		}
		if k == i/64 {
			v |= 1 << (i % 64)
		}
		changed = changed || v != sets[i][k]
		sets[i][k] = v
	}
	return changed
}

func size(set []uint64) (n int) {
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// successors returns where instruction i of f may lead; the function's end is
// the virtual exit.
func successors(f *ir.Func, i int) []int {
	in := &f.Instrs()[i]
	end := int(f.End - f.First)
	var to []int
	switch in.Inst.Op {
	case isa.OpBra:
		to = append(to, int(in.Target-f.First))
	case isa.OpBrxIdx:
		for _, t := range in.Targets() {
			to = append(to, int(t-f.First))
		}
	case isa.OpRet, isa.OpExit, isa.OpTrap:
		to = append(to, end)
	default:
		return []int{i + 1}
	}
	if in.Guard != ir.NoReg {
		to = append(to, i+1)
	}
	return to
}

// endless adds an edge to the exit from the end of each loop that cannot reach
// it. It knows only loops of one block.
func endless(succs [][]int, exit int) {
	reaches := make([]bool, exit+1)
	reaches[exit] = true
	for changed := true; changed; {
		changed = false
		for i, to := range succs {
			for _, s := range to {
				if reaches[s] && !reaches[i] {
					reaches[i], changed = true, true
				}
			}
		}
	}
	for i, to := range succs {
		if !reaches[i] && to[0] <= i {
			succs[i] = append(to, exit)
		}
	}
}
