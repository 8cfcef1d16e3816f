package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"hyptx/internal/gpu"
)

// A GPU of chiplets: each has SMs, slices of the L2 and channels of DRAM of its own, and
// the L2 is on the memory's side: who asks for what lies on another chiplet crosses both
// links to it, and is answered over the way back. A link is a server each way, as slices
// and channels are.
//
// What a request does at each of these is an event of its own: one that waits for a link
// would else keep what is behind the link from those that come before it. Events are worked
// on in the windows in which they fall. A reply takes links as if it were there when its
// request was served, and the time that it took to be there passes at its end: so it never
// reaches an SM in a window that has been.

// chiplets are the memories of a GPU's chiplets, and what is between them.
type chiplets struct {
	Chiplets
	sms int // of a chiplet
	of  []*memory
	// homes are those of pages by first touch, over launches.
	homes map[uint64]int32
	out   []Tick // when each link is free, out of a chiplet and into it
	in    []Tick
	// outBusy and inBusy are what they were taken for.
	outBusy, inBusy []Tick
	events          []event // a heap
	numbered        uint64
	remote, bytes   uint64
}

// event is what a request does next.
type event struct {
	at     Tick
	number uint64 // of events at one time the earlier one is first
	q      request
	step   step
	// took is how long it took to be served, of one that was.
	took Tick
}

// step is where a request is.
type step uint8

// The steps of one for another chiplet; others are served at once.
const (
	requestOut step = iota // it takes the link out of its chiplet
	requestIn              // and that into the other one
	atMemory
	replyOut
	replyIn
)

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.number < o.number }

// newChiplets cuts a machine's memory into equal parts. The SMs' ways back are their own,
// whatever chiplet a reply comes from.
func newChiplets(m *Config) *chiplets {
	n := m.Chiplets.Count
	part := *m
	part.Chiplets = Chiplets{}
	part.L2.Bytes /= int64(n)
	part.L2.Slices /= n
	part.L2.BytesPerCycle /= float64(n)
	part.DRAM.Channels /= n
	part.DRAM.BytesPerCycle /= float64(n)
	part.DRAM.LinkBytesPerCycle /= float64(n)
	c := &chiplets{Chiplets: m.Chiplets, sms: m.SMs / n, homes: map[uint64]int32{}, out: make([]Tick, n), in: make([]Tick, n), outBusy: make([]Tick, n), inBusy: make([]Tick, n)}
	for range n {
		of := newMemory(&part)
		if len(c.of) > 0 {
			of.back = c.of[0].back
		}
		c.of = append(c.of, of)
	}
	return c
}

// home returns the chiplet that a block lies on; touched by a chiplet, it is that one's
// from then on. What is local to a thread lies where that runs.
func (c *chiplets) home(block uint64, by int32) int32 {
	page := block / c.PageBlocks
	switch {
	case block>>localBit != 0:
		return by
	case c.Pages == gpu.LineInTurn:
		return int32(block % uint64(c.Count))
	case c.Pages == gpu.Interleave:
		return int32(page % uint64(c.Count))
	}
	home, touched := c.homes[page]
	if !touched {
		home = by
		c.homes[page] = home
	}
	return home
}

// packetBytes is what a packet has beside data (8, as a request of GPGPU-Sim's networks).
const packetBytes = 8

// exchange serves what the SMs sent in a window that ends, and what else falls into it.
func (c *chiplets) exchange(r *run, until Tick) {
	for _, q := range r.requests {
		by, first := q.sm/int32(c.sms), requestOut
		if q.home = c.home(q.block, by); q.home == by {
			first = atMemory
		} else {
			c.remote += uint64(bits.OnesCount8(q.mask))
		}
		c.push(event{at: q.at, q: q, step: first})
	}
	for len(c.events) > 0 && c.events[0].at < until {
		c.follow(r, c.pop())
	}
}

// follow does what an event is about.
func (c *chiplets) follow(r *run, e event) {
	q := &e.q
	by := q.sm / int32(c.sms)
	data := bits.OnesCount8(q.mask) * sectorBytes
	request, reply := packetBytes, packetBytes
	if q.kind != readRequest {
		request += data
	}
	if q.flight >= 0 && q.kind != writeRequest {
		reply += data
	}
	switch e.step {
	case requestOut:
		c.bytes += uint64(request)
		e.at = c.take(c.out, c.outBusy, by, request, e.at)
	case requestIn:
		q.at = c.take(c.in, c.inBusy, q.home, request, e.at) + c.cost(request) + Cycles(c.HopCycles)
		e.at = q.at
	case atMemory:
		at := c.of[q.home].serve(q)
		if q.kind != readRequest {
			r.sms[q.sm].lsu.hold(c.room(q))
		}
		if q.home == by {
			r.reply(q, at)
			return
		}
		e.took = max(at-e.at, 0)
	case replyOut:
		c.bytes += uint64(reply)
		e.at = c.take(c.out, c.outBusy, q.home, reply, e.at)
	case replyIn:
		at := c.take(c.in, c.inBusy, by, reply, e.at) + c.cost(reply)
		r.reply(q, at+e.took+Cycles(c.HopCycles))
		return
	}
	e.step++
	c.push(e)
}

// cost is what bytes take of a link.
func (c *chiplets) cost(bytes int) Tick { return Cycles(float64(bytes) / c.LinkBytesPerCycle) }

// take books bytes on a chiplet's link at t, and returns when they begin to pass.
func (c *chiplets) take(links, busy []Tick, chiplet int32, bytes int, t Tick) Tick {
	cost := c.cost(bytes)
	busy[chiplet] += cost
	begin := max(links[chiplet], t)
	links[chiplet] = begin + cost
	return begin
}

// push and pop keep the heap.
func (c *chiplets) push(e event) {
	c.numbered++
	e.number = c.numbered
	i := len(c.events)
	for c.events = append(c.events, e); i > 0; {
		parent := (i - 1) / 2
		if !e.before(&c.events[parent]) {
			break
		}
		c.events[i], c.events[parent] = c.events[parent], e
		i = parent
	}
}

func (c *chiplets) pop() event {
	first, last := c.events[0], c.events[len(c.events)-1]
	c.events = c.events[:len(c.events)-1]
	for i, n := 0, len(c.events); n > 0; {
		c.events[i] = last
		child := 2*i + 1
		if child+1 < n && c.events[child+1].before(&c.events[child]) {
			child++
		}
		if child >= n || !c.events[child].before(&last) {
			break
		}
		c.events[i], i = c.events[child], child
	}
	return first
}

// linkQueue is how many packets of a store may wait for a link before those behind them
// do in the SM: as many as for a slice.
const linkQueue = sliceQueue

// room returns when the slice, and the link, that a request went to have room for another.
func (c *chiplets) room(q *request) Tick {
	at := c.of[q.home].room(q)
	if by := q.sm / int32(c.sms); by != q.home {
		at = max(at, c.out[by]-linkQueue*c.cost(packetBytes+blockBytes))
	}
	return at
}

// next returns when the next event is.
func (c *chiplets) next() Tick {
	if len(c.events) == 0 {
		return never
	}
	return c.events[0].at
}

func (c *chiplets) counted() (n MemoryCounts) {
	for _, m := range c.of {
		n = n.plus(m.counted(), 1)
	}
	n.Remote, n.LinkBytes = c.remote, c.bytes
	return n
}

// restart sets all times to 0 for the next launch; caches and pages stay.
func (c *chiplets) restart() {
	for _, m := range c.of {
		m.restart()
	}
	for _, of := range [][]Tick{c.out, c.in, c.outBusy, c.inBusy} {
		clear(of)
	}
}

func (c *chiplets) drained() (t Tick) {
	for i, m := range c.of {
		t = max(t, m.drained(), c.in[i])
	}
	return t
}

// linkBusy is what the busiest link was taken for, one way.
func (c *chiplets) linkBusy() Tick { return max(slices.Max(c.outBusy), slices.Max(c.inBusy)) }

// deal hands the CTAs of a launch, which come in order, to the chiplets that they are for.
type deal struct {
	Chiplets
	ctas    int64
	come    func() (*CTA, error)
	waiting [][]*CTA
	words   int // of the traces that wait
}

// mostDealt bounds the words of traces that wait for their chiplet, to 2 GiB.
const mostDealt = 1 << 28

// length is how many words a CTA's traces have.
func (c *CTA) length() (n int) {
	for _, t := range c.Warps {
		n += len(t)
	}
	return n
}

// next is the next CTA of a chiplet. Those that come before it and are another one's wait.
func (d *deal) next(chiplet int) (*CTA, error) {
	if d.Count <= 1 {
		return d.come()
	}
	if d.waiting == nil {
		d.waiting = make([][]*CTA, d.Count)
	}
	for len(d.waiting[chiplet]) == 0 {
		c, err := d.come()
		if c == nil || err != nil {
			return nil, err
		}
		of, _ := d.CTAs.Of(c.Linear, d.ctas, d.Count)
		d.waiting[of] = append(d.waiting[of], c)
		if d.words += c.length(); d.words > mostDealt {
			return nil, fmt.Errorf("CTAs that wait for their chiplet have traces of more than %d words, which is the limit", mostDealt)
		}
	}
	c := d.waiting[chiplet][0]
	d.words -= c.length()
	d.waiting[chiplet] = d.waiting[chiplet][1:]
	return c, nil
}
