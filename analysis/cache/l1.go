package cache

import "math/bits"

// l1 is the cache of one SM.
type l1 struct {
	lines     lines
	present   bool
	perLine   uint // sectors a line
	policy    WritePolicy
	counts    LevelCounters
	lineParts uint // lines a block
	// granule is the mask of sectors that are fetched together, the first ones.
	granule uint8
}

// init empties the cache and gives it a geometry.
func (c *l1) init(g Level, policy WritePolicy) {
	c.policy, c.present = policy, g.SizeBytes > 0
	if c.present {
		c.perLine = uint(g.LineBytes / SectorBytes)
		c.lineParts = sectors / c.perLine
		c.granule = 1<<(g.SectorBytes/SectorBytes) - 1
		c.lines.init(int(g.Lines())/g.Ways, g.Ways)
	}
}

// access takes a word of the stream. It returns the word for the L2, 0 if it
// has nothing to do.
func (c *l1) access(word uint64) uint64 {
	if !c.present {
		return word
	}
	kind := Kind(word >> kindShift & kindBits)
	mask := uint8(word & maskBits)
	block := word >> wordShift
	if c.lineParts == 1 {
		mask = c.line(block, mask, kind)
	} else {
		mask = c.parts(block, mask, kind)
	}
	if mask == 0 {
		return 0
	}
	return word&^maskBits | uint64(mask)
}

// maxTogether is how many blocks of a request are looked up together.
const maxTogether = 32

// hitAll does a load whose sectors are all here; if one is not, it does
// nothing. Most loads hit, and look-ups that do not wait for each other's
// updates are faster.
func (c *l1) hitAll(head uint64, blocks []uint64) bool {
	if len(blocks) > maxTogether || !c.present || c.lineParts != 1 {
		return false
	}
	var found [maxTogether]int32
	hits := 0
	for k, b := range blocks {
		word := head + b
		i := c.lines.find(word >> wordShift)
		if i == none || uint8(word&maskBits)&^c.lines.slots[i].valid != 0 {
			return false
		}
		found[k] = i
		hits += bits.OnesCount64(word & maskBits)
	}
	c.counts.ReadHits += uint64(hits)
	for k, b := range blocks {
		c.lines.touch(found[k], (head+b)>>wordShift)
	}
	return true
}

// parts is line for lines smaller than a block.
func (c *l1) parts(block uint64, mask uint8, kind Kind) (out uint8) {
	for p := range c.lineParts {
		shift := p * c.perLine
		if m := mask >> shift & (1<<c.perLine - 1); m != 0 {
			out |= c.line(block*uint64(c.lineParts)+uint64(p), m, kind) << shift
		}
	}
	return out
}

// line accesses sectors of one line and returns those that go on to the L2.
func (c *l1) line(line uint64, mask uint8, kind Kind) uint8 {
	i := c.lines.find(line)
	switch kind {
	case Load:
		if i == none {
			i, _, _ = c.lines.replace(line)
		} else {
			c.lines.touch(i, line)
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
	case LoadPast:
		return mask
	case Atomic:
		if i != none {
			c.lines.slots[i].valid &^= mask
		}
		return mask
	}
	c.write(i, line, mask, kind)
	return mask
}

// widen adds to sectors those that are fetched with them.
func (c *l1) widen(mask uint8) (out uint8) {
	for i := 0; i < int(c.perLine); i += bits.OnesCount8(c.granule) {
		if g := c.granule << i; mask&g != 0 {
			out |= g
		}
	}
	return out
}

// write is a store to the line in slot i, if it is there.
func (c *l1) write(i int32, line uint64, mask uint8, kind Kind) {
	keep := c.policy == Allocate && kind == Store
	hits := uint8(0)
	switch {
	case i != none:
		hits = mask & c.lines.slots[i].valid
		c.lines.touch(i, line)
	case keep:
		i, _, _ = c.lines.replace(line)
	}
	switch {
	case keep:
		c.lines.slots[i].valid |= mask
	case c.policy == Evict && i != none:
		c.lines.slots[i].valid &^= mask
	}
	n := uint64(bits.OnesCount8(hits))
	c.counts.WriteHits += n
	c.counts.WriteMisses += uint64(bits.OnesCount8(mask)) - n
}
