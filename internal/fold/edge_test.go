package fold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/ssa"
)

// TestManyEdges: of a block with thousands of successors or predecessors neither are looked
// through for each of them, and both are found as if they were.
func TestManyEdges(t *testing.T) {
	const n = 2000
	var labels, blocks strings.Builder
	for i := range n {
		fmt.Fprintf(&labels, ", L%d", i)
		fmt.Fprintf(&blocks, "L%d: setp.eq.u32 p, r1, %d;\n@p bra DONE;\n", i, i)
	}
	fn := lower(t, `.version 8.0 .target sm_90 .address_size 64
.visible .entry k(.param .u32 n) {
.reg .pred p; .reg .b32 r<4>;
ld.param.u32 r1, [n];
mov.u32 r2, 7;
T: .branchtargets DONE`+labels.String()+`;
brx.idx r1, T;
`+blocks.String()+`mov.u32 r2, 8;
DONE: add.u32 r3, r2, 1;
ret;
}`)
	s := ssa.Build(fn)
	f := Propagate(fn, []*ssa.Form{s}, &Consts{})
	if most := 10 * n; f.met > most {
		t.Errorf("%d arguments of phis were looked at, want at most %d", f.met, most)
	}
	for b, block := range fn.Blocks {
		for to := range fn.Blocks {
			if got, want := f.Funcs[0].edge(b, to), slices.Index(block.Succs(), to); got != want {
				t.Fatalf("edge from %d to %d is %d, want %d", b, to, got, want)
			}
		}
		for i, p := range block.Preds() {
			if s.Way(p, b) != i {
				t.Fatalf("block %d: predecessor %d is %d, want %d", b, p, s.Way(p, b), i)
			}
			if !f.Funcs[0].Passes(p, b) {
				t.Fatalf("no way from %d to %d", p, b)
			}
		}
	}
	if len(f.Funcs[0].edges) != n+1 {
		t.Errorf("%d edges are looked up, want those of brx.idx, %d", len(f.Funcs[0].edges), n+1)
	}
}
