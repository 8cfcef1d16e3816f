package cache

import (
	"sync"
	"sync/atomic"
)

// defaultWorthSharing is from how many turns on several goroutines run SMs.
const defaultWorthSharing = 4096

// firstFree returns the SM that has a free slot before all others, the lowest
// of several. Of an SM without one only a bound is known until it is run. As
// long as no bound comes first the answer is certain, so that SMs are run many
// at a time.
func (m *Model) firstFree() int {
	for {
		first, turn, exact := 0, int64(never), false
		for i := range m.sms {
			if t, e := m.sms[i].earliest(); t < turn {
				first, turn, exact = i, t, e
			}
		}
		if exact {
			return first
		}
		m.run(false)
	}
}

// slice is how many turns an SM runs at most before the L2 sees what it sent,
// so that this stays in the host's caches.
const slice = 1024

// run lets each SM that has no slot free issue until it has one, or with all
// every SM until it has issued everything, but for a slice of turns only. An
// SM's course depends on no other.
func (m *Model) run(all bool) {
	m.busy = m.busy[:0]
	last := int64(never)
	for i := range m.sms {
		if s := &m.sms[i]; len(s.ring) > 0 && (all || len(s.free) == 0) {
			m.busy = append(m.busy, s)
			last = min(last, s.turn+slice)
		}
	}
	turns := int64(0)
	for _, s := range m.busy {
		turns += max(0, min(last, s.bound)-s.turn)
	}
	if m.config.Workers > 1 && turns >= m.worthSharing {
		m.share(last, all)
	} else {
		for _, s := range m.busy {
			s.run(&m.shapes, last, all)
		}
	}
	queued := 0
	for i := range m.sms {
		s := &m.sms[i]
		queued += len(s.queue)
		for _, c := range s.done {
			m.end(c)
		}
		s.done = s.done[:0]
	}
	if queued > m.maxQueued {
		m.follow(all)
	}
}

// follow lets the L2 see all that is certain to come next, while the SMs run on.
func (m *Model) follow(all bool) {
	m.behind.Wait()
	for i := range m.sms {
		m.sms[i].handOver()
	}
	reached := m.reached(all)
	m.seen = m.shapes // which grow while the L2 follows
	if m.config.Workers > 1 {
		m.behind.Go(func() { m.replay(reached) })
	} else {
		m.replay(reached)
	}
}

// share runs SMs on several goroutines.
func (m *Model) share(last int64, all bool) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(m.config.Workers, len(m.busy)) {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(len(m.busy)); n = next.Add(1) {
				m.busy[n-1].run(&m.shapes, last, all)
			}
		})
	}
	wg.Wait()
}

// end gives back a CTA that has ended.
func (m *Model) end(c *resident) {
	m.words -= int64(c.cta.Words())
	c.cta.Release()
	c.cta = nil
	m.idle = append(m.idle, c)
}
