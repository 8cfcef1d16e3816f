package hierarchy

import (
	"math"
	"math/bits"
	"slices"

	"hyptx/internal/cache"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// How often a sector comes to the L2 says little without how many there are (see
// written.go). Where only a sample of the CTAs runs, nobody counts these, so that they
// follow from the waves that were seen: the first one touches so many sectors, each later
// one so many new ones, and waves left out as many as those that were seen on average.
// That is too much where waves left out touch what others touch, as those do that read one
// small table in turns. But what a launch touches of a buffer lies together: there are no
// more sectors than between the first and the last that was seen, and if all of it is as
// dense as the pages that were touched, there are so many. Where the first of these three
// agrees with one of the others, it is taken for true, else the truth lies between them.

// touched is how much of memory a launch touches: sectors, and lines that these lie in,
// infinite where that is not known. There may be fewer or more sectors, by doubt.
type touched struct{ sectors, lines, doubt float64 }

// touchedBy returns what is in a set that has all of it, of lines of so many bytes.
func touchedBy(f *traffic.Footprint, lineBytes int) touched {
	return touched{sectors: float64(f.Blocks(1)), lines: float64(f.Blocks(lineBytes / cache.SectorBytes))}
}

// withLocal adds local memory, whose lines nobody counts.
func (t touched) withLocal(bytes uint64) touched {
	if bytes > 0 {
		t.sectors, t.lines = t.sectors+float64(bytes)/cache.SectorBytes, math.Inf(1)
	}
	return t
}

// extent are the sectors of global memory that waves have touched.
type extent struct {
	// bases are the blocks at which regions begin, ascending.
	bases   []uint64
	regions []region
	pages   map[uint64]*extentPage
	// page is the one that was used last.
	page *extentPage
	key  uint64
}

// extentPage has a bit for each sector of a mebibyte.
type extentPage [1 << extentPageBits / 64]uint64

const extentPageBits = 15

// region is what was touched of a buffer: sectors, which lie from first to last; before
// the present wave there were so many.
type region struct {
	sectors, before uint64
	first, last     uint64
	grown           growth
	pages           uint64 // that were touched, of so many sectors
}

const (
	pageSectors = 32 // 1 KiB
	// agree are estimates that differ by no more than this share ([ours]).
	agree = 0.1
)

// growth is how many sectors waves have touched that none had touched before.
type growth struct {
	ends    float64 // the first wave and the last one
	between []float64
}

// newExtent returns the extent of nothing, of buffers that begin at addresses.
func newExtent(addresses []uint64) *extent {
	e := &extent{pages: map[uint64]*extentPage{}, regions: make([]region, len(addresses)+1)}
	for _, a := range addresses {
		e.bases = append(e.bases, a/stream.BlockBytes)
	}
	return e
}

// add adds what a CTA touches.
func (e *extent) add(c *stream.CTA) {
	for _, words := range c.Warps {
		for len(words) > 0 {
			n := stream.Length(words)
			e.request(words[:n], &c.Shapes)
			words = words[n:]
		}
	}
}

func (e *extent) request(words []stream.Word, shapes *stream.View) {
	head := words[0]
	if head.Local() {
		return
	}
	if head.Single() {
		e.touch(head)
		return
	}
	blocks, step := words[2:], 1
	if len(blocks) == 0 {
		blocks = shapes.Shape(uint32(words[1]))
	}
	if head.Kind() == stream.StorePart {
		step += stream.MaskWords
	}
	for i := 0; i < len(blocks); i += step {
		e.touch(head.Part(blocks[i]))
	}
}

// touch adds the sectors of a block.
func (e *extent) touch(w stream.Word) {
	sector := w.Block() * stream.BlockSectors
	if key := sector >> extentPageBits; e.page == nil || key != e.key {
		if e.page = e.pages[key]; e.page == nil {
			e.page = new(extentPage)
			e.pages[key] = e.page
		}
		e.key = key
	}
	at := &e.page[sector>>6%uint64(len(e.page))]
	fresh := uint64(w.Sectors()) << (sector & 63) &^ *at
	if fresh == 0 {
		return
	}
	*at |= fresh
	r := e.region(w.Block())
	first, last := sector&^63+uint64(bits.TrailingZeros64(fresh)), sector|63-uint64(bits.LeadingZeros64(fresh))
	if r.sectors == 0 {
		r.first, r.last = first, last
	}
	r.first, r.last = min(r.first, first), max(r.last, last)
	r.sectors += uint64(bits.OnesCount64(fresh))
}

// endWave notes by how much the regions have grown in a wave: the first or the last one of
// the launch, or one between.
func (e *extent) endWave(between bool) {
	for i := range e.regions {
		r := &e.regions[i]
		n := float64(r.sectors - r.before)
		r.before = r.sectors
		if between {
			r.grown.between = append(r.grown.between, n)
		} else {
			r.grown.ends += n
		}
	}
}

// estimate returns what all waves of the launch touch, of lines of so many bytes.
func (e *extent) estimate(waves int64, lineBytes int) (t touched) {
	seen, lines := 0.0, e.count(lineBytes/cache.SectorBytes)
	for i := range e.regions {
		r := &e.regions[i]
		sectors, doubt := r.estimate(float64(waves - 2))
		t.sectors, t.doubt, seen = t.sectors+sectors, t.doubt+doubt, seen+float64(r.sectors)
	}
	if seen > 0 {
		t.lines = t.sectors * float64(lines) / seen
	}
	return t
}

// estimate returns how many sectors of a region are touched if there are so many waves
// between the first and the last one. What lies between the first and the last sector that
// was seen may go on at its ends by as much as is there for each wave that was seen.
func (r *region) estimate(waves float64) (sectors, doubt float64) {
	if r.sectors == 0 {
		return 0, 0
	}
	seen := float64(r.sectors)
	between, variance := expand(r.grown.between, waves)
	grown, most := r.grown.ends+between, float64(r.last-r.first+1)
	dense := float64(r.last/pageSectors-r.first/pageSectors+1) * seen / float64(r.pages)
	high, differ := min(grown, most), math.Sqrt(3*variance)
	if math.Abs(grown-most) <= agree*most || math.Abs(grown-dense) <= agree*dense {
		return high, min(differ+max(0, grown-most), high-seen)
	}
	low := min(high, max(seen, dense))
	return (low + high) / 2, (high-low)/2 + differ + most/float64(len(r.grown.between))
}

// expand returns the sum over so many waves of which some were seen, and its variance:
// that of the ratio estimator with the finite population's correction.
func expand(seen []float64, waves float64) (sum, variance float64) {
	n, squares := float64(len(seen)), 0.0
	for _, x := range seen {
		sum += x
	}
	for _, x := range seen {
		squares += (x - sum/n) * (x - sum/n)
	}
	return waves * sum / n, waves * waves * (1 - n/waves) * squares / (n - 1) / n
}

// count counts the pages of each region, and returns in how many lines of so many sectors,
// a power of two, something was touched.
func (e *extent) count(sectors int) (lines int64) {
	for i := range e.regions {
		e.regions[i].pages = 0
	}
	for key, p := range e.pages {
		for i := range p {
			for at := 0; at < 64; at += pageSectors {
				if uint32(p[i]>>at) != 0 {
					e.region((key<<extentPageBits+uint64(i)*64+uint64(at))/stream.BlockSectors).pages++
				}
			}
			for w := p[i]; w != 0; lines++ {
				at := bits.TrailingZeros64(w) / sectors * sectors
				w &^= (1<<sectors - 1) << at
			}
		}
	}
	return lines
}

// region returns that in which a block lies.
func (e *extent) region(block uint64) *region {
	n, _ := slices.BinarySearch(e.bases, block+1)
	return &e.regions[n]
}
