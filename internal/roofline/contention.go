package roofline

import (
	"math"

	"hyptx/internal/gpu"
)

// Warps that are resident together wait for their own results, and for each other where a
// unit is taken. With few of them the first is what takes long, with many the second; in
// between it is both, and the longer of the two would be too short: now and then the unit is
// wanted by several, and then has nothing to do. A closed network of queues says how much: its
// customers are the warps, each of which is served by one part after the other, and then for a while
// wants nothing.

// demand is what a warp takes of the parts of the GPU each of which serves one warp at a time, in
// seconds: the SM's busiest unit, its L1, and the busiest part of memory behind that.
type demand [3]float64

// wave returns how long so many warps that begin together take which are served and do without
// for so many seconds each: by mean value analysis (Reiser and Lavenberg, J. ACM 1980). A warp
// that comes finds as many before it as there are on average with one warp less.
func wave(warps int, service demand, without float64) (seconds float64) {
	var before demand // warps at each part
	for n := 1; n <= warps; n++ {
		var stay demand
		seconds = without
		for i, s := range service {
			stay[i] = s * (1 + before[i])
			seconds += stay[i]
		}
		for i := range before {
			before[i] = float64(n) * stay[i] / seconds
		}
	}
	return seconds
}

// serve returns how long so many warps take of which each alone takes so many seconds.
func (d demand) serve(warps int, alone float64) (seconds float64) {
	for _, s := range d {
		alone -= s
	}
	return wave(warps, d, max(alone, 0))
}

// contend adds to the latency what warps wait for each other, at what is busiest, on the SM that has
// the most CTAs. Of what SMs share a warp takes as long as all of its wave do, over those of its SM: where
// others have fewer it has more of it.
func (t *times) contend(l *Launch, of *gpu.Timing, s shape) {
	perCTA, resident := math.Ceil(l.BlockThreads/32), float64(t.CTAsPerSM.N)
	warps, full := l.Repetitions*l.CTAs*perCTA, s.sms*resident
	perSM := func(seconds float64) float64 { return seconds / s.uneven(l) * s.sms / warps }
	alone := t.Latency.X/(l.Repetitions*t.Waves.X) + of.Launch.FirstIssueCycles/(s.clockMHz*1e6)
	together := func(ctas, onSM float64) float64 {
		service := demand{perSM(t.Issue.X), perSM(t.L1.X), max(perSM(t.network), max(t.slices, t.DRAM.X)*ctas/onSM/warps)}
		return service.serve(int(onSM*perCTA), alone)
	}
	before := math.Ceil(l.CTAs/full) - 1 // waves that fill all SMs
	last := l.CTAs - before*full
	t.whole = true
	all := before*together(full, resident) + together(last, math.Ceil(last/s.sms))
	t.Latency.X = l.Repetitions * max(all, l.CTAs/(of.Launch.CTAsPerCycle*s.clockMHz*1e6)) // one begins after the other
}
