package cache

import (
	"math/bits"

	"hyptx/internal/traffic/stream"
)

// l1 is the cache of one SM.
type l1 struct {
	lines   lines
	present bool
	policy  WritePolicy
	counts  LevelCounters
	// granule is the mask of sectors that are fetched together, the first ones.
	granule uint8
}

// l1RecentBits: the loads of several blocks that an L1 remembers, 2^8.
const l1RecentBits = 8

// init empties the cache and gives it a geometry.
func (c *l1) init(g Level, policy WritePolicy) {
	c.policy, c.present = policy, g.SizeBytes > 0
	if c.present {
		c.granule = 1<<(g.SectorBytes/SectorBytes) - 1
		c.lines.init(g)
		c.lines.recent.init(l1RecentBits)
	}
}

// access takes a word of the stream. It returns the word for the L2, 0 if it
// has nothing to do.
func (c *l1) access(word stream.Word) stream.Word {
	if !c.present {
		return word
	}
	kind, mask, block := word.Kind(), word.Sectors(), word.Block()
	if c.lines.parts == 1 {
		mask = c.line(block, mask, kind)
	} else {
		mask = c.parts(block, mask, kind)
	}
	if mask == 0 {
		return 0
	}
	return word.Only(mask)
}

// maxTogether is how many blocks of a request are looked up together.
const maxTogether = 32

// together reports whether load does the blocks of a request.
func (c *l1) together(blocks []stream.Word) bool {
	return len(blocks) <= maxTogether && c.lines.parts == 1 && c.granule == 1
}

// load reads the blocks of a request. It writes which sectors are missing and
// reports whether all are. Look-ups that do not wait for each other's updates
// are faster.
func (c *l1) load(head stream.Word, blocks []stream.Word, missing *[maxTogether]uint8) (whole bool) {
	var found [maxTogether]int32
	c.lines.findAll(head, blocks, &found)
	all, misses := 0, 0
	for k, b := range blocks {
		line, mask := head.Part(b).Block(), b.Sectors()
		i := found[k%maxTogether]
		if i == none || c.lines.slots[i].line != line { // one before it may have replaced it
			i, _, _ = c.lines.replace(line)
		} else {
			c.lines.touch(i)
		}
		s := &c.lines.slots[i]
		miss := mask &^ s.valid
		s.valid |= mask
		missing[k%maxTogether] = miss
		all += bits.OnesCount64(uint64(mask))
		misses += bits.OnesCount64(uint64(miss))
	}
	c.counts.ReadMisses += uint64(misses)
	c.counts.ReadHits += uint64(all - misses)
	return misses == all
}

// parts is line for lines smaller than a block.
func (c *l1) parts(block uint64, mask uint8, kind stream.Kind) (out uint8) {
	for p := range c.lines.parts {
		shift := p * c.lines.perLine
		if m := mask >> shift & (1<<c.lines.perLine - 1); m != 0 {
			out |= c.line(block*uint64(c.lines.parts)+uint64(p), m, kind) << shift
		}
	}
	return out
}

// line accesses sectors of one line and returns those that go on to the L2.
func (c *l1) line(line uint64, mask uint8, kind stream.Kind) uint8 {
	i := c.lines.find(line)
	switch kind {
	case stream.Load:
		if i == none {
			i, _, _ = c.lines.replace(line)
		} else {
			c.lines.touch(i)
		}
		s := &c.lines.slots[i]
		miss := mask &^ s.valid
		n := uint64(bits.OnesCount8(miss))
		c.counts.ReadMisses += n
		c.counts.ReadHits += uint64(bits.OnesCount8(mask)) - n
		if c.granule > 1 {
			miss = c.widen(miss) &^ s.valid
		}
		s.valid |= miss
		return miss
	case stream.LoadPast:
		return mask
	case stream.Atomic:
		if i != none {
			c.lines.drop(i, mask)
		}
		return mask
	}
	c.write(i, line, mask, kind)
	return mask
}

// widen adds to sectors those that are fetched with them.
func (c *l1) widen(mask uint8) (out uint8) {
	for i := 0; i < int(c.lines.perLine); i += bits.OnesCount8(c.granule) {
		if g := c.granule << i; mask&g != 0 {
			out |= g
		}
	}
	return out
}

// write is a store to the line in slot i, if it is there.
func (c *l1) write(i int32, line uint64, mask uint8, kind stream.Kind) {
	keep := c.policy == Allocate && kind == stream.Store
	hits := uint8(0)
	switch {
	case i != none:
		hits = mask & c.lines.slots[i].valid
		c.lines.touch(i)
	case keep:
		i, _, _ = c.lines.replace(line)
	}
	switch {
	case keep:
		c.lines.slots[i].valid |= mask
	case c.policy == Evict && i != none:
		c.lines.drop(i, mask)
	}
	n := uint64(bits.OnesCount8(hits))
	c.counts.WriteHits += n
	c.counts.WriteMisses += uint64(bits.OnesCount8(mask)) - n
}
