package emulator

import (
	"fmt"
	"slices"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/pages"
	"hyptx/internal/traffic"
)

// guardBytes lie between two module variables, as between buffers of a
// manifest, so that running past the end of one is seen.
const guardBytes = 256

// Global memory is a list of buffers in the order of their addresses: those of a
// manifest where it puts them, variables of modules behind each other. Addresses
// between them are no memory, so that a wrong pointer is a fault and not a value.
// What a buffer holds lies in pages that are made when touched (package pages), and
// stays over the launches of a program.

// Memory is the global memory of a program, kept over its launches.
type Memory struct {
	buffers []*Buffer // by Base
	budget  *pages.Budget
	// Checks: buffers of unspecified contents know which of their bytes were written.
	Checks bool
	// nextVar is where the next variable of a module goes, nextNarrow where addresses
	// have 32 bits.
	nextVar, nextNarrow uint64
}

// newMemory returns an empty memory whose pages may take limitBytes.
func newMemory(limitBytes int64) *Memory {
	return &Memory{budget: pages.NewBudget(limitBytes), nextVar: address.Module, nextNarrow: address.Narrow}
}

// Source gives the initial contents of a buffer.
type Source = pages.Source

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
	// Watched: decisions of some launch read from it, so that a store of a program
	// that counts traffic, but of which no value is followed, is noted in it.
	Watched bool

	table   *pages.Table
	mem     *Memory
	origins bufferOrigins
	check   bufferCheck
}

// LimitError says that a program needs more of something than it may have.
type LimitError = pages.LimitError

// Reserve makes bytes that are kept elsewhere count against the limit.
func (m *Memory) Reserve(bytes int64) error { return m.budget.Reserve(bytes) }

// NewFootprint returns an empty set of bytes, whose own memory counts against the
// limit until it is released.
func (m *Memory) NewFootprint() *traffic.Footprint { return traffic.NewFootprint(m.budget.Reserve) }

// AddBuffer places a buffer. source may be nil for zeros; unspecified marks
// contents that the program never gave.
func (m *Memory) AddBuffer(name string, base uint64, bytes int64, source Source, unspecified bool) (*Buffer, error) {
	if bytes < 0 || base+uint64(bytes) < base {
		return nil, fmt.Errorf("buffer %s: %d bytes at %#x do not fit the address space", name, bytes, base)
	}
	table, err := pages.NewTable(bytes, source, m.budget)
	if err != nil {
		return nil, fmt.Errorf("buffer %s: %d bytes: %w", name, bytes, err)
	}
	b := &Buffer{Name: name, Base: base, Bytes: bytes, Unspecified: unspecified, table: table, mem: m}
	i := m.above(base)
	if i > 0 && m.buffers[i-1].Base+uint64(m.buffers[i-1].Bytes) > base || i < len(m.buffers) && base+uint64(bytes) > m.buffers[i].Base {
		return nil, fmt.Errorf("buffer %s at %#x overlaps another", name, base)
	}
	if m.Checks && unspecified {
		if err := b.expectWrites(); err != nil {
			return nil, fmt.Errorf("buffer %s: %d bytes: %w", name, bytes, err)
		}
	}
	m.buffers = slices.Insert(m.buffers, i, b)
	return b, nil
}

// addVariable places a module-scope .global variable.
func (m *Memory) addVariable(name string, bytes int64, align int, narrow bool) (*Buffer, error) {
	a, next := uint64(max(align, 256)), &m.nextVar
	if narrow {
		next = &m.nextNarrow
	}
	base := (*next + a - 1) &^ (a - 1)
	*next = base + uint64(bytes) + guardBytes
	if narrow && *next > address.NarrowEnd {
		return nil, fmt.Errorf("variable %s of %d bytes lies behind the end of those with 32-bit addresses at %#x", name, bytes, address.NarrowEnd)
	}
	b, err := m.AddBuffer(name, base, bytes, nil, false)
	if err == nil {
		b.Watched = true
	}
	return b, err
}

// above returns how many buffers begin at or below addr: the index of the first
// one above it.
func (m *Memory) above(addr uint64) int {
	lo, hi := 0, len(m.buffers)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if m.buffers[mid].Base <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// find returns the buffer that holds addr, or nil.
func (m *Memory) find(addr uint64) *Buffer {
	if b := m.near(addr); b != nil && addr-b.Base < uint64(b.Bytes) {
		return b
	}
	return nil
}

// near returns the buffer that begins last at or before addr, for messages.
func (m *Memory) near(addr uint64) *Buffer {
	if i := m.above(addr); i > 0 {
		return m.buffers[i-1]
	}
	return nil
}

// Read copies the bytes of b from offset on into dst, making no pages.
func (b *Buffer) Read(dst []byte, offset int64) error {
	if err := b.checkRange(offset, int64(len(dst))); err != nil {
		return err
	}
	return b.table.Read(dst, offset)
}

// ReadAt is Read for [io.ReaderAt].
func (b *Buffer) ReadAt(dst []byte, offset int64) (int, error) {
	if err := b.Read(dst, offset); err != nil {
		return 0, err
	}
	return len(dst), nil
}

// Write copies src into b from offset on.
func (b *Buffer) Write(src []byte, offset int64) (err error) {
	if err := b.checkRange(offset, int64(len(src))); err != nil {
		return err
	}
	defer abort.Catch(&err)
	b.specify(offset, int64(len(src)))
	b.setWritten(offset, int64(len(src)), true)
	b.table.Write(src, offset)
	return nil
}

func (b *Buffer) checkRange(offset, bytes int64) error {
	if offset < 0 || offset+bytes > b.Bytes {
		return fmt.Errorf("buffer %s: bytes %d to %d lie outside its %d", b.Name, offset, offset+bytes, b.Bytes)
	}
	return nil
}

func alignUp(n, align int64) int64 { return (n + align - 1) / align * align }
