package analysis

import (
	"fmt"
	"testing"
)

// partsPTX: one thread of each of two warps does something to an mbarrier that expects some
// arrivals; behind a barrier all decide on whether the phase of a parity is over.
const partsPTX = `.version 8.6
.target sm_90
.address_size 64
.entry k()
{
	.reg .b32 t, w;
	.reg .b64 st;
	.reg .pred p, q;
	.shared .align 8 .b64 mb;
	mov.u32 t, %%tid.x;
	shr.u32 w, t, 5;
	setp.eq.u32 p, t, 0;
	@p mbarrier.init.shared.b64 [mb], %d;
	bar.sync 0;
	and.b32 t, t, 31;
	setp.ne.u32 q, t, 0;
	@q bra J;
	setp.eq.u32 p, w, %d;
	@p bra B;
%s	bra J;
B:
%sJ:
	bar.sync 0;
	mbarrier.test_wait.parity.shared.b64 q, [mb], %d;
	@q bra E;
	mov.u32 w, 1;
E:
	ret;
}
`

// TestPartsOfPhases: arrivals that nothing puts in order decide which phases there are
// where one of another phase changes the object otherwise, and only there. Either warp
// may be the first.
func TestPartsOfPhases(t *testing.T) {
	const (
		one   = "\tmbarrier.arrive.shared.b64 st, [mb];\n"
		two   = "\tmbarrier.arrive.shared.b64 st, [mb], 2;\n"
		drop  = "\tmbarrier.arrive_drop.shared.b64 st, [mb];\n"
		bytes = "\tmbarrier.expect_tx.relaxed.cta.shared.b64 [mb], 16;\n"
		both  = "\tmbarrier.arrive.expect_tx.shared.b64 st, [mb], 16;\n"
	)
	for _, c := range []struct {
		count  int
		a, b   string
		parity int
		want   string
	}{
		{2, one, one, 0, "exact"},
		{2, one + one, one + one, 1, "exact"},
		{2, one + one, drop, 1, "scheduled"},
		{2, one, drop, 0, "exact"},
		{3, one + one, one, 0, "exact"},
		{4, two, two, 0, "exact"},
		{4, one + one, two, 0, "exact"},
		{1, one, bytes, 0, "scheduled"},
		{2, one, bytes + one, 0, "exact"},
		{2, one, one + bytes, 0, "scheduled"},
		{2, one + one, both, 0, "scheduled"},
		{2, one, both, 0, "exact"},
	} {
		for second := range 2 {
			ptx := fmt.Sprintf(partsPTX, c.count, second, c.a, c.b, c.parity)
			s, err := openText(t, ptx, `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [64], "args": []}]}`)
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Profile(t.Context())
			switch {
			case err != nil:
				t.Logf("no such order: %v", err)
			case fmt.Sprint(p.Rows[0].Exactness) != c.want:
				t.Errorf("of %d, with warp %d second:\n%sand\n%s%v, not %s", c.count, second, c.a, c.b, p.Rows[0].Exactness, c.want)
			}
		}
	}
}
