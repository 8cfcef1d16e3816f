package analysis

import (
	"context"
	"math"
	"testing"

	"hyptx/internal/gpu"
)

// simulated profiles the first launch of a program, of which so many instructions are simulated on a V100; 0:
// all.
func (p *program) simulated(t *testing.T, budget int64) *LaunchProfile {
	t.Helper()
	g, err := gpu.Get("v100-sxm2")
	if err != nil {
		t.Fatal(err)
	}
	s := p.session(t, Control)
	s.Options.Simulate, s.Options.SimulatedInstructions = []*gpu.GPU{g}, budget
	prof, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return prof.On(g).Launches[0]
}

// TestStretched: of warps that go round a table, and of which the first rounds alone are simulated, the
// later ones are said to take as long and to ask the L2 for as much, but not to read the table from DRAM
// again.
func TestStretched(t *testing.T) {
	p := program{`.version 7.0
.target sm_70
.address_size 64
.visible .entry rounds(.param .u64 table, .param .u64 out)
{
	.reg .b32 %r<5>; .reg .b64 %d<5>; .reg .pred %p;
	ld.param.u64 %d0, [table];
	ld.param.u64 %d3, [out];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, 0;
	mov.u32 %r4, 0;
L:	and.b32 %r2, %r1, 255;
	mad.lo.u32 %r2, %r2, 32, %r0;
	mad.wide.u32 %d1, %r2, 4, %d0;
	ld.global.cg.u32 %r3, [%d1];
	add.u32 %r4, %r4, %r3;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, 16384;
	@%p bra L;
	st.global.u32 [%d3], %r4;
	ret;
}
`, `{"version": 1, "buffers": {"table": {"bytes": 32768, "type": "u32", "init": "zero"}, "out": {"bytes": 4}},
		"launches": [{"module": "k.ptx", "kernel": "rounds", "grid": [80], "block": [32], "args": [{"buffer": "table"}, {"buffer": "out"}]}]}`}
	whole, some := p.simulated(t, 0), p.simulated(t, 1_000_000)
	if whole.Simulated.Part || !some.Simulated.Cut {
		t.Fatalf("%+v, %+v", whole.Simulated.Estimate, some.Simulated.Estimate)
	}
	if f := some.Simulated.Longer; f < 6 || math.Abs(some.Simulated.Cycles/whole.Simulated.Cycles-1) > 0.05 {
		t.Errorf("%.0f cycles by one of %.1f parts, %.0f in all", some.Simulated.Cycles, f, whole.Simulated.Cycles)
	}
	if n := whole.Facts.Of(DRAMReadBytes).N; n != 32768 {
		t.Errorf("%d bytes are read from DRAM", n)
	}
	for _, c := range []Counter{L2ReadSectors, L2ReadHits, DRAMReadBytes} {
		x, y := some.Facts.X(c), whole.Facts.X(c)
		if math.Abs(x/y-1) > 0.02 {
			t.Errorf("%s: %.0f by the beginnings, %.0f in all", counters[c].what, x, y)
		}
	}
}
