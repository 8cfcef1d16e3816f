package analysis

import (
	"context"
	"testing"
)

// TestAtomicLine: all lanes of 12 warps add to one counter, and each to a word of its own CTA's, whether one
// CTA stands for the others or all are run.
func TestAtomicLine(t *testing.T) {
	for _, c := range []struct {
		name, own      string
		sectors, lanes uint64
	}{
		{"one counter", "", 12, 12 * 32},
		{"and one of each CTA", `mov.u32 %r2, %ctaid.x; mul.wide.u32 %d2, %r2, 512; add.s64 %d2, %d2, %d1; red.global.add.u32 [%d2+256], %r1;`, 12, 12 * 32},
	} {
		text := `.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 out)
{
	.reg .b32 %r<3>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	` + c.own + `
	red.global.add.u32 [%d1], %r1;
	ret;
}
`
		p := program{text, `{"version": 1, "buffers": {"out": {"bytes": 4096}},
			"launches": [{"module": "k.ptx", "kernel": "count", "grid": [6], "block": [64], "args": [{"buffer": "out"}]}]}`}
		for _, mode := range []Mode{Memory, Full} {
			s := p.session(t, mode)
			prof, err := s.Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			f := &prof.Launches[0].Facts
			if got := f.Of(LineAtomicSectors).N; got != c.sectors {
				t.Errorf("%s, %s: %d sectors in one line, by hand %d", c.name, mode, got, c.sectors)
			}
			if got := f.Of(LineAtomicLanes).N; got != c.lanes {
				t.Errorf("%s, %s: %d lanes, by hand %d", c.name, mode, got, c.lanes)
			}
		}
	}
}
