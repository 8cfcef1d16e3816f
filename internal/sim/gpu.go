package sim

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"hyptx/internal/pipe"
)

// SMs run side by side for a window; then what they asked of the L2 is served, in the
// order of the times at which it was sent. A window is shorter than the way to the L2
// and back, so that no SM needs an answer within it. Where nothing happens for longer,
// the next window begins when something does.

// Launch is what runs: its CTAs in the order in which they begin.
type Launch struct {
	Code *Code
	// CTAsPerSM are resident at a time.
	CTAsPerSM int
	// Next returns the next CTA of a chiplet, nil at the end. Done gets it back when it has
	// ended.
	Next func(chiplet int) (*CTA, error)
	Done func(End) error
	// Mark is how many CTAs end before memory is counted for the first time.
	Mark int64
	// PerInstruction asks for the stalls of each instruction, OverTime for intervals.
	PerInstruction, OverTime bool
}

// GPU is a machine with what its L2 holds.
type GPU struct {
	m      *Config
	memory *memory
}

// New returns a GPU whose caches are empty.
func New(m *Config) (*GPU, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return &GPU{m: m, memory: newMemory(m)}, nil
}

// Run runs a launch to its end, or to that of ctx.
func (g *GPU) Run(ctx context.Context, l *Launch) (*Result, error) {
	chips := max(g.m.Chiplets.Count, 1)
	r := &run{GPU: g, Launch: l, over: make([]bool, chips), launched: make([]Tick, chips)}
	for i := range g.m.SMs {
		s := newSM(g.m, l.Code, i)
		if l.PerInstruction {
			s.byOp, s.issues = make([][NumReasons]Tick, len(l.Code.ops)), make([]uint64, len(l.Code.ops))
		}
		if l.OverTime {
			s.kinds = new([pipe.NumKinds]uint64)
		}
		r.sms = append(r.sms, s)
	}
	if l.OverTime {
		r.recorder = &recorder{least: Cycles(intervalCycles)}
	}
	return r.all(ctx)
}

// run is a launch that runs.
type run struct {
	*GPU
	*Launch
	sms      []*sm
	over     []bool // no more CTAs, by chiplet
	requests []request
	order    []uint64 // of requests
	last     Tick     // the end of the last CTA
	launched []Tick   // when another CTA can begin, by chiplet
	ends     []place
	ctas     int64
	before   MemoryCounts // this launch
	marked   marked
	progress []progress
	recorder *recorder // nil if nobody wants intervals
	// gpcs and messages are of a launch with clusters.
	gpcs     []gpc
	messages []message
}

// all runs windows until nothing is left.
func (r *run) all(ctx context.Context) (*Result, error) {
	r.before = r.memory.counted()
	r.memory.restart()
	if err := r.fill(); err != nil {
		return nil, err
	}
	window := Cycles(max(1, r.m.L2.LatencyCycles-r.m.L2.RequestCycles-2))
	if r.gpcs != nil {
		window = min(window, r.m.way(), Cycles(r.m.Cluster.BarrierCycles))
	}
	for {
		begin := never
		for _, s := range r.sms {
			begin = min(begin, s.nextEvent())
		}
		if chips := r.memory.chips; chips != nil {
			begin = min(begin, chips.next())
		}
		if begin == never {
			if err := r.stuck(); err != nil {
				return nil, err
			}
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		until := begin + window
		issued := uint64(0)
		for _, s := range r.sms {
			s.run(until)
			issued += s.issued()
		}
		r.progress = append(r.progress, progress{until, issued})
		r.exchange(until)
		if r.gpcs != nil {
			r.deliver()
		}
		r.record(until, false)
		if err := r.supply(); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// exchange serves what the SMs sent in the window, in the order of time; of what is sent at
// the same time that of lower SMs comes first, and of one SM what it sent first.
func (r *run) exchange(until Tick) {
	r.requests, r.order = r.requests[:0], r.order[:0]
	for _, s := range r.sms {
		r.requests = append(r.requests, s.lsu.out...)
		s.lsu.out = s.lsu.out[:0]
	}
	if r.memory.chips != nil {
		r.memory.chips.exchange(r, until)
		return
	}
	if len(r.requests) == 0 {
		return
	}
	first := r.requests[0].at
	for i := range r.requests {
		first = min(first, r.requests[i].at)
	}
	// Numbers are sorted faster than requests: the time since the first one, and the place.
	for i := range r.requests {
		r.order = append(r.order, uint64(r.requests[i].at-first)<<placeBits|uint64(i))
	}
	slices.Sort(r.order)
	for _, at := range r.order {
		q := &r.requests[at&(1<<placeBits-1)]
		if q.kind == castRequest {
			r.cast(q, bits.OnesCount8(q.mask))
			continue
		}
		r.reply(q, r.memory.serve(q))
		if q.kind != readRequest {
			r.sms[q.sm].lsu.hold(r.memory.room(q))
		}
	}
}

// reply sends the answer of a request to its SM, which has it at a time.
func (r *run) reply(q *request, at Tick) {
	if q.flight >= 0 {
		r.sms[q.sm].replies.push(at, q.flight)
	}
}

// placeBits are those of a request's place among all of a window. SMs send one a cycle at
// most, and a window is some hundred cycles long.
const placeBits = 24

// supply hears of the CTAs that have ended and lets others take their places, in the
// order in which these became free. A CTA begins before the window's end, but issues
// nothing till then: that takes it longer than a window.
func (r *run) supply() error {
	for again := true; again; {
		r.ends, again = r.ends[:0], false
		for _, s := range r.sms {
			for _, e := range s.ended {
				r.ends = append(r.ends, place{e, s})
			}
			s.ended = s.ended[:0]
		}
		slices.SortStableFunc(r.ends, func(a, b place) int { return int(a.At - b.At) })
		for _, p := range r.ends {
			r.last = max(r.last, p.At)
			r.ctas++
			if r.Done != nil {
				if err := r.Done(p.End); err != nil {
					return err
				}
			}
			more, err := r.follow(p.sm, p.At)
			if err != nil {
				return err
			}
			again = again || more
		}
		if r.marked.CTAs == 0 && r.ctas > 0 && r.ctas >= r.Mark {
			r.marked = marked{r.ctas, r.issued(), r.counted()}
		}
	}
	return nil
}

// place is where a CTA has ended.
type place struct {
	End
	sm *sm
}

// follow lets another CTA take the place of one that has ended, or a cluster places that have
// become free.
func (r *run) follow(s *sm, t Tick) (bool, error) {
	if r.gpcs != nil {
		return r.vacate(s, t)
	}
	return r.launch(s, t)
}

// fill gives the SMs their first CTAs, in turn; clusters go to GPCs in turn.
func (r *run) fill() error {
	if r.m.Cluster.Size > 1 {
		r.newGPCs()
	}
	for again := r.gpcs != nil; again; {
		again = false
		for i := range r.gpcs {
			more, err := r.launchCluster(&r.gpcs[i], 0)
			if err != nil {
				return err
			}
			again = again || more
		}
	}
	if r.gpcs != nil {
		return r.supply()
	}
	for range r.CTAsPerSM {
		for _, s := range r.sms {
			if _, err := r.launch(s, 0); err != nil {
				return err
			}
		}
	}
	return r.supply()
}

// launch lets the next CTA, if there is one, begin on an SM, at t at the earliest.
func (r *run) launch(s *sm, t Tick) (bool, error) {
	chiplet := s.number * len(r.over) / r.m.SMs
	if r.over[chiplet] {
		return false, nil
	}
	c, err := r.Next(chiplet)
	if err != nil || c == nil {
		r.over[chiplet] = true
		return false, err
	}
	at := &r.launched[chiplet]
	*at = max(*at, t)
	s.begin(c, nil, *at)
	*at += Cycles(1 / r.m.Launch.CTAsPerCycle)
	return true, nil
}

// stuck returns an error if CTAs are left that nothing will happen to: their traces say
// that they wait for what never comes.
func (r *run) stuck() error {
	for _, s := range r.sms {
		if len(s.resident) > 0 {
			c := s.resident[0]
			return fmt.Errorf("CTA %d waits for ever in the simulation: %d of its %d warps have not ended", c.of.Linear, c.alive, len(c.of.Warps))
		}
	}
	return nil
}
