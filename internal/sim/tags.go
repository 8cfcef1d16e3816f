package sim

import "math/bits"

// tags are what a cache holds: lines of 128 bytes in sets, found by a hash of their
// address, the oldest of a set replaced. Sectors of a line come and go by themselves.
type tags struct {
	ways  int
	sets  uint64
	lines []line
	clock uint32
	// byFlight is the line that a flight fills, plus 1.
	byFlight []int32
}

// line is the place of a block.
type line struct {
	block uint64 // plus 1; 0: nothing is here
	used  uint32
	// flight fills it, plus 1; 0: everything has arrived.
	flight       int32
	valid, dirty uint8
}

func (c *tags) init(bytes int64, ways int) {
	c.ways = ways
	if bytes < blockBytes || ways < 1 {
		c.ways = 0
		return
	}
	c.sets = max(uint64(bytes)/blockBytes/uint64(ways), 1)
	c.lines = make([]line, c.sets*uint64(ways))
}

// first returns the first line that a block may be in: sets are chosen by a hash, so
// that no stride meets few of them (what GPUs do is not published).
func (c *tags) first(block uint64) int32 {
	i, _ := bits.Mul64(hash(block), c.sets)
	return int32(i) * int32(c.ways)
}

// hash spreads the bits of a block's number (the finaliser of MurmurHash3).
func hash(x uint64) uint64 {
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}

// find returns a block's line, -1 if it is not here.
func (c *tags) find(block uint64) int32 {
	first := c.first(block)
	for i, l := range c.lines[first : first+int32(c.ways)] {
		if l.block == block+1 {
			return first + int32(i)
		}
	}
	return -1
}

// use makes a line the newest.
func (c *tags) use(l *line) {
	c.clock++
	l.used = c.clock
}

// oldest returns the line that has to go for a block.
func (c *tags) oldest(block uint64) int32 {
	first := c.first(block)
	set := c.lines[first : first+int32(c.ways)]
	old := 0
	for i := range set {
		if set[i].block == 0 {
			return first + int32(i)
		}
		if int32(set[i].used-set[old].used) < 0 {
			old = i
		}
	}
	return first + int32(old)
}

// read looks sectors up: the line, which of them are missing, and the flight that
// brings others of them, -1 if none does. The missing ones are taken to be here from
// now on.
func (c *tags) read(block uint64, mask uint8) (at int32, missing uint8, under int32) {
	if at = c.find(block); at < 0 {
		at = c.oldest(block)
		c.lines[at] = line{block: block + 1}
	}
	l := &c.lines[at]
	c.use(l)
	missing, under = mask&^l.valid, -1
	if l.flight != 0 && missing != mask {
		under = l.flight - 1
	}
	l.valid |= mask
	return at, missing, under
}

// flies notes that a flight fills a line.
func (c *tags) flies(at, flight int32) {
	c.lines[at].flight = flight + 1
	for int(flight) >= len(c.byFlight) {
		c.byFlight = append(c.byFlight, 0)
	}
	c.byFlight[flight] = at + 1
}

// landed notes that a flight has arrived.
func (c *tags) landed(flight int32) {
	if int(flight) >= len(c.byFlight) || c.byFlight[flight] == 0 {
		return
	}
	if l := &c.lines[c.byFlight[flight]-1]; l.flight == flight+1 {
		l.flight = 0
	}
	c.byFlight[flight] = 0
}

// write is a store that goes on to the L2: what is here stays as it is, and what was
// written as a whole comes to stay if allocate.
func (c *tags) write(block uint64, whole uint8, allocate bool) {
	at := c.find(block)
	if at < 0 {
		if !allocate || whole == 0 {
			return
		}
		at = c.oldest(block)
		c.lines[at] = line{block: block + 1}
	}
	l := &c.lines[at]
	c.use(l)
	if allocate {
		l.valid |= whole
	}
}

// drop takes sectors out.
func (c *tags) drop(block uint64, mask uint8) {
	if at := c.find(block); at >= 0 {
		c.lines[at].valid &^= mask
	}
}
