package roofline

import (
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// repairs is the same in closed form: of so many machines that one man repairs, in which share of
// the time he has nothing to do (Feller, An Introduction to Probability Theory, XVII.7).
func repairs(machines int, repair, work float64) float64 {
	sum, term := 1.0, 1.0
	for k := range machines {
		term *= float64(machines-k) * repair / work
		sum += term
	}
	return float64(machines) * repair / (1 - 1/sum)
}

// TestWave: one warp takes its own time; very many as long as they are served; two meet at
// the unit in a share of the time, which is worked out by hand.
func TestWave(t *testing.T) {
	for _, c := range []struct {
		what             string
		warps            int
		service, without float64
		want, within     float64
	}{
		{"one", 1, 3, 97, 100, 1e-12},
		{"two: the first is at the unit in 3/100 of its time", 2, 3, 97, 97 + 3*1.03, 1e-12},
		{"many", 64, 3, 7, 64 * 3, 1e-3},
		{"nothing but service", 5, 2, 0, 10, 1e-12},
		{"as many as would follow each other without a wait", 10, 10, 90, repairs(10, 10, 90), 1e-12},
	} {
		if got := wave(c.warps, demand{c.service}, c.without); math.Abs(got/c.want-1) > c.within {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	// Of three parts that are equally busy each has something to do for 5 of 7 times, if there are five warps.
	if got := wave(5, demand{2, 2, 2}, 0); math.Abs(got-14) > 1e-12 {
		t.Errorf("three parts: %v, want 14", got)
	}
	if got := (demand{10}).serve(1, 3); got != 10 {
		t.Errorf("a warp is served for 10 s though alone it is said to take 3: %v", got)
	}
}

// TestWaves: of 5 CTAs of 2 warps on an SM, 2 at a time, two waves have 4 warps, the last 2. Of 6 CTAs on
// 4 SMs two have two: DRAM, which takes 36 us for all, takes 9 for a warp of four there.
func TestWaves(t *testing.T) {
	of := func(ctas, sms float64, perSM uint64, dram float64) float64 {
		s, l := shape{sms: sms, clockMHz: 1}, &Launch{Repetitions: 1, CTAs: ctas, BlockThreads: 64}
		x := &times{Issue: number.Ratio(10e-6 * s.uneven(l)), L1: number.Ratio(20e-6 * s.uneven(l)), DRAM: number.Ratio(dram)}
		x.Waves, x.CTAsPerSM = number.Ratio(math.Ceil(ctas/sms/float64(perSM))), number.Count(perSM)
		x.Latency = number.Ratio(x.Waves.X * 10e-6)
		x.contend(l, &gpu.Timing{Launch: gpu.LaunchTiming{CTAsPerCycle: 100}}, s)
		return x.Latency.X
	}
	a, b := demand{1e-6, 2e-6}, demand{10e-6 / 3, 20e-6 / 3, 9e-6}
	for _, c := range []struct{ got, want float64 }{
		{of(5, 1, 2, 0), 2*a.serve(4, 10e-6) + a.serve(2, 10e-6)},
		{of(6, 4, 2, 36e-6), b.serve(4, 10e-6)},
	} {
		if math.Abs(c.got/c.want-1) > 1e-9 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// TestManyCTAs: CTAs begin one after the other, however little each does.
func TestManyCTAs(t *testing.T) {
	x := &times{Issue: number.Ratio(1e-6), Memory: number.Ratio(0), Latency: number.Ratio(2e-6), L1: number.Ratio(0), DRAM: number.Ratio(0)}
	x.Waves, x.CTAsPerSM = number.Ratio(3125), number.Count(32)
	of := &gpu.Timing{Launch: gpu.LaunchTiming{CTAsPerCycle: 0.5}}
	x.contend(&Launch{Repetitions: 2, CTAs: 1e6, BlockThreads: 32}, of, shape{sms: 10, clockMHz: 1000})
	near(t, "a million CTAs, one each two cycles, twice", x.Latency, 2*1e6*2e-9, 1e-9)
}
