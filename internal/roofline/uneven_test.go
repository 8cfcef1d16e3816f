package roofline

import (
	"testing"

	"hyptx/internal/number"
	"hyptx/internal/sim"
)

// TestUnequal: on two SMs with two places each, that do together as much as one CTA alone, the longest of
// four CTAs shares its SM with one of ten until both have done ten, and goes on alone.
func TestUnequal(t *testing.T) {
	s := shape{sms: 2, clockMHz: 1}
	of := func(lengths sim.Lengths) *times {
		l := &Launch{Repetitions: 3, CTAs: 4, Lengths: &lengths}
		x := &times{Issue: number.Ratio(3 * 50e-6), Memory: number.Ratio(0), Latency: number.Ratio(0)}
		x.ChainCycles, x.CTAsPerSM = number.Ratio(lengths.Longest()), number.Count(2)
		x.unequal(l, &Device{}, s)
		return x
	}
	near(t, "one is long", of(sim.Lengths{10, 10, 10, 70}).Latency, 3*80e-6, 1e-9)
	near(t, "none is", of(sim.Lengths{25, 25, 25, 25}).Latency, 3*50e-6, 1e-9)
	if got := (&Launch{Lengths: &sim.Lengths{10, 10, 10, 70}}).mean(); got != 25.0/70 {
		t.Errorf("the mean is %v of the longest", got)
	}
}
