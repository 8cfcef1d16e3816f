package analysis

import "hyptx/ir"

// BlockCount is how often a warp issues a run of instructions: a basic block,
// or what calls, barriers and warp-synchronous operations cut from one.
type BlockCount struct {
	First  ir.PC
	Issues float64
}

// WarpBlocks returns the block counts of the warp that issues the most
// instructions in one repetition of the launch, in the order of the text; nil
// if nothing was run. Counts are kept for each CTA: where a warp was not run for
// itself, the mean over the warps of the CTA with the most instructions stands
// for it, and mean says so. It is the longest warp's where the warps of a CTA do
// the same.
func (lp *LaunchProfile) WarpBlocks() (blocks []BlockCount, mean bool) {
	if lp.outcome == nil {
		return nil, false
	}
	most := -1.0
	for i, res := range lp.outcome.results {
		p := lp.outcome.parts[i]
		warps := float64(len(p.warps))
		if p.warps == nil {
			warps = float64((lp.plan.threads() + 31) / 32)
		}
		for _, c := range res.Classes {
			n := float64(newTally(lp.outcome.prog, c.Counts).warp) / warps
			if n <= most {
				continue
			}
			most, mean, blocks = n, warps > 1, nil
			lp.outcome.prog.Blocks(c.Counts, func(first ir.PC, issues, _ uint64) {
				blocks = append(blocks, BlockCount{first, float64(issues) / warps})
			})
		}
	}
	return blocks, mean
}
