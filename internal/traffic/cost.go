package traffic

import (
	"math/bits"

	"hyptx/internal/traffic/stream"
)

const sectorBytes = stream.SectorBytes

// Cost is what a request of one pattern moves that begins at one place in a
// sector. It is worked out once, by [Counter.Learn], and then added up request
// for request.
type Cost struct {
	// What each request looks at comes first, so that it is in one cache line: a loop
	// with many accesses has more patterns than the innermost cache holds.

	// requests are those of site that its sums have not heard of yet.
	requests uint64
	// first and count are the addresses of the first lane for which all lanes are
	// known to lie in one memory: count of them from first on.
	first, count uint64
	site         int32
	known        bool
	// at is where in a sector the first lane begins; space is where.
	at     uint8
	space  Space
	starts starts

	transactions, bytes, unique uint32
	// passes are those over the banks: data of the L1 lies in the same ones as that of shared
	// memory. Constants are read address by address.
	passes uint32
	pairs  bool // the lanes', see stream.Trace
	// cells are the sectors touched, in ascending order. They count from the
	// sector of the first lane.
	cells []stream.Cell
	// forms are how such requests stand in a stream, nil before the first that does.
	forms *stream.Forms
}

// Cost returns what accesses of size bytes in the pattern cost from addr on.
// checked is false unless that is known already, and that all lanes hit memory
// there: then the caller has to see to the one ([Counter.Learn]) and may promise
// the other for more addresses than this one ([Cost.Promise]).
func (p *Pattern) Cost(addr uint64, space Space, size uint8) (c *Cost, checked bool) {
	i := int(addr%sectorBytes) >> bits.TrailingZeros8(size)
	if i >= len(p.costs) {
		p.costs = append(p.costs, make([]Cost, sectorBytes/int(size)-len(p.costs))...)
	}
	c = &p.costs[i]
	if c.at != uint8(addr%sectorBytes) || c.space != space {
		c.known = false
	}
	return c, c.known && addr-c.first < c.count
}

// Known reports whether the cost has been worked out. Its sectors depend on
// where the first lane is in one, so that for another place it has not.
func (c *Cost) Known() bool { return c.known }

// Promise says that for count addresses of the first lane, from first on, all
// lanes hit memory.
func (c *Cost) Promise(first, count uint64) { c.first, c.count = first, count }

// Learn works out what a site's request from addr on costs. It fails if there is no
// room for what the requests before have touched.
func (n *Counter) Learn(c *Cost, p *Pattern, site int32, space Space, addr uint64) error {
	s := &n.sites[site]
	if err := n.flush(c, n.bytesOf(s.Kind)); err != nil {
		return err
	}
	if c.forms != nil {
		*c.forms = stream.Forms{}
	}
	*c = Cost{
		known: true, at: uint8(addr % sectorBytes), site: site, space: space, cells: c.cells[:0], starts: c.starts, forms: c.forms,
		bytes: uint32(s.Size) * uint32(bits.OnesCount32(p.Lanes)*p.places),
	}
	switch space {
	case Shared:
		c.transactions = uint32(n.banks.passes(p, uint64(c.at), s, n.merges))
		c.pairs = n.Traced && (p.pairs(p.Lanes, 1) || p.pairs(p.Lanes, 2))
		return nil
	case Local:
		c.localCells(p, uint64(s.Size))
		c.passes = localPasses(s)
	case Const:
		c.linearCells(p, uint64(s.Size))
		c.passes = p.addresses()
	default:
		c.linearCells(p, uint64(s.Size))
		c.passes = uint32(n.banks.passes(p, uint64(c.at), s, n.merges))
	}
	c.transactions = uint32(len(c.cells))
	for _, cell := range c.cells {
		c.unique += bytesIn(cell)
	}
	return nil
}

// bytesIn returns how many bytes of a sector a request touches.
func bytesIn(c stream.Cell) uint32 { return uint32(bits.OnesCount32(c.Bytes)) }

// linearCells lists, lane by lane, what a request touches where addresses are
// what they are. An aligned access lies within one sector.
func (c *Cost) linearCells(p *Pattern, size uint64) {
	touched := uint32(1<<size - 1)
	for place := range p.places {
		for rest := p.Lanes; rest != 0; rest &= rest - 1 {
			off := uint64(c.at) + p.DistanceOf(place, bits.TrailingZeros32(rest))
			c.insert(stream.Cell{Sector: uint64(int64(off) >> 5), Bytes: touched << (off % sectorBytes)})
		}
	}
}

// localCells lists what a request of local memory touches. The 32 lanes of a
// warp are interleaved there, so that a word that each of them has of its own
// takes four sectors in a row: word n of a lane lies at (32 n + lane) * 4.
func (c *Cost) localCells(p *Pattern, size uint64) {
	for done := uint64(0); done < size; {
		n := min(size, 4)
		touched := uint32(1<<n - 1)
		for rest := p.Lanes; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			off := uint64(c.at) + p.Distance(lane) + done
			sector := uint64(int64(off)>>2)*4 + uint64(lane/8)
			c.insert(stream.Cell{Sector: sector, Bytes: touched << (lane%8*4 + int(off%4))})
		}
		done += n
	}
}

// insert puts a cell into its place; most come in order.
func (c *Cost) insert(cell stream.Cell) {
	i := len(c.cells)
	for i > 0 && int64(c.cells[i-1].Sector) > int64(cell.Sector) {
		i--
	}
	if i > 0 && c.cells[i-1].Sector == cell.Sector {
		c.cells[i-1].Bytes |= cell.Bytes
		return
	}
	c.cells = append(c.cells, stream.Cell{})
	copy(c.cells[i+1:], c.cells[i:])
	c.cells[i] = cell
}
