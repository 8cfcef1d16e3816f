package emulator

// A shadow says, for each byte of a memory, what an exact profile has to know
// of where its value comes from. It is kept only for launches in which a slice
// reads memory that matters (LaunchConfig.Track) and only by the slice's own
// accesses.
type shadow struct {
	cells []cell
	// placed: see shadowPages.
	placed bool
}

// origin is a set of reasons why a value is not exact.
type origin uint8

const (
	assumed   origin = 1 << iota // depends on data or a launch that nobody gave
	scheduled                    // depends on the order in which CTAs or warps run
)

// cell is the shadow of one byte.
type cell struct {
	from origin
	// how is the operation of the last write: plainStore, or an atomic's.
	how uint8
	// writer and reader are who touched the byte last; shared says that
	// several warps have read it since it was written.
	writer, reader stamp
	shared         bool
}

// stamp says who touched a byte and when: a warp of a CTA in a launch, and how
// many barriers of all the CTA's threads had completed by then. The zero stamp
// is nobody.
type stamp struct {
	launch uint32
	epoch  uint32
	cta    int64
	warp   int32
}

const plainStore = 1

// concurrent reports whether nothing orders two touches by different warps:
// they are in one launch, and in one CTA no barrier of all its threads lies
// between them.
func (s stamp) concurrent(t stamp) bool {
	if s.launch == 0 || s.launch != t.launch {
		return false
	}
	if s.cta != t.cta {
		return true
	}
	return s.warp != t.warp && s.epoch == t.epoch
}

// read accounts for a read of one byte and returns what its value depends on.
func (c *cell) read(by stamp) origin {
	from := c.from
	if c.writer.concurrent(by) {
		from |= scheduled
	}
	if c.reader.launch == by.launch && (c.reader.cta != by.cta || c.reader.warp != by.warp) {
		c.shared = true
	}
	c.reader = by
	return from
}

// overtaken reports whether a write now would change what a concurrent read
// has seen.
func (c *cell) overtaken(by stamp) bool {
	if c.reader.concurrent(by) {
		return true
	}
	return c.shared && c.reader.launch == by.launch && (c.reader.cta != by.cta || c.reader.epoch == by.epoch)
}

// write accounts for a write of one byte whose value depends on from. changed
// says whether the byte has a new value: where it has not, the order of two
// writes does not matter.
func (c *cell) write(by stamp, from origin, how uint8, changed bool) {
	if c.writer.concurrent(by) && changed && (how != c.how || how == plainStore) {
		from |= scheduled
	}
	if how != plainStore {
		from |= c.from // an atomic keeps what was there
	}
	c.from, c.how, c.writer, c.shared = from, how, by, false
	c.reader = stamp{}
}

// newShadow returns the shadow of n bytes that all depend on from.
func newShadow(n int64, from origin) *shadow {
	s := &shadow{cells: make([]cell, n)}
	if from != 0 {
		for i := range s.cells {
			s.cells[i].from = from
		}
	}
	return s
}

// reset makes all bytes depend on from and untouched.
func (s *shadow) reset(from origin) {
	s.placed = false
	for i := range s.cells {
		s.cells[i] = cell{from: from}
	}
}

// shadowPages are the shadows of a buffer's pages, made when touched, and the
// origins of pages that the host has written as a whole. Launches that need
// them run on one worker.
type shadowPages struct {
	pages []*shadow
	// placed: something was stored at an address that depends on the order of
	// threads, so that every byte may be another's (Program.order).
	placed bool
	whole  map[int64]origin
}

// shadowAt returns the shadow cell of a buffer's byte.
func (b *Buffer) shadowAt(off uint64) *cell {
	if b.shadow.pages == nil {
		b.shadow.pages = make([]*shadow, len(b.pages))
	}
	i := off >> pageShift
	s := b.shadow.pages[i]
	if s == nil {
		from, ok := b.shadow.whole[int64(i)]
		if !ok {
			from = b.origin()
		}
		s = newShadow(pageBytes, from)
		b.shadow.pages[i] = s
	}
	return &s.cells[off&pageMask]
}

// origin is what the buffer's initial contents depend on.
func (b *Buffer) origin() origin {
	if b.Unspecified {
		return assumed
	}
	return 0
}

// specify notes that the host has given n bytes a value.
func (b *Buffer) specify(off, n int64) {
	if !b.Unspecified && b.shadow.pages == nil {
		return
	}
	for end := off + n; off < end; {
		if off&pageMask == 0 && end-off >= pageBytes {
			if b.shadow.whole == nil {
				b.shadow.whole = map[int64]origin{}
			}
			b.shadow.whole[off>>pageShift] = 0
			if b.shadow.pages != nil {
				b.shadow.pages[off>>pageShift] = nil
			}
			off += pageBytes
			continue
		}
		*b.shadowAt(uint64(off)) = cell{}
		off++
	}
}

// CopyOrigins makes n bytes of b depend on what those of src do, for copies by
// the host.
func (b *Buffer) CopyOrigins(off int64, src *Buffer, srcOff, n int64) {
	if !src.Unspecified && src.shadow.pages == nil {
		return // all specified, as Write has noted
	}
	from := make([]origin, n)
	for i := range n {
		from[i] = src.shadowAt(uint64(srcOff + i)).from
		if src.shadow.placed {
			from[i] |= scheduled
		}
	}
	b.Unspecified = b.Unspecified || src.Unspecified
	for i := range n {
		*b.shadowAt(uint64(off + i)) = cell{from: from[i]}
	}
}
