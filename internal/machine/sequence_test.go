package machine

import (
	"testing"

	"hyptx/ir/isa"
)

// TestSequences holds that every number has a source and every division and
// special function of f32 and f64 a row.
func TestSequences(t *testing.T) {
	for _, s := range sequences {
		if s.source == "" || s.special != 1 {
			t.Errorf("%s%s: no source, or %d MUFU", s.op, s.typ, s.special)
		}
	}
	for op, h := range halves {
		if h.source == "" || h.short < 1 || h.wide < h.short {
			t.Errorf("%s: %+v", op, h)
		}
	}
	for _, f := range isa.Forms() {
		special := f.Class == isa.SpecialFP32 || f.Class == isa.SpecialFP64
		if !special || f.Op == isa.OpTanh {
			continue
		}
		found := false
		for _, s := range sequences {
			found = found || s.op == f.Op
		}
		if !found {
			t.Errorf("%s has no row", f.Syntax)
		}
	}
}
