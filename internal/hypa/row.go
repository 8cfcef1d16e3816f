package hypa

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"hyptx/analysis"
	"hyptx/internal/number"
)

// Row is a network: our figures, and the paper's and nvprof's where it prints them.
type Row struct {
	Network      string     `csv:"network" doc:"name in the paper's tables"`
	Launches     number.Int `csv:"launches" doc:"of kernels"`
	MultiplyAdds number.Int `csv:"multiply_adds" doc:"of convolutions and dense layers; parameters that training learns"`
	Parameters   number.Int `csv:"parameters" doc:"^"`

	SlicePct     number.Real `csv:"slice_pct" doc:"instructions that have to be executed, in percent of those of the kernels; in the paper"`
	HyPASlicePct number.Real `csv:"hypa_slice_pct" doc:"^"`
	EmulatedPct  number.Real `csv:"emulated_pct" doc:"warp instructions that were emulated, in percent of those counted"`

	WarpInstructions   number.Int `csv:"warp_instructions" doc:"counted by warps and by threads; of all threads as if none branched; by the paper's analysis; by nvprof"`
	ThreadInstructions number.Int `csv:"thread_instructions" doc:"^"`
	StaticInstructions number.Int `csv:"static_thread_instructions" doc:"^"`
	HyPAInstructions   number.Int `csv:"hypa_instructions" doc:"^"`
	HyPAStatic         number.Int `csv:"hypa_static_instructions" doc:"^"`
	NvprofInstructions number.Int `csv:"nvprof_instructions" doc:"^"`
	FlopSP             number.Int `csv:"flop_count_sp" doc:"operations in floating point: counted, by the paper's analysis, by nvprof"`
	HyPAFlops          number.Int `csv:"hypa_flops" doc:"^"`
	NvprofFlops        number.Int `csv:"nvprof_flops" doc:"^"`

	Branches            number.Int  `csv:"branches" doc:"executed by warps; those at which lanes part; 100 (branches - divergent) / branches; the same of branches with a condition; in the paper; by nvprof"`
	DivergentBranches   number.Int  `csv:"divergent_branches" doc:"^"`
	EfficiencyPct       number.Real `csv:"branch_efficiency_pct" doc:"^"`
	ConditionalPct      number.Real `csv:"conditional_branch_efficiency_pct" doc:"^"`
	HyPAEfficiencyPct   number.Real `csv:"hypa_branch_efficiency_pct" doc:"^"`
	NvprofEfficiencyPct number.Real `csv:"nvprof_branch_efficiency_pct" doc:"^"`
	Exactness           string      `csv:"exactness" doc:"of the counts"`

	Repetitions  number.Int  `csv:"repetitions" doc:"of the analysis, from files to rows; milliseconds: mean, half of its 95 % confidence interval, standard deviation, extremes"`
	MeanMS       number.Real `csv:"time_ms_mean" doc:"^"`
	ConfidenceMS number.Real `csv:"time_ms_confidence" doc:"^"`
	DeviationMS  number.Real `csv:"time_ms_deviation" doc:"^"`
	LeastMS      number.Real `csv:"time_ms_min" doc:"^"`
	MostMS       number.Real `csv:"time_ms_max" doc:"^"`
	VerifiedMS   number.Real `csv:"verified_ms" doc:"time of full emulation, all of whose counts are equal; empty if nobody asked"`
}

// newRow is the row of a program that was profiled.
func newRow(name string, p *analysis.Profile) *Row {
	t := p.Rows[len(p.Rows)-1]
	r := &Row{
		Network: name, Launches: t.Count, SlicePct: t.SlicePct,
		WarpInstructions: t.WarpInstructions, ThreadInstructions: t.ThreadInstructions, StaticInstructions: t.StaticThreadInstructions, FlopSP: t.FlopSP,
		Branches: t.Branches, DivergentBranches: t.DivergentBranches, EfficiencyPct: t.BranchEfficiencyPct, ConditionalPct: t.ConditionalBranchEfficiencyPct,
		Exactness: t.Exactness,
	}
	if t.WarpInstructions.N > 0 {
		r.EmulatedPct = number.Ratio(100 * float64(t.EmulatedWarpInstructions.N) / float64(t.WarpInstructions.N))
	}
	if of, known := published[name]; known {
		r.HyPASlicePct, r.HyPAEfficiencyPct = number.Ratio(of.toExecutePct), number.Ratio(of.efficiencyPct)
		r.NvprofEfficiencyPct = number.Ratio(of.nvprofEfficiencyPct)
		r.HyPAInstructions, r.HyPAStatic, r.HyPAFlops = number.Count(of.instructions), number.Count(of.static), number.Count(of.flops)
		r.NvprofInstructions, r.NvprofFlops = number.Count(of.nvprofInstructions), number.Count(of.nvprofFlops)
	}
	return r
}

// setTimes notes how long the repetitions took, in milliseconds.
func (r *Row) setTimes(ms []float64) {
	mean, deviation := stat.MeanStdDev(ms, nil)
	r.Repetitions, r.MeanMS = number.Count(uint64(len(ms))), number.Ratio(mean)
	r.LeastMS, r.MostMS = number.Ratio(slices.Min(ms)), number.Ratio(slices.Max(ms))
	if n := float64(len(ms)); n > 1 {
		t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
		r.DeviationMS, r.ConfidenceMS = number.Ratio(deviation), number.Ratio(t*deviation/math.Sqrt(n))
	}
}
