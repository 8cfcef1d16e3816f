package roofline

import (
	"context"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// TestLongestWarp: one warp of four goes round a loop 100 times. Its chain is
// found if it is asked for; else the mean of the four stands there.
func TestLongestWarp(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k()
{
.reg .pred %p<3>; .reg .b32 %r<4>; .reg .f32 %f<2>;
mov.u32 %r1, %tid.x;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra DONE;
mov.u32 %r2, 0;
LOOP:
fma.rn.f32 %f1, %f1, %f1, %f1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p2, %r2, 100;
@%p2 bra LOOP;
DONE:
ret;
}
`
	chain := func(longest bool) Chain {
		opts := analysis.DefaultOptions()
		opts.LongestWarp = longest
		sessions, err := analysis.OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(text)}, manifest.Flags{Grid: []int{3}, Block: []int{128}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := analysis.ProfileAll(context.Background(), sessions)
		if err != nil {
			t.Fatal(err)
		}
		launches, err := FromProfile(p, PTX)
		if err != nil {
			t.Fatal(err)
		}
		c, err := launches[0].Chain(fileLatencies(roundGPU(), Traffic{}))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// 405 instructions: three, one more, 400 of the loop, the return.
	if c := chain(true); c.Mean || c.Cycles < 405 || c.Cycles > 415 {
		t.Errorf("longest: %+v", c)
	}
	if c := chain(false); !c.Mean || c.Cycles > 130 {
		t.Errorf("mean: %+v", c)
	}
}
