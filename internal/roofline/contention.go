package roofline

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

// waves returns how long the CTAs of an SM take that holds so many of them at a time, one wave
// after the other. service is what a warp takes of parts of the SM, or of its part of what
// SMs share, alone the time of a warp that waits for no other one.
func waves(ctas, resident, warps int, service demand, alone float64) float64 {
	without := alone
	for _, s := range service {
		without -= s
	}
	without = max(without, 0)
	seconds := float64(ctas/resident) * wave(resident*warps, service, without)
	if rest := ctas % resident; rest > 0 {
		seconds += wave(rest*warps, service, without)
	}
	return seconds
}
