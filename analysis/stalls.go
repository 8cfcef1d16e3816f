package analysis

import (
	"hyptx/internal/number"
	"hyptx/internal/sim"
	"hyptx/ir"
)

// StallRow is a row of roofline --stalls: what warps waited for before an instruction was
// issued, in the part of a launch that was simulated. Reasons are Nsight Compute's warp
// states, as its source page shows them by instruction.
type StallRow struct {
	Site
	GPU           string      `csv:"gpu" json:"gpu" doc:"the GPU that was simulated"`
	Text          string      `csv:"text" json:"text" doc:"the instruction of the PTX; machine instructions stand with that which they were made of"`
	Issued        number.Int  `csv:"issued" json:"issued" doc:"machine instructions of warps that were issued for it, in what was simulated"`
	WarpCyclesPct number.Real `csv:"warp_cycles_pct" json:"warp_cycles_pct" doc:"the part of all cycles of resident warps that passed at it"`
	sim.WarpStates
}

// Stalls returns the rows of the GPU that the profile shows ([Profile.On]), in the order of
// launches and of instructions; none of launches that were not simulated, or without
// [Options.Stalls].
func (p *Profile) Stalls() []*StallRow { return viewOf(p, (*LaunchProfile).stalls) }

func (lp *LaunchProfile) stalls() (rows []*StallRow) {
	if lp.Simulated == nil || lp.Simulated.Unfit != nil {
		return nil
	}
	of := map[ir.PC]*ir.Func{}
	for _, f := range written(lp.Kernel) {
		for pc := f.First; pc < f.End; pc++ {
			of[pc] = f
		}
	}
	for _, in := range lp.Simulated.Instructions {
		pc := ir.PC(in.PC)
		r := &StallRow{Site: lp.site(pc), GPU: lp.CacheGPU, Issued: number.Count(in.Issued)}
		if f := of[pc]; f != nil {
			r.Text = f.Text(pc)
		}
		to, all := r.Shares(), 0.0
		for k, cycles := range in.Stalls {
			*to[k] = number.Ratio(100 * cycles / lp.Simulated.WarpCycles)
			all += cycles
		}
		r.WarpCyclesPct = number.Ratio(100 * all / lp.Simulated.WarpCycles)
		rows = append(rows, r)
	}
	return rows
}
