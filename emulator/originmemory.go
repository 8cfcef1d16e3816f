package emulator

// byteOrigins are the origins of the bytes of a shared or local memory, or of a
// page of a buffer. Only the slice's own accesses keep them.
type byteOrigins struct {
	bytes []byteOrigin
	// placed: see pageOrigins.
	placed bool
}

// newByteOrigins returns the origins of n bytes that all depend on from.
func newByteOrigins(n int64, from origin) *byteOrigins {
	s := &byteOrigins{bytes: make([]byteOrigin, n)}
	if from != 0 {
		for i := range s.bytes {
			s.bytes[i].from = from
		}
	}
	return s
}

// reset makes all bytes depend on from and untouched.
func (s *byteOrigins) reset(from origin) {
	s.placed = false
	for i := range s.bytes {
		s.bytes[i] = byteOrigin{from: from}
	}
}

// pageOrigins are the origins of a buffer's pages, made when touched, and the
// origins of pages that the host has written as a whole. Launches that need
// them run on one worker.
type pageOrigins struct {
	pages []*byteOrigins
	// placed: something was stored at an address that depends on the order of
	// threads, so that every byte may be another's (Program.order).
	placed bool
	whole  map[int64]origin
}

// originAt returns the origin of a buffer's byte.
func (b *Buffer) originAt(off uint64) *byteOrigin {
	if b.origins.pages == nil {
		b.origins.pages = make([]*byteOrigins, len(b.pages))
	}
	i := off >> pageShift
	s := b.origins.pages[i]
	if s == nil {
		from, ok := b.origins.whole[int64(i)]
		if !ok {
			from = b.origin()
		}
		s = newByteOrigins(pageBytes, from)
		b.origins.pages[i] = s
	}
	return &s.bytes[off&pageMask]
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
	if !b.Unspecified && b.origins.pages == nil {
		return
	}
	for end := off + n; off < end; {
		if off&pageMask == 0 && end-off >= pageBytes {
			if b.origins.whole == nil {
				b.origins.whole = map[int64]origin{}
			}
			b.origins.whole[off>>pageShift] = 0
			if b.origins.pages != nil {
				b.origins.pages[off>>pageShift] = nil
			}
			off += pageBytes
			continue
		}
		*b.originAt(uint64(off)) = byteOrigin{}
		off++
	}
}

// CopyOrigins makes n bytes of b depend on what those of src do, for copies by
// the host.
func (b *Buffer) CopyOrigins(off int64, src *Buffer, srcOff, n int64) {
	if !src.Unspecified && src.origins.pages == nil {
		return // all specified, as Write has noted
	}
	from := make([]origin, n)
	for i := range n {
		from[i] = src.originAt(uint64(srcOff + i)).from
		if src.origins.placed {
			from[i] |= scheduled
		}
	}
	b.Unspecified = b.Unspecified || src.Unspecified
	for i := range n {
		*b.originAt(uint64(off + i)) = byteOrigin{from: from[i]}
	}
}

// Scheduled reports whether any of n bytes at an offset may depend on the order
// in which threads ran, as far as programs with vary.Variation.Order saw.
func (b *Buffer) Scheduled(off, n int64) bool {
	if b.origins.pages == nil {
		return false
	}
	if b.origins.placed {
		return true
	}
	for end := off + n; off < end; off++ {
		if s := b.origins.pages[off>>pageShift]; s != nil && s.bytes[off&pageMask].from&scheduled != 0 {
			return true
		}
	}
	return false
}
