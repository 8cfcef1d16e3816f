package cache

import (
	"math/bits"
	"slices"

	"hyptx/internal/traffic/stream"
)

// noLine is the number of a line that holds nothing; blocks have 57 bits, lines
// of 32 bytes 59.
const noLine = ^uint64(0)

// none: there is no slot.
const none = int32(-1)

// slot is the place of a line.
type slot struct {
	line uint64
	// stamp says when the line was last used, as far as is noted here (see
	// recent): later uses have greater stamps.
	stamp uint64
	at    uint32 // its place in the index
	// valid: the sector is here and complete. dirty: it differs from DRAM;
	// dirty and not valid, only some bytes of it were written.
	valid, dirty uint8
}

// lines is a set-associative cache with exact LRU in each set. A hash over all
// its lines makes a look-up as cheap with 256 ways as with 4.
//
// Most uses are of lines that are there, so a use writes a stamp and nothing
// else. A set's ages are sorted when a line has to be replaced and the last
// order is used up: its first slots are the oldest as long as their stamps are
// as they were, and a line that came or was used since is younger than all
// that were not.
type lines struct {
	slots []slot
	index index
	// order is the slots of each set by age, the oldest first: the stamp that
	// each had, and below it the way.
	order   []uint64
	usable  []span // of each set, in order
	ways    int
	wayBits uint
	wayMask uint64
	sets    uint64
	inverse uint64 // of sets, times 2^64
	now     uint64 // the last stamp
	parts   uint   // lines a block
	perLine uint   // sectors a line
	recent  recent
}

// span are the slots of an order that are not used up and certainly the oldest.
type span struct{ next, end int32 }

// init makes an empty cache; it allocates only when the geometry grew.
func (c *lines) init(g Level) {
	ways, n := g.Ways, int(g.Lines())
	sets := n / ways
	if cap(c.slots) < n || cap(c.usable) < sets {
		c.slots, c.order = make([]slot, n), make([]uint64, n)
		c.usable = make([]span, sets)
	}
	c.slots, c.order, c.usable = c.slots[:n], c.order[:n], c.usable[:sets]
	c.ways, c.wayBits = ways, uint(bits.Len(uint(ways-1)))
	c.wayMask = 1<<c.wayBits - 1
	c.sets, c.inverse = uint64(sets), (1<<64-1)/uint64(sets)
	c.index.init(n)
	c.perLine = uint(g.LineBytes / SectorBytes)
	c.parts = sectors / c.perLine
	for i := range c.slots {
		c.slots[i] = slot{line: noLine}
		c.order[i] = uint64(ways - 1 - i%ways) // the last slot comes first
	}
	for i := range c.usable {
		c.usable[i] = span{0, int32(ways)}
	}
	c.now = 0
}

// set returns where a line belongs: lines go to sets in turn, and each round of them begins
// elsewhere, so that what lies side by side meets all sets alike, and what is a power of two
// apart a good part of them. The quotient by a multiplication (Granlund and Montgomery, Division by Invariant
// Integers) is right or one too small, as the inverse is at most one in 2^64 too small. A
// division takes longer than all the rest of a miss.
func (c *lines) set(line uint64) uint64 {
	round, _ := bits.Mul64(line, c.inverse)
	rest := line - round*c.sets
	if rest >= c.sets {
		rest, round = rest-c.sets, round+1
	}
	begin, _ := bits.Mul64(round*fibonacci, c.sets)
	if rest += begin; rest >= c.sets {
		rest -= c.sets
	}
	return rest
}

// find returns the line's slot, or none.
func (c *lines) find(line uint64) int32 {
	home, tag := c.index.hash(line)
	for bucket := home; ; {
		word := c.index.words[bucket]
		for found := zeros(word ^ tag*eachTag); found != 0; found &= found - 1 {
			if i := c.index.slots[place(bucket, found)]; c.slots[i].line == line {
				return i
			}
		}
		if word&passed == 0 {
			return none
		}
		if bucket = c.index.after(bucket); bucket == home {
			return none
		}
	}
}

// findAll is find for the blocks of a request, where lines are blocks. Most are
// not there: find does the others.
func (c *lines) findAll(head stream.Word, blocks []stream.Word, found *[maxTogether]int32) {
	x := &c.index
	for k, b := range blocks {
		line := head.Part(b).Block()
		bucket, tag := x.hash(line)
		word := x.words[bucket]
		i := none
		if zeros(word^tag*eachTag)|word&passed != 0 {
			i = c.find(line)
		}
		found[k%maxTogether] = i
	}
}

// touch makes the slot the newest of its set.
func (c *lines) touch(i int32) {
	c.now++
	c.slots[i].stamp = c.now
}

// drop takes sectors out of a slot.
func (c *lines) drop(i int32, mask uint8) {
	c.slots[i].valid &^= mask
	c.recent.gone = c.now
}

// replace puts a line that is not here in the place of its set's oldest. It
// returns the slot, now the newest, and what was in it. This is what a miss
// costs: what is common stands here, without calls.
func (c *lines) replace(line uint64) (i int32, victim uint64, victimDirty uint8) {
	set := c.set(line)
	u := &c.usable[set]
	i = none
	if u.next < u.end {
		first := int(set) * c.ways
		o := c.order[first+int(u.next)]
		k := first + int(o&c.wayMask)
		if stamp := c.slots[k].stamp; stamp == o>>(c.wayBits&63) && stamp < c.recent.unnoted {
			u.next++
			i = int32(k)
		}
	}
	if i == none {
		i = c.oldest(set)
	}
	s := &c.slots[i]
	victim, victimDirty = s.line, s.dirty
	x := &c.index
	if victim != noLine {
		c.recent.gone = max(c.recent.gone, s.stamp)
		x.words[s.at/indexPlaces] &^= 0xff << (s.at % indexPlaces * 8)
		if x.anyPassed {
			x.unpass(victim, uint64(s.at/indexPlaces))
		}
	}
	bucket, tag := x.hash(line)
	free := zeros(x.words[bucket])
	if free == 0 {
		bucket, free = x.pass(bucket)
	}
	shift := uint(bits.TrailingZeros64(free)) &^ 7
	x.words[bucket] |= tag << (shift & 63)
	at := bucket*indexPlaces + uint64(shift/8)
	x.slots[at] = i
	c.now++
	s.line, s.stamp, s.at, s.valid, s.dirty = line, c.now, uint32(at), 0, 0
	return i, victim, victimDirty
}

// oldest returns the slot of a set that was not used for the longest time.
func (c *lines) oldest(set uint64) int32 {
	first := int(set) * c.ways
	order := c.order[first : first+c.ways]
	for u := &c.usable[set]; ; {
		for u.next < u.end {
			o := order[u.next]
			u.next++
			i := int32(first + int(o&c.wayMask))
			if c.slots[i].stamp >= c.recent.unnoted {
				c.noteAll()
			}
			if c.slots[i].stamp == o>>(c.wayBits&63) {
				return i
			}
		}
		if *u = c.sort(set); u.end == 0 {
			c.noteAll()
			*u = c.sort(set)
		}
	}
}

// sort puts the slots of a set in order of age, as far as it is noted, and
// returns those of which it is.
func (c *lines) sort(set uint64) span {
	first := int(set) * c.ways
	order := c.order[first : first+c.ways]
	for n, o := range order {
		way := o & c.wayMask
		order[n] = c.slots[first+int(way)].stamp<<(c.wayBits&63) | way
	}
	slices.Sort(order)
	end := len(order)
	for end > 0 && order[end-1]>>(c.wayBits&63) >= c.recent.unnoted {
		end--
	}
	return span{0, int32(end)}
}
