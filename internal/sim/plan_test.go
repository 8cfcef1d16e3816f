package sim

import "testing"

// Waves whose CTAs end together take as long as from the end of one to that of the
// next, however many CTAs of the last part of one were seen.
func TestEstimateOfWaves(t *testing.T) {
	p := newPlan(34*100+4, 2, 17, 1000, 34*3*1000)
	if p.waves != 3 || p.share != 34 {
		t.Fatalf("%+v", p)
	}
	const wave = 5000 * ticksPerCycle
	var ends []Tick
	for i := range 34*3 + 4 {
		ends = append(ends, Tick(i/34+1)*wave+Tick(i%34)*ticksPerCycle)
	}
	r := &Result{Cycles: ends[len(ends)-1].Cycles()}
	near(t, "cycles", p.estimate(r, ends), r.Cycles+97*5000, 0.1)
}

// Where more than half of the SMs fit a budget all are simulated: within one wave the
// others have no others' CTAs to stand for.
func TestMoreThanHalfOfTheSMs(t *testing.T) {
	for _, c := range []struct{ ctas, budget, sms, share int64 }{
		{49, 49 * 1000 * 6 / 10, 80, 49}, {49, 49 * 1000 * 4 / 10, 32, 19}, {160 * 3, 160 * 3 * 1000 * 4 / 10, 32, 64},
	} {
		p := newPlan(c.ctas, 2, 80, 1000, c.budget)
		if p.sms != c.sms || p.share != c.share {
			t.Errorf("%d CTAs, %d instructions: %d SMs, %d CTAs at a time", c.ctas, c.budget, p.sms, p.share)
		}
	}
}
