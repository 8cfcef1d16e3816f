package manifest

import (
	"fmt"

	"hyptx/internal/strictjson"
)

// Buffer is a range of global memory that lives for the whole program: what one
// launch writes, the next one reads.
//
// A buffer without init has unspecified contents, which is not the same as zeros.
// It reads as zero, so that a program runs; but a branch or an address that
// follows from them was decided by nobody, and who reads them says so (Specified).
type Buffer struct {
	// Path is the JSON path.
	Path, Name string
	// Type of the elements, B8 if the manifest gives none.
	Type Type
	// Bytes is the size, Align the least alignment in bytes, Base the address
	// of the first byte.
	Bytes, Align int64
	Base         uint64
	// Init is nil if the contents are unspecified.
	Init *Init
	// Elastic marks the window of a pointer of whose target nothing is known.
	Elastic bool

	source Source
}

// Specified reports whether the manifest says what the buffer holds at the
// start. If not it reads as zero, and decisions on it are assumed.
func (b *Buffer) Specified() bool { return b.Init != nil }

// Fill writes the bytes that the buffer holds at the start, from offset on,
// into dst. It may be called from several goroutines at once.
func (b *Buffer) Fill(dst []byte, offset int64) error {
	if offset < 0 || offset > b.Bytes-int64(len(dst)) {
		return fmt.Errorf("buffer %s: bytes %d to %d lie outside its %d", b.Name, offset, offset+int64(len(dst)), b.Bytes)
	}
	if b.source == nil {
		clear(dst)
		return nil
	}
	if err := b.source.Fill(dst, offset); err != nil {
		return fmt.Errorf("buffer %s: %w", b.Name, err)
	}
	return nil
}

// buffersOf reads all buffers. Their names come first: pointers may point
// forwards.
func (r *reader) buffersOf(o object) {
	list := o.entries("buffers")
	for _, e := range list {
		b := &Buffer{Path: e.path, Name: e.name}
		r.buffers[e.name] = b
		r.m.Buffers = append(r.m.Buffers, b)
	}
	sound := r.Watch()
	for i, b := range r.m.Buffers {
		r.buffer(b, list[i].node)
	}
	if !sound() {
		return // without addresses, so that no offset is checked against a size that is not known
	}
	if err := r.m.layout(); err != nil {
		r.Add(err)
	}
	for _, b := range r.m.Buffers {
		r.checkPointers(b.Init)
	}
}

// buffer reads one buffer. Its type and size may follow from its contents: four
// values, or a .npy file of four numbers, need no "bytes".
func (r *reader) buffer(b *Buffer, n *strictjson.Node) {
	o, ok := r.object(n, b.Path, "bytes", "type", "align", "init")
	if !ok {
		return
	}
	sound := r.Watch()
	b.Type = o.dtype("type", NoType)
	b.Bytes = o.Integer("bytes", 1, int64(EndAddress-FirstAddress), -1)
	b.Align = o.Integer("align", 1, maxAlign, BufferAlign)
	if b.Align&(b.Align-1) != 0 {
		o.Fail("align", "%d is no power of two", b.Align)
	}
	if init := o.Get("init"); init != nil {
		b.Init = r.init(init, o.At("init"))
	}
	if !sound() {
		return
	}
	if b.Init != nil {
		var own int64
		if b.Type, own = b.Init.implied(b.Type); b.Bytes < 0 {
			b.Bytes = own
		}
	}
	if b.Type == NoType {
		b.Type = B8
	}
	r.bind(b)
}

// bind checks that the buffer has a size and that its contents fit.
func (r *reader) bind(b *Buffer) {
	switch {
	case b.Bytes < 0:
		r.Fail(b.Path, "lacks the key \"bytes\"; only values, files and pointers give a size of their own")
	case b.Bytes == 0:
		r.Fail(b.Path, "must hold at least one byte")
	case b.Bytes%int64(b.Type.Size()) != 0:
		r.Fail(strictjson.KeyPath(b.Path, "bytes"), "%d bytes are no whole number of %s", b.Bytes, b.Type)
	case b.Init != nil:
		var err error
		if b.source, err = b.Init.Source(b.Type, b.Bytes); err != nil {
			r.Fail(b.Init.Path, "%w", err)
		}
	}
}

// placed reports whether the buffer is sound and has its address. Where one is
// not, that was an error already and what refers to it need not be another.
func (b *Buffer) placed() bool { return b != nil && b.Base != 0 }

// layout gives the buffers their addresses, in the order of the file. Where a
// buffer lies decides how many sectors and sets of a cache an access touches, so
// that addresses are part of what a manifest says: the same on every machine, and
// the same after a launch was added. For buffers of 1000, 12 and 24 bytes, the
// second aligned to 4096:
//
//	0x7f0000000000  1000 bytes, then 256 of guard, which no buffer owns
//	0x7f0000001000  12 bytes
//	0x7f0000001200  24 bytes: 0x...100c + 256 = 0x...110c, up to the next 256
func (m *Manifest) layout() error {
	next, end := FirstAddress, EndAddress
	if m.narrow {
		next, end = firstNarrow, endNarrow
	}
	for i, b := range m.Buffers {
		if i > 0 {
			next += GuardBytes
		}
		align := uint64(max(b.Align, BufferAlign))
		next = (next + align - 1) &^ (align - 1)
		if next >= end || uint64(b.Bytes) > end-next {
			return m.Errorf(b.Path, "%d bytes at %#x lie behind the end of the address space at %#x", b.Bytes, next, end)
		}
		b.Base = next
		next += uint64(b.Bytes)
	}
	return nil
}

// Narrow gives the buffers addresses of 32 bits, for modules that have such.
func (m *Manifest) Narrow() error {
	m.narrow = true
	return m.layout()
}

// checkRange reports an offset that lies outside a buffer. bytes are what is
// touched there; an address alone (0 bytes) may point just behind the end, as a
// pointer to the end of an array may in C.
func (r *reader) checkRange(path string, p Pointer, bytes int64) {
	switch b := p.Buffer; {
	case !b.placed() || p.Offset <= b.Bytes && bytes <= b.Bytes-p.Offset:
	case bytes == 0:
		r.Fail(path, "offset %d lies outside the %d bytes of buffer %s", p.Offset, b.Bytes, strictjson.Quoted(b.Name))
	default:
		r.Fail(path, "bytes %d to %d lie outside the %d bytes of buffer %s", p.Offset, p.Offset+bytes, b.Bytes, strictjson.Quoted(b.Name))
	}
}
