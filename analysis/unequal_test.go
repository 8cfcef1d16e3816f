package analysis

import (
	"fmt"
	"math"
	"testing"
)

// TestUnequal: of a launch whose CTAs are longer one after the other, or shorter, or of which one is much
// longer than all others, some are simulated, whichever the first one is, and tell the time of all of them
// by how many instructions these have.
func TestUnequal(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.visible .entry unequal(.param .u64 out, .param .u32 from, .param .u32 step, .param .u32 long)
{
	.reg .b32 %r<7>; .reg .f32 %f<3>; .reg .b64 %d<4>; .reg .pred %p;
	ld.param.u64 %d0, [out];
	ld.param.u32 %r1, [from];
	ld.param.u32 %r2, [step];
	mov.u32 %r0, %ctaid.x;
	mad.lo.s32 %r3, %r0, %r2, %r1;
	shr.s32 %r3, %r3, 2;
	ld.param.u32 %r5, [long];
	setp.eq.u32 %p, %r0, %r5;
	@%p mov.u32 %r3, 30000;
	mov.f32 %f0, 0f3F800000;
	mov.u32 %r4, 0;
	setp.ge.s32 %p, %r4, %r3;
	@%p bra E;
L:	fma.rn.f32 %f0, %f0, %f0, %f0;
	fma.rn.f32 %f0, %f0, %f0, %f0;
	fma.rn.f32 %f0, %f0, %f0, %f0;
	fma.rn.f32 %f0, %f0, %f0, %f0;
	add.u32 %r4, %r4, 1;
	setp.lt.s32 %p, %r4, %r3;
	@%p bra L;
E:	mul.wide.u32 %d1, %r0, 4;
	add.s64 %d1, %d1, %d0;
	st.global.f32 [%d1], %f0;
	ret;
}
`
	for _, c := range []struct {
		name             string
		from, step, long int
	}{{"longer", 0, 1, -1}, {"shorter", 2048, -1, -1}, {"equal", 1024, 0, -1}, {"the first is long", 1024, 0, 0}, {"one is long", 1024, 0, 1000}, {"the last is long", 1024, 0, 2047}} {
		p := program{text, fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": 8192}},
			"launches": [{"module": "k.ptx", "kernel": "unequal", "grid": [2048], "block": [128], "args": [{"buffer": "out"}, {"value": %d}, {"value": %d}, {"value": %d}]}]}`, c.from, c.step, c.long)}
		whole, some := p.simulated(t, 0).Simulated, p.simulated(t, 500_000).Simulated
		if whole.Part || !some.Part || some.Issued > 2_000_000 {
			t.Errorf("%s: %d instructions of %d CTAs are simulated of %d", c.name, some.Issued, some.Simulated, whole.Issued)
		}
		off, most := whole.Cycles/some.Cycles-1, 0.3
		if c.long >= 0 { // as long as that one takes, which is known
			most = 0.1
		}
		t.Logf("%s: %.0f cycles, in all %.0f, off by %+.3f of stated %.3f", c.name, some.Cycles, whole.Cycles, off, some.Uncertainty)
		if math.Abs(off) > most || math.Abs(off) > some.Uncertainty {
			t.Errorf("%s: %.0f cycles, off by %+.3f of stated %.3f, in all %.0f", c.name, some.Cycles, off, some.Uncertainty, whole.Cycles)
		}
		if c.step == 0 && c.long < 0 && some.Uncertainty > 0.6 {
			t.Errorf("%s: stated is %.3f", c.name, some.Uncertainty)
		}
	}
}
