package oracle

import (
	"errors"
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// TestRandomPrograms checks that the programs are legal, end, and are what
// they are for: most of them split warps.
func TestRandomPrograms(t *testing.T) {
	const programs = 500
	split, ends := 0, 0
	for seed := range uint64(programs) {
		p := Random(seed)
		tree, err := parser.Parse("random.ptx", []byte(p.PTX))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.PTX)
		}
		m, err := ir.Lower(tree)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.PTX)
		}
		c, err := Run(&Launch{Kernel: m.Func("k"), Grid: p.Grid, Block: p.Block, Params: make([]byte, 12), MaxSteps: 5000}, Memory{})
		if errors.Is(err, ErrTooLong) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.PTX)
		}
		ends++
		for _, n := range c.Divergent {
			if n > 0 {
				split++
				break
			}
		}
	}
	t.Logf("%d of %d end in time, %d split warps", ends, programs, split)
	if ends < programs*9/10 || split < programs/2 {
		t.Errorf("of %d programs %d end in time and %d split warps", programs, ends, split)
	}
}
