package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
)

// TestPreset: where lanes that do not load have a constant, whichever of both the PTX
// writes first, nothing but the sum waits for loads, and they take the registers
// of loads that all lanes make, and no more instructions than the moves.
func TestPreset(t *testing.T) {
	const n = 8
	list := func(each string) *Listing {
		var b strings.Builder
		b.WriteString("mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, %rn; mov.f32 %f0, 0f3F800000;")
		for i := range n {
			b.WriteString(strings.NewReplacer("R", fmt.Sprintf("%%f%d", i+1), "AT", fmt.Sprintf("[%%rda+%d]", 1024*i)).Replace(each))
		}
		for i := range n {
			fmt.Fprintf(&b, "fma.rn.f32 %%f0, %%f0, %%f%d, %%f%d;", i+1, i+1)
		}
		b.WriteString("st.global.f32 [%rdb], %f0;")
		l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(80, b.String())))), nil, 80)
		checkListing(t, l)
		return l
	}
	plain := list("ld.global.f32 R, AT;")
	for _, each := range []string{
		"@%p1 ld.global.f32 R, AT; @!%p1 mov.f32 R, 0f00000000;",
		"@!%p1 mov.f32 R, 0f00000000; @%p1 ld.global.f32 R, AT;",
		"mov.f32 R, 0f00000000; @%p1 ld.global.f32 R, AT;",
		"mov.f32 R, 0f00000000; @!%p1 ld.global.f32 R, AT;",
	} {
		l := list(each)
		if l.Registers > plain.Registers {
			t.Errorf("%s: %d registers, %d without moves", each, l.Registers, plain.Registers)
		}
		var loaded []Slot
		count, want := 0, len(plain.Blocks[0].Ops)+n+2 // which read %tid.x, and compare
		for _, b := range l.Blocks {
			count += len(b.Ops)
			for _, o := range b.Ops {
				if o.Kind == pipe.LoadGlobal {
					loaded = append(loaded, o.Dst)
				}
			}
		}
		if count != want || len(loaded) != n {
			t.Errorf("%s: %d instructions, %d of them loads, expected %d and %d", each, count, len(loaded), want, n)
		}
		for _, o := range l.Blocks[0].Ops {
			if waits := slices.ContainsFunc(o.Srcs, func(s Slot) bool { return slices.Contains(loaded, s) }); waits && o.Kind != pipe.FP32 {
				t.Errorf("%s: %v waits for a load", each, o.Kind)
			}
		}
	}
}
