package roofline

import (
	"slices"

	"hyptx/analysis"
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
}

// Path is the way of a warp through a kernel: how often it issues each block.
type Path struct {
	kernel *ir.Func
	blocks []analysis.BlockCount
	mean   bool
	// issue is how many cycles an instruction of the text takes to issue: 1, or
	// the machine instructions that are estimated for one.
	issue float64
	ssa   *SSACache
}

// SSACache keeps the SSA form of functions; its zero value is empty.
type SSACache map[*ir.Func]*ir.SSA

func (c *SSACache) of(f *ir.Func) *ir.SSA {
	if *c == nil {
		*c = SSACache{}
	}
	if (*c)[f] == nil {
		(*c)[f] = f.BuildSSA()
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
	p := &Path{lp.Kernel, blocks, mean, 1, cache}
	if r := lp.Row; c == Machine && r.WarpInstructions.N > 0 {
		p.issue = n(r.EstWarpInstructions) / n(r.WarpInstructions)
	}
	return p
}

// Chain sums the time of the path's blocks, each times how often it is issued.
//
// The time of a block is the longest path through its def-use graph, in the
// latencies of its instructions, but no less than a cycle for each of them (a
// warp issues one a clock; of the machine instructions, if these are counted,
// each of the text stands for the launch's mean). Within a block the order of the text does not
// count: ptxas moves loads ahead of what needs them. Values from other blocks
// are ready when a block begins, and all of a block's results when it ends,
// with one exception: a block that is a loop by itself. There the time is that
// of one round in the steady state, where a round begins when the last
// instruction of the one before was issued, and what a phi carries over keeps
// it waiting: the path from phi to phi is respected, and a load for the next
// round overlaps with this one.
//
// Left out are waiting at barriers, dependences through memory, bank conflicts
// and the exchange between warps. Blocks are cut behind calls, barriers and
// warp-synchronous operations. A callee's blocks are added as they are issued.
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
	p.eachBlock(func(b span, issues float64) {
		for pc := b.first; pc < b.end; pc++ {
			k := kindOf(&b.fn.Module.Instrs[pc])
			used[k] = true
			if k == memory {
				c.Loads += issues
			}
		}
		c.Cycles += issues * b.time(cycles, p.issue)
		c.LoadsInChain += issues * b.time(ones, 0)
	})
	return c, lat.need(used)
}

// span is a run of instructions that is issued as a whole.
type span struct {
	fn         *ir.Func
	ssa        *ir.SSA
	first, end ir.PC
	// loop: the block branches to itself and is not cut.
	loop bool
}

// eachBlock calls f for the spans that the warp issues.
func (p *Path) eachBlock(f func(span, float64)) {
	fns := slices.Clone(p.kernel.Closure())
	for i, b := range p.blocks {
		if b.Issues == 0 {
			continue
		}
		for _, fn := range fns {
			if b.First < fn.First || b.First >= fn.End {
				continue
			}
			block := fn.Blocks[fn.Module.Instrs[b.First].Block]
			s := span{fn: fn, ssa: p.ssa.of(fn), first: b.First, end: block.End}
			if i+1 < len(p.blocks) && p.blocks[i+1].First > b.First {
				s.end = min(s.end, p.blocks[i+1].First)
			}
			s.loop = s.first == block.First && s.end == block.End && slices.Contains(block.Succs, block.Index)
			f(s, b.Issues)
		}
	}
}

// rounds is how many rounds of a loop are looked at; the second half of them is
// taken for its steady state.
const rounds = 8

// time returns the time of a span under latencies, an instruction taking issue
// cycles to issue.
func (s span) time(cycles [numKinds]float64, issue float64) float64 {
	ready := map[ir.ValueID]float64{}
	if !s.loop {
		_, done := s.round(ready, 0, cycles, issue)
		return done
	}
	begin, half := 0.0, 0.0
	for i := range rounds {
		if i == rounds/2 {
			half = begin
		}
		begin, _ = s.round(ready, begin, cycles, issue)
		s.carry(ready)
	}
	return (begin - half) / (rounds / 2)
}

// round issues the span's instructions from begin on. issued is when the last
// one was, done when all results are there.
func (s span) round(ready map[ir.ValueID]float64, begin float64, cycles [numKinds]float64, issue float64) (issued, done float64) {
	issued = begin + issue*float64(s.end-s.first)
	done = issued
	for pc := s.first; pc < s.end; pc++ {
		in := &s.fn.Module.Instrs[pc]
		start := begin
		for _, v := range s.ssa.Uses(pc) {
			start = max(start, ready[v])
		}
		issued = max(issued, start+issue)
		end := start + max(cycles[kindOf(in)], 0)
		for i, v := range s.ssa.Defs(pc) {
			at := end
			if w := s.ssa.Written(pc, i); w != v { // a select: the old value, too
				ready[w] = end
				at = max(at, ready[s.ssa.Values[v].Args[ir.SelectOld]])
			}
			if v != ir.NoValue {
				ready[v] = at
				done = max(done, at)
			}
		}
	}
	return issued, max(done, issued)
}

// carry gives the phis of a loop what the round left for them.
func (s span) carry(ready map[ir.ValueID]float64) {
	block := s.fn.Blocks[s.fn.Module.Instrs[s.first].Block]
	from := slices.Index(block.Preds, block.Index)
	next := map[ir.ValueID]float64{}
	for _, v := range s.ssa.Phis(block.Index) {
		next[v] = ready[s.ssa.Values[v].Args[from]]
	}
	for v, at := range next {
		ready[v] = at
	}
}
