package roofline

import (
	"hyptx/analysis"
	"hyptx/internal/sim"
	"hyptx/internal/ssa"
	"hyptx/ir"
)

// Chain is how long a warp takes if it has an SM for itself.
type Chain struct {
	// Cycles of the dependent chain, by the approximation of [Path.Chain].
	Cycles float64
	// Loads are the loads of global memory and textures that the warp issues,
	// LoadsInChain those of them that wait for one another: Loads/LoadsInChain
	// are in flight at a time.
	Loads, LoadsInChain float64
	// Mean: the mean warp of a CTA stands for the longest one.
	Mean bool
	// StandIns are the latencies that it rests on and that the GPU's file does not say.
	StandIns []string
}

// Path is the way of a warp through a kernel: how often it issues each block.
type Path struct {
	kernel *ir.Func
	issues map[ir.PC]float64 // by the first instruction of a block
	mean   bool
	// issue is how many cycles an instruction of the text takes to issue: 1, or
	// the machine instructions that are estimated for one.
	issue float64
	ssa   *SSACache
}

// SSACache keeps the SSA form of functions; its zero value is empty.
type SSACache map[*ir.Func]*ssa.Form

func (c *SSACache) of(f *ir.Func) *ssa.Form {
	if *c == nil {
		*c = SSACache{}
	}
	if (*c)[f] == nil {
		(*c)[f] = ssa.Build(f)
	}
	return (*c)[f]
}

// PathOf returns the longest warp's path through a launch, nil if the launch
// was not run.
func PathOf(lp *analysis.LaunchProfile, c Counting, cache *SSACache) *Path {
	blocks, mean := lp.WarpBlocks()
	if blocks == nil {
		return nil
	}
	p := &Path{kernel: lp.Kernel, issues: map[ir.PC]float64{}, mean: mean, issue: 1, ssa: cache}
	for _, b := range blocks {
		p.issues[b.First] = max(p.issues[b.First], b.Issues)
	}
	if n := lp.Facts.X(analysis.WarpInstructions); c == Machine && n > 0 {
		p.issue = lp.Facts.X(analysis.EstWarpInstructions) / n
	}
	return p
}

// Instructions returns how many instructions of the PTX the warp issues.
func (p *Path) Instructions() (n float64) {
	for _, fn := range p.kernel.Closure() {
		for _, b := range fn.Blocks {
			n += p.issues[b.First] * float64(b.End-b.First)
		}
	}
	return n
}

// longer returns how many times longer the warp is than what was seen of it.
func (p *Path) longer(seen *sim.Lone) float64 {
	if !seen.Cut {
		return 1
	}
	return max(1, p.Instructions()*p.issue/seen.Instructions)
}

// Chain sums the times of the regions of the path, each times how often it is
// gone through. A region is what lies between the entry of a function and its
// return, or one round of a loop, without the loops inside that stay loops.
//
// The time of a region is the longest path through its def-use graph, in the
// latencies of its instructions, but no less than a cycle for each of them (a
// warp issues one a clock; of the machine instructions, if these are counted,
// each of the text stands for the launch's mean).
//
//   - Within a region the order of the text does not count: ptxas moves loads
//     ahead of what needs them, and turns short branches into predication. What
//     a branch decides waits for its predicate, and a load for the stores before it
//     that may be of the same bytes.
//   - A block that is not issued in every round counts with the share of the
//     rounds in which it is.
//   - A round of a loop begins when the last instruction of the one before was
//     issued; what a phi carries over keeps it waiting: the path from phi to phi
//     is respected, and a load for the next round overlaps with this one. The
//     time of a round is that of the steady state.
//   - Loops whose trips do not depend on loads are unrolled, as package machine
//     does: the rounds of one that has at most 1024 instructions in all belong to
//     the region around it; else up to four rounds begin together, if no loop is
//     left in them, as many as have 64 instructions. There, adding a constant to
//     an integer takes no time: it becomes an offset.
//   - Barriers, calls, and loops that stay loops wait for all results before
//     them. A callee's regions are added as they are issued.
//
// Left out are waiting for other warps, what is stored and loaded again, bank
// conflicts, and the registers that loads in flight need ([extend] warns where
// they cannot be enough).
func (p *Path) Chain(lat Latencies) (Chain, error) {
	c := Chain{Mean: p.mean}
	var cycles, ones [numKinds]float64
	var used [numKinds]bool
	for k, x := range lat.Cycles {
		if x != nil {
			cycles[k] = *x
		}
	}
	ones[memory] = 1
	for _, fn := range p.kernel.Closure() {
		w := p.walk(fn)
		if w.rounds[nil] == 0 {
			continue
		}
		for b, block := range fn.Blocks {
			if w.issues[b] == 0 {
				continue
			}
			for pc := block.First; pc < block.End; pc++ {
				k := kindOf(&fn.Module.Instrs[pc])
				used[k] = true
				if k == memory {
					c.Loads += w.issues[b]
				}
			}
		}
		c.Cycles += w.total(cycles, p.issue)
		c.LoadsInChain += w.total(ones, 0)
	}
	c.StandIns = lat.standIns(used)
	return c, lat.need(used)
}
