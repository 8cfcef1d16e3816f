package vary

import (
	"math"

	"hyptx/ir/isa"
)

// Result is one result of an approximate instruction.
type Result struct {
	Format Format
	// Exact is the function's value at the inputs, in double; Nominal what the
	// emulator gave.
	Exact   float64
	Nominal uint64
	// Flush: .ftz.
	Flush bool
}

// Edge returns the farthest result upwards or downwards that a bound allows.
// Infinities and NaNs stay: the manual's tables give them exactly.
func (r Result) Edge(p isa.BoundPart, up bool) uint64 {
	f := r.Format
	if x := f.Value(r.Nominal); x != x || math.IsInf(x, 0) {
		return r.Nominal
	}
	n, limit := p.ULP, p.Absolute+p.Relative*math.Abs(r.Exact)
	var b uint64
	switch {
	case n == 0 && limit == 0:
		return r.Nominal
	case n > 0 && up:
		b = f.Step(r.Nominal, n)
	case n > 0:
		b = f.Step(r.Nominal, -n)
	case up:
		b = f.Below(r.Exact + limit)
	default:
		b = f.Above(r.Exact - limit)
	}
	if r.Flush {
		b = f.Flush(b)
	}
	return b
}

// unboundedMove is by how much a result without a documented bound is moved to
// see what depends on it. It is no bound.
const unboundedMove = 0x1p-6

// Probe returns a result without a documented bound, moved visibly.
func (r Result) Probe() uint64 { return r.Edge(isa.BoundPart{Relative: unboundedMove}, true) }

// Sum returns the farthest value upwards or downwards of a sum that may be off
// by as much as limit.
func (r Result) Sum(limit float64, up bool) uint64 {
	if limit == 0 || math.IsInf(limit, 0) || limit != limit {
		return r.Nominal
	}
	return r.Edge(isa.BoundPart{Absolute: limit}, up)
}
