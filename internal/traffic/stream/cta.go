package stream

import (
	"fmt"
	"sync/atomic"
)

// CTA is the requests of a CTA. It comes from a [Queue], is written by the
// worker that emulates it, and then read by all who listen, each of which may
// keep it ([CTA.Keep]) until its last request is done.
type CTA struct {
	// Linear is the linear index of the CTA in its grid, Place that in the order in which
	// CTAs run, which differs where they form clusters.
	Linear, Place int64
	// Warps are the streams, by the warp's number in the CTA.
	Warps [][]Word
	// Requests is how many there are in all streams together.
	Requests int
	// Shapes are those that the streams name.
	Shapes View
	// Traces are the steps of the warps, by number; nil unless they were asked for. Cut:
	// of some only the beginning.
	Traces []Trace
	Cut    bool

	shapes *Shapes
	queue  *Queue
	spare  []Trace // to be used again
	words  int
	keeper atomic.Int32 // who still reads it
	// objects are the mbarrier objects that its warps have changed, bulk is the copy that
	// was appended last.
	objects []object
	bulk    bulkCopy
}

// maxWords bounds the streams of one CTA: 512 MiB.
const maxWords = 64 << 20

// Follow asks for traces.
func (c *CTA) Follow() {
	for len(c.spare) < len(c.Warps) {
		c.spare = append(c.spare, nil)
	}
	c.Traces, c.objects, c.bulk = c.spare[:len(c.Warps)], c.objects[:0], bulkCopy{}
	for i := range c.Traces {
		c.Traces[i] = c.Traces[i][:0]
	}
}

// Words returns how long the streams are, all together.
func (c *CTA) Words() int { return c.words }

// Add appends a request to a warp's stream: cells, which count from a sector
// base, in ascending order, of global memory or of the warp's local memory. If
// it is a StorePart, the cells say which bytes are written. forms is what is
// known of these cells.
func (c *CTA) Add(warp int, kind Kind, local bool, base uint64, cells []Cell, forms *Forms) error {
	f := c.shapes.form(forms, cells, kind == StorePart, base)
	block := base/BlockSectors + uint64(f.distance)
	if local {
		block = localBlock | uint64(warp)<<WindowBits | block&windowMask
	} else if last := base/BlockSectors + uint64(f.reach); last >= localBlock-1 {
		return fmt.Errorf("CTA %d: the block of 128 bytes from %#x on lies beyond the address space of the cache model", c.Linear, last*BlockBytes)
	}
	h := head(kind, block)
	c.Requests++
	w := &c.Warps[warp]
	before := len(*w)
	switch {
	case f.sectors != 0:
		*w = append(*w, h|single|Word(f.sectors))
	case f.shape != 0:
		*w = append(*w, h, Word(f.shape-1))
	default:
		s := append(*w, h, 0)
		s = appendShape(s, cells, kind == StorePart, uint64(f.distance)*BlockSectors-base%BlockSectors)
		s[before+1] = inline | Word(len(s)-before-2)
		*w = s
	}
	if c.words += len(*w) - before; c.words > maxWords {
		return fmt.Errorf("CTA %d: its memory requests take more than %d words, which is the limit", c.Linear, maxWords)
	}
	return nil
}

// Keep keeps the CTA from being used again, Release gives it back: to the
// queue that it came from, once nobody keeps it.
func (c *CTA) Keep() { c.keeper.Add(1) }

// Release undoes one Keep.
func (c *CTA) Release() {
	if c.keeper.Add(-1) == 0 {
		c.queue.recycle(c)
	}
}
