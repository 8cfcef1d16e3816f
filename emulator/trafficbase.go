package emulator

import "math/bits"

// bases are the sectors at which requests of one shape have begun since their
// bytes were last added to the footprint. A request that comes again, as those
// for weights do in every CTA, costs one bit, and each pair of a shape and a
// place is added once.
type bases struct {
	any   bool
	first uint64 // the first one
	// pages are the others; page is the one of them that was used last.
	pages map[uint64]*basePage
	page  *basePage
	key   uint64
}

// basePage has a bit for each sector of a mebibyte.
type basePage [1 << (basePageBits - 6)]uint64

const basePageBits = 15

// note notes where a request begins.
func (c *counting) note(b *bases, sector uint64) {
	if b.page == nil || sector>>basePageBits != b.key {
		if !b.any {
			b.any, b.first = true, sector
		}
		if sector == b.first {
			return
		}
		c.turn(b, sector>>basePageBits)
	}
	b.page[sector>>6%uint64(len(b.page))] |= 1 << (sector & 63)
}

// turn makes another page the one in use.
func (c *counting) turn(b *bases, key uint64) {
	p := b.pages[key]
	if p == nil {
		if n := len(c.freeBases); n > 0 {
			p, c.freeBases = c.freeBases[n-1], c.freeBases[:n-1]
		} else {
			p = new(basePage)
		}
		if b.pages == nil {
			b.pages = map[uint64]*basePage{}
		}
		b.pages[key] = p
	}
	b.page, b.key = p, key
}

// flush adds the bytes of a shape's requests to the footprint.
func (c *counting) flush(sh *shape) {
	b := &sh.bases
	if !b.any {
		return
	}
	c.touch(sh, b.first)
	for key, p := range b.pages {
		for i, word := range p {
			for ; word != 0; word &= word - 1 {
				c.touch(sh, key<<basePageBits+uint64(i*64+bits.TrailingZeros64(word)))
			}
		}
		*p = basePage{}
		c.freeBases = append(c.freeBases, p)
	}
	clear(b.pages)
	b.any, b.page = false, nil
}

// flushAll does so for all shapes.
func (c *counting) flushAll() {
	for i := range c.patterns {
		for j := range c.patterns[i] {
			c.flushPattern(&c.patterns[i][j])
		}
	}
	c.flushPattern(&c.mixed)
}

func (c *counting) flushPattern(p *pattern) {
	for i := range p.shapes {
		c.flush(&p.shapes[i])
	}
}

// touchedStack is the bytes of a warp's local memory that its accesses have
// touched, lanes interleaved.
type touchedStack [warpSectors / pageSectors]*footprintPage

// touchLocal adds the bytes of a shape, from a sector of the warp's own on.
func (w *warp) touchLocal(sh *shape, base uint64) {
	if w.touched == nil {
		w.touched = new(touchedStack)
	}
	for _, cell := range sh.cells {
		sector := (base + cell.sector) % warpSectors
		p := w.touched[sector/pageSectors]
		if p == nil {
			p = new(footprintPage)
			w.touched[sector/pageSectors] = p
		}
		p[sector%pageSectors] |= cell.bytes
	}
}

// endLocal counts what the warps of a CTA that has ended have touched.
func (c *counting) endLocal(warps []*warp) {
	for _, w := range warps {
		if w.touched == nil {
			continue
		}
		for _, p := range w.touched {
			if p != nil {
				c.traffic.LocalBytes += p.count()
				*p = footprintPage{}
			}
		}
	}
}
