package sim

import (
	"context"
	"math"
	"testing"

	"hyptx/internal/pipe"
)

// TestAlone: a warp alone does not wait at barriers, and one that waits for what others do has no
// course of its own.
func TestAlone(t *testing.T) {
	p := &Program{Values: 1, Blocks: []Block{{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}, {Kind: pipe.Barrier}, {Kind: pipe.LoadShared, Dst: []int{0}, BytesPerLane: 4}}}}}
	code, err := Compile(p, volta(1))
	if err != nil {
		t.Fatal(err)
	}
	of := Trace{}.Block(0, 32).Access(Global, 1, Sectors(7, 15, 0)).Barrier(0, 64, false).Access(Shared, 1)
	got, cut := code.alone(of, 100)
	if cut || len(got) != len(of) || got[3] != passBit || of[3] == passBit {
		t.Errorf("%x without barriers: %x", of, got)
	}
	three := append(append(of, of...), of...)
	if got, cut := code.alone(three, 7); !cut || len(got) != 2*len(of) {
		t.Errorf("seven of nine instructions: %d of %d words, cut %v", len(got), len(three), cut)
	}
	for _, space := range []Space{BulkLoad, Object, Peer, Tensor} {
		if got, _ := code.alone(Trace{}.Block(0, 32).Access(Global, 1, Sectors(7, 15, 0)).Pass().Access(space, 1, 5), 100); got != nil {
			t.Errorf("space %d: %x", space, got)
		}
	}
}

// TestBehind: a warp that goes round 64 lines misses each once; behind that all its loads hit the
// L1, and take as long as where all had been there from the beginning.
func TestBehind(t *testing.T) {
	const lines, loads = 64, 256
	p := &Program{Values: 2, Blocks: []Block{{Instrs: []Instr{{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4}, {Kind: pipe.FP32, Srcs: []int{0}, Dst: []int{1}}}}}}
	m := volta(1)
	code, err := Compile(p, m)
	if err != nil {
		t.Fatal(err)
	}
	var of [2]*Course
	for i, n := range []uint64{loads / 2 / lines, loads / lines} {
		if of[i], err = m.course(context.Background(), code, around(lines, n)); err != nil {
			t.Fatal(err)
		}
	}
	if got := of[0].L1Hits(); math.Abs(got-0.5) > 1e-9 || of[0].At(0) < 1.5*of[0].InL1 {
		t.Errorf("the beginning: %.2f of the sectors hit, %+v", got, of[0])
	}
	steady := of[1].behind(of[0])
	if steady.L1Hits() != 1 || steady.Instructions != loads {
		t.Errorf("behind it: %+v", steady)
	}
	for _, had := range []float64{0, 0.5, 1} {
		if got, want := steady.At(had), steady.InL1; math.Abs(got-want) > 0.02*want {
			t.Errorf("behind it, where the L2 had %.1f: %.0f cycles, want %.0f", had, got, want)
		}
	}
}
