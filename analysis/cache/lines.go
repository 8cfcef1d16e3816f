package cache

import "math/bits"

// noLine is the number of a line that holds nothing; blocks have 57 bits, lines
// of 32 bytes 59.
const noLine = ^uint64(0)

// none ends chains and lists.
const none = int32(-1)

// slot is the place of a line. Slots whose lines have one hash form a chain.
type slot struct {
	line  uint64
	chain int32
	// valid: the sector is here and complete. dirty: it differs from DRAM;
	// dirty and not valid, only some bytes of it were written.
	valid, dirty uint8
}

// link is a slot's place in the list of its set's slots by age.
type link struct{ newer, older int32 }

// lines is a set-associative cache with exact LRU in each set. A hash over all
// its lines makes a look-up as cheap with 256 ways as with 4.
type lines struct {
	slots          []slot
	links          []link  // of the slots
	buckets        []int32 // first slot of each chain
	newest, oldest []int32 // of each set
	sets           uint64
	setMask        uint64 // sets-1 if sets is a power of two, else 0
	hashShift      uint
}

// init makes an empty cache of n sets; it allocates only when the geometry
// grew.
func (c *lines) init(sets, ways int) {
	n := sets * ways
	buckets := 1 << bits.Len(uint(n)) // more buckets than lines: chains of one or two
	if cap(c.slots) < n || cap(c.newest) < sets || cap(c.buckets) < buckets {
		*c = lines{
			slots: make([]slot, n), links: make([]link, n), buckets: make([]int32, buckets),
			newest: make([]int32, sets), oldest: make([]int32, sets),
		}
	}
	c.slots, c.links, c.buckets, c.newest, c.oldest = c.slots[:n], c.links[:n], c.buckets[:buckets], c.newest[:sets], c.oldest[:sets]
	c.sets, c.setMask = uint64(sets), 0
	if sets&(sets-1) == 0 {
		c.setMask = uint64(sets - 1)
	}
	c.hashShift = uint(64 - bits.TrailingZeros(uint(buckets)))
	for i := range c.buckets {
		c.buckets[i] = none
	}
	for set := range sets {
		first, last := int32(set*ways), int32(set*ways+ways-1)
		for i := first; i <= last; i++ {
			c.slots[i], c.links[i] = slot{line: noLine, chain: none}, link{newer: i - 1, older: i + 1}
		}
		c.links[first].newer, c.links[last].older = none, none
		c.newest[set], c.oldest[set] = first, last
	}
}

func (c *lines) set(line uint64) uint64 {
	if c.setMask != 0 || c.sets == 1 {
		return line & c.setMask
	}
	return line % c.sets
}

// bucket is Fibonacci hashing (Knuth, TAOCP 3, 6.4).
func (c *lines) bucket(line uint64) uint64 { return line * 0x9E3779B97F4A7C15 >> c.hashShift }

// find returns the line's slot, or none.
func (c *lines) find(line uint64) int32 {
	i := c.buckets[c.bucket(line)]
	for i != none && c.slots[i].line != line {
		i = c.slots[i].chain
	}
	return i
}

// touch makes the slot of a line the newest of its set.
func (c *lines) touch(i int32, line uint64) {
	if c.links[i].newer != none {
		c.raise(i, c.set(line))
	}
}

// raise is touch for a slot that is not yet the newest.
func (c *lines) raise(i int32, set uint64) {
	l := &c.links[i]
	c.links[l.newer].older = l.older
	if l.older == none {
		c.oldest[set] = l.newer
	} else {
		c.links[l.older].newer = l.newer
	}
	first := c.newest[set]
	c.links[first].newer = i
	l.newer, l.older = none, first
	c.newest[set] = i
}

// replace puts a line that is not here in the place of its set's oldest. It
// returns the slot, now the newest, and what was in it.
func (c *lines) replace(line uint64) (i int32, victim uint64, victimDirty uint8) {
	set := c.set(line)
	i = c.oldest[set]
	s := &c.slots[i]
	victim, victimDirty = s.line, s.dirty
	if victim != noLine {
		c.unchain(i, victim)
	}
	b := c.bucket(line)
	s.line, s.chain, s.valid, s.dirty = line, c.buckets[b], 0, 0
	c.buckets[b] = i
	c.touch(i, line)
	return i, victim, victimDirty
}

// unchain takes a slot out of its hash chain.
func (c *lines) unchain(i int32, line uint64) {
	b := c.bucket(line)
	if c.buckets[b] == i {
		c.buckets[b] = c.slots[i].chain
		return
	}
	k := c.buckets[b]
	for c.slots[k].chain != i {
		k = c.slots[k].chain
	}
	c.slots[k].chain = c.slots[i].chain
}
