package cache

import (
	"fmt"
	"sync"

	"hyptx/internal/rows"
	"hyptx/internal/traffic/stream"
)

// Model is a GPU's caches. Use it as
//
//	m, err := cache.New(config)
//	for each launch:
//		err = m.Begin(launch)
//		for each CTA, in order: err = m.Push(cta)
//		counters := m.Drain()
//	counters := m.Flush()
//
// A Model holds the streams of resident CTAs only. It is for one goroutine.
type Model struct {
	config Config
	launch Launch
	sms    []sm
	l2     l2
	shapes stream.View
	seen   stream.View // those that the L2 may see
	pushed int         // CTAs since Begin or Drain
	idle   []*resident // to be used again
	words  int64       // of the streams of resident CTAs
	heads  []int64     // for replay: the next turn of each SM
	// maxQueued words may wait for the L2 before it is run.
	maxQueued int
	busy      []*sm // for run
	// worthSharing turns are shared among workers.
	worthSharing int64
	behind       sync.WaitGroup // the L2, following the SMs
}

// defaultMaxQueued are 4 MiB.
const defaultMaxQueued = 1 << 18

// New returns a model with empty caches.
func New(c Config) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	m := &Model{config: c, sms: make([]sm, c.SMs), heads: make([]int64, c.SMs), maxQueued: defaultMaxQueued, worthSharing: defaultWorthSharing}
	m.l2.init(c.L2, c.Channels)
	m.l2.watch, m.l2.only = c.Watch, c.WatchOnly
	if c.DRAM.Channels > 0 {
		m.l2.rows, m.l2.grain = rows.New(c.DRAM), c.DRAMAccessBytes/SectorBytes
	}
	m.l2.lines.recent.shapes = &m.seen
	for i := range m.sms {
		m.sms[i].past = c.LoadsPastL1
		m.sms[i].l1.lines.recent.shapes = &m.shapes
	}
	return m, nil
}

// Begin starts a launch: the L1s are empty, the L2 is as it was. The CTAs of a
// launch come from one [stream.Queue].
func (m *Model) Begin(l Launch) error {
	if err := l.check(m.config.SMs); err != nil {
		return err
	}
	m.launch = l
	m.behind.Wait()
	m.l2.lines.forget()
	for i := range m.sms {
		m.sms[i].l1.init(l.L1, m.config.L1Write)
	}
	m.fresh()
	return nil
}

// fresh makes all SMs idle in turn 0 and sets the counters to zero.
func (m *Model) fresh() {
	m.behind.Wait()
	m.pushed = 0
	m.l2.counts = Counters{}
	for i := range m.sms {
		s := &m.sms[i]
		s.l1.counts = LevelCounters{}
		s.next, s.turn, s.free = 0, 0, s.free[:0]
		for slot := m.launch.CTAsPerSM - 1; slot >= 0; slot-- {
			s.free = append(s.free, slot)
		}
	}
}

// Push starts the next CTA of the launch as soon as an SM has a slot for it. The
// model keeps it until then and to its last request.
func (m *Model) Push(cta *stream.CTA) error {
	words := m.words + int64(cta.Words())
	if m.config.MaxStreamBytes > 0 && 8*words > m.config.MaxStreamBytes {
		return fmt.Errorf("CTA %d: the requests of the resident CTAs take more than %d bytes, which is the limit", m.pushed, m.config.MaxStreamBytes)
	}
	m.words, m.shapes = words, cta.Shapes
	n := m.pushed % len(m.sms)
	if m.pushed >= len(m.sms)*m.launch.CTAsPerSM {
		n = m.firstFree()
	}
	m.pushed++
	m.start(n, cta)
	return nil
}

// start gives an SM a CTA. One without requests ends at once.
func (m *Model) start(n int, cta *stream.CTA) {
	s := &m.sms[n]
	cta.Keep()
	var c *resident
	if k := len(m.idle); k > 0 {
		c, m.idle = m.idle[k-1], m.idle[:k-1]
	} else {
		c = new(resident)
	}
	*c = resident{cta: cta, requests: cta.Requests}
	s.start(c, n, m.launch.CTAsPerSM)
	if c.live == 0 {
		s.free = append(s.free, c.slot)
		m.end(c)
	}
	if len(s.free) == 0 {
		s.lookAhead()
	}
}

// Drain lets all CTAs end and returns the traffic since Begin or the last
// Drain. CTAs pushed after it belong to the same launch and start together on
// idle SMs.
func (m *Model) Drain() Counters {
	for m.reached(true) != never {
		m.run(true)
	}
	m.follow(true)
	m.behind.Wait()
	c := m.l2.counts
	for i := range m.sms {
		c.Add(Counters{L1: m.sms[i].l1.counts})
	}
	m.fresh()
	return c
}

// Resident is what the L2 holds.
type Resident struct {
	Lines, DirtySectors int64
	Sets                int64 // that hold a line
}

// Resident returns what the L2 holds, which takes a look at all its lines. All
// CTAs must have ended ([Model.Drain]).
func (m *Model) Resident() Resident { return m.l2.resident() }

// Flush writes the dirty sectors of the L2 back and returns what that moved.
func (m *Model) Flush() Counters {
	m.l2.counts = Counters{}
	m.l2.flush()
	return m.l2.counts
}
