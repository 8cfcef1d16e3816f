package manifest

import (
	"fmt"
	"math"

	"hyptx/internal/strictjson"
)

// Buffer is a range of global memory that lives for the whole program.
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

// Count returns the number of elements.
func (b *Buffer) Count() int64 { return b.Bytes / int64(b.Type.Size()) }

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

// Buffer returns the buffer of that name, or nil.
func (m *Manifest) Buffer(name string) *Buffer {
	for _, b := range m.Buffers {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// buffersOf reads all buffers. Their names come first: pointers may point
// forwards.
func (r *reader) buffersOf(o object) {
	n := o.Get("buffers")
	if n == nil || !r.Expect(n, "buffers", strictjson.Map) {
		return
	}
	for _, name := range n.Keys {
		path := strictjson.KeyPath("buffers", name)
		r.checkName(name, path)
		b := &Buffer{Path: path, Name: name}
		r.buffers[name] = b
		r.m.Buffers = append(r.m.Buffers, b)
	}
	ok := true
	for i, b := range r.m.Buffers {
		ok = r.buffer(b, n.List[i]) && ok
	}
	if !ok {
		return
	}
	if err := r.m.layout(); err != nil {
		r.Add(err)
	}
	for _, b := range r.m.Buffers {
		r.checkPointers(b.Init)
	}
}

func (r *reader) buffer(b *Buffer, n *strictjson.Node) bool {
	o, ok := r.object(n, b.Path, "bytes", "type", "align", "init")
	if !ok {
		return false
	}
	typ, ok1 := o.dtype("type", NoType)
	bytes, ok2 := o.Integer("bytes", 1, int64(EndAddress-FirstAddress), -1)
	align, ok3 := o.Integer("align", 1, maxAlign, BufferAlign)
	if align&(align-1) != 0 {
		o.Fail("align", "%d is no power of two", align)
		ok3 = false
	}
	if init := o.Get("init"); init != nil {
		if b.Init = r.init(init, o.At("init")); b.Init == nil {
			return false
		}
	}
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	if b.Init != nil {
		var own int64
		if typ, own = b.Init.implied(typ); bytes < 0 {
			bytes = own
		}
	}
	if typ == NoType {
		typ = B8
	}
	b.Type, b.Bytes, b.Align = typ, bytes, align
	return r.bind(b)
}

// bind checks that the buffer has a size and that its contents fit.
func (r *reader) bind(b *Buffer) bool {
	switch {
	case b.Bytes < 0:
		r.Fail(b.Path, "lacks the key \"bytes\"; only values, files and pointers give a size of their own")
		return false
	case b.Bytes == 0:
		r.Fail(b.Path, "must hold at least one byte")
		return false
	case b.Bytes%int64(b.Type.Size()) != 0:
		r.Fail(strictjson.KeyPath(b.Path, "bytes"), "%d bytes are no whole number of %s", b.Bytes, b.Type)
		return false
	case b.Init == nil:
		return true
	}
	var err error
	if b.source, err = b.Init.Source(b.Type, b.Bytes); err != nil {
		r.Fail(b.Init.Path, "%w", err)
		return false
	}
	return true
}

// placed reports whether the buffer is sound and has its address. Where one is
// not, that was an error already and what refers to it need not be another.
func (b *Buffer) placed() bool { return b != nil && b.Base != 0 }

// layout gives the buffers their addresses.
func (m *Manifest) layout() error {
	next := FirstAddress
	for i, b := range m.Buffers {
		if i > 0 {
			next += GuardBytes
		}
		align := uint64(max(b.Align, BufferAlign))
		next = (next + align - 1) &^ (align - 1)
		if next >= EndAddress || uint64(b.Bytes) > EndAddress-next {
			return m.Errorf(b.Path, "%d bytes at %#x lie behind the end of the address space at %#x", b.Bytes, next, EndAddress)
		}
		b.Base = next
		next += uint64(b.Bytes)
	}
	return nil
}

// checkRange reports an offset that lies outside a buffer. bytes are what is
// touched there; an address alone (0 bytes) may point just behind the end.
func (r *reader) checkRange(path string, b *Buffer, offset, bytes int64) bool {
	if !b.placed() {
		return true
	}
	if offset > b.Bytes || bytes > b.Bytes-offset {
		if bytes == 0 {
			r.Fail(path, "offset %d lies outside the %d bytes of buffer %s", offset, b.Bytes, strictjson.Quoted(b.Name))
		} else {
			r.Fail(path, "bytes %d to %d lie outside the %d bytes of buffer %s", offset, offset+bytes, b.Bytes, strictjson.Quoted(b.Name))
		}
		return false
	}
	return true
}

// offset returns the offset at the key "offset", 0 if it is absent.
func (o object) offset() (int64, bool) { return o.Integer("offset", 0, math.MaxInt64, 0) }
