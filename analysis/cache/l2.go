package cache

import "math/bits"

// l2 is the cache that the SMs share, with the DRAM behind it.
type l2 struct {
	lines     lines
	perLine   uint // sectors a line
	lineParts uint // lines a block
	dram      dram
	counts    Counters // L1 stays zero
}

func (c *l2) init(g Level, channels int) {
	c.perLine = uint(g.LineBytes / SectorBytes)
	c.lineParts = sectors / c.perLine
	c.lines.init(int(g.Lines())/g.Ways, g.Ways)
	c.dram = newDRAM(channels)
}

// access takes a word that an SM sent.
func (c *l2) access(word uint64) {
	kind := Kind(word >> kindShift & kindBits)
	mask := uint8(word & maskBits)
	block := word >> wordShift
	data := uint64(bits.OnesCount8(mask))
	c.counts.NoCFlits += data + 1
	if kind == Atomic {
		c.counts.NoCFlits += data - 1 // operands one way, results the other
	}
	if c.lineParts == 1 {
		c.line(block, mask, kind)
		return
	}
	for p := range c.lineParts {
		if m := mask >> (p * c.perLine) & (1<<c.perLine - 1); m != 0 {
			c.line(block*uint64(c.lineParts)+uint64(p), m, kind)
		}
	}
}

// line accesses sectors of one line.
func (c *l2) line(line uint64, mask uint8, kind Kind) {
	i := c.lines.find(line)
	if i == none {
		var victim uint64
		var dirty uint8
		i, victim, dirty = c.lines.replace(line)
		if dirty != 0 {
			c.counts.DRAMWriteSectors += uint64(bits.OnesCount8(dirty))
			c.counts.DRAMRowActivations += c.dram.access(victim / uint64(c.lineParts))
		}
	} else {
		c.lines.touch(i, line)
	}
	s := &c.lines.slots[i]
	all := uint64(bits.OnesCount8(mask))
	if kind == Store || kind == StorePart {
		hits := uint64(bits.OnesCount8(mask & (s.valid | s.dirty)))
		c.counts.L2.WriteHits += hits
		c.counts.L2.WriteMisses += all - hits
		s.dirty |= mask
		if kind == Store {
			s.valid |= mask
		}
		return
	}
	if miss := mask &^ s.valid; miss != 0 {
		n := uint64(bits.OnesCount8(miss))
		c.counts.L2.ReadMisses += n
		c.counts.DRAMReadSectors += n
		c.counts.DRAMRowActivations += c.dram.access(line / uint64(c.lineParts))
		all -= n
	}
	c.counts.L2.ReadHits += all
	s.valid |= mask
	if kind == Atomic {
		s.dirty |= mask
	}
}

// flush writes all dirty sectors back, in the order of the slots, and keeps
// the lines.
func (c *l2) flush() {
	for i := range c.lines.slots {
		s := &c.lines.slots[i]
		if s.dirty != 0 {
			c.counts.DRAMFlushSectors += uint64(bits.OnesCount8(s.dirty))
			c.counts.DRAMRowActivations += c.dram.access(s.line / uint64(c.lineParts))
			s.dirty = 0
		}
	}
}
