package roofline

import (
	"math"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/sim"
)

// TestAlone: a warp takes less where the L2 had some of what it reads, and where others bring what
// its own L1 has not, but for those of its own wave; and as many times what was seen of it as it is longer.
func TestAlone(t *testing.T) {
	of := &sim.Lone{Course: sim.Course{Cycles: [3]float64{1000, 700, 500}, Reads: 2, Hits: 1, InL1: 100, Instructions: 60}}
	for _, c := range []struct {
		had, l1, waves, longer, want float64
	}{
		{0, 0.5, 9, 1, 1000}, {0.5, 0.5, 9, 1, 700}, {0.75, 0.5, 9, 1, 600}, {1, 0.5, 9, 1, 500}, {0, 0.2, 9, 1, 1000},
		{0, 0.75, 9, 1, 600}, {0, 0.75, 3, 1, 700}, {0, 0.75, 1, 1, 1000}, {0, 1, 9, 1, 200}, {1, 0.5, 9, 3, 1500},
	} {
		l := &Launch{Lone: of, Longer: c.longer, Traffic: Traffic{Had: number.Ratio(c.had), L1Hits: number.Ratio(c.l1)}}
		if got := l.alone(c.waves); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("the L2 had %g, the L1 has %g, %g waves, %g times longer: %g cycles, want %g", c.had, c.l1, c.waves, c.longer, got, c.want)
		}
	}
	of.Steady = &sim.Course{Cycles: [3]float64{300, 250, 200}, Reads: 4, Hits: 3, InL1: 50, Instructions: 30}
	l := &Launch{Lone: of, Longer: 2, Traffic: Traffic{Had: number.Ratio(0), L1Hits: number.Ratio(0.5)}}
	if got := l.alone(1); math.Abs(got-1600) > 1e-9 {
		t.Errorf("twice as long, as the second half goes: %g cycles, want 1600", got)
	}
}

// TestHad: what a launch touches and does not store it reads, from DRAM or from what the L2 had.
func TestHad(t *testing.T) {
	for _, c := range []struct {
		touched, stored, read uint64 // bytes, sectors, bytes of two launches
		want                  float64
	}{
		{9600, 100, 2 * 6400, 0}, {9600, 100, 6400, 0.5}, {6400, 0, 0, 1}, {6400, 0, 20000, 0}, {3200, 100, 0, 0},
	} {
		var f analysis.Facts
		f.Set(analysis.Launches, 2)
		f.Set(analysis.FootprintBytes, c.touched)
		f.Set(analysis.GlobalStoreSectors, 2*c.stored)
		f.Set(analysis.DRAMReadBytes, c.read)
		if got := had(&f); math.Abs(got.X-c.want) > 1e-9 {
			t.Errorf("%+v: %g", c, got.X)
		}
	}
	if got := had(new(analysis.Facts)); got.Known {
		t.Errorf("of nothing: %g", got.X)
	}
}
