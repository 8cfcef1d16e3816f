package scalemodel

import "hyptx/internal/traffic/stream"

// Links are the rates of a chiplet, in GB/s: those of the paper's table V unless a user
// gives others.
type Links struct {
	// GBPerS is the link to the others, each way; CrossbarGBPerS that between the
	// chiplet's SMs and its own last-level cache.
	GBPerS, CrossbarGBPerS float64
}

// PaperLinks are those of table V.
var PaperLinks = Links{GBPerS: 900, CrossbarGBPerS: 1700}

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
	Network    string     `csv:"network" doc:"name of the program"`
	Kernel     string     `csv:"kernel" doc:"kernel and number of the launch, as in profile.csv"`
	Launch     int        `csv:"launch" doc:"^"`
	Chiplets   int        `csv:"chiplets" doc:"chiplets of the GPU"`
	CTAPolicy  CTAPolicy  `csv:"cta_policy" doc:"distributed: as many contiguous groups of CTAs as chiplets; round_robin: CTAs in turn"`
	PagePolicy PagePolicy `csv:"page_policy" doc:"where an address lies: first_touch: on the chiplet that touches its page first; interleave: pages in turn; line: lines of 128 bytes in turn"`
	Local      uint64     `csv:"local_sectors" doc:"sectors that warps ask for which lie on their own chiplet, and on another; before the L1s"`
	Remote     uint64     `csv:"remote_sectors" doc:"^"`
	PagesMax   int        `csv:"pages_max" doc:"pages of the chiplet that has most of them; 0 with line"`
	LinkMax    uint64     `csv:"link_max_bytes" doc:"bytes over the busiest link of a chiplet, out or in"`
	Limit      string     `csv:"limit" doc:"which takes longer at its rate: the busiest link or the busiest chiplet's crossbar"`
}

// Row is what came of a launch as a row.
func (c *Chiplets) Row(p Placed, l Links, network, kernel string, launch int) *ChipletRow {
	return &ChipletRow{network, kernel, launch, c.N, c.CTAs, c.Pages, p.Local, p.Remote, p.PagesMax, max(p.LinkOut, p.LinkIn), l.limit(p)}
}

// ChipletRun counts the launches of a program, on GPUs of several numbers of chiplets.
type ChipletRun struct {
	Of      []*Chiplets
	SMs     int // of a chiplet
	Links   Links
	Network string
	Rows    []*ChipletRow
	kernel  string // of the launch that runs, "" for none
	launch  int
}

// Watch is the hook of [analysis.Options]: a launch begins.
func (r *ChipletRun) Watch(kernel string, launch int, ctas int64, perSM int) func(*stream.CTA) error {
	r.End()
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

// End ends the launch that runs, the last one.
func (r *ChipletRun) End() {
	if r.kernel == "" {
		return
	}
	for _, c := range r.Of {
		r.Rows = append(r.Rows, c.Row(c.End(), r.Links, r.Network, r.kernel, r.launch))
	}
	r.kernel = ""
}
