package sim

import (
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
