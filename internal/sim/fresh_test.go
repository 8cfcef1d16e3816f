package sim

import (
	"math"
	"testing"

	"hyptx/internal/pipe"
)

// around returns the trace of a warp that reads so many blocks in turn, so often.
func around(blocks, rounds uint64) (t Trace) {
	for n := range blocks * rounds {
		t = t.Block(0, 32).Access(Global, 1, Sectors(n%blocks, 15, 0))
	}
	return t
}

// TestFresh: a warp that goes round reads nothing new behind the first round, one that goes on does
// at the rate of the end of its trace; and what finds no room in the L2 is read again.
func TestFresh(t *testing.T) {
	p := &Program{Values: 1, Blocks: []Block{{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}}}}}
	code, err := Compile(p, volta(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what           string
		blocks, rounds uint64
		portion        float64
		longer, want   float64
	}{
		{"a stream", 1000, 1, 0.1, 10, 10},
		{"a stream, behind its trace", 1000, 1, 0.1, 30, 30},
		{"a stream, as far as a part of its trace", 1000, 1, 0.1, 3, 3},
		{"ten rounds, of which one is seen", 100, 10, 0.1, 10, 1},
		{"ten rounds and more, of which one is seen", 100, 10, 0.1, 50, 1},
		{"ten rounds, of which half a one is seen", 100, 10, 0.05, 20, 2},
		{"a trace that is cut, seen as a whole", 100, 10, 1, 7, 1},
		{"a stream that is cut, seen as a whole", 1000, 1, 1, 7, 7},
	} {
		f := code.freshOf(&CTA{Warps: []Trace{around(c.blocks, c.rounds)}}, c.portion)
		if got := f.growth(c.longer); math.Abs(got-c.want) > 0.02*c.want {
			t.Errorf("%s: %.2f times as much, want %.2f (%+v)", c.what, got, c.want, f)
		}
	}
	if got := (&fresh{}).growth(3); got != 3 {
		t.Errorf("of nothing: %v", got)
	}
	e := &Estimate{Whole: MemoryCounts{DRAMReads: 800}, fresh: fresh{begun: 100, half: 200, whole: 200, known: 10}, ctas: 4, l2Bytes: 800 * sectorBytes}
	if got, want := e.DRAMReads(10), (400*2.+400*10)/800; got != want {
		t.Errorf("half of it comes again: %v times as much, want %v", got, want)
	}
	if e.l2Bytes--; e.DRAMReads(10) != 10 {
		t.Errorf("without room in the L2: %v times as much", e.DRAMReads(10))
	}
}
