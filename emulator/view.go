package emulator

import (
	"hyptx/internal/order"
	"hyptx/ir"
)

// What counters mean. A counter stands for many instructions, and for all modes of
// emulation alike: a segment's two counters were moved whether its instructions ran,
// were outside of the slice, or stood in rounds that were only counted. These
// functions turn the counters of a CTA, or the sum of several, into counts of
// instructions, branches and blocks.

// InstrCount is what a CTA, or a sum of CTAs, did with one instruction.
type InstrCount struct {
	PC ir.PC
	// Issues counts warps that issued it with at least one active lane; Lanes
	// are the active lanes, PredOn those whose guard held.
	Issues, Lanes, PredOn uint64
}

// BranchCount is what was done with one bra or brx.idx.
type BranchCount struct {
	PC     ir.PC
	Issues uint64
	// Divergent counts executions whose active lanes had different next PCs,
	// Targets the targets that these reached.
	Divergent, Targets uint64
}

// EachInstr calls f for every instruction of the program but those of the library, whether it was
// emulated or only counted, in the order of the segments.
func (p *Program) EachInstr(counts []uint64, f func(InstrCount)) {
	for i := range p.segs {
		s := &p.segs[i]
		if s.library {
			continue
		}
		c := InstrCount{Issues: counts[2*i], Lanes: counts[2*i+1]}
		for pc := s.pcFirst; pc < s.pcEnd; pc++ {
			c.PC, c.PredOn = pc, c.Lanes
			if k, ok := p.guardCount[pc]; ok {
				c.PredOn = counts[k]
			} else if truth, ok := p.constGuard[pc]; ok && !truth {
				c.PredOn = 0
			}
			f(c)
		}
	}
}

// LibraryCalls returns how often warps have called functions of CUDA's, whose instructions
// nobody knows and which are therefore not counted.
func (p *Program) LibraryCalls(counts []uint64) (n uint64) {
	for _, s := range p.library {
		n += counts[2*s]
	}
	return n
}

// EachBranch calls f for every branch of the program.
func (p *Program) EachBranch(counts []uint64, f func(BranchCount)) {
	for i := range p.segs {
		s := &p.segs[i]
		if s.branch < 0 || s.library {
			continue
		}
		f(BranchCount{PC: s.pcEnd - 1, Issues: counts[2*i], Divergent: counts[s.branch], Targets: counts[s.branch+1]})
	}
}

// DivergentBarriers returns how often an aligned barrier was reached by only a
// part of a warp's threads.
func (p *Program) DivergentBarriers(counts []uint64) (n uint64) {
	for i := range p.segs {
		if b := p.segs[i].bar; b != nil {
			n += counts[b.divergent]
		}
	}
	return n
}

// EmulatedWarpInstructions returns how many warp instructions were really
// executed, not only counted.
func (p *Program) EmulatedWarpInstructions(counts []uint64) (n uint64) {
	for i := range p.segs {
		n += counts[2*i] * p.segs[i].work()
	}
	return n
}

// work returns how many warp instructions it takes to run a segment.
func (s *segment) work() uint64 {
	if s.decides() {
		return uint64(s.ran) + 1
	}
	return uint64(s.ran)
}

// StaticSharedBytes returns the size of the kernel's static shared memory.
func (p *Program) StaticSharedBytes() int64 { return p.sharedLen }

// LocalBytes returns the local memory that a thread of the kernel's own frame
// takes.
func (p *Program) LocalBytes() int64 { return p.function(p.Kernel).declared }

// Blocks calls f for every basic block with how often warps entered it and
// with how many lanes; it is what --verify compares.
func (p *Program) Blocks(counts []uint64, f func(first ir.PC, issues, lanes uint64)) {
	for i := range p.segs {
		f(p.segs[i].pcFirst, counts[2*i], counts[2*i+1])
	}
}

// Decisions returns how many decisions of warps were taken on values that are
// not exact, by reason (order.Scheduled and the rest); none where origins were
// not followed.
func (p *Program) Decisions(counts []uint64) (n [order.Reasons]uint64) {
	if p.decisions > 0 {
		copy(n[:], counts[p.decisions:])
	}
	return n
}

// Segments returns the number of segments: the first two counters of each warp
// for every segment are its issues and lanes.
func (p *Program) Segments() int { return len(p.segs) }

// decides reports whether running the end of a segment takes more than knowing
// the code: a guard or an index to look at, or others to wait for.
func (s *segment) decides() bool {
	switch s.term {
	case termNext, termJump:
		return false
	case termRet, termExit, termTrap:
		return s.in.guard >= 0
	}
	return true
}
