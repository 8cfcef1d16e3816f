package traffic

import (
	"cmp"
	"slices"

	"hyptx/internal/traffic/stream"
)

// A fetch from a texture reads of each lane up to eight elements, which are neighbours in one,
// two or three dimensions and hardly ever lie alike twice. So its sectors are counted one by
// one, as a bulk copy's; but it is one request of the warp, and the L1 answers it.
//
// An element may lie across the ends of sectors only if a row of a buffer is no multiple of its size
// long; elements that lanes share count once among the sectors, and each time among the bytes that
// were asked for, as those of loads do.

// Texels counts the request of a site for elements of textures or surfaces, each sector once.
// It fails where the stream of requests gets too long, or there is no room for what was touched.
func (n *Counter) Texels(site int32, elements []Stretch, w *Warp) error {
	n.sorted = append(n.sorted[:0], elements...)
	slices.SortFunc(n.sorted, func(a, b Stretch) int { return cmp.Compare(a.Addr, b.Addr) })
	s := &n.sites[site]
	first := n.sorted[0].Addr / sectorBytes
	c := Cost{cells: n.cells[:0]}
	defer func() { n.cells = c.cells[:0] }()
	for _, e := range n.sorted {
		c.bytes += uint32(e.Bytes)
		for at := e.Addr; at < e.Addr+e.Bytes; {
			stop := min(e.Addr+e.Bytes, at/sectorBytes*sectorBytes+sectorBytes)
			c.insert(stream.Cell{Sector: at/sectorBytes - first, Bytes: uint32(1<<(stop-at)-1) << (at % sectorBytes)})
			at = stop
		}
	}
	c.transactions = uint32(len(c.cells))
	for _, cell := range c.cells {
		c.unique += bytesIn(cell)
	}
	n.Counts.Accesses[site].Spaces[Texture].Add(Sum{
		Requests: 1, Transactions: uint64(c.transactions), Bytes: uint64(c.bytes), UniqueBytes: uint64(c.unique),
	}, 1)
	if err := n.bytesOf(s.Kind).touch(&c, first); err != nil || w.CTA == nil {
		return err
	}
	if w.Trace != nil { // as many passes over the L1's banks as its words need at best
		w.Trace.Touch(uint32(s.PC), int(c.unique+passBytes-1)/passBytes, stream.GlobalStep, first, c.cells)
		return nil
	}
	n.forms = stream.Forms{}
	return w.CTA.Add(w.Number, s.request(&c), false, first, c.cells, &n.forms)
}

// passBytes are what the banks give in one pass.
const passBytes = 128
