package cache

import "fmt"

// Kind is what a request does.
type Kind uint8

// The kinds.
const (
	Load Kind = iota
	// Store writes its sectors as a whole, StorePart only some of their bytes.
	Store
	StorePart
	Atomic
)

// A word of a stream is a block of 128 bytes that a request touches:
//
//	bits 0-3   the sectors touched
//	bits 4-5   kind
//	bit  6     the request's last block
//	bits 7-63  the block's number
const (
	maskBits  = 1<<sectors - 1
	kindShift = sectors
	kindBits  = 3
	lastBit   = 1 << 6
	wordShift = 7
	// maxSector is the last sector whose block's number fits.
	maxSector = 1<<(64-wordShift+2) - 1
)

// CTA is the requests of a CTA: a stream for each warp. It is made for one
// [Model.Push] and comes from [Model.NewCTA].
type CTA struct {
	warps [][]uint64
	live  int // warps with requests left
	err   error
}

// Add appends a request to a warp's stream: the distinct sectors (address /
// 32) that it touches, at least one. Neighbouring sectors of one block travel
// together, so they should be in order.
func (c *CTA) Add(warp int, kind Kind, sectorNumbers []uint64) {
	for len(c.warps) <= warp {
		if len(c.warps) < cap(c.warps) {
			c.warps = c.warps[:len(c.warps)+1] // keeps the storage of an earlier CTA
		} else {
			c.warps = append(c.warps, nil)
		}
	}
	if len(sectorNumbers) == 0 {
		return
	}
	s := c.warps[warp]
	block, mask := sectorNumbers[0]/sectors, uint64(0)
	for _, n := range sectorNumbers {
		if n > maxSector {
			c.err = fmt.Errorf("sector %#x lies beyond the model's address space of %d sectors", n, uint64(maxSector)+1)
			return
		}
		if n/sectors != block {
			s = append(s, block<<wordShift|uint64(kind)<<kindShift|mask)
			block, mask = n/sectors, 0
		}
		mask |= 1 << (n % sectors)
	}
	c.warps[warp] = append(s, block<<wordShift|lastBit|uint64(kind)<<kindShift|mask)
}

// Words returns how many words of 8 bytes the streams hold.
func (c *CTA) Words() int {
	n := 0
	for _, w := range c.warps {
		n += len(w)
	}
	return n
}

// reset empties a CTA and keeps its storage.
func (c *CTA) reset() {
	for i := range c.warps {
		c.warps[i] = c.warps[i][:0]
	}
	c.warps, c.live, c.err = c.warps[:0], 0, nil
}
