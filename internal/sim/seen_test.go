package sim

import (
	"slices"
	"testing"
)

// TestInMachine: CTAs that were seen whole are as long as they were, and those that are as long in the text;
// what is left of all instructions is the others', unless that is little or makes no sense.
func TestInMachine(t *testing.T) {
	for _, c := range []struct {
		name  string
		seen  seen
		text  Lengths
		mean  float64
		want  Lengths
		noted bool // that some were seen
	}{
		{"nothing is known", seen{}, Lengths{10, 30}, 40, Lengths{20, 60}, false},
		{"the cut one has the rest", seen{whole: []placed{{0, 8}, {1, 8}}}, Lengths{10, 10, 100}, 24, Lengths{8, 8, 56}, true},
		{"of many that are alike one was seen", seen{whole: []placed{{2, 8}}}, Lengths{100, 10, 10, 10}, 20, Lengths{56, 8, 8, 8}, true},
		{"two share the rest", seen{whole: []placed{{0, 8}}}, Lengths{10, 40, 80}, 36, Lengths{8, 100. / 3, 200. / 3}, true},
		{"all were seen", seen{whole: []placed{{0, 8}, {1, 90}}}, Lengths{10, 90}, 100, Lengths{20, 180}, true},
		{"little is left", seen{whole: []placed{{0, 90}}}, Lengths{99, 1}, 50, Lengths{99, 1}, true},
		{"more was seen than there is", seen{whole: []placed{{0, 120}}}, Lengths{50, 50.5}, 50.25, Lengths{50, 50.5}, true},
	} {
		e := &Estimate{}
		if c.noted {
			e.seen = &c.seen
		}
		if got := e.InMachine(c.text, c.mean); !slices.EqualFunc(got, c.want, func(a, b float32) bool { return a-b < 1e-3 && b-a < 1e-3 }) {
			t.Errorf("%s: %v, by hand %v", c.name, got, c.want)
		}
	}
}

// TestUnequalCut: a launch of which one CTA was seen in its beginning alone, beside shorter ones, waits for all
// of that one, once.
func TestUnequalCut(t *testing.T) {
	for _, c := range []struct {
		name string
		seen Lengths
		took float64 // as simulated
		l    Lengths
		want float64
	}{
		{"one goes on", Lengths{10, 10, 50, 10}, 50, Lengths{10, 10, 100, 10}, 100},
		{"twice as far", Lengths{10, 10, 50, 10}, 50, Lengths{10, 10, 200, 10}, 200},
		{"all go on as one", Lengths{50, 50, 50, 50}, 50, Lengths{100, 100, 100, 300}, 300},
	} {
		p := Pace{Alone: 1, Full: 2, SMs: 2, PerSM: 2}
		e := &Estimate{Result: Result{Cycles: c.took}, Cycles: c.took, SMs: 2, Of: 2, Cut: true, seen: &seen{lengths: c.seen, pace: p}}
		equal := c.took * c.l.Mean() / c.seen.Mean()
		near(t, c.name, e.Unequal(c.l, equal), c.want, 1)
	}
}
