package cache

import "fmt"

// Kind is what a request does.
type Kind uint8

// The kinds.
const (
	Load Kind = iota
	// LoadPast passes the L1 by.
	LoadPast
	// Store writes its sectors as a whole, StorePart only some of their bytes.
	Store
	StorePart
	Atomic
)

// A word of a stream is a block of 128 bytes that a request touches:
//
//	bits 0-3   the sectors touched
//	bits 4-6   kind
//	bit  7     the request's last block
//	bits 8-63  the block's number
const (
	maskBits  = 1<<sectors - 1
	kindShift = sectors
	kindBits  = 7
	lastBit   = 1 << 7
	wordShift = 8
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

// CTA is the requests of a CTA: a stream for each warp. It is made for one
// [Model.Push] and comes from [Model.NewCTA].
type CTA struct {
	warps [][]uint64
	live  int // warps with requests left
	slot  int // of the SM
	local bool
	err   error
}

// Add appends a request to a warp's stream: runs of sectors in ascending
// order, at least one.
func (c *CTA) Add(warp int, kind Kind, runs []uint64) { c.add(warp, kind, runs, 0, ^uint64(0)) }

// AddLocal is Add for local memory. Each warp has 16 MiB of it; of a sector's
// number, only the place in these matters. Where they lie depends on the place
// that the CTA gets: later CTAs use the same memory, as on a GPU.
func (c *CTA) AddLocal(warp int, kind Kind, runs []uint64) {
	c.local = true
	c.add(warp, kind, runs, localBlock|uint64(warp)<<windowBits, 1<<windowBits-1)
}

// add appends a request. Of a block's number, the bits of keep count, and base
// goes on top.
func (c *CTA) add(warp int, kind Kind, runs []uint64, base, keep uint64) {
	if len(runs) == 0 || !c.has(warp) {
		return
	}
	s := c.warps[warp]
	low := uint64(kind) << kindShift
	block, mask := runs[0]>>runBits/sectors&keep, uint64(0)
	for _, run := range runs {
		first, n := run>>runBits, run&runMask+1
		for n > 0 {
			if b := first / sectors & keep; b != block {
				s = append(s, (base+block)<<wordShift|low|mask)
				block, mask = b, 0
			}
			at := first % sectors
			k := min(n, sectors-at)
			mask |= (1<<k - 1) << at
			first, n = first+k, n-k
		}
	}
	if keep == ^uint64(0) && block >= localBlock { // ascending: the last is the highest
		c.err = fmt.Errorf("block %#x lies beyond the %#x blocks of the model's address space", block, uint64(localBlock))
	}
	c.warps[warp] = append(s, (base+block)<<wordShift|lastBit|low|mask)
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
		for i := range w {
			if w[i]>>wordShift&localBlock != 0 {
				w[i] += move
			}
		}
	}
}

// reset empties a CTA and keeps its storage.
func (c *CTA) reset() {
	for i := range c.warps {
		c.warps[i] = c.warps[i][:0]
	}
	c.warps, c.live, c.local, c.err = c.warps[:0], 0, false, nil
}
