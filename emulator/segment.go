package emulator

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Counting is done by segments, not by instructions: a segment is entered at
// its start, and its lanes stay the same to its end, so two counters, how
// often it was entered and by how many lanes, give the counts of all its
// instructions. What a guard takes away from an instruction has a counter of
// its own, as have the outcomes of branches.

// segments cuts a function's blocks into segments, in the order of the text.
func (c *compiler) segments(fn *function) {
	f := fn.ir
	first := int32(len(c.prog.segs))
	fn.entry = first
	for _, b := range f.Blocks {
		start := b.First
		for pc := b.First; pc < b.End; pc++ {
			if endsSegment(&c.mod.Instrs[pc]) && pc+1 < b.End {
				c.addSegment(start, pc+1)
				start = pc + 1
			}
		}
		c.addSegment(start, b.End)
	}
	fn.segs = [2]int32{first, int32(len(c.prog.segs))}
	loopBase := int16(len(c.prog.loops))
	c.addLoops(f)
	for i := first; i < fn.segs[1]; i++ {
		c.connect(fn, i, loopBase)
	}
}

func (c *compiler) addSegment(first, end ir.PC) {
	c.prog.segs = append(c.prog.segs, segment{
		pcFirst: first, pcEnd: end, length: end - first, branch: -1, reconv: -1,
		next: edge{to: -1, back: -1}, target: edge{to: -1, back: -1},
	})
}

// endsSegment reports whether a path may wait at an instruction, or change its
// lanes there, so that counting has to begin anew behind it.
func endsSegment(in *ir.Instr) bool {
	return in.Call != nil || isBarrier(in.Inst) || in.Inst.SyncsWarp()
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

// addLoops appends a function's loops to the program's.
func (c *compiler) addLoops(f *ir.Func) {
	waiting := map[*ir.Loop]bool{}
	for _, l := range f.WaitingLoops() {
		waiting[l] = true
	}
	for _, l := range f.Loops() {
		info := loopInfo{waiting: waiting[l], counts: waiting[l] && f.CountsRounds(l), limit: plainRounds, header: f.Blocks[l.Header].First}
		if info.waiting {
			info.limit = waitingRounds
		}
		c.prog.loops = append(c.prog.loops, info)
	}
}

// connect sets a segment's edges and where a branch that ends it merges.
func (c *compiler) connect(fn *function, i int32, loopBase int16) {
	f := fn.ir
	s := &c.prog.segs[i]
	from := c.blockOf(fn, s)
	s.next = c.edge(fn, from, s.pcEnd, loopBase)
	if s.length == 0 {
		return
	}
	in := &c.mod.Instrs[s.pcEnd-1]
	switch {
	case in.Inst.Form.Flow == isa.FlowBranch:
		s.target = c.edge(fn, from, in.Target, loopBase)
	case in.Inst.IsSwitch():
		for _, t := range in.Targets {
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

// blockOf returns the index of the block that a segment is part of.
func (c *compiler) blockOf(fn *function, s *segment) int {
	if s.length > 0 {
		return int(c.mod.Instrs[s.pcFirst].Block)
	}
	for _, b := range fn.ir.Blocks {
		if b.First == s.pcFirst && b.End == s.pcEnd {
			return b.Index
		}
	}
	panic("BUG: an empty segment without a block")
}

// edge describes the way from a block to the segment at pc: which loop it
// closes and which it leaves.
func (c *compiler) edge(fn *function, from int, pc ir.PC, loopBase int16) edge {
	e := edge{to: c.segmentAt(fn, pc), back: -1}
	for i, l := range fn.ir.Loops() {
		if !l.Has(from) {
			continue
		}
		switch {
		case e.to == end || !l.Has(c.blockAt(fn, pc)):
			e.exits = append(e.exits, loopBase+int16(i))
		case fn.ir.Blocks[l.Header].First == pc && c.leavesBlock(fn, from, pc):
			e.back = loopBase + int16(i)
		}
	}
	return e
}

// leavesBlock reports whether going on at pc means entering a block anew.
func (c *compiler) leavesBlock(fn *function, from int, pc ir.PC) bool {
	b := fn.ir.Blocks[from]
	return pc == b.First || pc < b.First || pc >= b.End
}

// blockAt returns the block that starts at or holds pc.
func (c *compiler) blockAt(fn *function, pc ir.PC) int {
	return int(c.mod.Instrs[pc].Block)
}
