package reuse

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// sets are caches with sets, one for each capacity, as many sets as the capacity asks
// for. A line's set is its number modulo theirs. Nothing of one capacity is known from
// another, so that each access goes to all of them.
type sets struct {
	Options
	caches []*setCache
	total  uint64
	cold   map[uint64]uint8 // sectors that were used, by line
	ncold  uint64
}

func newSets(o Options) (*sets, error) {
	s := &sets{Options: o, cold: map[uint64]uint8{}}
	for i, l := range o.Lines {
		n := l / int64(o.Ways)
		if n < 1 || l%int64(o.Ways) != 0 || l > maxLines {
			return nil, fmt.Errorf("a cache of %d lines: must be whole sets of %d ways and at most %d lines", l, o.Ways, maxLines)
		}
		c := &setCache{sets: uint64(n), ways: o.Ways, slots: make([]slot, l)}
		if o.Method == Nugteren {
			c.flights = map[uint64]uint8{}
			c.random = rand.New(rand.NewPCG(o.Seed, uint64(i)))
		}
		s.caches = append(s.caches, c)
	}
	return s, nil
}

// Access implements Watcher.
func (s *sets) Access(line uint64, sectors uint8) {
	s.total += count(sectors)
	if len(s.cold) < maxLines {
		used := s.cold[line]
		if fresh := sectors &^ used; fresh != 0 {
			s.ncold += count(fresh)
			s.cold[line] = used | sectors
		}
	}
	for _, c := range s.caches {
		c.access(line, sectors)
	}
}

// Curve implements Watcher.
func (s *sets) Curve() (*Curve, error) {
	if len(s.cold) >= maxLines {
		return nil, errTooMany()
	}
	c := &Curve{Accesses: s.total, Cold: float64(s.ncold)}
	for i, l := range s.Lines {
		c.Points = append(c.Points, Point{Lines: l, Misses: float64(s.caches[i].misses)})
	}
	return c, nil
}

// slot is a line of a set; line is its number plus 1, 0 is free.
type slot struct {
	line  uint64
	valid uint8
}

// setCache is one of them. A set's slots are in the order of their use, the last first.
type setCache struct {
	sets   uint64
	ways   int
	slots  []slot
	misses uint64
	// Of Nugteren's: what is on its way, and when it arrives, in accesses.
	flights map[uint64]uint8
	queue   []arrival // by the order in which they were asked for
	random  *rand.Rand
	now     uint64
}

// arrival is when a line comes.
type arrival struct {
	at   uint64
	line uint64
}

// access uses sectors of a line.
func (c *setCache) access(line uint64, sectors uint8) {
	if c.flights != nil {
		c.fly(line, sectors)
		return
	}
	c.misses += count(sectors &^ c.use(line, sectors))
}

// use makes a line the last one used of its set and returns which of the sectors were
// there.
func (c *setCache) use(line uint64, sectors uint8) (there uint8) {
	set := c.slots[line%c.sets*uint64(c.ways):][:c.ways]
	at := 0
	for at < c.ways-1 && set[at].line != line+1 {
		at++
	}
	used := slot{line: line + 1}
	if set[at].line == line+1 {
		used = set[at]
	}
	copy(set[1:at+1], set[:at])
	there = used.valid
	used.valid |= sectors
	set[0] = used
	return there
}

// has returns which sectors of a line are there.
func (c *setCache) has(line uint64) uint8 {
	for _, s := range c.slots[line%c.sets*uint64(c.ways):][:c.ways] {
		if s.line == line+1 {
			return s.valid
		}
	}
	return 0
}

// The timing of Nugteren et al. 2014, as its public program has it (gpu-cache-model):
// what misses comes after 100 cycles and the magnitude of a normal of 5; 64 misses are
// on their way at most. Its cycles are accesses here.
const (
	missCycles  = 100
	missSpread  = 5
	outstanding = 64
)

// fly uses sectors of a line where what was asked for is not there at once: until it is,
// it misses again.
func (c *setCache) fly(line uint64, sectors uint8) {
	c.now++
	c.arrive()
	there := c.has(line)
	if there&sectors == sectors {
		c.use(line, sectors)
		return
	}
	c.misses += count(sectors &^ there)
	if f, ok := c.flights[line]; ok {
		c.flights[line] = f | sectors
		return
	}
	if len(c.queue) >= outstanding { // wait for the first
		first := 0
		for i, a := range c.queue {
			if a.at < c.queue[first].at {
				first = i
			}
		}
		c.now = max(c.now, c.queue[first].at)
		c.arrive()
	}
	c.flights[line] = sectors
	late := missCycles + uint64(math.Abs(c.random.NormFloat64()*missSpread))
	c.queue = append(c.queue, arrival{c.now + late, line})
}

// arrive puts what has come into the cache.
func (c *setCache) arrive() {
	left := c.queue[:0]
	for _, a := range c.queue {
		if a.at > c.now {
			left = append(left, a)
			continue
		}
		c.use(a.line, c.flights[a.line])
		delete(c.flights, a.line)
	}
	c.queue = left
}
