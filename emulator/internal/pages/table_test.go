package pages

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"hyptx/emulator/internal/abort"
)

// ramp gives byte i of a buffer the value i/256, and counts how often.
type ramp struct{ filled int }

func (r *ramp) Fill(dst []byte, offset int64) error {
	r.filled++
	for i := range dst {
		dst[i] = byte((offset + int64(i)) >> 8)
	}
	return nil
}

// Reading makes no pages; what is written across a page's end is read back,
// with the source's bytes around it.
func TestReadWrite(t *testing.T) {
	source := &ramp{}
	budget := NewBudget(2*Bytes + 3*8)
	table, err := NewTable(2*Bytes+100, source, budget)
	if err != nil {
		t.Fatal(err)
	}
	var some [8]byte
	if err := table.Read(some[:], 8); err != nil || table.Len() != 3 || table.pages != nil {
		t.Errorf("a table that was only read: %v, %d pages in a list of %d", err, table.Len(), len(table.pages))
	}
	table.Ready()
	got := make([]byte, 8)
	if err := table.Read(got, Bytes-4); err != nil || !bytes.Equal(got, []byte{255, 255, 255, 255, 0, 0, 0, 0}) {
		t.Errorf("read %v, %v", got, err)
	}
	if budget.used != 3*8 {
		t.Errorf("%d bytes are used after a read, not 24 for the table", budget.used)
	}
	table.Write([]byte{1, 2, 3, 4}, Bytes-2)
	if err := table.Read(got, Bytes-4); err != nil || !bytes.Equal(got, []byte{255, 255, 1, 2, 3, 4, 0, 0}) {
		t.Errorf("read %v, %v", got, err)
	}
	if budget.used != 2*Bytes+3*8 {
		t.Errorf("%d bytes are used by two pages", budget.used)
	}
}

// A page beyond the limit aborts, and the limit is the program's, not a
// buffer's.
func TestBudget(t *testing.T) {
	budget := NewBudget(Bytes + 2*8)
	var tables [2]*Table
	for i := range tables {
		var err error
		if tables[i], err = NewTable(Bytes, nil, budget); err != nil {
			t.Fatal(err)
		}
		tables[i].Ready()
	}
	tables[0].At(0)[0] = 1
	touch := func() (err error) {
		defer abort.Catch(&err)
		tables[1].At(0)
		return nil
	}
	var limit *LimitError
	if err := touch(); !errors.As(err, &limit) || limit.Option != "max-memory" {
		t.Errorf("a page beyond the limit: %v", err)
	}
	if _, err := NewTable(Bytes, nil, budget); !errors.As(err, &limit) {
		t.Errorf("a table beyond the limit: %v", err)
	}
	if err := budget.Reserve(-Bytes); err != nil || touch() != nil {
		t.Error("what was given back cannot be used again")
	}
}

// Workers that touch a page at the same time get the same one.
func TestTouchedOnce(t *testing.T) {
	source := &ramp{}
	table, err := NewTable(Bytes, source, NewBudget(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	table.Ready()
	var got [8]*Page
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = table.At(uint64(i)) })
	}
	wg.Wait()
	for _, p := range got {
		if p != got[0] || source.filled != 1 {
			t.Fatalf("pages %p and %p, filled %d times", p, got[0], source.filled)
		}
	}
}

// TestView: a view reads what the table holds, keeps what is written to it, and
// gives back the memory that it took.
func TestView(t *testing.T) {
	budget := NewBudget(1 << 20)
	base, err := NewTable(3*Bytes, nil, budget)
	if err != nil {
		t.Fatal(err)
	}
	base.Ready()
	base.Write([]byte{1, 2, 3}, Bytes+5)
	a, b := base.View(), base.View()
	a.ForWriting(Bytes)[6] = 9
	for i, want := range []struct {
		table *Table
		byte  byte
	}{{base, 2}, {a, 9}, {b, 2}} {
		if got := want.table.At(Bytes)[6]; got != want.byte || want.table.At(Bytes)[5] != 1 {
			t.Errorf("table %d: byte 6 is %d, not %d", i, got, want.byte)
		}
	}
	if a.Owned(Bytes+6) == nil || a.Owned(0) != nil || b.Owned(Bytes) != nil {
		t.Error("a view owns what was written through it, nothing else")
	}
	used := budget.used
	a.Drop()
	b.Drop()
	if budget.used != used-Bytes-2*3*viewBytes {
		t.Errorf("dropped views gave back %d bytes, not one page and two lists of three", used-budget.used)
	}
}

// TestBehindTheFirst: the list of a large table is one of its first pages until another is
// touched; what was there stays, and workers that touch pages of both see the same.
func TestBehindTheFirst(t *testing.T) {
	const far = uint64(firstPages) << Shift
	table, err := NewTable(int64(2*far)+100, nil, NewBudget(1<<24))
	if err != nil {
		t.Fatal(err)
	}
	table.Ready()
	table.Write([]byte{7}, 5)
	before := table.Present()
	if len(before) != firstPages || before.At(far) != nil {
		t.Errorf("%d pages at first", len(before))
	}
	var got [8][2]*Page
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = [2]*Page{table.At(2 * far), table.At(Bytes)} })
	}
	wg.Wait()
	for _, p := range got {
		if p != got[0] || p[0] == nil || p[1] == nil {
			t.Fatalf("pages %p and %p", p, got[0])
		}
	}
	table.Write([]byte{8}, int64(far)-1)
	if table.At(0)[5] != 7 || before.At(5) != table.At(0) || table.At(far - 1)[Bytes-1] != 8 || len(table.Present()) != 2*firstPages+1 {
		t.Errorf("a list of %d pages", len(table.Present()))
	}
	view := table.View()
	if view.ForWriting(2 * far)[1] = 9; view.At(0)[5] != 7 || table.At(2 * far)[1] != 0 || view.Owned(2*far) == nil {
		t.Error("a view of such a table is not what it should be")
	}
}
