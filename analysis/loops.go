package analysis

import (
	"hyptx/emulator"
	"hyptx/internal/number"
	"hyptx/internal/pathlist"
)

// Where time goes is a question of loops, and how often a loop goes round is not in the
// text: it depends on arguments and data. Two levels, as everywhere. A warp's trips are
// counted by the emulator for each warp apart (minimum and maximum over the warps say
// whether some wait for others); the trips of threads follow from counts that are kept
// anyway (loopflow.go).
//
// An example: 32 threads of one warp go round 1, 2, ..., 32 times. The warp makes 32
// trips; threads make 528, in 32 entries, 16.5 each; and 31 of the executions of the
// exit branch diverge.

// LoopRow is a row of --loops: a loop in one launch. A trip of a warp is one
// issue of the loop's header, summed over all entries of the loop; a trip of a
// thread is one arrival at the header. docs/columns.md has a table of the columns.
type LoopRow struct {
	Site
	Depth          int         `csv:"depth" json:"depth" doc:"1 for a loop in no other loop of its function, 2 for one in such a loop, ..."`
	Waiting        bool        `csv:"waiting" json:"waiting" doc:"whether each of its exits depends on memory that another thread may write"`
	Warps          uint64      `csv:"warps" json:"warps" doc:"warps that reached the header"`
	TripsMin       number.Int  `csv:"trips_min" json:"trips_min" doc:"trips of a warp (issues of the header), summed over its entries: minimum, mean and maximum over these warps; empty where there are none"`
	TripsMean      number.Real `csv:"trips_mean" json:"trips_mean" doc:"^"`
	TripsMax       number.Int  `csv:"trips_max" json:"trips_max" doc:"^"`
	ThreadEntries  number.Int  `csv:"thread_entries" json:"thread_entries" doc:"how often threads entered the loop; how often they came to its header; empty where a back edge is a brx.idx or follows a call at once"`
	ThreadTrips    number.Int  `csv:"thread_trips" json:"thread_trips" doc:"^"`
	TripsPerEntry  number.Real `csv:"thread_trips_per_entry_mean" json:"thread_trips_per_entry_mean" doc:"thread_trips / thread_entries"`
	DivergentExits uint64      `csv:"divergent_exits" json:"divergent_exits" doc:"divergent executions of branches that leave the loop"`
}

// PathLists returns the rows of --path-lists; the session must have been asked for them.
func (p *Profile) PathLists() []*pathlist.Row {
	return viewOf(p, func(lp *LaunchProfile) []*pathlist.Row {
		return lp.outcome.pathLists.Rows(lp.Network, lp.KernelName, lp.Name())
	})
}

// Loops returns the rows of --loops; the session must have been asked for them.
func (p *Profile) Loops() []*LoopRow { return viewOf(p, (*LaunchProfile).loops) }

// loops makes the rows of one launch, of all loops of the kernel and of what it may
// call, also of those that nobody entered.
func (lp *LaunchProfile) loops() []*LoopRow {
	sums := map[int32]*loopSum{}
	times := lp.standsFor()
	for i, res := range lp.outcome.results {
		n := times * lp.outcome.partOf(i).weight
		for _, l := range res.Loops {
			if sums[l.Header] == nil {
				sums[l.Header] = &loopSum{waiting: l.Waiting}
			}
			sums[l.Header].add(l, n)
		}
	}
	var rows []*LoopRow
	counts := lp.instructionCounts()
	for _, f := range written(lp.Kernel) {
		for _, l := range f.Loops() {
			pc := f.Blocks[l.Header].First
			s := sums[pc]
			r := &LoopRow{Site: lp.site(pc), Depth: l.Depth, Waiting: s != nil && s.waiting}
			if s != nil && s.warps > 0 {
				r.Warps, r.DivergentExits = s.warps, s.exits
				r.TripsMin, r.TripsMax = number.Count(s.low), number.Count(s.high)
				r.TripsMean = number.Ratio(float64(s.sum) / float64(s.warps))
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
	r.ThreadTrips, r.ThreadEntries = number.Count(trips), number.Count(entries)
	if entries > 0 {
		r.TripsPerEntry = number.Ratio(float64(trips) / float64(entries))
	}
}

// loopSum joins the counts of the parts that were run: sums take each part as often
// as it stands for others, extremes do not, for what stands for others does the same.
type loopSum struct {
	waiting                      bool
	warps, low, high, sum, exits uint64
}

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
