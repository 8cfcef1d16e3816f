package emulator

import (
	"hyptx/emulator/internal/abort"
	"hyptx/internal/order"
)

// A shadow takes some 15 times the memory of the bytes that it is of, so that it
// is of less than a page of them.
const (
	shadowShift = 12
	shadowBytes = 1 << shadowShift
	shadowMask  = shadowBytes - 1
)

// bufferOrigins are the origins of a buffer's bytes: a shadow for each stretch of
// shadowBytes that an access through which origins are followed has touched, and
// the origins of stretches that the host has written as a whole. Launches that need
// them run on one worker.
type bufferOrigins struct {
	shadows []*order.Shadow
	place
	whole map[int64]order.Origin
}

// shadowAt returns the shadow of the stretch that holds a buffer's byte. Its memory
// counts against the limit.
func (b *Buffer) shadowAt(off uint64) *order.Shadow {
	if b.origins.shadows == nil {
		n := (b.Bytes + shadowMask) >> shadowShift
		b.mem.account(8 * n)
		b.origins.shadows = make([]*order.Shadow, n)
	}
	i := off >> shadowShift
	s := b.origins.shadows[i]
	if s == nil {
		s = order.NewShadow(shadowBytes, b.originOf(int64(i)), b.mem.account)
		b.origins.shadows[i] = s
	}
	return s
}

// originOf is what the bytes of a stretch without a shadow depend on.
func (b *Buffer) originOf(stretch int64) order.Origin {
	if from, ok := b.origins.whole[stretch]; ok {
		return from
	}
	return b.origin()
}

// originAt is what a byte depends on; it makes no shadow.
func (b *Buffer) originAt(off int64) (from order.Origin) {
	if i := off >> shadowShift; b.origins.shadows != nil && b.origins.shadows[i] != nil {
		from = b.origins.shadows[i].Origin(uint64(off&shadowMask), 1)
	} else {
		from = b.originOf(i)
	}
	if b.origins.stored {
		from |= order.Scheduled
	}
	return from
}

// settle makes what a launch has written depend on who met whom at its barriers.
func (m *Memory) settle(l *order.Launch) {
	for _, b := range m.buffers {
		for _, s := range b.origins.shadows {
			l.Settle(s)
		}
	}
}

// account makes bytes count against the limit of the memory, or gives them back if
// there are less than none.
func (m *Memory) account(bytes int64) {
	if err := m.budget.Reserve(bytes); err != nil {
		abort.Throw(err)
	}
}

// origin is what the buffer's initial contents depend on.
func (b *Buffer) origin() order.Origin {
	if b.Unspecified {
		return order.Assumed
	}
	return 0
}

// specify notes that the host has given n bytes a value.
func (b *Buffer) specify(off, n int64) {
	if !b.Unspecified && b.origins.shadows == nil {
		return
	}
	b.setOrigin(off, n, 0)
}

// setOrigin gives n bytes from off on an origin.
func (b *Buffer) setOrigin(off, n int64, from order.Origin) {
	for end := off + n; off < end; {
		i := off >> shadowShift
		step := min(end-off, shadowBytes-off&shadowMask)
		if step == shadowBytes {
			if b.origins.whole == nil {
				b.origins.whole = map[int64]order.Origin{}
			}
			b.origins.whole[i] = from
			if b.origins.shadows != nil && b.origins.shadows[i] != nil {
				b.origins.shadows[i].Drop()
				b.origins.shadows[i] = nil
			}
		} else {
			b.shadowAt(uint64(off)).Specify(uint64(off&shadowMask), uint64(step), from)
		}
		off += step
	}
}

// CopyOrigins makes n bytes of b depend on what those of src do, for copies by
// the host.
func (b *Buffer) CopyOrigins(off int64, src *Buffer, srcOff, n int64) (err error) {
	b.copyWritten(off, src, srcOff, n)
	if !src.Unspecified && src.origins.shadows == nil {
		return nil // all specified, as Write has noted
	}
	defer abort.Catch(&err)
	from := make([]order.Origin, n)
	for i := range n {
		from[i] = src.originAt(srcOff + i)
	}
	b.Unspecified = b.Unspecified || src.Unspecified
	for i := int64(0); i < n; {
		run := int64(1)
		for i+run < n && from[i+run] == from[i] {
			run++
		}
		b.setOrigin(off+i, run, from[i])
		i += run
	}
	return nil
}

// Scheduled reports whether any of n bytes at an offset may depend on the order
// in which threads ran, as far as programs with vary.Variation.Order saw.
func (b *Buffer) Scheduled(off, n int64) bool {
	if b.origins.shadows == nil {
		return false
	}
	if b.origins.stored {
		return true
	}
	for end := off + n; off < end; off++ {
		if s := b.origins.shadows[off>>shadowShift]; s != nil && s.Origin(uint64(off&shadowMask), 1)&byOrderOnly != 0 {
			return true
		}
	}
	return false
}
