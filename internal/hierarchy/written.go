package hierarchy

import (
	"math"

	"hyptx/internal/cache"
)

// What a launch writes to DRAM is what was dirty before, and what it makes
// dirty, less what the L2 still holds at its end. A sample sees how much is made
// dirty, but its L2 is not that of the launch: the waves that were left out
// brought nothing. So the end is computed: lines leave the L2 in the order in
// which they came, and as many came as the sample says.

// held are lines that came to the L2 together, and the sectors of them that
// are dirty.
type held struct{ lines, dirty float64 }

func (h held) add(o held) held { return held{h.lines + o.lines, h.dirty + o.dirty} }
func (h held) sub(o held) held { return held{h.lines - o.lines, h.dirty - o.dirty} }

// pushedOut returns the dirty sectors of the first n lines.
func pushedOut(n float64, groups ...held) (dirty float64) {
	for _, g := range groups {
		switch {
		case n <= 0:
			return dirty
		case g.lines <= n:
			dirty += g.dirty
		default:
			dirty += g.dirty * n / g.lines
		}
		n -= g.lines
	}
	return dirty
}

// launchL2 is the L2 around a launch.
type launchL2 struct {
	capacity, sets, ways float64 // lines; lines a set
	sectorsPerLine       float64
	// before is what the launch found, after what it left, as far as it was seen.
	before, after held
	usedSets      float64 // after
	// stale: before, a sample was seen.
	stale bool
	// What the launch touches at all, of all CTAs.
	touched
}

// end returns what the L2 of the whole launch holds at its end and what was
// written to DRAM until then, if it has room for so many lines.
func (l *launchL2) end(capacity float64, came ...held) (left held, written float64) {
	sum := held{}
	for _, g := range came {
		sum = sum.add(g)
	}
	out := max(0, sum.lines-capacity)
	written = pushedOut(out, came...)
	return held{sum.lines - out, sum.dirty - written}, written
}

// estimate returns what all waves did, what is left in the L2, and the variance
// of the sectors that crossed the DRAM interface. Besides how much waves differ
// it has two bounds, each as a third of its square (JCGM 100:2008, 4.3.7: what
// is only known to lie within limits):
//
//   - what the waves left out would have left in the caches (see comeBound);
//   - how well the order above tells what the L2 holds at the end.
func (w *waveSample) estimate(l *launchL2) (c cache.Counters, left held, variance float64) {
	between, c, variance := w.sum()
	came := float64(c.L2.ReadMisses + c.L2.WriteMisses)
	again := 1.0
	if l.lines <= l.capacity && came > l.sectors {
		again = l.sectors / came
		fewerMisses(&c, again)
	}
	bound := l.comeBound(&c, came*again)
	variance += bound * bound / 3

	groups := []held{l.before}
	for _, g := range []cache.Counters{w.first, between, w.last} {
		groups = append(groups, held{again * float64(g.L2Fills), again * float64(g.DirtiedSectors)})
	}
	left, written := l.end(l.capacity, groups...)
	c.DRAMWriteSectors = uint64(math.Round(written))
	bound = l.endBound(left, written, groups)
	return c, left, variance + bound*bound/3
}

// comeBound bounds the error of the sectors that come from DRAM or are made
// dirty, in sectors. Each that the launch touches comes to the L2 once, unless it
// is there before: what comes more often in a sample might have been kept, what
// comes less often might have been pushed out by waves that were left out. If
// the launch before was a sample, too, what is there is not what would be.
func (l *launchL2) comeBound(c *cache.Counters, came float64) float64 {
	perSector := 0.0
	if came > 0 {
		perSector = dramSectors(*c) / came
	} else {
		perSector = float64(min(c.L2.Reads(), 1) + min(c.L2.Writes(), 1))
	}
	bound := came - l.sectors + l.doubt
	if l.before.lines+l.lines > l.capacity || l.stale {
		bound = max(bound, l.sectors+l.doubt-came)
	}
	if came < l.sectors-l.capacity*l.sectorsPerLine {
		// The L2 cannot have held so much: its hits are no evidence.
		bound = float64(c.L2.Reads() + c.L2.Writes())
	}
	if l.stale {
		bound = max(bound, min(came, l.before.lines*l.sectorsPerLine))
	}
	return perSector * max(0, bound)
}

// endBound bounds the error of what is left at the end, in sectors. The lines
// that the sample left may be more or less dirty on average; a set may have two
// lines more than others, as where two buffers meet; and sets that the sample
// did not use the launch may not use, either.
func (l *launchL2) endBound(left held, written float64, groups []held) float64 {
	_, most := l.end(l.capacity*min((l.ways-2)/l.ways, l.usedSets/l.sets), groups...)
	bound := most - written
	if written > 0 && l.after.lines > 0 {
		bound = max(bound, math.Abs(left.dirty-l.after.dirty/l.after.lines*left.lines))
	}
	return bound
}

// fewerMisses turns misses of the L2 into hits: a share of them remains.
func fewerMisses(c *cache.Counters, share float64) {
	for _, n := range []struct{ misses, hits *uint64 }{{&c.L2.ReadMisses, &c.L2.ReadHits}, {&c.L2.WriteMisses, &c.L2.WriteHits}} {
		remain := uint64(math.Round(share * float64(*n.misses)))
		*n.hits += *n.misses - remain
		*n.misses = remain
	}
	for _, n := range []*uint64{&c.DRAMReadSectors, &c.DRAMRowActivations, &c.DRAMAccesses, &c.DRAMAccessRows, &c.DirtiedSectors} {
		*n = uint64(math.Round(share * float64(*n)))
	}
	c.DRAMWriteSectors = c.DirtiedSectors
}
