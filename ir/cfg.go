package ir

import (
	"slices"

	"hyptx/ir/isa"
)

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
			for _, t := range in.Targets {
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

// linkBlocks fills Succs and Preds.
func (f *Func) linkBlocks(instrs []Instr) {
	for _, b := range f.Blocks {
		if b.First == b.End { // the empty body
			b.link(f, instrs, f.End)
			continue
		}
		last := &instrs[b.End-1-f.First]
		if !last.Inst.EndsBlock() || last.Guard != NoReg {
			b.link(f, instrs, b.End)
		}
		switch last.Inst.Form.Flow {
		case isa.FlowBranch:
			b.link(f, instrs, last.Target)
		case isa.FlowSwitch:
			b.linkTable(f, instrs, last.Targets)
		}
		if last.Inst.IsReturn() || last.Inst.IsExit() {
			b.link(f, instrs, f.End)
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

// link adds the successor that begins at pc, if it is not yet one.
func (b *Block) link(f *Func, instrs []Instr, pc PC) {
	s := Exit
	if pc != f.End {
		s = int(instrs[pc-f.First].Block)
	}
	if !slices.Contains(b.Succs, s) {
		b.Succs = append(b.Succs, s)
	}
}

// linkTable links all targets of a brx.idx, of which there may be thousands.
func (b *Block) linkTable(f *Func, instrs []Instr, targets []PC) {
	seen := make(map[int]bool, len(targets))
	for _, s := range b.Succs {
		seen[s] = true
	}
	for _, t := range targets {
		s := Exit
		if t != f.End {
			s = int(instrs[t-f.First].Block)
		}
		if !seen[s] {
			seen[s] = true
			b.Succs = append(b.Succs, s)
		}
	}
}
