package stream

import (
	"fmt"
	"sync"
)

// Queue hands the CTAs of a launch to whoever listens, one at a time and in the
// order of the launch, whichever worker ends first.
type Queue struct {
	mu sync.Mutex
	// give hears of the CTAs; order returns the linear index of the n-th.
	give  func(*CTA) error
	order func(n int64) int64
	// next is the place in the order of the CTA that is due; waiting are later
	// ones, by their linear index, with held words.
	next    int64
	waiting map[int64]*CTA
	held    int
	shapes  *Shapes

	idleMu sync.Mutex
	idle   []*CTA // to be used again
}

// maxHeld bounds the streams that wait for an earlier CTA: 2 GiB.
const maxHeld = 256 << 20

// NewQueue returns the queue of a launch: give is called for each CTA, in the
// order that order says.
func NewQueue(give func(*CTA) error, order func(n int64) int64) *Queue {
	return &Queue{give: give, order: order, waiting: map[int64]*CTA{}, shapes: NewShapes()}
}

// CTA returns an empty CTA of so many warps.
func (q *Queue) CTA(linear int64, warps int) *CTA {
	c := q.unused()
	if warps > maxWarps {
		panic(fmt.Sprintf("BUG: a CTA of %d warps; there are at most %d", warps, maxWarps))
	}
	for len(c.Warps) < warps {
		c.Warps = append(c.Warps, nil)
	}
	for i := range c.Warps {
		c.Warps[i] = c.Warps[i][:0]
	}
	c.Linear, c.Place, c.Requests, c.words, c.Traces, c.Cut = linear, linear, 0, 0, nil, false
	c.keeper.Store(1)
	return c
}

// unused returns a CTA that nobody keeps.
func (q *Queue) unused() *CTA {
	q.idleMu.Lock()
	defer q.idleMu.Unlock()
	n := len(q.idle)
	if n == 0 {
		return &CTA{queue: q, shapes: q.shapes}
	}
	c := q.idle[n-1]
	q.idle = q.idle[:n-1]
	return c
}

// recycle takes back a CTA that nobody keeps any more.
func (q *Queue) recycle(c *CTA) {
	q.idleMu.Lock()
	defer q.idleMu.Unlock()
	q.idle = append(q.idle, c)
}

// Done takes a CTA that has ended, and hands over all that are due.
func (q *Queue) Done(c *CTA) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range c.Traces {
		c.words += len(t)
	}
	if due := q.order(q.next); c.Linear != due {
		q.waiting[c.Linear] = c
		if q.held += c.words; q.held > maxHeld {
			return fmt.Errorf("CTA %d takes so long that the requests of those that ended before it hold more than %d words, which is the limit; option jobs 1 runs one after the other", due, maxHeld)
		}
		return nil
	}
	for c != nil {
		c.Shapes = q.shapes.View()
		err := q.give(c)
		c.Release()
		if err != nil {
			return err
		}
		if q.next++; len(q.waiting) == 0 {
			return nil
		}
		due := q.order(q.next)
		if c = q.waiting[due]; c != nil {
			delete(q.waiting, due)
			q.held -= c.words
		}
	}
	return nil
}
