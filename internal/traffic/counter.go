package traffic

import "hyptx/internal/traffic/stream"

// Counter counts the requests of one worker. Nothing in it is shared, and
// counting what was seen before allocates nothing. Counts are complete when [Counter.End]
// has been called.
type Counter struct {
	Counts Counts
	// Traced: some warps write traces.
	Traced   bool
	mixed    Pattern
	mixedOf  int32
	sites    []Site
	patterns [4][]Pattern // of each site, the last ones by a hash of their lanes
	reads    marked
	writes   marked
	pages    []*startPage // free
	banks    bankCounter
	merges   bool
	// cells and forms are of the block of a bulk copy that is being counted, sorted are
	// its stretches.
	cells  []stream.Cell
	forms  stream.Forms
	sorted []Stretch
}

// NewCounter returns a counter for a program's sites. merges: neighbouring
// groups of lanes may pass over the banks of shared memory as one, as they do
// from sm_70 on. reads and writes have all bytes that were touched when [Counter.End]
// has been called.
func NewCounter(sites []Site, merges bool, reads, writes *Footprint) *Counter {
	c := &Counter{sites: sites, merges: merges}
	for i := range c.patterns {
		c.patterns[i] = make([]Pattern, len(sites))
	}
	c.reads.Footprint, c.writes.Footprint = reads, writes
	c.begin()
	return c
}

// begin makes the sums those of nothing.
func (n *Counter) begin() {
	n.Counts = Counts{Accesses: make([]Access, len(n.sites))}
	for i := range n.sites {
		n.Counts.Accesses[i].PC, n.Counts.Accesses[i].Kind = n.sites[i].PC, n.sites[i].Kind
	}
}

// Switch ends the sums so far, which it returns, and goes on with others: those that an
// earlier Switch returned, or of nothing.
func (n *Counter) Switch(to Counts) (ended Counts) {
	for i := range n.patterns {
		for j := range n.patterns[i] {
			n.settleAll(&n.patterns[i][j])
		}
	}
	n.settleAll(&n.mixed)
	if ended, n.Counts = n.Counts, to; to.Accesses == nil {
		n.begin()
	}
	return ended
}

func (n *Counter) settleAll(p *Pattern) {
	for i := range p.costs {
		n.settle(&p.costs[i])
	}
}

// Pattern returns the place of the last pattern of a site's accesses with such
// lanes. An access under a branch or a guard has a few sets of lanes that come
// in turns, so that each of them is better kept apart.
func (n *Counter) Pattern(site int32, lanes uint32) *Pattern {
	return &n.patterns[lanes*0x9e3779b1>>30][site]
}

// Warp is what is kept of a warp while it runs.
type Warp struct {
	// Number is its place in the CTA.
	Number int
	// CTA gets the requests that go through caches; nil if nobody listens.
	CTA *stream.CTA
	// Trace is the warp's in CTA, which then gets no requests; nil if nobody asked for
	// one.
	Trace   *stream.Trace
	touched *touchedStack
}

// Begin makes w warp number n of a CTA; cta gets its requests, and may be nil.
func (w *Warp) Begin(n int, cta *stream.CTA) {
	w.Number, w.CTA, w.Trace = n, cta, nil
	if cta != nil && cta.Traces != nil {
		w.Trace = &cta.Traces[n]
	}
}

// Count counts one request of a site, whose first lane accesses addr: the
// address in its space. It fails where the stream of requests gets too long.
func (n *Counter) Count(site int32, c *Cost, addr uint64, w *Warp) error {
	if c.site != site { // of several that one pattern leads
		n.settle(c)
		c.site = site
	}
	c.requests++
	base := addr / sectorBytes
	if w.Trace != nil {
		n.trace(site, c, base, w)
		return nil
	}
	switch c.space {
	case Shared, Const: // neither goes through the caches that are modelled
		return nil
	case Global:
		n.note(&c.starts, base)
		if n.sites[site].IsAtomic() {
			n.Counts.addAtomic(c, base)
		}
	case Local:
		base *= warpLanes
		w.touch(c, base)
	}
	if w.CTA == nil {
		return nil
	}
	if c.forms == nil {
		c.forms = new(stream.Forms)
	}
	return w.CTA.Add(w.Number, n.sites[site].request(c), c.space == Local, base, c.cells, c.forms)
}

// settle adds the requests of a cost to the sums of their site.
func (n *Counter) settle(c *Cost) {
	if c.requests == 0 {
		return
	}
	n.Counts.Accesses[c.site].Spaces[c.space].Add(Sum{
		Requests: 1, Transactions: uint64(c.transactions), Bytes: uint64(c.bytes), UniqueBytes: uint64(c.unique), Passes: uint64(c.passes),
	}, c.requests)
	c.requests = 0
}

// MixedOf returns the pattern of a site's generic accesses whose lanes lie in several
// spaces: they are one request in each of them. It belongs to one site at a time.
func (n *Counter) MixedOf(site int32) *Pattern {
	if n.mixedOf != site {
		n.mixed.forget(0)
		n.mixedOf = site
	}
	return &n.mixed
}

// End adds to the sums, and to the footprint, the requests that were only noted until
// now.
func (n *Counter) End() error {
	for i := range n.patterns {
		for j := range n.patterns[i] {
			if err := n.flushAll(&n.patterns[i][j], n.bytesOf(n.sites[j].Kind)); err != nil {
				return err
			}
		}
	}
	return n.flushAll(&n.mixed, &n.writes)
}

// Ambiguous reports whether bytes that were only read may be among those written:
// of generic accesses to several spaces it is not kept apart.
func (n *Counter) Ambiguous() bool { return len(n.mixed.costs) > 0 }

// bytesOf returns the set that an access' bytes belong to.
func (n *Counter) bytesOf(k Kind) *marked {
	if k == Load {
		return &n.reads
	}
	return &n.writes
}

func (n *Counter) flushAll(p *Pattern, into *marked) error {
	for i := range p.costs {
		if err := n.flush(&p.costs[i], into); err != nil {
			return err
		}
	}
	return nil
}

// trace appends a request to the trace of its warp.
func (n *Counter) trace(site int32, c *Cost, base uint64, w *Warp) {
	s := &n.sites[site]
	space := stream.GlobalStep
	switch {
	case c.space == Shared:
		w.Trace.Access(uint32(s.PC), int(c.transactions), c.pairs)
		return
	case c.space == Local:
		space, base = stream.LocalStep, base*warpLanes
	case c.space == Const:
		space = stream.ConstStep
	case s.Past:
		space = stream.PastStep
	}
	w.Trace.Touch(uint32(s.PC), int(c.passes), space, base, c.cells)
}
