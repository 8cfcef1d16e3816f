package pages

import (
	"sync/atomic"

	"hyptx/emulator/internal/abort"
)

// Bytes is the size of a page. An access of at most 16 aligned bytes, which is
// all that PTX has, never crosses one.
const (
	Shift = 16
	Bytes = 1 << Shift
	Mask  = Bytes - 1
)

// Page is a piece of a buffer; the last one of a buffer may be longer than what
// is left of it, and nothing is ever there.
type Page [Bytes]byte

// Source gives the initial contents of a buffer.
type Source interface {
	// Fill writes the bytes of the buffer from offset on into dst.
	Fill(dst []byte, offset int64) error
}

// Table is a buffer's memory: a page for each 64 KiB of it, nil until touched. The list of
// pages is made when a launch begins or the host writes ([Table.Ready]), and is one of the
// first pages until another is touched: each pointer of each kernel of a bare file would
// take half a megabyte.
type Table struct {
	pages []atomic.Pointer[Page]
	// all are all pages, those of pages among them, nil until one behind these is touched.
	all    atomic.Pointer[[]atomic.Pointer[Page]]
	bytes  int64
	source Source // nil: zeros
	budget *Budget
	// base is the table that this is a view of, nil if it is none; own are the
	// pages that were written through the view.
	base *Table
	own  []bool
}

// NewTable returns the table of a buffer of so many bytes; its own size counts
// against the budget.
func NewTable(bytes int64, source Source, budget *Budget) (*Table, error) {
	t := &Table{bytes: bytes, source: source, budget: budget}
	if err := budget.Reserve(int64(t.Len()) * 8); err != nil {
		return nil, err
	}
	return t, nil
}

// firstPages is how many pages the list has at first: those of 64 MiB.
const firstPages = 1 << 10

// Ready makes the list of pages. It stands before everything but [Table.Read] and
// [Table.Write], and no worker may run yet.
func (t *Table) Ready() {
	if t.pages == nil {
		t.pages = make([]atomic.Pointer[Page], min(t.Len(), firstPages))
	}
}

// View returns a table that reads as t does now and keeps to itself what is
// written to it: page by page, when it is written first. One worker may use it,
// beside others that use other views of t, as long as nobody writes to t. It aborts
// the launch if there is no memory for it.
func (t *Table) View() *Table {
	n := t.Len()
	if err := t.budget.Reserve(int64(n) * viewBytes); err != nil {
		abort.Throw(err)
	}
	return &Table{pages: make([]atomic.Pointer[Page], n), bytes: t.bytes, budget: t.budget, base: t, own: make([]bool, n)}
}

// viewBytes is what a view takes for a page that it does not own.
const viewBytes = 8 + 1

// Owned returns the page that holds byte off if it was written through the view.
func (t *Table) Owned(off uint64) *Page {
	if i := off >> Shift; t.own[i] {
		return t.pages[i].Load()
	}
	return nil
}

// Drop gives back the memory of a view.
func (t *Table) Drop() {
	bytes := int64(len(t.pages)) * viewBytes
	for _, own := range t.own {
		if own {
			bytes += Bytes
		}
	}
	_ = t.budget.Reserve(-bytes) // there is always room for less
	t.pages, t.own = nil, nil
}

// SetSource says what fills pages; none is there yet.
func (t *Table) SetSource(s Source) { t.source = s }

// Size returns how many bytes the buffer has.
func (t *Table) Size() uint64 { return uint64(t.bytes) }

// Len returns the number of pages that the buffer has when all are touched.
func (t *Table) Len() int { return int(t.bytes>>Shift + min(t.bytes&Mask, 1)) }

// Present returns the pages that were touched, nil for others: for loops over lanes,
// to which At, a call, is too slow.
func (t *Table) Present() Present {
	if all := t.all.Load(); all != nil {
		return *all
	}
	return t.pages
}

// Present are the pages of a table, or the first of them.
type Present []atomic.Pointer[Page]

// At returns the page that holds byte off, nil if it was never touched, or since.
func (p Present) At(off uint64) *Page {
	if i := off >> Shift; i < uint64(len(p)) {
		return p[i].Load()
	}
	return nil
}

// At returns the page that holds byte off of the buffer, made if need be.
func (t *Table) At(off uint64) *Page {
	if p := t.Present().At(off); p != nil {
		return p
	}
	return t.touch(off)
}

// ForWriting returns the page that holds byte off, to be written.
func (t *Table) ForWriting(off uint64) *Page {
	if t.base == nil || t.own[off>>Shift] {
		return t.At(off)
	}
	if err := t.budget.Reserve(Bytes); err != nil {
		abort.Throw(err)
	}
	p := *t.At(off)
	t.own[off>>Shift] = true
	t.pages[off>>Shift].Store(&p)
	return &p
}

// touch makes the page that holds byte off. A page that is not to be had aborts
// the launch: it is missing in the middle of an instruction.
func (t *Table) touch(off uint64) *Page {
	if t.base != nil {
		p := t.base.At(off)
		t.pages[off>>Shift].Store(p)
		return p
	}
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	if p := t.Present().At(off); p != nil {
		return p // another worker was first
	}
	i := off >> Shift
	if err := t.budget.reserve(Bytes); err != nil {
		abort.Throw(err)
	}
	p := new(Page)
	if t.source != nil {
		start := int64(i) << Shift
		if err := t.source.Fill(p[:min(t.bytes-start, Bytes)], start); err != nil {
			abort.Throw(err)
		}
	}
	t.put(i, p)
	return p
}

// put makes p a page of the table, with the budget locked. Who has a list from before may
// miss it there, and asks again.
func (t *Table) put(i uint64, p *Page) {
	all := t.all.Load()
	if all == nil && i < uint64(len(t.pages)) {
		t.pages[i].Store(p)
		return
	}
	if all == nil {
		list := make([]atomic.Pointer[Page], t.Len())
		for k := range t.pages {
			list[k].Store(t.pages[k].Load())
		}
		all = &list
	}
	(*all)[i].Store(p)
	t.all.Store(all)
}

// Read copies the bytes from offset on into dst, making no pages.
func (t *Table) Read(dst []byte, offset int64) error {
	for len(dst) > 0 {
		part := dst[:min(int64(len(dst)), Bytes-offset&Mask)]
		if p := t.known(offset); p != nil {
			copy(part, p[offset&Mask:])
		} else if t.source == nil {
			clear(part)
		} else if err := t.source.Fill(part, offset); err != nil {
			return err
		}
		dst, offset = dst[len(part):], offset+int64(len(part))
	}
	return nil
}

// known returns the page that holds byte off, nil if it was never touched.
func (t *Table) known(off int64) *Page {
	return t.Present().At(uint64(off))
}

// Write copies src to the bytes from offset on.
func (t *Table) Write(src []byte, offset int64) {
	t.Ready()
	for len(src) > 0 {
		n := copy(t.ForWriting(uint64(offset))[offset&Mask:], src)
		src, offset = src[n:], offset+int64(n)
	}
}
