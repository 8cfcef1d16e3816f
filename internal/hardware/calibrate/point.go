package calibrate

import (
	"cmp"
	"fmt"
	"strings"
)

// Points are compared with ==: a point that is in the log is not measured again. So
// everything that makes two measurements different things is a field, and what does
// not, as the file in which a network stands, is left out of the comparison.

// Kind is what is measured at a point.
type Kind string

// The kinds.
const (
	Rate  Kind = "rate"  // the shortest time of several launches
	Power Kind = "power" // power while a launch is repeated
)

// Point is one thing to measure. Two equal points are the same measurement.
type Point struct {
	Kind Kind `json:"kind"`
	// Benchmark is one of [Benchmarks], or for a network its name.
	Benchmark string `json:"benchmark"`
	// ActiveSMs, Lanes and ClockMHz belong to sweeps; 0 stands for all SMs, all
	// lanes, and the clock that the board chooses.
	ActiveSMs int     `json:"active_sms,omitempty"`
	Lanes     int     `json:"lanes,omitempty"`
	ClockMHz  int     `json:"clock_mhz,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"` // of power
	Repeat    int     `json:"repeat,omitempty"`  // 1, 2, ... of several
	// Text is the hash of the PTX, or of a network's inputs: another text is
	// another measurement.
	Text string `json:"text,omitempty"`
	// Manifest is a network's file.
	Manifest string `json:"-"`
}

// Name is how files call the point: "int_fp lanes=8".
func (p Point) Name() string {
	name := []string{p.Benchmark}
	for _, f := range []struct {
		what  string
		value int
	}{{"sms", p.ActiveSMs}, {"lanes", p.Lanes}, {"mhz", p.ClockMHz}} {
		if f.value != 0 {
			name = append(name, fmt.Sprintf("%s=%d", f.what, f.value))
		}
	}
	return strings.Join(name, " ")
}

// String is the name with the kind and the repeat, for progress.
func (p Point) String() string {
	s := string(p.Kind) + " " + p.Name()
	if p.Repeat > 1 {
		s += fmt.Sprintf(" #%d", p.Repeat)
	}
	return s
}

// lanes is how many lanes of each warp take part.
func (p Point) lanes() int { return cmp.Or(p.Lanes, warpLanes) }
