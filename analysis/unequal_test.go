package analysis

import (
	"context"
	"fmt"
	"math"
	"testing"

	"hyptx/internal/gpu"
)

// unequalText is of CTAs that go round a quarter of from + their number * step times, and of one, long, that
// does 30000 times.
const unequalText = `.version 7.0
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

// TestUnequal: of a launch whose CTAs are longer one after the other, or shorter, or of which one is much
// longer than all others, some are simulated, whichever the first one is, and tell the time of all of them
// by how many instructions these have.
func TestUnequal(t *testing.T) {
	for _, c := range []struct {
		name             string
		from, step, long int
	}{{"longer", 0, 1, -1}, {"shorter", 2048, -1, -1}, {"equal", 1024, 0, -1}, {"the first is long", 1024, 0, 0}, {"one is long", 1024, 0, 1000}, {"the last is long", 1024, 0, 2047}} {
		p := program{unequalText, fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": 8192}},
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

// TestCutUnequal: of the longest CTA of a launch only the beginning is simulated, where memory is too little
// for its trace, beside others that are seen whole. It is counted once, wherever it stands, and the time is off
// by no more than is stated.
func TestCutUnequal(t *testing.T) {
	for _, c := range []struct {
		name                   string
		ctas, long, from, step int
	}{
		{"the first", 640, 0, 20, 0},
		{"one of all", 640, 300, 20, 0},
		{"the last", 640, 639, 20, 0},
		{"of many", 2048, 1000, 20, 0},
		{"beside longer ones", 320, 100, 400, 0},
		{"beside unequal ones", 320, 100, 40, 2},
	} {
		p := program{unequalText, fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": 8192}},
			"launches": [{"module": "k.ptx", "kernel": "unequal", "grid": [%d], "block": [128], "args": [{"buffer": "out"}, {"value": %d}, {"value": %d}, {"value": %d}]}]}`, c.ctas, c.from, c.step, c.long)}
		whole, cut := p.simulatedWithin(t, 1<<30), p.simulatedWithin(t, 32<<20)
		if whole.Part || !cut.Cut || cut.Estimate.Simulated != int64(c.ctas) {
			t.Errorf("%s: %d CTAs of %d are simulated, cut %t, and not all %t", c.name, cut.Estimate.Simulated, c.ctas, cut.Cut, whole.Part)
		}
		off := whole.Cycles/cut.Cycles - 1
		t.Logf("%s: %.0f cycles, in all %.0f, off by %+.3f of stated %.3f", c.name, cut.Cycles, whole.Cycles, off, cut.Uncertainty)
		if math.Abs(off) > 0.1 || math.Abs(off) > cut.Uncertainty {
			t.Errorf("%s: %.0f cycles, off by %+.3f of stated %.3f, in all %.0f", c.name, cut.Cycles, off, cut.Uncertainty, whole.Cycles)
		}
	}
}

// simulatedWithin simulates all of a program's first launch on a V100, where so many bytes of memory are allowed.
func (p *program) simulatedWithin(t *testing.T, bytes int64) *Simulated {
	t.Helper()
	g, err := gpu.Get("v100-sxm2")
	if err != nil {
		t.Fatal(err)
	}
	s := p.session(t, Control)
	s.Options.Simulate, s.Options.MaxMemoryBytes = []*gpu.GPU{g}, bytes
	prof, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return prof.On(g).Launches[0].Simulated
}
