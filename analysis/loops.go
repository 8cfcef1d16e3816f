package analysis

import "hyptx/emulator"

// LoopRow is a row of --loops: a loop in one launch. A trip of a warp is one
// issue of the loop's header, summed over all entries of the loop; a trip of a
// thread is one arrival at the header. docs/columns.md has a table of the columns.
type LoopRow struct {
	Site
	Depth          int    `csv:"depth" json:"depth" doc:"1 for a loop in no other loop of its function, 2 for one in such a loop, ..."`
	Waiting        bool   `csv:"waiting" json:"waiting" doc:"whether each of its exits depends on memory that another thread may write"`
	Warps          uint64 `csv:"warps" json:"warps" doc:"warps that reached the header"`
	TripsMin       Int    `csv:"trips_min" json:"trips_min" doc:"trips of a warp (issues of the header), summed over its entries: minimum, mean and maximum over these warps; empty where there are none"`
	TripsMean      Real   `csv:"trips_mean" json:"trips_mean" doc:"^"`
	TripsMax       Int    `csv:"trips_max" json:"trips_max" doc:"^"`
	ThreadEntries  Int    `csv:"thread_entries" json:"thread_entries" doc:"how often threads entered the loop; how often they came to its header; empty where a back edge is a brx.idx or follows a call at once"`
	ThreadTrips    Int    `csv:"thread_trips" json:"thread_trips" doc:"^"`
	TripsPerEntry  Real   `csv:"thread_trips_per_entry_mean" json:"thread_trips_per_entry_mean" doc:"thread_trips / thread_entries"`
	DivergentExits uint64 `csv:"divergent_exits" json:"divergent_exits" doc:"divergent executions of branches that leave the loop"`
}

// Loops returns the rows of --loops; the session must have been asked for them.
func (p *Profile) Loops() []*LoopRow {
	var rows []*LoopRow
	for _, lp := range p.Launches {
		if lp.outcome != nil {
			rows = append(rows, lp.loops()...)
		}
	}
	return rows
}

func (lp *LaunchProfile) loops() []*LoopRow {
	sums := map[int32]*loopSum{}
	times := lp.standsFor()
	for i, res := range lp.outcome.results {
		n := times * lp.outcome.partOf(i).weight
		for _, l := range res.Loops {
			if sums[l.Header] == nil {
				sums[l.Header] = &loopSum{}
			}
			sums[l.Header].add(l, n)
		}
	}
	var rows []*LoopRow
	counts := lp.instructionCounts()
	for _, f := range lp.Kernel.Closure() {
		waiting := map[int]bool{}
		for _, l := range f.WaitingLoops() {
			waiting[l.Header] = true
		}
		for _, l := range f.Loops() {
			pc := f.Blocks[l.Header].First
			s := sums[pc]
			r := &LoopRow{Site: lp.site(pc), Depth: l.Depth, Waiting: waiting[l.Header]}
			if s != nil && s.warps > 0 {
				r.Warps, r.DivergentExits = s.warps, s.exits
				r.TripsMin, r.TripsMax = Count(s.low), Count(s.high)
				r.TripsMean = Ratio(float64(s.sum) / float64(s.warps))
				r.fillFlow(loopFlow(f, l, counts))
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// fillFlow fills the columns at thread level.
func (r *LoopRow) fillFlow(trips, entries uint64, known bool) {
	if !known {
		return
	}
	r.ThreadTrips, r.ThreadEntries = Count(trips), Count(entries)
	if entries > 0 {
		r.TripsPerEntry = Ratio(float64(trips) / float64(entries))
	}
}

// loopSum joins the counts of the parts that were run.
type loopSum struct{ warps, low, high, sum, exits uint64 }

func (s *loopSum) add(l emulator.LoopCount, n uint64) {
	if l.Warps == 0 {
		return
	}
	if s.warps == 0 || l.Min < s.low {
		s.low = l.Min
	}
	s.high = max(s.high, l.Max)
	s.warps += n * l.Warps
	s.sum += n * l.Sum
	s.exits += n * l.DivergentExits
}
