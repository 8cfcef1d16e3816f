package sim

import (
	"context"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestNoneFits: a launch of which an SM holds no CTA has no time, and the reason names
// what there is too little of.
func TestNoneFits(t *testing.T) {
	for name, want := range map[string]string{
		"gv100:limits.warps=1":                      "limits.warps",
		"gv100:shared.allocation_unit_bytes=256000": "shared.per_sm_bytes",
	} {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSimulator(g, 1000, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		if err := s.Begin(&Linker{}, gpu.CTA{Threads: 256, RegistersPerThread: 16, SharedBytes: 64}, 9, 9, 1); err != nil {
			t.Fatal(err)
		}
		s.Plan(&CTA{}, nil)
		if e, err := s.End(context.Background()); err != nil || e.Unfit == nil || !strings.Contains(e.Unfit.Error(), want) {
			t.Errorf("%s: %+v, %v, want %s", name, e, err, want)
		}
	}
}
