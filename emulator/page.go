package emulator

import (
	"encoding/binary"
	"sync/atomic"
)

// pageBytes is the grain in which global memory comes into being.
const (
	pageShift = 16
	pageBytes = 1 << pageShift
	pageMask  = pageBytes - 1
)

// page is a piece of a buffer. Aligned accesses never cross one.
type page [pageBytes]byte

func (p *page) load32(off uint64) uint32 { return binary.LittleEndian.Uint32(p[off&pageMask:]) }
func (p *page) load64(off uint64) uint64 { return binary.LittleEndian.Uint64(p[off&pageMask:]) }
func (p *page) store32(off uint64, v uint32) {
	binary.LittleEndian.PutUint32(p[off&pageMask:], v)
}

// Source gives the initial contents of a buffer.
type Source interface {
	// Fill writes the bytes of the buffer from offset on into dst.
	Fill(dst []byte, offset int64) error
}

// Buffer is a range of global memory that is whole for a program: a buffer of
// the manifest or a module-scope variable. Its pages are made when touched.
type Buffer struct {
	Name string
	// Base is the address of the first byte, Bytes the size.
	Base  uint64
	Bytes int64
	// Unspecified: the program never said what it holds before it is written.
	Unspecified bool
	// ReadUnspecified: a launch that follows origins has read bytes that were
	// never given a value.
	ReadUnspecified bool

	source  Source // nil: zeros
	pages   []atomic.Pointer[page]
	mem     *Memory
	origins pageOrigins
}

// makePages returns the page table of a buffer of the given size.
func makePages(bytes int64) []atomic.Pointer[page] {
	return make([]atomic.Pointer[page], pageCount(bytes))
}

// pageCount returns the number of pages that hold so many bytes.
func pageCount(bytes int64) int64 { return bytes>>pageShift + min(bytes&pageMask, 1) }

// pageAt returns the page that holds byte off, made if need be.
func (b *Buffer) pageAt(off uint64) *page {
	if p := b.pages[off>>pageShift].Load(); p != nil {
		return p
	}
	return b.touch(off)
}

// touch makes the page that holds byte off. It panics with *memoryLimit or
// *sourceError, which the engine turns into the launch's error: a page is
// missing in the middle of an instruction, where no error can be returned
// without costing every access.
func (b *Buffer) touch(off uint64) *page {
	m := b.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	i := off >> pageShift
	if p := b.pages[i].Load(); p != nil {
		return p
	}
	if err := m.reserve(pageBytes); err != nil {
		panic(&abort{err})
	}
	p := new(page)
	if b.source != nil {
		start := int64(i) << pageShift
		n := min(b.Bytes-start, pageBytes)
		if err := b.source.Fill(p[:n], start); err != nil {
			panic(&abort{err})
		}
	}
	b.pages[i].Store(p)
	return p
}

// abort carries an error out of an instruction to the engine.
type abort struct{ err error }
