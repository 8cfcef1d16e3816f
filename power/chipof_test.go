package power

import (
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestCopyOfPublished: a copy of a published GPU that keeps its name has its own
// SMs, idle power and technology, and is otherwise the published one.
func TestCopyOfPublished(t *testing.T) {
	chip := func(spec string) *Chip {
		t.Helper()
		g, err := gpu.Get(spec)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ChipOf(g, ChipOptions{Variant: PTXSim, Rules: Paper})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	was := chip("gv100")
	if c := chip("gv100:sms=160"); c.SMs != 160 || c.StaticSMs != was.StaticSMs || c.ConstantW != was.ConstantW || c.Basis != was.Basis {
		t.Errorf("160 SMs: %+v", c)
	}
	if c := chip("gv100:idle=50"); c.ConstantW != 50 || c.SMs != was.SMs {
		t.Errorf("50 W at rest: %+v", c)
	}
	if c := chip("gv100:process_nm=7"); c.Basis != "extrapolated" || len(c.Notes) == 0 || !strings.Contains(c.Notes[0], "x 0.5859 for 7 nm") {
		t.Errorf("7 nm: %+v", c)
	}
	if c := chip("gv100:tdp=200"); c.SMs != was.SMs || c.ConstantW != was.ConstantW || c.Basis != was.Basis {
		t.Errorf("the same chip: %+v", c)
	}
}
