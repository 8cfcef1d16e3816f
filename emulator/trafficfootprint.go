package emulator

import "math/bits"

// Footprint is a set of bytes of global memory, exactly: a bitmap for each 64
// KiB that have been touched. Its memory counts against the limit of
// emulated memory until it is released.
type Footprint struct {
	mem   *Memory
	pages map[uint64]*footprintPage // by number
}

// footprintPage has a bit for each byte of a page's sectors.
type footprintPage [pageSectors]uint32

const (
	pageSectorBits = 11
	pageSectors    = 1 << pageSectorBits
	footprintBytes = pageSectors * 4
)

// NewFootprint returns the empty set.
func NewFootprint(m *Memory) *Footprint {
	return &Footprint{mem: m, pages: map[uint64]*footprintPage{}}
}

// page returns the page of a number, made if need be. Like [Buffer.touch] it
// panics with *abort where there is no more room.
func (f *Footprint) page(key uint64) *footprintPage {
	p := f.pages[key]
	if p == nil {
		f.mem.mu.Lock()
		err := f.mem.reserve(footprintBytes)
		f.mem.mu.Unlock()
		if err != nil {
			panic(&abort{err})
		}
		p = new(footprintPage)
		f.pages[key] = p
	}
	return p
}

// knownPage is a page that was touched lately, kept by the low bits of its
// number.
type knownPage struct {
	key  uint64
	page *footprintPage
}

const knownPages = 1 << 10

// touch adds the bytes of a shape from a sector on.
func (c *counting) touch(sh *shape, base uint64) {
	for _, cell := range sh.cells {
		sector := base + cell.sector
		key := sector >> pageSectorBits
		k := &c.known[key%knownPages]
		if k.key != key || k.page == nil {
			k.key, k.page = key, c.footprint.page(key)
		}
		k.page[sector%pageSectors] |= cell.bytes
	}
}

// Merge adds the bytes of g, which is empty afterwards.
func (f *Footprint) Merge(g *Footprint) {
	spare := 0
	for key, p := range g.pages {
		q := f.pages[key]
		if q == nil {
			f.pages[key] = p
			continue
		}
		spare++
		for i := range p {
			q[i] |= p[i]
		}
	}
	g.drop(spare)
}

// Release empties the set.
func (f *Footprint) Release() { f.drop(len(f.pages)) }

// drop forgets all pages, of which so many were the set's own.
func (f *Footprint) drop(own int) {
	clear(f.pages)
	f.mem.mu.Lock()
	f.mem.used -= int64(own) * footprintBytes
	f.mem.mu.Unlock()
}

// Bytes returns how many bytes are in the set.
func (f *Footprint) Bytes() (n uint64) {
	for _, p := range f.pages {
		n += p.count()
	}
	return n
}

// Blocks returns how many aligned blocks of so many sectors of 32 bytes, a power
// of two, have a byte in the set.
func (f *Footprint) Blocks(sectors int) (n int64) {
	for _, p := range f.pages {
		for at := 0; at < len(p); at += sectors {
			for _, w := range p[at:min(at+sectors, len(p))] {
				if w != 0 {
					n++
					break
				}
			}
		}
	}
	return n
}

// count returns the bytes of a page that are in the set.
func (p *footprintPage) count() (n uint64) {
	for _, w := range p {
		n += uint64(bits.OnesCount32(w))
	}
	return n
}
