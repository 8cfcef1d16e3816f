package st2

import (
	"fmt"
	"slices"

	"hyptx/internal/adder"
	"hyptx/internal/number"
)

// DesignRow is a row of st2_designs.csv: a design in the additions of a kind, or in all,
// of a kernel.
type DesignRow struct {
	Kernel       string      `csv:"kernel" json:"kernel" doc:"the kernel; 'mean' is the arithmetic mean of the kernels' rates"`
	Design       string      `csv:"design" json:"design" doc:"the design and what the paper leaves open about it: when histories learn (always, onmiss), and whether lanes of one instruction that share an entry read it in turn (sequential) or at once (parallel)"`
	Update       string      `csv:"update" json:"update" doc:"^"`
	IntraWarp    string      `csv:"intra_warp" json:"intra_warp" doc:"^"`
	Type         string      `csv:"type" json:"type" doc:"kind of additions: int16, int32, int64, fp16, fp32, fp64 or all"`
	ThreadAdds   number.Int  `csv:"thread_adds" json:"thread_adds" doc:"additions of threads, how many were predicted wrong, and the rate"`
	Mispredicted number.Int  `csv:"mispredicted" json:"mispredicted" doc:"^"`
	Rate         number.Real `csv:"misprediction_rate" json:"misprediction_rate" doc:"^"`
	Resolved     number.Real `csv:"peek_resolved_frac" json:"peek_resolved_frac" doc:"part of the slices whose carry-in peeking tells; 0 if the design does not peek"`
	Recomputed   number.Int  `csv:"recomputed_slices" json:"recomputed_slices" doc:"slices that compute a second time, and for each misprediction"`
	PerMiss      number.Real `csv:"recomputed_per_misprediction" json:"recomputed_per_misprediction" doc:"^"`
	Match        number.Real `csv:"slice_match_rate" json:"slice_match_rate" doc:"part of the carry-ins that were predicted right"`
	WarpAdds     number.Int  `csv:"warp_adds" json:"warp_adds" doc:"additions of warps, how many had a lane that was wrong, and the rate"`
	Stalled      number.Int  `csv:"stalled_warp_adds" json:"stalled_warp_adds" doc:"^"`
	StallRate    number.Real `csv:"warp_stall_rate" json:"warp_stall_rate" doc:"^"`
	Reads        number.Int  `csv:"crf_reads" json:"crf_reads" doc:"of a carry register file: reads and writes by warps, clocks in which writes collided, lanes whose bits were lost"`
	Writes       number.Int  `csv:"crf_writes" json:"crf_writes" doc:"^"`
	Conflicts    number.Int  `csv:"crf_write_conflicts" json:"crf_write_conflicts" doc:"^"`
	Dropped      number.Int  `csv:"crf_dropped_lane_writes" json:"crf_dropped_lane_writes" doc:"^"`
	Width        int         `csv:"slice_width" json:"slice_width" doc:"bits of a slice"`
	Arbitration  string      `csv:"crf_arbitration" json:"crf_arbitration" doc:"which writes of a clock collide: 'ideal' (each addition writes before the next one reads), none, port, row or lane; and the seed of the lots"`
	Seed         number.Int  `csv:"seed" json:"seed" doc:"^"`
	Corrected    int         `csv:"corrected" json:"corrected" doc:"1: a wrong prediction takes a second cycle; 0: the sum is wrong"`
	Computations number.Int  `csv:"slice_computations" json:"slice_computations" doc:"slices that were computed"`
	ErrorRate    number.Real `csv:"error_rate" json:"error_rate" doc:"part of the sums that are wrong; mean error, against the right sum, and the largest"`
	MeanError    number.Real `csv:"mean_abs_error" json:"mean_abs_error" doc:"^"`
	MeanRelative number.Real `csv:"mean_relative_error" json:"mean_relative_error" doc:"^"`
	MaxError     number.Int  `csv:"max_error" json:"max_error" doc:"^"`
	Energy       number.Real `csv:"adder_energy" json:"adder_energy" doc:"energy of the adders against the reference adder, by our law of voltage, with what computes again and without the register file; and times their mean delay in cycles"`
	EnergyDelay  number.Real `csv:"adder_energy_delay" json:"adder_energy_delay" doc:"^"`
	Code         string      `csv:"code" json:"code" doc:"whose additions: ptx, or of the estimated machine code; bits of the adders of integers, native where each is as wide as what it adds"`
	IntWidth     string      `csv:"int_width" json:"int_width" doc:"^"`
	Network      string      `csv:"program" json:"program" doc:"the program"`
	Missing      string      `csv:"missing" json:"missing" doc:"why a launch failed, whose additions are not in the row"`
	Assumed      string      `csv:"assumed_inputs" json:"assumed_inputs" doc:"what nobody gave of the kernel's launches and was assumed, as in profile.csv; buffers without 'init' stand here if a prediction was made and something is decided by them"`
}

// Mean is the name of the row with means over kernels.
const Mean = "mean"

// Designs returns the rows of all kernels, and the means where there are several.
func (s *Suite) Designs() (rows []*DesignRow) {
	for _, k := range s.Kernels {
		for point, p := range s.Model.Points {
			for kind := range adder.Kinds {
				if s.work(k, p, kind).Adds > 0 {
					rows = append(rows, s.design(k, point, kind.String(), func(of adder.Kind) bool { return of == kind }))
				}
			}
			rows = append(rows, s.design(k, point, "all", every))
		}
	}
	if len(s.Kernels) > 1 {
		rows = append(rows, s.means(rows)...)
	}
	return rows
}

// widthOf returns where the work of a point's slices stands.
func (s *Suite) widthOf(p *adder.Point) int { return slices.Index(s.Model.Widths, p.Width) }

func (s *Suite) work(k *Kernel, p *adder.Point, kind adder.Kind) *adder.Work {
	return &k.Adds.Work[s.widthOf(p)][kind]
}

// design returns a row.
func (s *Suite) design(k *Kernel, point int, name string, of func(adder.Kind) bool) *DesignRow {
	p := s.Model.Points[point]
	c, w, computed := k.sum(point, s.widthOf(p), p.Width, of)
	r := s.pointRow(p)
	r.Kernel, r.Network, r.Type, r.Missing, r.Assumed = k.Name, k.Network, name, k.Failed, k.assumedInputs()
	r.ThreadAdds, r.WarpAdds = number.Count(w.Adds), number.Count(w.Warps)
	r.Computations = number.Count(computed + c.Computations + c.Recomputed)
	r.ErrorRate, r.MeanError, r.MaxError = number.Ratio(0), number.Ratio(0), number.Count(c.Errors.Max)
	if w.Adds > 0 && c.Errors.Wrong > 0 {
		r.ErrorRate = ratio(c.Errors.Wrong, w.Adds)
		r.MeanError, r.MeanRelative = number.Ratio(c.Errors.Mean(w.Adds)), number.Ratio(c.Errors.Relative(w.Adds))
	}
	if computed > 0 {
		e := adder.EnergyOf(p.Width).Energy * float64(r.Computations.N) / float64(computed)
		r.Energy, r.EnergyDelay = number.Ratio(e), number.Ratio(e*(1+ratio(c.Stalled, w.Warps).X))
	}
	if p.Design.Base == "CSLA" {
		return r
	}
	r.Mispredicted, r.Recomputed, r.Stalled = number.Count(c.Mispredicted), number.Count(c.Recomputed), number.Count(c.Stalled)
	r.Rate, r.StallRate = ratio(c.Mispredicted, w.Adds), ratio(c.Stalled, w.Warps)
	r.PerMiss = ratio(c.Recomputed, c.Mispredicted)
	if p.Design.Base != "VLSA" && w.Predictions > 0 {
		r.Match = number.Ratio(1 - float64(c.SliceMisses)/float64(w.Predictions))
		if r.Resolved = number.Ratio(0); p.Design.Peek {
			r.Resolved = ratio(w.Resolved, w.Predictions)
		}
	}
	if p.Arbitration != adder.Ideal {
		r.Reads, r.Writes = number.Count(c.Reads), number.Count(c.Writes)
		r.Conflicts, r.Dropped = number.Count(c.Conflicts), number.Count(c.Dropped)
	}
	return r
}

// pointRow returns a row that says what design it is of.
func (s *Suite) pointRow(p *adder.Point) *DesignRow {
	r := &DesignRow{Design: p.Design.Name, Update: string(p.Update), IntraWarp: string(p.Intra), Width: p.Width, Arbitration: string(p.Arbitration), Code: s.Code, IntWidth: s.IntWidth}
	if p.Arbitration != adder.Ideal && p.Arbitration != adder.None {
		r.Seed = number.Count(p.Seed)
	}
	if p.Corrected() {
		r.Corrected = 1
	}
	return r
}

// ratio returns part/whole, unknown where whole is 0.
func ratio(part, whole uint64) number.Real {
	if whole == 0 {
		return number.Real{}
	}
	return number.Ratio(float64(part) / float64(whole))
}

// means returns for each point the arithmetic mean over the kernels' rows of all
// additions, of those rates that all kernels have.
func (s *Suite) means(rows []*DesignRow) (means []*DesignRow) {
	for _, p := range s.Model.Points {
		m := s.pointRow(p)
		m.Kernel, m.Type = Mean, "all"
		key := fmt.Sprint(m.identity())
		for _, field := range rates {
			sum, n := 0.0, 0
			for _, r := range rows {
				if x := field(r); r.Type == "all" && fmt.Sprint(r.identity()) == key && x.Known {
					sum += x.X
					n++
				}
			}
			if n > 0 {
				*field(m) = number.Ratio(sum / float64(n))
			}
		}
		means = append(means, m)
	}
	return means
}

// rates are the columns that have a mean over kernels.
var rates = []func(*DesignRow) *number.Real{
	func(r *DesignRow) *number.Real { return &r.Rate },
	func(r *DesignRow) *number.Real { return &r.Resolved },
	func(r *DesignRow) *number.Real { return &r.PerMiss },
	func(r *DesignRow) *number.Real { return &r.Match },
	func(r *DesignRow) *number.Real { return &r.StallRate },
	func(r *DesignRow) *number.Real { return &r.ErrorRate },
	func(r *DesignRow) *number.Real { return &r.Energy },
	func(r *DesignRow) *number.Real { return &r.EnergyDelay },
}

// identity is what a row is of, whatever the kernel.
func (r *DesignRow) identity() []any {
	return []any{r.Design, r.Update, r.IntraWarp, r.Width, r.Arbitration, r.Seed}
}
