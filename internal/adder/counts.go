package adder

import (
	"math"
	"math/bits"
)

// Counts are what a design did in additions of a kind.
type Counts struct {
	// Mispredicted are additions of threads that took a second cycle, or whose sum
	// is wrong if nothing corrects them; Stalled are additions of warps with one.
	Mispredicted, Stalled uint64
	// Recomputed are the slices that were, SliceMisses those whose carry-in was
	// predicted wrong.
	Recomputed, SliceMisses uint64
	// Computations are slices that were computed beyond one for each slice.
	Computations uint64
	// Reads and Writes are those of the carry register file, by warps; Conflicts are
	// clocks in which several wrote, Dropped the lanes whose bits were lost.
	Reads, Writes, Conflicts, Dropped uint64
	// Errors are of sums that were not corrected.
	Errors Errors
}

// Errors sum up how far off sums are.
type Errors struct {
	Wrong uint64
	// high and low are the sum of all errors, Max is the largest.
	high, low, Max uint64
	// relative is the sum of those against the right sum, where that is not zero, of every eighth lane by
	// itself, as vectors add them up: floating-point sums depend on their order.
	relative [relativeSums]float64
	against  uint64
}

// relativeSums are lanes of a vector of 512 bits.
const relativeSums = 8

// add adds errors to their sum, of which the halves were summed up apart.
func (e *Errors) add(lows, highs uint64) {
	var carry uint64
	e.low, carry = bits.Add64(e.low, lows, 0)
	e.high += carry
	e.low, carry = bits.Add64(e.low, highs<<32, 0)
	e.high += highs>>32 + carry
}

func (e *Errors) plus(o *Errors) {
	var carry uint64
	e.Wrong += o.Wrong
	e.low, carry = bits.Add64(e.low, o.low, 0)
	e.high += o.high + carry
	e.Max = max(e.Max, o.Max)
	for i, r := range o.relative {
		e.relative[i] += r
	}
	e.against += o.against
}

// Mean returns the mean error of so many sums, Relative that against right sums.
func (e *Errors) Mean(adds uint64) float64 {
	return (math.Ldexp(float64(e.high), 64) + float64(e.low)) / float64(adds)
}

// Relative returns the mean of errors against right sums, of so many sums.
func (e *Errors) Relative(adds uint64) float64 {
	r := &e.relative
	return (((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))) / float64(adds)
}

// Plus adds other counts.
func (c *Counts) Plus(o *Counts) {
	c.Mispredicted += o.Mispredicted
	c.Stalled += o.Stalled
	c.Recomputed += o.Recomputed
	c.SliceMisses += o.SliceMisses
	c.Computations += o.Computations
	c.Reads += o.Reads
	c.Writes += o.Writes
	c.Conflicts += o.Conflicts
	c.Dropped += o.Dropped
	c.Errors.plus(&o.Errors)
}

// Work is what the additions of a kind are, whatever the design.
type Work struct {
	Adds, Warps uint64
	// Predictions are slices but the lowest, Resolved those whose carry-in peeking
	// tells.
	Predictions, Resolved uint64
	// Flips are the bits that changed at the operands and results of lane adders.
	Flips uint64
}

// Plus adds other work.
func (w *Work) Plus(o *Work) {
	w.Adds += o.Adds
	w.Warps += o.Warps
	w.Predictions += o.Predictions
	w.Resolved += o.Resolved
	w.Flips += o.Flips
}
