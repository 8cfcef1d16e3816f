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
	for i := 0; i == 0 || i < len(instrs); {
		end := i + 1
		for end < len(instrs) && !starts[end] {
			end++
		}
		end = min(end, len(instrs))
		b := &Block{Index: len(f.Blocks), First: f.First + PC(i), End: f.First + PC(end)}
		f.Blocks = append(f.Blocks, b)
		for j := i; j < end; j++ {
			instrs[j].Block = int32(b.Index)
		}
		i = max(end, 1)
	}
	f.linkBlocks(instrs)
}

// linkBlocks fills Succs and Preds. A brx.idx may have thousands of targets, so
// what a block has been linked to is noted beside its list.
func (f *Func) linkBlocks(instrs []Instr) {
	linked := make([]int, len(f.Blocks)+1) // 1 + the last block linked to each, Exit first
	link := func(b *Block, pc PC) {
		if s := f.BlockAt(pc); linked[s-Exit] != b.Index+1 {
			linked[s-Exit] = b.Index + 1
			b.Succs = append(b.Succs, s)
		}
	}
	for _, b := range f.Blocks {
		if b.First == b.End { // the empty body
			link(b, f.End)
			continue
		}
		last := &instrs[b.End-1-f.First]
		if !last.Inst.EndsBlock() || last.Guard != NoReg {
			link(b, b.End)
		}
		switch last.Inst.Form.Flow {
		case isa.FlowBranch:
			link(b, last.Target)
		case isa.FlowSwitch:
			for _, t := range last.Targets() {
				link(b, t)
			}
		case isa.FlowReturn, isa.FlowExit, isa.FlowTrap:
			link(b, f.End)
		}
	}
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if s != Exit {
				f.Blocks[s].Preds = append(f.Blocks[s].Preds, b.Index)
			}
		}
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
