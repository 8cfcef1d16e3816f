package analysis

import (
	"context"
	"slices"
	"testing"

	"hyptx/ir"
)

// TestLoopFlow: the threads that enter a loop are those that come along the
// edges from outside, in random programs with jump tables, calls and exits.
func TestLoopFlow(t *testing.T) {
	dir := t.TempDir()
	loops := 0
	for seed := range uint64(150) {
		p := randomProgram(seed)
		s, err := OpenManifest(p.source(t, dir), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		profile, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, lp := range profile.Launches {
			counts := lp.instructionCounts()
			for _, f := range lp.Kernel.Closure() {
				for _, l := range f.Loops() {
					_, entries, known := loopFlow(f, l, counts)
					if !known || l.Header == 0 {
						continue
					}
					if want, ok := comeFromOutside(f, l, counts); ok {
						loops++
						if entries != want {
							t.Fatalf("seed %d, loop at line %d: %d entries, but %d threads come from outside\n%s", seed,
								f.Module.Instrs[f.Blocks[l.Header].First].Pos.Line, entries, want, numbered(p.ptx))
						}
					}
				}
			}
		}
	}
	if loops < 50 {
		t.Errorf("only %d loops were checked", loops)
	}
}

// comeFromOutside sums what the other edges carry to a loop's header.
func comeFromOutside(f *ir.Func, l *ir.Loop, counts *instrCounts) (n uint64, known bool) {
	for _, b := range f.Blocks[l.Header].Preds() {
		if slices.Contains(l.Latches, b) {
			continue
		}
		lanes, ok := edgeLanes(f, f.Blocks[b], f.Blocks[l.Header].First, counts)
		if !ok {
			return 0, false
		}
		n += lanes
	}
	return n, true
}
