package cache

import (
	"math/bits"

	"hyptx/internal/rows"
	"hyptx/internal/traffic/stream"
)

// l2 is the cache that the SMs share, with the DRAM behind it.
type l2 struct {
	lines lines
	dram  dram
	// rows are those of DRAM as its controllers open them, nil if that is not known; grain the sectors
	// that it moves at least.
	rows  *rows.Rows
	grain int
	// written are the bytes of a slot's sectors that stores of parts wrote; masks
	// those of the block that is accessed.
	written [][sectors]uint32
	masks   stream.Masks
	counts  Counters // L1 stays zero
	watch   func(block uint64, sectors uint8)
	only    bool // nothing but watch
}

// l2RecentBits: the loads of several blocks that the L2 remembers, 2^12.
const l2RecentBits = 12

func (c *l2) init(g Level, channels int) {
	c.lines.init(g)
	c.lines.recent.init(l2RecentBits)
	c.written = make([][sectors]uint32, g.Lines())
	c.dram, c.grain = newDRAM(channels), 1
}

// access takes a word that an SM sent.
func (c *l2) access(word stream.Word) {
	kind, mask, block := word.Kind(), word.Sectors(), word.Block()
	if c.watch != nil {
		c.watch(block, mask)
	}
	if c.only {
		return
	}
	data := uint64(bits.OnesCount8(mask))
	c.counts.NoCFlits += data + 1
	if kind == stream.Atomic {
		c.counts.NoCFlits += data - 1 // operands one way, results the other
	}
	if c.lines.parts == 1 {
		c.line(block, mask, kind, 0)
		return
	}
	for p := range c.lines.parts {
		if m := mask >> (p * c.lines.perLine) & (1<<c.lines.perLine - 1); m != 0 {
			c.line(block*uint64(c.lines.parts)+uint64(p), m, kind, p*c.lines.perLine)
		}
	}
}

// request does a request of several blocks, all of which an SM sent.
func (c *l2) request(head stream.Word, shape uint32) {
	kind := head.Kind()
	load := kind == stream.Load || kind == stream.LoadPast
	if load && c.watch == nil { // who watches hears of each block
		if l := c.lines.again(head, shape); l != nil {
			c.counts.L2.ReadHits += uint64(l.sectors)
			c.counts.NoCFlits += uint64(l.sectors + l.blocks)
			return
		}
	}
	stamp := c.lines.now + 1
	for _, b := range c.lines.recent.shapes.Shape(shape) {
		c.access(head.Part(b))
	}
	if load && !c.only {
		c.lines.remember(head, shape, stamp)
	}
}

// line accesses sectors of one line, which begins at a sector of its block.
func (c *l2) line(line uint64, mask uint8, kind stream.Kind, begin uint) {
	i := c.lines.find(line)
	if i == none {
		var victim uint64
		var dirty uint8
		i, victim, dirty = c.lines.replace(line)
		c.written[i] = [sectors]uint32{}
		c.counts.L2Fills++
		if dirty != 0 {
			c.counts.DRAMWriteSectors += uint64(bits.OnesCount8(dirty))
			c.counts.DRAMRowActivations += c.dram.access(victim / uint64(c.lines.parts))
			c.move(victim, dirty)
		}
	} else {
		c.lines.touch(i)
	}
	s := &c.lines.slots[i]
	all := uint64(bits.OnesCount8(mask))
	if kind == stream.Store || kind == stream.StorePart {
		hits := uint64(bits.OnesCount8(mask & (s.valid | s.dirty)))
		c.counts.L2.WriteHits += hits
		c.counts.L2.WriteMisses += all - hits
		c.counts.DirtiedSectors += uint64(bits.OnesCount8(mask &^ s.dirty))
		s.dirty |= mask
		if kind == stream.StorePart {
			mask = c.complete(i, mask, begin)
		}
		s.valid |= mask
		return
	}
	if miss := mask &^ s.valid; miss != 0 {
		n := uint64(bits.OnesCount8(miss))
		c.counts.L2.ReadMisses += n
		c.counts.DRAMReadSectors += n
		c.counts.DRAMRowActivations += c.dram.access(line / uint64(c.lines.parts))
		c.move(line, miss&^rows.Whole(s.valid, c.grain))
		all -= n
	}
	c.counts.L2.ReadHits += all
	s.valid |= mask
	if kind == stream.Atomic {
		c.counts.DirtiedSectors += uint64(bits.OnesCount8(mask &^ s.dirty))
		s.dirty |= mask
	}
}

// move moves sectors of a line between here and DRAM.
func (c *l2) move(line uint64, mask uint8) {
	if mask == 0 || c.rows == nil {
		return
	}
	c.counts.DRAMAccesses += uint64(bits.OnesCount8(rows.Whole(mask, c.grain)) / c.grain)
	if !c.rows.Open(line / uint64(c.lines.parts)) {
		c.counts.DRAMAccessRows++
	}
}

// complete notes the bytes that were written of a slot's sectors and returns
// the sectors of which all are.
func (c *l2) complete(i int32, mask uint8, begin uint) (whole uint8) {
	for n := range uint(sectors) {
		if mask>>n&1 == 0 {
			continue
		}
		w := &c.written[i][n]
		if *w |= c.masks.Sector(begin + n); *w == 1<<32-1 {
			whole |= 1 << n
		}
	}
	return whole
}

// flush writes all dirty sectors back, in the order of the slots, and keeps
// the lines.
func (c *l2) flush() {
	for i := range c.lines.slots {
		s := &c.lines.slots[i]
		if s.dirty != 0 {
			c.counts.DRAMFlushSectors += uint64(bits.OnesCount8(s.dirty))
			c.counts.DRAMRowActivations += c.dram.access(s.line / uint64(c.lines.parts))
			s.dirty = 0
		}
	}
}

// resident returns what is here.
func (c *l2) resident() (r Resident) {
	for set := 0; set < len(c.lines.slots); set += c.lines.ways {
		lines := r.Lines
		for _, s := range c.lines.slots[set : set+c.lines.ways] {
			if s.line != noLine {
				r.Lines++
				r.DirtySectors += int64(bits.OnesCount8(s.dirty))
			}
		}
		if r.Lines > lines {
			r.Sets++
		}
	}
	return r
}
