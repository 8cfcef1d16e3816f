package scalemodel

import (
	"fmt"
	"math/bits"
	"slices"

	"hyptx/internal/gpu"
	"hyptx/internal/traffic/stream"
)

// A GPU of chiplets: each has SMs, a last-level cache and DRAM of its own, and what lies
// in another one's DRAM is asked for over links (Arunkumar et al., MCM-GPU, ISCA 2017).
// How much that is depends on where CTAs run and where pages lie.
//
// First touch needs an order. CTAs of a chiplet begin in the order of their numbers, as
// many at a time as fit (a wave); those of a wave run side by side, a request of each
// warp after the other. So a request's place in time is its wave, its number in its
// warp's stream, and its CTA; the least of a page's is its first touch. That needs no
// stream to be kept, but for each page how much of it each chiplet asked for.

// Chiplets count what chiplets ask of each other.
type Chiplets struct {
	N         int
	CTAs      gpu.CTAPolicy
	Pages     gpu.PagePolicy
	PageBytes int64
	// Of a launch: its CTAs, and how many of them run on a chiplet at a time.
	ctas, wave int64
	homes      map[uint64]int32 // of pages, over launches
	asked      map[uint64]*page // in the launch
	lines      [][]uint64       // sectors, by home and by who asks: of policy line
	own        uint64           // sectors of local memory
}

// page is what a launch asks of one.
type page struct {
	first   touch
	sectors []uint64 // by chiplet
}

// touch is when and by whom a page was touched.
type touch struct {
	wave, request int64
	cta           int64
	chiplet       int32
}

func (t touch) before(o touch) bool {
	return t.wave < o.wave || t.wave == o.wave && (t.request < o.request || t.request == o.request && t.cta < o.cta)
}

// Limits of chiplets.
const (
	mostChiplets = 256
	mostPages    = 1 << 22
)

// NewChiplets returns n chiplets without any pages.
func NewChiplets(n int, ctas gpu.CTAPolicy, pages gpu.PagePolicy, pageBytes int64) (*Chiplets, error) {
	switch {
	case n < 1 || n > mostChiplets:
		return nil, fmt.Errorf("%d chiplets: must be 1 to %d", n, mostChiplets)
	case pageBytes < LineBytes || pageBytes&(pageBytes-1) != 0:
		return nil, fmt.Errorf("pages of %d bytes: must be a power of two and at least %d", pageBytes, LineBytes)
	}
	return &Chiplets{N: n, CTAs: ctas, Pages: pages, PageBytes: pageBytes, homes: map[uint64]int32{}}, nil
}

// Begin starts a launch of so many CTAs, of which so many run on a chiplet at a time.
func (c *Chiplets) Begin(ctas, wave int64) {
	c.ctas, c.wave, c.own = ctas, max(wave, 1), 0
	c.asked, c.lines = map[uint64]*page{}, make([][]uint64, c.N)
	for i := range c.lines {
		c.lines[i] = make([]uint64, c.N)
	}
}

// Access takes the request number of a warp of a CTA for sectors of a block of 128 bytes.
func (c *Chiplets) Access(cta, request int64, block, sectors uint64) error {
	chiplet, place := c.CTAs.Of(cta, c.ctas, c.N)
	if c.Pages == gpu.LineInTurn {
		c.lines[block%uint64(c.N)][chiplet] += sectors
		return nil
	}
	number := block / uint64(c.PageBytes/LineBytes)
	p := c.asked[number]
	t := touch{place / c.wave, request, cta, int32(chiplet)}
	if p == nil {
		if len(c.asked) >= mostPages {
			return fmt.Errorf("the launch touches more than %d pages of %d bytes, which is the limit: larger pages are fewer", mostPages, c.PageBytes)
		}
		p = &page{first: t, sectors: make([]uint64, c.N)}
		c.asked[number] = p
	}
	p.sectors[chiplet] += sectors
	if t.before(p.first) {
		p.first = t
	}
	return nil
}

// Take takes all requests of a CTA.
func (c *Chiplets) Take(cta *stream.CTA) error {
	for _, words := range cta.Warps {
		for request := int64(0); len(words) > 0; request++ {
			n := stream.Length(words)
			if err := c.request(cta, request, words[:n]); err != nil {
				return err
			}
			words = words[n:]
		}
	}
	return nil
}

// request takes one request, block by block. What is local to a thread lies where it runs.
func (c *Chiplets) request(cta *stream.CTA, number int64, words []stream.Word) error {
	head := words[0]
	one := func(w stream.Word) error {
		sectors := uint64(bits.OnesCount8(w.Sectors()))
		if head.Local() {
			c.own += sectors
			return nil
		}
		return c.Access(cta.Linear, number, w.Block(), sectors)
	}
	if head.Single() {
		return one(head)
	}
	parts := words[2:]
	if len(words) == 2 {
		parts = cta.Shapes.Shape(uint32(words[1]))
	}
	for len(parts) > 0 {
		if err := one(head.Part(parts[0])); err != nil {
			return err
		}
		if parts = parts[1:]; head.Kind() == stream.StorePart {
			parts = parts[stream.MaskWords:]
		}
	}
	return nil
}

// Placed is what came of a launch: sectors that chiplets asked of themselves and of each
// other, the pages of the chiplet that has most and of that which has fewest, and the
// bytes over the busiest link, out of and into a chiplet.
type Placed struct {
	Local, Remote      uint64
	PagesMax, PagesMin int
	LinkOut, LinkIn    uint64
	crossbar           uint64 // most sectors that one chiplet's SMs asked for
}

// End ends the launch.
func (c *Chiplets) End() Placed {
	out, in, all := make([]uint64, c.N), make([]uint64, c.N), make([]uint64, c.N)
	r := Placed{Local: c.own}
	add := func(home int, by []uint64) {
		for chiplet, sectors := range by {
			all[chiplet] += sectors
			if chiplet == home {
				r.Local += sectors
				continue
			}
			r.Remote += sectors
			out[home] += sectors * stream.SectorBytes
			in[chiplet] += sectors * stream.SectorBytes
		}
	}
	for home, by := range c.lines {
		add(home, by)
	}
	for number, p := range c.asked {
		home, known := c.homes[number]
		if !known {
			if home = p.first.chiplet; c.Pages == gpu.Interleave {
				home = int32(number % uint64(c.N))
			}
			c.homes[number] = home
		}
		add(int(home), p.sectors)
	}
	r.LinkOut, r.LinkIn, r.crossbar = slices.Max(out), slices.Max(in), slices.Max(all)
	pages := make([]int, c.N)
	for _, home := range c.homes {
		pages[home]++
	}
	r.PagesMax, r.PagesMin = slices.Max(pages), slices.Min(pages)
	return r
}
