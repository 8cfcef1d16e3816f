package sim

import (
	"math/bits"
	"slices"

	"hyptx/internal/rows"
)

// tags are what a cache holds: lines of 128 bytes in sets, found by a hash of their
// address, the oldest of a set replaced, in some L1s any, in the L2 one of the older ones.
// Sectors of a line come and go by themselves.
// Some caches have sets of hundreds of lines: so nothing is searched. Each line is in
// the list of its set, from the newest to the oldest, and in one of the chains of an
// index by block.
type tags struct {
	ways  int
	sets  uint64
	lines []line
	// ends are, for each set, its newest line and its oldest.
	ends  []ends
	index []int32 // the first line of each chain, plus 1
	// byFlight is the line that a flight fills, plus 1.
	byFlight []int32
	// chance is what a victim is chosen by; random: of all lines.
	chance uint64
	random bool
}

// line is the place of a block.
type line struct {
	block uint64 // plus 1; 0: nothing is here
	// newer and older are its neighbours in its set, next the one behind it in its
	// chain, all plus 1; 0: there is none.
	newer, older, next int32
	set                int32
	// flight fills it, plus 1; 0: everything has arrived.
	flight       int32
	valid, dirty uint8
}

type ends struct{ newest, oldest int32 } // plus 1

func (c *tags) init(bytes int64, ways int) {
	c.ways = ways
	if bytes < blockBytes || ways < 1 {
		c.ways = 0
		return
	}
	c.sets = max(uint64(bytes)/blockBytes/uint64(ways), 1)
	c.lines = make([]line, c.sets*uint64(ways))
	c.index = make([]int32, 1<<bits.Len(uint(len(c.lines))))
	c.ends = make([]ends, c.sets)
	for i := range c.lines {
		l := &c.lines[i]
		l.set = int32(i / ways)
		c.first(int32(i), l)
	}
}

// hash spreads the bits of a block's number (the finaliser of MurmurHash3).
func hash(x uint64) uint64 {
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}

// chain returns where in the index a block's chain begins.
func (c *tags) chain(block uint64) *int32 { return &c.index[hash(block)&uint64(len(c.index)-1)] }

// find returns a block's line, -1 if it is not here.
func (c *tags) find(block uint64) int32 {
	at := *c.chain(block) - 1
	for at >= 0 && c.lines[at].block != block+1 {
		at = c.lines[at].next - 1
	}
	return at
}

// first makes a line that is in no list the newest of its set.
func (c *tags) first(at int32, l *line) {
	e := &c.ends[l.set]
	l.newer, l.older = 0, e.newest
	if e.newest != 0 {
		c.lines[e.newest-1].newer = at + 1
	} else {
		e.oldest = at + 1
	}
	e.newest = at + 1
}

// use makes a line the newest of its set.
func (c *tags) use(at int32) {
	l := &c.lines[at]
	if l.newer == 0 {
		return
	}
	c.lines[l.newer-1].older = l.older
	if l.older != 0 {
		c.lines[l.older-1].newer = l.newer
	} else {
		c.ends[l.set].oldest = l.newer
	}
	c.first(at, l)
}

// oldest returns the line that has to go for a block. Blocks go to sets in turn, each round
// of them begins elsewhere: so what lies side by side meets all sets alike, as in the
// permutations by exclusive or that GPUs are taken to use, and goes in the order in
// which it came, and no stride meets few of them. Each part of 512 GiB begins anywhere.
func (c *tags) oldest(block uint64) int32 {
	at := rows.Spread(block&(1<<32-1), c.sets) + hash(block>>32)%c.sets
	return c.ends[at%c.sets].oldest - 1
}

// leaving returns the line of an L1 that has to go for a block: an empty one, or the oldest or
// any of the set. Where any goes, some of what warps sweep over is still there although it is
// more than the cache holds.
func (c *tags) leaving(block uint64) int32 {
	oldest := c.oldest(block)
	if l := &c.lines[oldest]; !c.random || l.block == 0 {
		return oldest
	}
	return c.lines[oldest].set*int32(c.ways) + int32(c.draw(uint64(c.ways)))
}

// draw returns the next number below n of a sequence that is the same in each run (Knuth, The
// Art of Computer Programming 2, 3.3.4: the multiplier of MMIX).
func (c *tags) draw(n uint64) uint64 {
	c.chance = c.chance*6364136223846793005 + 1442695040888963407
	return c.chance >> 33 * n >> 31
}

// victim returns the line that has to go for a block where any may that was not used lately:
// one of the older half of a set, as caches do that keep less than the order of all uses. Of
// what sweeps over a little more than the cache holds some is then still there, as on GPUs
// (RRZE-HPC gpu-benches, gpu-l2-cache: rates fall gradually), where the oldest line would
// always be the next one that is wanted. What is dirty goes in the order in which it came,
// so that the rows of DRAM that it belongs to are opened once.
func (c *tags) victim(block uint64) int32 {
	oldest := c.oldest(block)
	if l := &c.lines[oldest]; l.block == 0 || l.dirty != 0 {
		return oldest
	}
	at := oldest
	for range c.draw(uint64(c.ways / 2)) {
		at = c.lines[at].newer - 1
	}
	if c.lines[at].dirty != 0 {
		return oldest
	}
	return at
}

// give gives a line to a block, of which nothing is here.
func (c *tags) give(at int32, block uint64) {
	l := &c.lines[at]
	if l.block != 0 {
		to := c.chain(l.block - 1)
		for *to != at+1 {
			to = &c.lines[*to-1].next
		}
		*to = l.next
	}
	from := c.chain(block)
	l.block, l.next, l.flight, l.valid, l.dirty = block+1, *from, 0, 0, 0
	*from = at + 1
	c.use(at)
}

// read looks sectors up: the line, which of them are missing, and the flight that
// brings others of them, -1 if none does. The missing ones are taken to be here from
// now on.
func (c *tags) read(block uint64, mask uint8) (at int32, missing uint8, under int32) {
	if at = c.find(block); at < 0 {
		at = c.leaving(block)
		c.give(at, block)
	}
	l := &c.lines[at]
	c.use(at)
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
// written as a whole comes to stay if allocate. It returns which sectors were here.
func (c *tags) write(block uint64, whole uint8, allocate bool) (valid uint8) {
	at := c.find(block)
	if at < 0 {
		if !allocate || whole == 0 {
			return 0
		}
		at = c.leaving(block)
		c.give(at, block)
	}
	c.use(at)
	l := &c.lines[at]
	valid = l.valid
	if allocate {
		l.valid |= whole
	}
	return valid
}

// copy returns what is here, to be taken by another cache.
func (c *tags) copy() *tags {
	of := *c
	of.lines, of.ends, of.index = slices.Clone(c.lines), slices.Clone(c.ends), slices.Clone(c.index)
	return &of
}

// take returns which sectors of a block are here, once.
func (c *tags) take(block uint64) (valid uint8) {
	if at := c.find(block); at >= 0 {
		valid, c.lines[at].valid = c.lines[at].valid, 0
	}
	return valid
}

// drop takes sectors out.
func (c *tags) drop(block uint64, mask uint8) {
	if at := c.find(block); at >= 0 {
		c.lines[at].valid &^= mask
	}
}
