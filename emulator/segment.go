package emulator

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Counting is done by segments, not by instructions: a segment is entered at
// its start, and its lanes stay the same to its end, so two counters, how
// often it was entered and by how many lanes, give the counts of all its
// instructions. What a guard takes away from an instruction has a counter of
// its own, as have the outcomes of branches. Of
//
//	L:  add.s32 %r1, %r1, 1;         one segment of three instructions:
//	    @%p ld.global.u32 %r2, [%rd1];   issues, lanes, lanes of the guard,
//	@%q bra L;                           divergent branches, targets reached
//
// a warp that goes round a hundred times moves five counters for each round, where
// three instructions would each have issues, lanes and predicated lanes. A barrier,
// a call or a shuffle that waits ends a segment, for behind it the path may have
// other lanes, or the warp another path.

// termKind says how a segment ends.
type termKind uint8

const (
	termNext     termKind = iota // falls into the next segment
	termJump                     // unguarded bra, or one whose guard is a constant
	termBranch                   // guarded bra
	termSwitch                   // brx.idx
	termRet                      // ret
	termExit                     // exit
	termTrap                     // trap, brkpt
	termCall                     // call
	termBarrier                  // bar, barrier
	termCluster                  // barrier.cluster
	termWarpSync                 // bar.warp.sync, shfl.sync, vote.sync ...
	termSuspend                  // mbarrier.try_wait
)

// segment is a stretch of straight-line code that is entered at its start and
// whose lanes stay the same to its end: a basic block, cut after calls and
// barriers.
type segment struct {
	first, last int32 // insts[first:last]
	ran         int32 // instructions of it that are executed
	cost        int32 // what running it takes of the launch's limit
	length      int32 // instructions of the whole kernel it stands for
	term        termKind
	// in is the instruction that ends it; nil when it only falls through.
	in *inst
	// next is the fall-through, target where a taken branch goes.
	next, target edge
	// reconv is the segment at the branch's immediate post-dominator, -1 for
	// the virtual exit (see frame.mergePoint).
	reconv int32
	// loop is the innermost loop that it lies in, -1 if there is none.
	loop int32
	// branch is where the branch's two counters stand, -1 if it is none:
	// divergent executions, and targets that these reached.
	branch int32
	// targets are brx.idx's, by index.
	targets        []edge
	call           *callInfo
	bar            *barrierInfo
	pcFirst, pcEnd ir.PC
	block          int32 // of the function, by index
	library        bool  // of a function of CUDA's
}

// edge is a way out of a segment.
type edge struct {
	to int32 // segment; end returns from the function
	// back is the loop whose back edge this is, -1 if none; exits are the
	// loops that it leaves.
	back  int32
	exits []int32
}

// end as an edge's segment leads out of the function.
const end = -1

// segments cuts a function's blocks into segments, in the order of the text.
func (c *compiler) segments(fn *function) {
	f := fn.ir
	first := int32(len(c.prog.segs))
	fn.entry = first
	if f.Library {
		c.prog.library = append(c.prog.library, first)
	}
	if f.Library && !c.hasMembers(f) {
		c.prog.segs = append(c.prog.segs, segment{
			pcFirst: f.First, pcEnd: f.First, library: true, branch: -1, reconv: -1, next: edge{to: end, back: -1}, target: edge{to: end, back: -1},
		})
		fn.segs = [2]int32{first, first + 1}
		return
	}
	c.prog.segs = slices.Grow(c.prog.segs, c.countSegments(f))
	for _, b := range f.Blocks {
		start := b.First
		for pc := b.First; pc < b.End; pc++ {
			if endsSegment(&c.mod.Instrs[pc]) && pc+1 < b.End {
				c.addSegment(b, start, pc+1)
				start = pc + 1
			}
		}
		c.addSegment(b, start, b.End)
	}
	fn.segs = [2]int32{first, int32(len(c.prog.segs))}
	for i := first; i < fn.segs[1]; i++ {
		c.prog.segs[i].library = f.Library
	}
	loopBase := int32(len(c.prog.loops))
	c.addLoops(f)
	for i := first; i < fn.segs[1]; i++ {
		c.look()
		c.connect(fn, i, loopBase)
	}
}

// hasMembers reports whether the slice has an instruction of a function.
func (c *compiler) hasMembers(f *ir.Func) bool {
	for pc := f.First; pc < f.End; pc++ {
		if c.runs(pc) {
			return true
		}
	}
	return false
}

// countSegments counts those of a function beforehand: of short blocks they take more
// memory than all else, and a list that grows takes several times as much.
func (c *compiler) countSegments(f *ir.Func) int {
	n := len(f.Blocks)
	for _, b := range f.Blocks {
		for pc := b.First; pc+1 < b.End; pc++ {
			if endsSegment(&c.mod.Instrs[pc]) {
				n++
			}
		}
	}
	return n
}

func (c *compiler) addSegment(b *ir.Block, first, end ir.PC) {
	c.prog.segs = append(c.prog.segs, segment{
		pcFirst: first, pcEnd: end, length: end - first, block: int32(b.Index), branch: -1, reconv: -1,
		next: edge{to: -1, back: -1}, target: edge{to: -1, back: -1},
	})
}

// endsSegment reports whether a path may wait at an instruction, or change its
// lanes there, so that counting has to begin anew behind it.
func endsSegment(in *ir.Instr) bool {
	return in.Call != nil || isBarrier(in.Inst) || in.Inst.Form.Sync == isa.SyncWarpgroup || in.Inst.SyncsWarp() || suspends(in.Inst)
}

// segmentAt returns the segment of a function that starts at pc, end for the
// end of its text.
func (c *compiler) segmentAt(fn *function, pc ir.PC) int32 {
	if pc >= fn.ir.End {
		return end
	}
	segs := c.prog.segs[fn.segs[0]:fn.segs[1]]
	i, ok := slices.BinarySearchFunc(segs, pc, func(s segment, pc ir.PC) int { return int(s.pcFirst - pc) })
	if !ok {
		panic("BUG: a branch into the middle of a segment")
	}
	// An empty segment may share its start with the one behind it.
	return fn.segs[0] + int32(i)
}

// addLoops appends a function's loops to the program's. In which of them threads
// wait is found once for a module: that takes SSA, and no launch changes it.
func (c *compiler) addLoops(f *ir.Func) {
	if len(f.Loops()) == 0 {
		return
	}
	infos, known := c.data.loops[f]
	if !known {
		form := ssa.Build(f)
		for _, l := range f.Loops() {
			info := loopInfo{limit: plainRounds, header: f.Blocks[l.Header].First}
			if info.waiting, info.counts = form.Waits(l); info.waiting {
				info.limit = waitingRounds
			}
			infos = append(infos, info)
		}
		c.data.loops[f] = infos
	}
	c.prog.loops = append(c.prog.loops, infos...)
}

// connect sets a segment's edges and where a branch that ends it merges.
func (c *compiler) connect(fn *function, i int32, loopBase int32) {
	f := fn.ir
	s := &c.prog.segs[i]
	from := int(s.block)
	s.next, s.loop = c.edge(fn, from, s.pcEnd, loopBase), -1
	if l := f.LoopOf(from); l != nil {
		s.loop = loopBase + loopIndex(fn, l)
	}
	if s.length == 0 {
		return
	}
	in := &c.mod.Instrs[s.pcEnd-1]
	switch {
	case in.Inst.Form.Flow == isa.FlowBranch:
		s.target = c.edge(fn, from, in.Target, loopBase)
	case in.Inst.IsSwitch():
		for _, t := range in.Targets() {
			s.targets = append(s.targets, c.edge(fn, from, t, loopBase))
		}
	case in.Inst.IsReturn() || in.Inst.IsExit():
		s.target = c.edge(fn, from, f.End, loopBase)
		return
	default:
		return
	}
	if d := f.PostDominators().IDom(from); d >= 0 {
		s.reconv = c.segmentAt(fn, f.Blocks[d].First)
	}
}

// edge describes the way from a block to the segment at pc: which loop it
// closes and which it leaves.
func (c *compiler) edge(fn *function, from int, pc ir.PC, loopBase int32) edge {
	e := edge{to: c.segmentAt(fn, pc), back: -1}
	l := fn.ir.LoopOf(from)
	for ; l != nil && (e.to == end || !l.Has(c.blockAt(pc))); l = l.Parent {
		e.exits = append(e.exits, loopBase+loopIndex(fn, l))
	}
	slices.Sort(e.exits)
	if l == nil {
		return e
	}
	to := c.blockAt(pc)
	if l = fn.ir.LoopOf(to); l.Header == to && l.Has(from) && fn.ir.Blocks[to].First == pc && c.leavesBlock(fn, from, pc) {
		e.back = loopBase + loopIndex(fn, l)
	}
	return e
}

// loopIndex returns which of a function's loops one is.
func loopIndex(fn *function, l *ir.Loop) int32 {
	i, _ := slices.BinarySearchFunc(fn.ir.Loops(), l.Header, func(l *ir.Loop, header int) int { return l.Header - header })
	return int32(i)
}

// leavesBlock reports whether going on at pc means entering a block anew.
func (c *compiler) leavesBlock(fn *function, from int, pc ir.PC) bool {
	b := fn.ir.Blocks[from]
	return pc == b.First || pc < b.First || pc >= b.End
}

// blockAt returns the block that starts at or holds pc.
func (c *compiler) blockAt(pc ir.PC) int { return int(c.mod.Instrs[pc].Block) }

// isTerminator reports whether an instruction is run as the end of its
// segment rather than as an instruction in it.
func isTerminator(in *ir.Instr) bool {
	switch in.Inst.Form.Flow {
	case isa.FlowNext, isa.FlowCall:
		return endsSegment(in)
	}
	return true
}

// isBarrier reports whether in is a barrier of a CTA, bar or barrier, or of a cluster.
func isBarrier(in *isa.Inst) bool { return in.IsBarrier() }
