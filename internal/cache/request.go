package cache

import "fmt"

// Kind is what a request does.
type Kind uint8

// The kinds.
const (
	Load Kind = iota
	// LoadPast passes the L1 by.
	LoadPast
	// Store writes its sectors as a whole, StorePart those of their bytes that
	// Runs.Masks names.
	Store
	StorePart
	Atomic
)

// A request in a stream is a word, and more for a request of several blocks:
//
//	bits 0-3   the sectors touched, if it is one block
//	bits 4-6   kind
//	bit  7     it is one block
//	bits 8-63  the number of its (first) block
//
// Of several blocks, or if it is a StorePart, the second word is the number of a
// shape, or inlineBit and how many words follow, which are those of a shape.
const (
	maskBits  = 1<<sectors - 1
	kindShift = sectors
	kindBits  = 7
	oneBlock  = 1 << 7
	wordShift = 8
	inlineBit = 1 << 63
)

// Blocks of local memory have bit 55. Each warp that can be resident has a
// window of 16 MiB, more than the 512 KiB a thread that PTX allows (PTX ISA
// 5.1.4), and a CTA room for 256 windows; the window's number stands above.
const (
	localBlock    = 1 << 55
	windowBits    = 17 // blocks of 16 MiB
	ctaWindowBits = windowBits + 8
	maxWarps      = 1 << (ctaWindowBits - windowBits)
)

// A run word names sectors that follow each other: bits 5 to 63 the first one
// (byte address / 32), bits 0 to 4 how many follow it.
const (
	runBits = 5
	runMask = 1<<runBits - 1
)

// Run makes a run word of n sectors from first on, n from 1 to 32.
func Run(first uint64, n int) uint64 { return first<<runBits | uint64(n-1)&runMask }

// Runs are the sectors of a request: run words in ascending order, counted
// from the sector First (modulo 2^59).
type Runs struct {
	First uint64
	Words []uint64
	// Masks are the bytes of each sector that a StorePart writes, two sectors a
	// word, the first one in the low half.
	Masks []uint64
	// Key stands for Words and Masks throughout a launch, so that these need not
	// be looked at again; small numbers are best. 0: there is none.
	Key uint32
}

// CTA is the requests of a CTA: a stream for each warp. It is made for one
// [Model.Push] and comes from [Model.NewCTA].
type CTA struct {
	warps    [][]uint64
	shapes   *shapes
	requests int // not yet issued
	words    int64
	live     int // warps with requests left
	slot     int // of the SM
	local    bool
	err      error
}

// Add appends a request to a warp's stream. One without sectors is none.
func (c *CTA) Add(warp int, kind Kind, r Runs) { c.add(warp, kind, r, 0, ^uint64(0)) }

// AddKnown is Add of a request without masks whose runs have a key, if that key
// was added before and is remembered; it reports whether it was. It looks at no
// runs.
func (c *CTA) AddKnown(warp int, kind Kind, first uint64, key uint32) bool {
	k := uint64(key)*sectors + first%sectors
	if k >= uint64(len(c.shapes.known)) || uint(warp) >= uint(len(c.warps)) {
		return false
	}
	b := c.shapes.known[k]
	block := first/sectors + uint64(int64(b.distance))
	if b.number == 0 || block >= maxKnownBlock {
		return false
	}
	c.requests++
	head := block<<wordShift | uint64(kind)<<kindShift
	if b.number < 0 {
		c.warps[warp] = append(c.warps[warp], head|oneBlock|uint64(-b.number))
	} else {
		c.warps[warp] = append(c.warps[warp], head, uint64(b.number-1))
	}
	return true
}

// AddLocal is Add for local memory. Each warp has 16 MiB of it; of a sector's
// number, only the place in these matters. Where they lie depends on the place
// that the CTA gets: later CTAs use the same memory, as on a GPU.
func (c *CTA) AddLocal(warp int, kind Kind, r Runs) {
	c.local = true
	c.add(warp, kind, r, localBlock|uint64(warp)<<windowBits, 1<<windowBits-1)
}

// add appends a request. Of a block's number, the bits of keep count, and top
// goes on top.
func (c *CTA) add(warp int, kind Kind, r Runs, top, keep uint64) {
	n := len(r.Words)
	if n == 0 || !c.has(warp) {
		return
	}
	c.requests++
	from := r.First << runBits
	first := (r.Words[0] + from) >> runBits
	if last := (r.Words[n-1] + from) >> runBits; keep == ^uint64(0) && last/sectors >= localBlock-1 {
		c.err = fmt.Errorf("sector %#x lies beyond the model's address space", last)
		return
	}
	block, at := first/sectors, first%sectors
	head := (top+block&keep)<<wordShift | uint64(kind)<<kindShift
	if more := r.Words[0] & runMask; n == 1 && at+more < sectors && kind != StorePart {
		mask := uint64(2<<more-1) << at
		c.warps[warp] = append(c.warps[warp], head|oneBlock|mask)
		c.shapes.know(r, block, -int32(mask))
		return
	}
	base := block*sectors<<runBits - from // what the words count from
	if number, ok := c.shapes.find(r, base); ok {
		c.warps[warp] = append(c.warps[warp], head, uint64(number))
		c.shapes.know(r, block, int32(number+1))
		return
	}
	s := append(c.warps[warp], head, 0)
	start := len(s)
	s = appendBlocks(s, r, base)
	s[start-1] = inlineBit | uint64(len(s)-start)
	c.warps[warp] = s
}

// has makes room for a warp.
func (c *CTA) has(warp int) bool {
	if warp < 0 || warp >= maxWarps {
		c.err = fmt.Errorf("warp %d: a CTA has at most %d warps", warp, maxWarps)
		return false
	}
	for len(c.warps) <= warp {
		if len(c.warps) < cap(c.warps) {
			c.warps = c.warps[:len(c.warps)+1] // keeps the storage of an earlier CTA
		} else {
			c.warps = append(c.warps, nil)
		}
	}
	return true
}

// place moves the CTA's local memory to that of a resident CTA.
func (c *CTA) place(resident int) {
	if !c.local {
		return
	}
	move := uint64(resident) << ctaWindowBits << wordShift
	for _, w := range c.warps {
		for i := 0; i < len(w); {
			if w[i]>>wordShift&localBlock != 0 {
				w[i] += move
			}
			i += requestWords(w[i:])
		}
	}
}

// requestWords returns how many words the first request of a stream takes.
func requestWords(w []uint64) int {
	switch {
	case w[0]&oneBlock != 0:
		return 1
	case w[1]&inlineBit == 0:
		return 2
	}
	return 2 + int(w[1]&^inlineBit)
}

// reset empties a CTA and keeps its storage.
func (c *CTA) reset() {
	for i := range c.warps {
		c.warps[i] = c.warps[i][:0]
	}
	c.warps, c.requests, c.live, c.local, c.err = c.warps[:0], 0, 0, false, nil
}
