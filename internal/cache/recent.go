package cache

import "hyptx/internal/traffic/stream"

// recent are the loads that a cache did of late. Warps ask for the same lines
// again and again: other warps for the same weights, a warp for the next word
// of each line. A load all of whose lines are certain to be there still is done
// at once, however many lines it has, and the stamps of its lines are noted
// later: when it matters how old they are, or when another load takes its
// place in the table.
type recent struct {
	table []recentLoad // 2^bits
	bits  uint
	// gone: a line that was last used before or at this stamp may have been
	// replaced, or lost sectors; none that was used later has.
	gone uint64
	// unnoted is a stamp before which no line has one that is not noted; waiting
	// are the loads with lines that may.
	unnoted uint64
	waiting []int32
	shapes  *stream.View
}

// recentLoad is a load of several blocks.
type recentLoad struct {
	head            stream.Word
	shape           uint32
	sectors, blocks uint32
	stale           bool // its last stamps are not noted
	waits           bool // it is one of those waiting
	// last is the stamp of its first line when it was last done, the others'
	// follow it; noted is that at which it was last noted.
	last, noted uint64
}

// allNoted is a stamp that does not come.
const allNoted = ^uint64(0)

// init forgets all; the table has 2^bits loads.
func (r *recent) init(bits uint) {
	if r.table == nil {
		r.table, r.bits = make([]recentLoad, 1<<bits), bits
	}
	clear(r.table)
	r.gone, r.unnoted, r.waiting = 0, allNoted, r.waiting[:0]
}

// place returns where a load stands in the table.
func (r *recent) place(head stream.Word, shape uint32) int32 {
	h := (uint64(head) ^ uint64(shape)*0xBF58476D1CE4E5B9) * fibonacci
	return int32(h >> (64 - r.bits))
}

// again does a load that is certain to hit; it returns nil for one that has to
// be done line by line.
func (c *lines) again(head stream.Word, shape uint32) *recentLoad {
	r := &c.recent
	k := r.place(head, shape)
	l := &r.table[k]
	if l.head != head || l.shape != shape || l.last <= r.gone {
		return nil
	}
	if !l.stale {
		l.stale = true
		if !l.waits {
			l.waits = true
			r.waiting = append(r.waiting, k)
		}
		r.unnoted = min(r.unnoted, l.noted)
	}
	l.last = c.now + 1
	c.now += uint64(l.blocks) * uint64(c.parts)
	return l
}

// remember keeps a load that was done line by line, the first of them with a
// stamp.
func (c *lines) remember(head stream.Word, shape uint32, stamp uint64) {
	r := &c.recent
	l := &r.table[r.place(head, shape)]
	if l.stale {
		c.note(l)
	}
	*l = recentLoad{head: head, shape: shape, waits: l.waits, last: stamp, noted: stamp}
	l.sectors, l.blocks = r.shapes.Size(shape)
}

// noteAll notes when all lines were last used.
func (c *lines) noteAll() {
	r := &c.recent
	for _, k := range r.waiting {
		l := &r.table[k]
		if l.stale {
			c.note(l)
		}
		l.waits = false
	}
	r.waiting, r.unnoted = r.waiting[:0], allNoted
}

// forget forgets the loads, since those of the next launch have other shapes.
func (c *lines) forget() {
	c.noteAll()
	clear(c.recent.table)
}

// note notes when the lines of a load were last used.
func (c *lines) note(l *recentLoad) {
	stamp := l.last
	for _, b := range c.recent.shapes.Shape(l.shape) {
		word := l.head.Part(b)
		for p := range c.parts {
			if word.Sectors()>>(p*c.perLine)&(1<<c.perLine-1) == 0 {
				continue
			}
			s := &c.slots[c.find(word.Block()*uint64(c.parts)+uint64(p))]
			s.stamp = max(s.stamp, stamp)
			stamp++
		}
	}
	l.noted, l.stale = l.last, false
}
