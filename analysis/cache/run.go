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

// run lets each SM that has no slot free issue until it has one, or with all
// every SM until it has issued everything. An SM's course depends on no other.
func (m *Model) run(all bool) {
	busy, turns := m.busy[:0], int64(0)
	for i := range m.sms {
		if s := &m.sms[i]; len(s.ring) > 0 && (all || len(s.free) == 0) {
			busy = append(busy, s)
			turns += s.bound - s.turn
		}
	}
	if m.config.Workers > 1 && (all || turns >= m.worthSharing) {
		m.share(busy, all)
	} else {
		for _, s := range busy {
			s.run(&m.shapes, all)
		}
	}
	m.queued = 0
	for i := range m.sms {
		s := &m.sms[i]
		m.queued += len(s.queue) - s.head
		for _, c := range s.done {
			m.recycle(c)
		}
		s.done = s.done[:0]
	}
	m.busy = busy
}

// share runs SMs on several goroutines.
func (m *Model) share(busy []*sm, all bool) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(m.config.Workers, len(busy)) {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(len(busy)); n = next.Add(1) {
				busy[n-1].run(&m.shapes, all)
			}
		})
	}
	wg.Wait()
}

func (m *Model) recycle(c *CTA) {
	c.reset()
	m.idle = append(m.idle, c)
}
