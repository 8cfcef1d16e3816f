package traffic

import (
	"cmp"
	"slices"

	"hyptx/internal/traffic/stream"
)

// A bulk copy is one request of one thread for any number of bytes, which no warp's lanes
// make: rows of a tile, each a stretch of global memory (PTX ISA 9.7.10.28.4 and .5).
// Hardly a shape of it comes twice at one place, so that its sectors are counted one by
// one. No L1 answers it: the L2 is asked for a block of 128 bytes after the other.

// Stretch is bytes of global memory that follow one another.
type Stretch struct{ Addr, Bytes uint64 }

// Object is the mbarrier object that a bulk copy tells of its bytes, if it tells one: an
// address of shared memory.
type Object struct {
	Addr uint64
	Told bool
}

// Bulk counts the request of a site for stretches of global memory, each sector and each
// block once. It fails where the stream of requests gets too long, or there is no room for
// what was touched.
func (n *Counter) Bulk(site int32, stretches []Stretch, of Object, w *Warp) error {
	n.sorted = append(n.sorted[:0], stretches...)
	slices.SortFunc(n.sorted, func(a, b Stretch) int { return cmp.Compare(a.Addr, b.Addr) })
	sum := Sum{Requests: 1}
	b := bulkBlock{Counter: n, site: &n.sites[site], of: of, warp: w, sum: &sum}
	at := uint64(0)
	for _, t := range n.sorted {
		sum.Bytes += t.Bytes
		for at = max(at, t.Addr); at < t.Addr+t.Bytes; {
			stop := min(t.Addr+t.Bytes, at/sectorBytes*sectorBytes+sectorBytes)
			if err := b.add(at/sectorBytes, uint32(1<<(stop-at)-1)<<(at%sectorBytes)); err != nil {
				return err
			}
			at = stop
		}
	}
	if err := b.move(); err != nil {
		return err
	}
	n.Counts.Accesses[site].Spaces[Global].Add(sum, 1)
	return nil
}

// bulkBlock is a block of a bulk copy whose sectors are being collected, in n.cells: they
// count from first.
type bulkBlock struct {
	*Counter
	site  *Site
	of    Object
	warp  *Warp
	sum   *Sum
	first uint64
}

// add adds bytes of a sector, which is not before those so far.
func (b *bulkBlock) add(sector uint64, touched uint32) error {
	k := len(b.cells) - 1
	switch {
	case k >= 0 && b.first+b.cells[k].Sector == sector:
		b.cells[k].Bytes |= touched
		return nil
	case k >= 0 && b.first/stream.BlockSectors != sector/stream.BlockSectors:
		if err := b.move(); err != nil {
			return err
		}
	}
	if len(b.cells) == 0 {
		b.first = sector
	}
	b.cells = append(b.cells, stream.Cell{Sector: sector - b.first, Bytes: touched})
	return nil
}

// move counts and marks what was collected, and shows it to who listens.
func (b *bulkBlock) move() error {
	if len(b.cells) == 0 {
		return nil
	}
	defer func() { b.cells = b.cells[:0] }()
	c := Cost{cells: b.cells, transactions: uint32(len(b.cells))}
	for _, cell := range b.cells {
		c.unique += bytesIn(cell)
	}
	b.sum.Transactions += uint64(c.transactions)
	b.sum.UniqueBytes += uint64(c.unique)
	if err := b.bytesOf(b.site.Kind).touch(&c, b.first); err != nil || b.warp.CTA == nil {
		return err
	}
	if b.warp.Trace != nil {
		b.trace()
		return nil
	}
	b.forms = stream.Forms{}
	return b.warp.CTA.Add(b.warp.Number, b.site.request(&c), false, b.first, b.cells, &b.forms)
}

// trace adds the block to the trace of the warp.
func (b *bulkBlock) trace() {
	var sectors, whole uint8
	for _, cell := range b.cells {
		bit := uint8(1) << ((b.first + cell.Sector) % stream.BlockSectors)
		if sectors |= bit; bytesIn(cell) == sectorBytes {
			whole |= bit
		}
	}
	b.warp.CTA.Bulk(b.warp.Trace, uint32(b.site.PC), b.warp.Number, b.site.Kind != Load, b.of.Addr, b.of.Told, b.first/stream.BlockSectors, sectors, whole)
}
