package traffic

import "math/bits"

// Footprint is a set of bytes of global memory, exactly: a bitmap for each 64
// KiB that have been touched, an eighth of what they take. The room for it is
// asked for page by page and given back when the set is emptied.
type Footprint struct {
	// reserve asks for more bytes of memory, or gives them back if there are fewer
	// than none.
	reserve func(bytes int64) error
	pages   map[uint64]*footprintPage // by number
}

// footprintPage has a bit for each byte of a page's sectors.
type footprintPage [pageSectors]uint32

const (
	pageSectorBits = 11
	pageSectors    = 1 << pageSectorBits
	footprintBytes = pageSectors * 4
)

// NewFootprint returns the empty set. reserve accounts for the memory that the
// set takes, in bytes, and fails where there is no more; it is never told more
// than it gave.
func NewFootprint(reserve func(bytes int64) error) *Footprint {
	return &Footprint{reserve: reserve, pages: map[uint64]*footprintPage{}}
}

// page returns the page of a number, made if need be.
func (f *Footprint) page(key uint64) (*footprintPage, error) {
	p := f.pages[key]
	if p == nil {
		if err := f.reserve(footprintBytes); err != nil {
			return nil, err
		}
		p = new(footprintPage)
		f.pages[key] = p
	}
	return p, nil
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

// Meets reports whether a byte is in both sets.
func (f *Footprint) Meets(g *Footprint) bool {
	for key, p := range f.pages {
		q := g.pages[key]
		for i := 0; q != nil && i < len(p); i++ {
			if p[i]&q[i] != 0 {
				return true
			}
		}
	}
	return false
}

// Each calls do for the bytes of the set that lie in bytes addresses from base on,
// by stretches within a sector: off bytes from base, n of them.
func (f *Footprint) Each(base uint64, bytes int64, do func(off, n uint64)) {
	const pageBytes = pageSectors * sectorBytes
	for key := base / pageBytes; bytes > 0 && key <= (base+uint64(bytes)-1)/pageBytes; key++ {
		p := f.pages[key]
		if p == nil {
			continue
		}
		for i, w := range p {
			at := key*pageBytes + uint64(i)*sectorBytes
			for w != 0 {
				low := uint64(bits.TrailingZeros32(w))
				n := uint64(bits.TrailingZeros32(^(w >> low)))
				w &^= uint32(1<<(low+n) - 1<<low)
				from, to := max(at+low, base), min(at+low+n, base+uint64(bytes))
				if from < to {
					do(from-base, to-from)
				}
			}
		}
	}
}

// Release empties the set.
func (f *Footprint) Release() { f.drop(len(f.pages)) }

// drop forgets all pages, of which so many were the set's own.
func (f *Footprint) drop(own int) {
	clear(f.pages)
	if err := f.reserve(-int64(own) * footprintBytes); err != nil {
		panic("BUG: no room for less: " + err.Error())
	}
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

// knownPage is a page that was touched lately, kept by the low bits of its
// number.
type knownPage struct {
	key  uint64
	page *footprintPage
}

const knownPages = 1 << 10

// marked is a set that a counter adds to.
type marked struct {
	*Footprint
	known [knownPages]knownPage
}

// touch adds the bytes of a cost from a sector on.
func (n *marked) touch(c *Cost, base uint64) error {
	for _, cell := range c.cells {
		sector := base + cell.Sector
		key := sector >> pageSectorBits
		k := &n.known[key%knownPages]
		if k.key != key || k.page == nil {
			p, err := n.page(key)
			if err != nil {
				return err
			}
			k.key, k.page = key, p
		}
		k.page[sector%pageSectors] |= cell.Bytes
	}
	return nil
}
