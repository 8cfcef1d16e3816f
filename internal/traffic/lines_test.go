package traffic

import (
	"testing"

	"hyptx/internal/traffic/stream"
)

// TestLines: an instruction whose lanes want two words of one line and one of the next asks the first for
// two sectors or one, and each for half of the lanes that want one bank, at least for one.
func TestLines(t *testing.T) {
	var all, other Counts
	two := &Cost{passes: 6, cells: []stream.Cell{{Sector: 0}, {Sector: 1}, {Sector: 2}}}
	all.addAtomic(two, 1<<20+2) // the third sector is the next line's
	all.addAtomic(&Cost{passes: 32, cells: []stream.Cell{{Sector: 0}}}, 1<<20+3)
	other.addAtomic(&Cost{cells: []stream.Cell{{Sector: 0}}}, 1<<20)
	all.Add(&other)
	if got := *all.Lines.place(1 << 18); got != (Line{4, 3 + 32 + 1}) {
		t.Errorf("the first line: %+v", got)
	}
	if got := *all.Lines.place(1<<18 + 1); got != (Line{1, 3}) {
		t.Errorf("the second line: %+v", got)
	}
	if got := all.Lines.Times(2.5).Most(); got != (Line{10, 90}) {
		t.Errorf("the most: %+v", got)
	}
	if got := all.Lines.Add(other.Lines, 10).Most(); got != (Line{14, 46}) {
		t.Errorf("with those of ten others: %+v", got)
	}
	var none *Lines
	if none.Times(3) != nil || none.Most() != (Line{}) {
		t.Error("of no atomics something is told")
	}
}
