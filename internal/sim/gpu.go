package sim

import (
	"context"
	"fmt"
	"slices"
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
	// Next returns the next CTA, nil at the end. Done gets it back when it has ended.
	Next func() (*CTA, error)
	Done func(End) error
	// Mark is how many CTAs end before memory is counted for the first time.
	Mark int64
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

// ahead is how many CTAs beyond the resident ones each SM has waiting.
const ahead = 1

// Run runs a launch to its end, or to that of ctx.
func (g *GPU) Run(ctx context.Context, l *Launch) (*Result, error) {
	r := &run{GPU: g, Launch: l}
	for i := range g.m.SMs {
		s := newSM(g.m, l.Code, i)
		s.limit = l.CTAsPerSM
		r.sms = append(r.sms, s)
	}
	return r.all(ctx)
}

// run is a launch that runs.
type run struct {
	*GPU
	*Launch
	sms      []*sm
	over     bool // no more CTAs
	requests []request
	heads    []int
	last     Tick // the end of the last CTA
	ctas     int64
	before   MemoryCounts // this launch
	marked   marked
}

// all runs windows until nothing is left.
func (r *run) all(ctx context.Context) (*Result, error) {
	r.before = r.memory.counted()
	r.memory.restart()
	if err := r.supply(0, true); err != nil {
		return nil, err
	}
	window := Cycles(r.m.L2.LatencyCycles / 2)
	for {
		begin := never
		for _, s := range r.sms {
			begin = min(begin, s.nextEvent())
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
		for _, s := range r.sms {
			s.run(until)
		}
		r.exchange()
		if err := r.supply(until, false); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// exchange serves what the SMs sent in the window.
func (r *run) exchange() {
	r.requests = r.requests[:0]
	for _, s := range r.sms {
		r.requests = append(r.requests, s.lsu.out...)
		s.lsu.out = s.lsu.out[:0]
	}
	// Those of one SM are in order already, and the sort is stable.
	slices.SortStableFunc(r.requests, func(a, b request) int { return int(a.at - b.at) })
	for i := range r.requests {
		q := &r.requests[i]
		if at := r.memory.serve(q); q.flight >= 0 {
			r.sms[q.sm].replies.push(at, q.flight)
		}
	}
}

// supply hears of the CTAs that have ended and gives the SMs others: in turn at first,
// then to each as many as it has lost.
func (r *run) supply(t Tick, first bool) error {
	for _, s := range r.sms {
		for _, e := range s.ended {
			r.last = max(r.last, e.At)
			r.ctas++
			if r.Done != nil {
				if err := r.Done(e); err != nil {
					return err
				}
			}
		}
		s.ended = s.ended[:0]
	}
	if r.marked.CTAs == 0 && r.ctas > 0 && r.ctas >= r.Mark {
		r.marked = marked{r.ctas, r.counted()}
	}
	rounds := 1
	if first {
		rounds = r.CTAsPerSM + ahead
	}
	for n := 0; n < rounds && !r.over; n++ {
		for _, s := range r.sms {
			for !r.over && len(s.resident)+len(s.waiting) < r.CTAsPerSM+ahead {
				c, err := r.Next()
				if err != nil {
					return err
				}
				if c == nil {
					r.over = true
					break
				}
				s.waiting = append(s.waiting, c)
				if first {
					break
				}
			}
		}
	}
	for i, s := range r.sms {
		at := t
		if first {
			at = Cycles(float64(i) / r.m.Launch.CTAsPerCycle)
		}
		s.fill(max(at, s.now), r.CTAsPerSM)
	}
	return nil
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
