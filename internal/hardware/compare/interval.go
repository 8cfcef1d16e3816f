package compare

import (
	"bytes"
	"math"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/vary"
)

// Factor is by how much the spread of the runs is widened where elements depend
// on several open results that may cancel each other: some runs out of all that
// could be are no bound. If a difference is the sum of many errors with signs of
// their own, its eight draws at the edges of the bounds (Up and Down are one,
// those by lane and by thread average out) are normal; of another machine's
// errors, evenly within the bounds, so with a third of the variance, 3 in a
// million are outside of four times the largest draw.
const Factor = 4

// Verdict says how an element or an output stands, from good to bad.
type Verdict uint8

// The verdicts. Within is as good as Equal; the others are not.
const (
	Equal Verdict = iota
	Within
	// Undecided: the runs give different values here for which no interval has a
	// meaning (an integer that flips, a NaN in some), and this is none of them; or
	// the element may depend on the order of threads, and differs.
	Undecided
	// Unbounded: differs, and depends on a result without a documented bound.
	Unbounded
	Differs
	numVerdicts
)

// String names the verdict.
func (v Verdict) String() string {
	return [...]string{"equal", "within", "undecided", "unbounded", "differs"}[v]
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// values are one output's elements: the emulator's, the other's, and those of
// the runs.
type values struct {
	ours, theirs analysis.Output
	runs         []analysis.Output
	up, down     *analysis.Output
	probe        *analysis.Output
	// order: which elements may depend on the order of threads; possible: some run
	// left just what the other machine has, in all elements.
	order    []bool
	possible bool
	// closed: nothing of the program is open.
	closed bool
	// blind: the run that would have shown what has no bound failed.
	blind  bool
	format vary.Format
	float  bool
	// moved: some element differs in some run. spanned: no run leaves what Up and
	// Down span at each element, as it is where an element is an open result
	// itself, or grows with all open results: then these are the extremes.
	moved, spanned bool
}

// formats are those of the manifest's floating-point types.
var formats = map[manifest.Type]vary.Format{manifest.F16: vary.F16, manifest.BF16: vary.BF16, manifest.F32: vary.F32, manifest.F64: vary.F64}

// look finds out what the runs say of the output as a whole.
func (v *values) look() {
	v.format, v.float = formats[v.ours.Type]
	for _, r := range v.runs {
		v.possible = v.possible || bytes.Equal(r.Data, v.theirs.Data)
	}
	v.spanned = v.float && v.up != nil && v.down != nil
	for i := range v.ours.Len() {
		b := v.ours.Bits(i)
		for _, r := range v.runs {
			x := r.Bits(i)
			v.moved = v.moved || x != b
			v.spanned = v.spanned && (x == b || v.between(i, x))
		}
	}
}

// between reports whether bits are a value that lies between those of Up and
// Down at element i.
func (v *values) between(i int, bits uint64) bool {
	x, up, down := v.format.Value(bits), v.format.Value(v.up.Bits(i)), v.format.Value(v.down.Bits(i))
	return min(up, down) <= x && x <= max(up, down)
}

// judge says how element i stands, and what it may be: from low to high, both
// NaN where there is no interval.
func (v *values) judge(i int) (verdict Verdict, low, high float64) {
	ours, theirs := v.ours.Bits(i), v.theirs.Bits(i)
	none := math.NaN()
	switch {
	case ours == theirs:
		return Equal, none, none
	case v.possible:
		return Within, none, none
	case v.order != nil && v.order[i]:
		// Elements that are right one by one need not be so together.
		return Undecided, none, none
	}
	flips := false
	for _, r := range v.runs {
		switch r.Bits(i) {
		case theirs:
			return Within, none, none // a machine that obeys the manual gave it
		case ours:
		default:
			flips = true
		}
	}
	switch {
	case v.float && v.format.IsNaN(ours) && v.format.IsNaN(theirs) && v.format == vary.F64:
		return Equal, none, none // no section defines which payload an f64 has
	case v.blind, v.probe != nil && v.probe.Bits(i) != ours:
		return Unbounded, none, none
	}
	if !v.float {
		if flips {
			return Undecided, none, none
		}
		return Differs, none, none
	}
	return v.judgeFloat(i, flips)
}

// judgeFloat judges an element that is none of the values that runs gave.
func (v *values) judgeFloat(i int, flips bool) (verdict Verdict, low, high float64) {
	ours, theirs := v.format.Value(v.ours.Bits(i)), v.format.Value(v.theirs.Bits(i))
	low, high, ok := v.interval(i)
	switch {
	case !ok && flips:
		return Undecided, math.NaN(), math.NaN()
	case !ok:
		return Differs, math.NaN(), math.NaN()
	case low < high && low <= theirs && theirs <= high:
		return Within, low, high
	case low == high:
		return Differs, ours, ours
	}
	return Differs, low, high
}

// interval returns what element i may be; ok is false where a run or the
// emulator has no finite value.
func (v *values) interval(i int) (low, high float64, ok bool) {
	bits := v.ours.Bits(i)
	ours := v.format.Value(bits)
	if !finite(ours) {
		return 0, 0, false
	}
	low, high = ours, ours
	for _, r := range v.runs {
		x := v.format.Value(r.Bits(i))
		if !finite(x) {
			return 0, 0, false
		}
		low, high = min(low, x), max(high, x)
	}
	if v.spanned || !v.moved {
		return low, high, true
	}
	// An influence too small to be seen in any run may still tip one rounding.
	radius := Factor * max(high-ours, ours-low)
	below, above := v.format.Value(v.format.Step(bits, -1)), v.format.Value(v.format.Step(bits, 1))
	return min(ours-radius, below), max(ours+radius, above), true
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
