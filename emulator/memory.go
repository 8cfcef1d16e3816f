package emulator

import (
	"fmt"
	"sort"
	"sync"

	"hyptx/internal/traffic"
)

// The windows of generic addresses (PTX ISA 5.1, 9.7.9.20 cvta). Manifest
// buffers start at 0x7f0000000000 (manifest.FirstAddress); what the program
// does not name lies below. Each window but the globals' is 4 GiB: a thread's
// own shared, local, constant and parameter addresses are offsets into it.
const (
	moduleBase  uint64 = 0x7e0000000000 // module-scope .global variables
	sharedBase  uint64 = 0x7d0000000000
	localBase   uint64 = 0x7c0000000000
	constBase   uint64 = 0x7b0000000000
	paramBase   uint64 = 0x7a0000000000
	funcBase    uint64 = 0x790000000000 // addresses of functions: base + 16*index
	windowBytes uint64 = 1 << 32
)

// guardBytes lie between two module variables, as between buffers of a
// manifest, so that running past the end of one is seen.
const guardBytes = 256

// Memory is the global memory of a program, kept over its launches.
type Memory struct {
	mu      sync.Mutex
	buffers []*Buffer // by Base
	limit   int64     // bytes of pages that may exist
	used    int64
	nextVar uint64
}

// NewMemory returns an empty memory whose pages may take limitBytes.
func NewMemory(limitBytes int64) *Memory {
	return &Memory{limit: limitBytes, nextVar: moduleBase}
}

// LimitError says that a program needs more of something than it may have.
type LimitError struct {
	Limit  string // how much there may be, of what
	Option string // that sets the limit, "max-memory"
	Hint   string // what else may be the matter, or ""
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("more than %s needed: ", e.Limit)
	if e.Hint != "" {
		s += e.Hint + ", or "
	}
	return s + "the limit has to be raised with option " + e.Option
}

// reserve accounts for n more bytes. The caller holds mu.
func (m *Memory) reserve(n int64) error {
	if n > m.limit-m.used {
		limit := fmt.Sprintf("%d MiB of memory", m.limit>>20)
		if m.limit%(1<<20) != 0 {
			limit = fmt.Sprintf("%d B of memory", m.limit)
		}
		return &LimitError{Limit: limit, Option: "max-memory"}
	}
	m.used += n
	return nil
}

// NewFootprint returns an empty set of bytes, whose own memory counts against the
// limit until it is released.
func (m *Memory) NewFootprint() *traffic.Footprint {
	return traffic.NewFootprint(func(bytes int64) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.reserve(bytes)
	})
}

// AddBuffer places a buffer. source may be nil for zeros; unspecified marks
// contents that the program never gave.
func (m *Memory) AddBuffer(name string, base uint64, bytes int64, source Source, unspecified bool) (*Buffer, error) {
	if bytes < 0 || base+uint64(bytes) < base {
		return nil, fmt.Errorf("buffer %s: %d bytes at %#x do not fit the address space", name, bytes, base)
	}
	b := &Buffer{Name: name, Base: base, Bytes: bytes, Unspecified: unspecified, source: source, mem: m}
	// The table of a buffer's pages is there from the start: 1/8192 of its size.
	if err := m.reserve(pageCount(bytes) * 8); err != nil {
		return nil, fmt.Errorf("buffer %s: %d bytes: %w", name, bytes, err)
	}
	b.pages = makePages(bytes)
	i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].Base > base })
	if i > 0 && m.buffers[i-1].Base+uint64(m.buffers[i-1].Bytes) > base || i < len(m.buffers) && base+uint64(bytes) > m.buffers[i].Base {
		return nil, fmt.Errorf("buffer %s at %#x overlaps another", name, base)
	}
	m.buffers = append(m.buffers, nil)
	copy(m.buffers[i+1:], m.buffers[i:])
	m.buffers[i] = b
	return b, nil
}

// addVariable places a module-scope .global variable.
func (m *Memory) addVariable(name string, bytes int64, align int, source Source) (*Buffer, error) {
	a := uint64(max(align, 256))
	base := (m.nextVar + a - 1) &^ (a - 1)
	m.nextVar = base + uint64(bytes) + guardBytes
	return m.AddBuffer(name, base, bytes, source, false)
}

// find returns the buffer that holds addr, or nil.
func (m *Memory) find(addr uint64) *Buffer {
	lo, hi := 0, len(m.buffers)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if m.buffers[mid].Base <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	if b := m.buffers[lo-1]; addr-b.Base < uint64(b.Bytes) {
		return b
	}
	return nil
}

// near returns the buffer that ends last at or before addr, for messages.
func (m *Memory) near(addr uint64) *Buffer {
	i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].Base > addr })
	if i == 0 {
		return nil
	}
	return m.buffers[i-1]
}

// Read copies the bytes of b from offset on into dst, making no pages.
func (b *Buffer) Read(dst []byte, offset int64) error {
	if offset < 0 || offset+int64(len(dst)) > b.Bytes {
		return fmt.Errorf("buffer %s: bytes %d to %d lie outside its %d", b.Name, offset, offset+int64(len(dst)), b.Bytes)
	}
	for len(dst) > 0 {
		n := min(int64(len(dst)), pageBytes-offset&pageMask)
		part := dst[:n]
		if p := b.pages[offset>>pageShift].Load(); p != nil {
			copy(part, p[offset&pageMask:])
		} else if b.source != nil {
			if err := b.source.Fill(part, offset); err != nil {
				return err
			}
		} else {
			clear(part)
		}
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// Write copies src into b from offset on.
func (b *Buffer) Write(src []byte, offset int64) (err error) {
	if offset < 0 || offset+int64(len(src)) > b.Bytes {
		return fmt.Errorf("buffer %s: bytes %d to %d lie outside its %d", b.Name, offset, offset+int64(len(src)), b.Bytes)
	}
	defer catchAbort(&err)
	b.specify(offset, int64(len(src)))
	for len(src) > 0 {
		n := copy(b.pageAt(uint64(offset))[offset&pageMask:], src)
		src, offset = src[n:], offset+int64(n)
	}
	return nil
}

// catchAbort turns an abort into an error of the surrounding function.
func catchAbort(err *error) {
	switch r := recover().(type) {
	case nil:
	case *abort:
		*err = r.err
	default:
		panic(r)
	}
}
