package st2

import (
	"hyptx/internal/adder"
	"hyptx/internal/number"
)

// PerfRow is a row of st2_perf.csv: what second cycles cost a kernel: bounds, an
// estimate between them, and what the timing simulator says.
type PerfRow struct {
	Kernel  string      `csv:"kernel" json:"kernel" doc:"the kernel"`
	Base    number.Real `csv:"base_cycles" json:"base_cycles" doc:"clocks that its launches are predicted to take"`
	Stall   number.Real `csv:"stall_cycles" json:"stall_cycles" doc:"clocks that second cycles take of the unit of a sub-core that has most of them, if all SMs have their part"`
	Low     number.Real `csv:"slowdown_low" json:"slowdown_low" doc:"slowdown if all of them are hidden; if only those are not that the busiest unit has no time left for; if none is"`
	Est     number.Real `csv:"slowdown_est" json:"slowdown_est" doc:"^"`
	High    number.Real `csv:"slowdown_high" json:"slowdown_high" doc:"^"`
	Slowed  number.Real `csv:"slowdown_simulated" json:"slowdown_simulated" doc:"slowdown in the timing simulator if every machine instruction that adds takes its unit longer, and has its result later, by the mean of its unit's second cycles, a cycle at most, against the simulated cycles without what launching takes; empty where the time is not simulated"`
	Busy    number.Real `csv:"unit_cycles" json:"unit_cycles" doc:"clocks in which the busiest unit of a sub-core issues, by the machine code that is estimated, and which it is"`
	Unit    string      `csv:"unit" json:"unit" doc:"^"`
	Missing string      `csv:"missing" json:"missing" doc:"why there is no figure"`
	Network string      `csv:"program" json:"program" doc:"the program"`
	Assumed string      `csv:"assumed_inputs" json:"assumed_inputs" doc:"as in st2_designs.csv"`
}

// Of a TITAN V: sub-cores of an SM, and clocks between two warps that begin on a unit
// (gpgpu-sim's configuration SM7_TITANV).
const (
	subCores      = 4
	intInitiation = 2
	fpInitiation  = 2
	dpInitiation  = 4
)

// Perf returns the rows of all kernels, and the mean where there are several.
func (s *Suite) Perf() (rows []*PerfRow) {
	for _, k := range s.Kernels {
		rows = append(rows, s.perf(k))
	}
	if len(rows) < 2 {
		return rows
	}
	mean := &PerfRow{Kernel: Mean}
	mean.Low = meanOf(rows, func(r *PerfRow) *number.Real { return &r.Low })
	mean.Est = meanOf(rows, func(r *PerfRow) *number.Real { return &r.Est })
	mean.High = meanOf(rows, func(r *PerfRow) *number.Real { return &r.High })
	mean.Slowed = meanOf(rows, func(r *PerfRow) *number.Real { return &r.Slowed })
	return append(rows, mean)
}

func (s *Suite) perf(k *Kernel) *PerfRow {
	r := &PerfRow{Kernel: k.Name, Network: k.Network, Missing: k.missing(), Assumed: k.assumedInputs()}
	if k.Failed != "" {
		return r
	}
	point, ok := s.chosen()
	if !ok {
		r.Missing = "the design " + adder.Chosen + " with update onmiss was not asked for"
		return r
	}
	// A warp of 32 threads is as long on a unit as one of fewer: additions say how many
	// lanes warps have.
	_, all, _ := k.sum(point, 0, s.Model.Widths[0], every)
	lanes := max(float64(all.Adds)/max(float64(all.Warps), 1), 1)
	queues := float64(s.Model.SMs * subCores)
	busiest, longest := 0.0, 0.0
	for _, u := range []struct {
		name         string
		initiation   float64
		instructions uint64
		of           func(adder.Kind) bool
	}{
		{"ALU", intInitiation, k.mix.issuedALU, adder.Kind.IsInt},
		{"FPU", fpInitiation, k.mix.issuedFPU, func(k adder.Kind) bool { return !k.IsInt() && k != adder.FP64 }},
		{"DPU", dpInitiation, k.mix.issuedDPU, func(k adder.Kind) bool { return k == adder.FP64 }},
	} {
		c, _, _ := k.sum(point, 0, s.Model.Widths[0], u.of)
		stall := float64(c.Stalled) / queues
		busy := float64(u.instructions) / lanes * u.initiation / queues
		busiest, longest = max(busiest, busy+stall), max(longest, stall)
		if busy >= r.Busy.X && u.instructions > 0 {
			r.Busy, r.Unit = number.Ratio(busy), u.name
		}
	}
	r.Stall, r.Low = number.Ratio(longest), number.Ratio(0)
	if !k.hasTime() {
		r.Low = number.Real{}
		return r
	}
	base := k.cycles()
	r.Base = number.Ratio(base)
	r.High, r.Slowed = number.Ratio(longest/base), k.slowdown()
	r.Est = number.Ratio(min(max(busiest/base-1, 0), r.High.X))
	return r
}
