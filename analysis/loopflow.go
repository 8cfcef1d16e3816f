package analysis

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// loopFlow returns how often threads came to a loop's header (trips), and how
// often they came from outside the loop (entries): all arrivals but those by
// back edges, for what flows into a block at thread level flows out of it.
// known is false where a back edge has no count of its own: an entry of a
// brx.idx, or a block that ends with a call, from which lanes may not return.
func loopFlow(f *ir.Func, l *ir.Loop, counts *instrCounts) (trips, entries uint64, known bool) {
	header := f.Blocks[l.Header].First
	trips = counts.of(header).Lanes
	entries = trips
	for _, b := range l.Latches {
		n, ok := edgeLanes(f, f.Blocks[b], header, counts)
		if !ok {
			return 0, 0, false
		}
		entries -= n
	}
	return trips, entries, true
}

// edgeLanes returns how many threads went from a block to the one at pc.
func edgeLanes(f *ir.Func, b *ir.Block, to ir.PC, counts *instrCounts) (n uint64, known bool) {
	last := &f.Module.Instrs[b.End-1]
	c := counts.of(b.End - 1)
	switch {
	case last.Inst.IsSwitch() && slices.Contains(last.Targets(), to), last.Inst.IsCall():
		return 0, false
	case last.Inst.Form.Flow == isa.FlowBranch && last.Target == to:
		n = c.PredOn
	}
	if b.End == to {
		if !last.Inst.EndsBlock() {
			n += c.Lanes
		} else {
			n += c.Lanes - c.PredOn // a guarded branch, ret or exit
		}
	}
	return n, true
}
