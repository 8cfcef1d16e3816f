package sim

import "math"

// The cycles of a launch of which a part was simulated are an estimate. How far they may be
// from those of the whole launch follows from what was left out: what comes at a rate that
// was measured is as uncertain as the rate is from one piece of the simulation to the next;
// caches that fill up, CTAs that drift apart and lines that other SMs would have brought
// are not seen in what was simulated, so that these have a share of what was left out.

// Shares of the time by which estimates may be off: [ours], chosen so that 95 % of 180
// launches of three networks (alexnet-sm_70 and mobilenetv2-sm_70 on a v100-sxm2,
// squeezenet-sm_80 on an a100; 100,000 to 1,000,000 instructions of each) are within them
// of a simulation of the whole launch.
const (
	driftShare = 0.44 // of a CTA that is not seen beyond its beginning
	trendShare = 2.2  // of what changed from the first half of a simulation to the second
	scaleShare = 0.33 // of SMs that are not seen
	queueShare = 0.66 // of these, of a launch that waits for DRAM or the L2 alone
	waveShare  = 0.06 // of waves that are not seen, beside what the rate says
	leftShare  = 0.06 // of a launch that finds what others left that were not seen
)

// batches is into how many pieces a simulation's steady state is cut, studentT the quantile
// for so many: the method of batch means (Law, Simulation Modeling and Analysis, 9.5.3).
const (
	batches  = 5
	studentT = 2.776
)

// doubt is what is uncertain of the cycles of a launch.
type doubt struct {
	simulated float64 // cycles
	rate      float64 // of that by which cycles follow that were not simulated, as a share of it
	// trend is how the time of the second half of what all places did differs from that of
	// the first one: of what follows as much is unknown.
	trend float64
	// unseen is the share that SMs which were not simulated, and what others left in the L2,
	// may have in the time.
	unseen float64
}

// doubt returns what is uncertain of a launch of which this was simulated. CTAs have ended in
// the order of ends; inferred: nobody saw all of what the launches before left in the L2.
func (p *plan) doubt(r *Result, ends []Tick, inferred bool) doubt {
	of := doubt{simulated: r.Cycles}
	if p.sms < p.of {
		unseen := 1 - float64(p.share)/float64(p.size)
		of.unseen = unseen * (scaleShare + queueShare*max(r.Busy.DRAM, r.Busy.L2))
	}
	if inferred {
		of.unseen = math.Hypot(of.unseen, leftShare)
	}
	from, to := 0.0, ends[min(p.restShare, int64(len(ends)-1))].Cycles()
	if from = steadyFrom * to; p.portion == 1 && len(ends) > int(2*p.share) {
		from, to = ends[p.share-1].Cycles(), ends[len(ends)-1-int(p.share)].Cycles()
	}
	of.rate = math.Hypot(waveShare, r.spread(from, to))
	of.trend = math.Abs(2*r.issuedBy(to/2)/max(r.issuedBy(to), 1) - 1)
	return of
}

// Uncertainty returns by what share of itself the time may be off, in 95 of 100 launches, from
// what a simulation of the whole launch would say, if CTAs are so much longer than what was
// seen of them.
func (e *Estimate) Uncertainty(longer float64) float64 {
	beyond := 1 - min(1, e.doubt.simulated/(longer*e.Cycles))
	return math.Hypot(e.doubt.unseen, math.Hypot(beyond*e.doubt.rate, (driftShare+trendShare*e.doubt.trend)*(1-1/longer)))
}

// spread returns half the width of the interval of 95 % of a mean rate of instructions, as a
// share of it.
func (r *Result) spread(from, to float64) float64 {
	var sum, squares float64
	each := (to - from) / batches
	for i := range batches {
		n := r.issuedBy(from+float64(i+1)*each) - r.issuedBy(from+float64(i)*each)
		sum += n
		squares += n * n
	}
	if sum == 0 {
		return 1
	}
	mean := sum / batches
	variance := max(0, squares/batches-mean*mean) * batches / (batches - 1)
	return studentT * math.Sqrt(variance/batches) / mean
}
