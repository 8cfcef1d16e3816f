package scalemodel

import (
	"fmt"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/reuse"
)

// Curves watch what a program's launches ask of the L2s of some GPUs, each of which has
// SMs and L1s of its own and so another stream, and say how often last-level caches of
// other capacities would miss.
type Curves struct {
	options reuse.Options
	// Bytes are the capacities; none: of each GPU its own L2.
	bytes   []int64
	watched map[*gpu.GPU]reuse.Watcher
	// failed is what could not be watched.
	failed error
}

// LineBytes are those of a last-level cache's line: a block of the L2's requests.
const LineBytes = 128

// NewCurves returns curves of capacities in bytes, ascending; of each GPU's own if there
// are none. The lines of o are not looked at.
func NewCurves(o reuse.Options, bytes []int64) *Curves {
	return &Curves{options: o, bytes: bytes, watched: map[*gpu.GPU]reuse.Watcher{}}
}

// capacities of a GPU's curve, in lines.
func (c *Curves) capacities(g *gpu.GPU) (lines []int64, err error) {
	bytes := c.bytes
	if len(bytes) == 0 {
		own, err := gpu.Need(g, "l2.bytes", g.L2.Bytes)
		if err != nil {
			return nil, err
		}
		bytes = []int64{int64(own)}
	}
	whole := int64(max(c.options.Ways, 1))
	for _, b := range bytes {
		lines = append(lines, max(b/LineBytes/whole, 1)*whole)
	}
	return lines, nil
}

// Watch is the hook of [analysis.Options]: what hears a GPU's L2.
func (c *Curves) Watch(g *gpu.GPU) func(block uint64, sectors uint8) {
	o := c.options
	var err error
	if o.Lines, err = c.capacities(g); err == nil {
		if c.watched[g], err = reuse.New(o); err == nil {
			return c.watched[g].Access
		}
	}
	c.failed = fmt.Errorf("GPU %s: %w", g.Label(), err)
	return nil
}

// Rows are the rows of a GPU's curve, of a program that executed so many thread
// instructions; size is what its capacities are of, 0 for none.
func (c *Curves) Rows(bench string, g *gpu.GPU, size int, threadInstructions uint64) ([]*CurveRow, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	curve, err := c.watched[g].Curve()
	if err != nil {
		return nil, err
	}
	if threadInstructions == 0 || curve.Accesses == 0 {
		return nil, fmt.Errorf("%s: %d thread instructions, %d sectors asked of the L2: there are no misses to count", bench, threadInstructions, curve.Accesses)
	}
	if curve.Cold == 0 { // the first access to any line misses
		return nil, fmt.Errorf("%s: the sample saw none of %d accesses: a larger one sees more", bench, curve.Accesses)
	}
	var rows []*CurveRow
	for _, p := range curve.Points {
		r := &CurveRow{
			Bench: bench, LLCBytes: p.Lines * LineBytes, Size: size, Accesses: curve.Accesses, Misses: round6(p.Misses), Cold: round6(curve.Cold),
			MPKI: 1000 * p.Misses / float64(threadInstructions), MissRate: p.Misses / float64(curve.Accesses), Method: string(c.options.Method),
		}
		if c.options.Every > 1 && p.Misses > 0 {
			r.ErrPct = number.Ratio(100 * p.Error / p.Misses)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
