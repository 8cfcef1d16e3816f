package scalemodel

import (
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/traffic/stream"
)

// Links are the rates of a chiplet, in GB/s: those of the paper's table V unless a user
// gives others.
type Links struct {
	// GBPerS is the link to the others, each way; CrossbarGBPerS that between the
	// chiplet's SMs and its own last-level cache.
	GBPerS, CrossbarGBPerS float64
}

// PaperLinks are those of table V.
var PaperLinks = Links{GBPerS: 900, CrossbarGBPerS: 1700}

// HopCycles pass on the way from a chiplet to another (MCM-GPU, ISCA 2017: 32 a hop; the
// paper prints none).
const HopCycles = 32

// packetBytes is what a sector takes of a network with its packet (specification, 1.9:
// 8 bytes beside the data).
const packetBytes = 8 + 32

// limit names the network that takes longer for a launch.
func (l Links) limit(p Placed) string {
	link := float64(max(p.LinkOut, p.LinkIn)) / l.GBPerS
	if crossbar := float64(p.crossbar*packetBytes) / l.CrossbarGBPerS; crossbar >= link {
		return "crossbar"
	}
	return "link"
}

// ChipletRow is a row of chiplet.csv.
type ChipletRow struct {
	Network    string         `csv:"network" doc:"name of the program"`
	Kernel     string         `csv:"kernel" doc:"kernel and number of the launch, as in profile.csv"`
	Launch     int            `csv:"launch" doc:"^"`
	Chiplets   int            `csv:"chiplets" doc:"chiplets of the GPU"`
	CTAPolicy  gpu.CTAPolicy  `csv:"cta_policy" doc:"distributed: as many contiguous groups of CTAs as chiplets; round_robin: CTAs in turn"`
	PagePolicy gpu.PagePolicy `csv:"page_policy" doc:"where an address lies: first_touch: on the chiplet that touches its page first; interleave: pages in turn; line: lines of 128 bytes in turn"`
	Local      number.Int     `csv:"local_sectors" doc:"sectors that warps ask for which lie on their own chiplet, and on another; before the L1s"`
	Remote     number.Int     `csv:"remote_sectors" doc:"^"`
	PagesMax   number.Int     `csv:"pages_max" doc:"pages of the chiplet that has most of them; 0 with line"`
	LinkMax    number.Int     `csv:"link_max_bytes" doc:"bytes over the busiest link of a chiplet, out or in"`
	Limit      string         `csv:"limit" doc:"which takes longer at its rate: the busiest link or the busiest chiplet's crossbar"`
	Missing    string         `csv:"missing" doc:"of a launch that failed: why; what it touched lies nowhere yet"`
	Assumed    string         `csv:"assumed_inputs" doc:"what nobody gave of the launch and was assumed, as in profile.csv"`
}

// Row is what came of a launch as a row.
func (c *Chiplets) Row(p Placed, l Links, network, kernel string, launch int) *ChipletRow {
	return &ChipletRow{
		Network: network, Kernel: kernel, Launch: launch, Chiplets: c.N, CTAPolicy: c.CTAs, PagePolicy: c.Pages, Local: number.Count(p.Local), Remote: number.Count(p.Remote),
		PagesMax: number.Count(uint64(p.PagesMax)), LinkMax: number.Count(max(p.LinkOut, p.LinkIn)), Limit: l.limit(p),
	}
}

// ChipletRun counts the launches of a program, on GPUs of several numbers of chiplets.
type ChipletRun struct {
	Of      []*Chiplets
	SMs     int // of a chiplet
	Links   Links
	Network string
	// Assumed is what was assumed of the launch that ends.
	Assumed string
	Rows    []*ChipletRow
	kernel  string // of the launch that runs, "" for none
	launch  int
}

// Watch is the hook of [analysis.Options]: a launch begins. One that nobody has ended was
// tried by a guess that failed, and leaves nothing.
func (r *ChipletRun) Watch(kernel string, launch int, ctas int64, perSM int) func(*stream.CTA) error {
	r.kernel, r.launch = kernel, launch
	for _, c := range r.Of {
		c.Begin(ctas, int64(perSM)*int64(r.SMs))
	}
	return func(cta *stream.CTA) error {
		for _, c := range r.Of {
			if err := c.Take(cta); err != nil {
				return err
			}
		}
		return nil
	}
}

// Failed ends the launch that runs, or that did not come so far, without figures.
func (r *ChipletRun) Failed(kernel string, launch int, why string) {
	r.kernel = ""
	for _, c := range r.Of {
		r.Rows = append(r.Rows, &ChipletRow{Network: r.Network, Kernel: kernel, Launch: launch, Chiplets: c.N, CTAPolicy: c.CTAs, PagePolicy: c.Pages, Missing: why, Assumed: r.Assumed})
	}
}

// End ends the launch that runs, if there is one.
func (r *ChipletRun) End() {
	if r.kernel == "" {
		return
	}
	for _, c := range r.Of {
		row := c.Row(c.End(), r.Links, r.Network, r.kernel, r.launch)
		row.Assumed = r.Assumed
		r.Rows = append(r.Rows, row)
	}
	r.kernel = ""
}
