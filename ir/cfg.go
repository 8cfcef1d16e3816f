package ir

import (
	"slices"

	"hyptx/ir/isa"
)

// buildBlocks cuts the instructions, whose branch targets are resolved, into
// blocks and links them. A block begins at the function's start, at each target
// of a branch and behind each instruction that may go elsewhere; labels that
// nobody branches to begin none, so that the graph does not depend on them.
// Calls do not end a block: they come back, or the thread ends. It is false where there
// are more edges than maxLinks.
func (f *Func) buildBlocks(instrs []Instr) bool {
	starts := make([]bool, len(instrs)+1) // the last is End
	starts[0] = true
	for i := range instrs {
		in := &instrs[i]
		if !in.Inst.EndsBlock() {
			continue
		}
		starts[i+1] = true
		switch in.Inst.Form.Flow {
		case isa.FlowBranch:
			starts[in.Target-f.First] = true
		case isa.FlowSwitch:
			for _, t := range in.Targets() {
				starts[t-f.First] = true
			}
		}
	}
	n := 1 // blocks
	for _, begins := range starts[1:max(len(instrs), 1)] {
		if begins {
			n++
		}
	}
	blocks := make([]Block, n+1)
	f.Blocks = make([]*Block, n)
	for i, at := 0, 0; i < n; i++ {
		end := at + 1
		for end < len(instrs) && !starts[end] {
			end++
		}
		end = min(end, len(instrs))
		b := &blocks[i]
		*b = Block{Index: i, First: f.First + PC(at), End: f.First + PC(end)}
		f.Blocks[i] = b
		for k := at; k < end; k++ {
			instrs[k].Block = int32(i)
		}
		at = end
	}
	return f.linkBlocks(instrs, blocks)
}

// linkBlocks fills the blocks' successors and predecessors.
func (f *Func) linkBlocks(instrs []Instr, blocks []Block) bool {
	edges, switches := 0, false
	for _, b := range f.Blocks {
		if !f.leaves(instrs, b) {
			edges += f.mostSuccs(instrs, b)
			switches = switches || b.First < b.End && instrs[b.End-1-f.First].Inst.IsSwitch()
		}
	}
	if edges > maxLinks {
		return false
	}
	l := &links{succs: make([]int, 0, edges), blocks: blocks}
	var linked []int32 // 1 + the last block linked to each, Exit first: a brx.idx may have thousands of targets
	if switches {
		linked = make([]int32, len(f.Blocks)+1)
	}
	for i, b := range f.Blocks {
		b.links, b.succs = l, int32(len(l.succs))
		if f.leaves(instrs, b) {
			continue
		}
		f.leadsTo(instrs, b, func(pc PC) {
			s := f.BlockAt(pc)
			if linked == nil && slices.Contains(l.succs[b.succs:], s) || linked != nil && linked[s-Exit] == int32(i)+1 {
				return
			}
			if linked != nil {
				linked[s-Exit] = int32(i) + 1
			}
			l.succs = append(l.succs, s)
		})
	}
	blocks[len(f.Blocks)].succs = int32(len(l.succs))
	l.reverse()
	return true
}

// reverse fills the predecessors from the successors.
func (l *links) reverse() {
	inner := int32(0) // edges within the function
	for _, s := range l.succs {
		if s != Exit {
			l.blocks[s].preds++
			inner++
		}
	}
	end := int32(0)
	for i := range l.blocks {
		end += l.blocks[i].preds
		l.blocks[i].preds = end
	}
	l.preds = make([]int, inner)
	for i := len(l.blocks) - 2; i >= 0; i-- { // the last come first, so that each list ascends
		b := &l.blocks[i]
		for _, s := range l.succs[b.succs:l.blocks[i+1].succs] {
			if s != Exit {
				l.blocks[s].preds--
				l.preds[l.blocks[s].preds] = i
			}
		}
	}
}

// leaves says whether control goes from b to the exit and nowhere else.
func (f *Func) leaves(instrs []Instr, b *Block) bool {
	if b.First == b.End {
		return false
	}
	last := &instrs[b.End-1-f.First]
	switch last.Inst.Form.Flow {
	case isa.FlowReturn, isa.FlowExit, isa.FlowTrap:
		return last.Guard == NoReg
	}
	return false
}

// mostSuccs is how many successors a block may have.
func (f *Func) mostSuccs(instrs []Instr, b *Block) int {
	if b.First == b.End {
		return 1
	}
	last := &instrs[b.End-1-f.First]
	n := 1 + min(len(last.Targets()), len(f.Blocks)+1)
	if last.Guard != NoReg {
		n++
	}
	return n
}

// leadsTo calls link with each place to which control goes from b, the one behind it
// first.
func (f *Func) leadsTo(instrs []Instr, b *Block, link func(pc PC)) {
	if b.First == b.End { // the empty body
		link(f.End)
		return
	}
	last := &instrs[b.End-1-f.First]
	if !last.Inst.EndsBlock() || last.Guard != NoReg {
		link(b.End)
	}
	switch last.Inst.Form.Flow {
	case isa.FlowBranch:
		link(last.Target)
	case isa.FlowSwitch:
		for _, t := range last.Targets() {
			link(t)
		}
	case isa.FlowReturn, isa.FlowExit, isa.FlowTrap:
		link(f.End)
	}
}

// Where a branch leads is a PC. That it names a block, and not the middle of
// one, is what buildBlocks has seen to: each target begins a block.

// BlockAt returns the block that begins at pc, Exit for the function's end.
func (f *Func) BlockAt(pc PC) int {
	if pc >= f.End {
		return Exit
	}
	return int(f.Module.Instrs[pc].Block)
}
