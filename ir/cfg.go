package ir

import "hyptx/ir/isa"

// buildBlocks cuts the instructions, whose branch targets are resolved, into
// blocks and links them. A block begins at the function's start, at each target
// of a branch and behind each instruction that may go elsewhere; labels that
// nobody branches to begin none, so that the graph does not depend on them.
// Calls do not end a block: they come back, or the thread ends.
func (f *Func) buildBlocks(instrs []Instr) {
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
	blocks := make([]Block, n)
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
	f.linkBlocks(instrs)
}

// linkBlocks fills Succs and Preds, whose lists lie in one piece each.
func (f *Func) linkBlocks(instrs []Instr) {
	edges := 0
	for _, b := range f.Blocks {
		if !f.leaves(instrs, b) {
			edges += f.mostSuccs(instrs, b)
		}
	}
	succs, preds := make([]int, 0, edges), make([]int32, len(f.Blocks))
	linked := make([]int32, len(f.Blocks)+1) // 1 + the last block linked to each, Exit first
	at, inner := int32(0), 0                 // 1 + the block that is linked; edges within the function
	link := func(pc PC) {
		s := f.BlockAt(pc)
		if linked[s-Exit] == at {
			return // a brx.idx may have thousands of targets
		}
		linked[s-Exit] = at
		succs = append(succs, s)
		if s != Exit {
			preds[s]++
			inner++
		}
	}
	for _, b := range f.Blocks {
		if f.leaves(instrs, b) {
			b.Succs = onlyExit
			continue
		}
		from := len(succs)
		at = int32(b.Index) + 1
		f.leadsTo(instrs, b, link)
		b.Succs = succs[from:len(succs):len(succs)]
	}
	lists := make([]int, inner)
	for i, b := range f.Blocks {
		b.Preds, lists = lists[:0:preds[i]], lists[preds[i]:]
	}
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if s != Exit {
				f.Blocks[s].Preds = append(f.Blocks[s].Preds, b.Index)
			}
		}
	}
}

// onlyExit are the successors of a block that ends in ret, exit or trap: text may be of
// nothing else.
var onlyExit = []int{Exit}

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
