package sim

import "testing"

// TestMakespan: CTAs begin in their order where there are the fewest, and share an SM, or all of the GPU.
func TestMakespan(t *testing.T) {
	of := Pace{Alone: 1, Full: 2, SMs: 2, PerSM: 2}
	one := of
	one.SMs = 1
	slow := of
	slow.Full = 1
	shared := of
	shared.Shared = true
	late := of
	late.Interval = 10
	start := of
	start.Start = 5
	for _, c := range []struct {
		name string
		p    Pace
		l    Lengths
		want float64
	}{
		{"beside each other", of, Lengths{10, 10, 10, 10}, 10},
		{"the fifth waits", of, Lengths{10, 10, 10, 10, 10}, 20},
		{"for the shortest", of, Lengths{40, 10, 30, 20, 5}, 40},
		{"two share: both half as fast", slow, Lengths{10, 10, 10, 10}, 20},
		{"the longer one goes on alone", slow, Lengths{10, 10, 90, 10}, 100},
		{"of all on the GPU four share two", shared, Lengths{10, 10, 10, 10}, 20},
		{"until one is left", shared, Lengths{100, 10, 10, 10}, 110},
		{"one begins each ten cycles", late, Lengths{10, 10, 10, 10}, 40},
		{"each takes five more", start, Lengths{10, 10, 10, 10, 10}, 30},
		{"the long one begins last", one, Lengths{10, 10, 10, 10, 100}, 120},
		{"or first", one, Lengths{100, 10, 10, 10, 10}, 100},
		{"no work is no time", of, Lengths{0, 0}, 0},
	} {
		if got := c.p.Makespan(c.l); got != c.want {
			t.Errorf("%s: %v cycles, by hand %v", c.name, got, c.want)
		}
	}
}

// TestMakespanOfEquals: CTAs of one length take what the closed form says, and unequal ones no less.
func TestMakespanOfEquals(t *testing.T) {
	for _, p := range []Pace{
		{Alone: 1, Full: 3.5, SMs: 7, PerSM: 5, Start: 3}, {Alone: 1, Full: 100, SMs: 7, PerSM: 5}, {Alone: 2, Full: 9, SMs: 4, PerSM: 3, Shared: true},
	} {
		for _, n := range []int{1, 6, 7, 8, 34, 35, 36, 100, 211} {
			l := make(Lengths, n)
			for i := range l {
				l[i] = 12
			}
			equal := p.Equal(n, 12)
			near(t, "equal CTAs", p.Makespan(l), equal, 1e-6*equal)
			near(t, "equal CTAs", p.Unequal(l, 1000), 1000, 1e-6*equal)
			if l[n-1] = 36; p.Unequal(l, equal) < equal {
				t.Errorf("%+v: %d CTAs of which one is longer take %v cycles, equal ones %v", p, n, p.Unequal(l, equal), equal)
			}
		}
	}
}
