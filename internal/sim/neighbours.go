package sim

import (
	"math"
	"math/bits"
	"slices"

	"hyptx/internal/pipe"
)

// Of the CTAs of a wave that a part of the GPU does not hold some are simulated for all. CTAs
// share much of what they read with those around them, which all of a wave do: the panels of
// a product, the rims of tiles. Those that are simulated are few, and read more for each the
// less they share. So they are neighbours: of a grid of rows a rectangle, and one that is
// wide or high as CTAs share with those beside or above them. A stencil of 15 rows of which
// each CTA computes one shares 14 with the CTA below, and next to nothing with that beside.

// rectangle is so many CTAs of a row, of some rows, to which the last one need not be full;
// none wide are those at the beginning of a wave.
type rectangle struct{ wide, high int64 }

// Neighbours are CTAs of a grid of rows: one, those beside it and those below it, and some from all
// over the grid.
type Neighbours struct {
	One                   *CTA
	Beside, Below, Spread []*CTA
}

// spread returns how many instructions a CTA of the grid has, by the mean of those from all over it, and
// whether these were seen to their ends.
func (c *Code) spread(n *Neighbours) (mean int64, whole bool) {
	if n == nil || len(n.Spread) == 0 {
		return 0, false
	}
	for _, cta := range n.Spread {
		mean += c.instructions(cta)
	}
	return mean / int64(len(n.Spread)), !slices.ContainsFunc(n.Spread, func(cta *CTA) bool { return cta.Cut })
}

// sharing is how much of what a CTA reads those before it in its row and in its column read as
// well, 0 to 1; and how much it has of its own, what it stores and its local memory, for each sector
// that it reads.
type sharing struct{ beside, below, own float64 }

// arrange lays out which CTAs are simulated of a grid with so many in a row. What each of them
// reads for itself is more than in a whole wave: the rest others have brought.
func (p *plan) arrange(across int64, s sharing) {
	p.across = across
	p.whole, p.last = p.rectangle(p.size, p.share, s), p.rectangle(p.rest, p.restShare, s)
	seen := p.whole
	if seen.wide == 0 {
		seen = rowsOf(p.share, across)
	}
	each := s.reads(seen)
	p.distinct = float64(p.share) * (each + s.own) / (float64(p.size) * (s.reads(rowsOf(p.size, across)) + s.own))
	if further := p.size/across - seen.high + 1; further > 0 {
		// The first row shares with the last one of the wave before, so many rows above.
		each -= s.reads(rectangle{seen.wide, 1}) * max(0, 1-(1-s.below)*float64(further)) / float64(seen.high)
	}
	p.brought = max(0, 1-s.reads(rowsOf(p.ctas, across))/each)
}

// rowsOf are so many CTAs at the beginning of a grid.
func rowsOf(ctas, across int64) rectangle {
	return rectangle{min(ctas, across), max(1, ctas/across)}
}

// rectangle returns the rectangle of so many CTAs of a wave that reads least. Where none reads
// less than another one it is a square.
func (p *plan) rectangle(wave, share int64, s sharing) (r rectangle) {
	if share == wave || wave < 2*p.across {
		return r
	}
	rows := wave / p.across
	r.high = min(int64(math.Sqrt(float64(share))), rows)
	r.wide = min((share+r.high-1)/r.high, p.across)
	least := s.reads(r) * (1 - minGain)
	for wide := int64(1); wide <= min(share, p.across); wide++ {
		other := rectangle{wide, (share + wide - 1) / wide}
		if reads := s.reads(other); other.high <= rows && reads < least {
			r, least = other, reads
		}
	}
	return r
}

// minGain is by how much less a rectangle has to read to be chosen before a square (own choice).
const minGain = 0.05

// reads returns what each CTA of a rectangle reads that no other of it does, as a share of what
// it reads, if what CTAs share in one direction is the same in all rows or columns.
func (s sharing) reads(r rectangle) float64 {
	wide, high := float64(r.wide), float64(r.high)
	return (1 + (wide-1)*(1-s.beside)) * (1 + (high-1)*(1-s.below)) / (wide * high)
}

// sharing returns how much neighbours share; nothing is known without them.
func (c *Code) sharing(n *Neighbours) (s sharing) {
	if n != nil {
		one := c.read(nil, n.One)
		s = sharing{beside: c.shared(one, n.Beside), below: c.shared(one, n.Below)}
		s.own = float64(sectors(c.words(nil, n.One, keptForOne))) / float64(max(sectors(one), 1))
	}
	return s
}

// shared returns the share of sectors that each of those that follow one does not read alone.
func (c *Code) shared(one []uint64, following []*CTA) float64 {
	all, n := one, sectors(one)
	for _, f := range following {
		all = c.read(all, f)
	}
	if n == 0 || len(following) == 0 {
		return 0
	}
	return max(0, 1-float64(sectors(all)-n)/float64(n*len(following)))
}

// sectors counts those of words.
func sectors(words []uint64) (n int) {
	for _, w := range words {
		n += bits.OnesCount8(uint8(w & 15))
	}
	return n
}

// read returns words with those of what a CTA reads of global memory, one for each block.
func (c *Code) read(words []uint64, of *CTA) []uint64 { return c.words(words, of, readByMany) }

// readByMany reports whether an access reads what other CTAs may read as well.
func readByMany(kind pipe.Kind, s Space) bool {
	return s == BulkLoad || (s == Global || s == Past) && kindOf(kind) == readRequest && kind != pipe.Texture
}

// keptForOne reports whether an access is of what a CTA mostly has for itself.
func keptForOne(kind pipe.Kind, s Space) bool {
	return s == BulkStore || s == Local || (s == Global || s == Past) && kind == pipe.StoreGlobal
}

// words returns words with those of the accesses of a CTA that are wanted, one for each block.
func (c *Code) words(words []uint64, of *CTA, wanted func(pipe.Kind, Space) bool) []uint64 {
	words = slices.Clone(words)
	for kind, record := range c.accesses(of) {
		if wanted(kind, spaceOf(record[0])) {
			words = append(words, record[1:]...)
		}
	}
	slices.Sort(words)
	n := 0
	for _, w := range words {
		if n > 0 && words[n-1]>>8 == w>>8 {
			words[n-1] |= w
			continue
		}
		words[n] = w
		n++
	}
	return words[:n]
}
