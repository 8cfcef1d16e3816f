package sim

import (
	"math"
	"testing"
)

// TestUncertainty: what a part of a launch tells is no further from the whole than is said,
// whatever part it was; of a launch that was simulated as a whole nothing is uncertain.
func TestUncertainty(t *testing.T) {
	const sms, perSM, rounds = 16, 4, 30
	k := newTiles(16, rounds)
	m := volta(sms)
	m.L2.Bytes, m.L2.Slices, m.DRAM.Channels, m.DRAM.BytesPerCycle = 1<<20, 16, 4, 30
	code, err := Compile(&k.p, m)
	if err != nil {
		t.Fatal(err)
	}
	first := k.cta(0, rounds)
	n := code.instructions(first)
	estimate := func(ctas, budget int64, shorten bool) (cycles, uncertainty float64) {
		p := newPlan(ctas, perSM, sms, n, budget, Cluster{})
		if shorten {
			p.shorten(code, first, budget)
		}
		e := k.estimate(t, m, &p)
		return e.Longer * e.Cycles, e.Uncertainty(e.Longer)
	}
	for _, ctas := range []int64{sms * perSM, 5*sms*perSM + 20} {
		whole, none := estimate(ctas, 0, true)
		if none != 0 {
			t.Errorf("%d CTAs, all of them: off by %.3f", ctas, none)
		}
		for _, waves := range []float64{0.1, 0.3, 0.6, 3.2} {
			for _, shorten := range []bool{false, true} {
				budget := int64(waves * float64(n*sms*perSM))
				if budget >= n*ctas {
					continue
				}
				cycles, by := estimate(ctas, budget, shorten)
				t.Logf("%d CTAs, %.1f waves, beginnings %v: %.0f of %.0f cycles, off by %+.3f of %.3f", ctas, waves, shorten, cycles, whole, whole/cycles-1, by)
				if off := math.Abs(whole/cycles - 1); off > by && off > 0.001 || by > 1 {
					t.Errorf("%d CTAs, %.1f waves, beginnings %v: off by %.3f, said to be by %.3f at most", ctas, waves, shorten, off, by)
				}
			}
		}
	}
}
