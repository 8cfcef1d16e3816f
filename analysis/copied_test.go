package analysis

import (
	"strings"
	"testing"
)

// TestCopiedDecides: who writes over what a copy has yet to read changes what is copied, and
// so a decision only if one rests on that: all modes say the same.
func TestCopiedDecides(t *testing.T) {
	const (
		given = "@first st.shared.v4.u32 [y], {t, t, t, t}; fence.proxy.async; bar.sync 0;"
		bulk  = given + "@first cp.async.bulk.global.shared::cta.bulk_group [o], [y], 16; @first cp.async.bulk.commit_group; OVER @first cp.async.bulk.wait_group 0; bar.sync 0;"
		fetch = "@first cp.async.ca.shared.global [y], [o], 4; OVER @first cp.async.wait_all; bar.sync 0;"
		there = "ld.global.u32 x, [o]; setp.eq.u32 p, x, 5;"
		here  = "ld.shared.u32 x, [y]; setp.eq.u32 p, x, 5;"
		none  = "setp.eq.u32 p, t, 5;"
	)
	for _, c := range []struct{ name, copy, over, decide, want string }{
		{"out", bulk, "", there, "exact"},
		{"out, overtaken", bulk, "@first st.shared.u32 [y], 9;", there, "scheduled"},
		{"out, overtaken, and nobody asks", bulk, "@first st.shared.u32 [y], 9;", none, "exact"},
		{"in", fetch, "", here, "exact"},
		{"in, overtaken", fetch, "@first st.global.u32 [o], 9;", here, "undefined"},
		{"in, overtaken, and nobody asks", fetch, "@first st.global.u32 [o], 9;", none, "exact"},
	} {
		body := strings.Replace(c.copy, "OVER", c.over, 1) + c.decide
		p := program{strings.Replace(deciding, "BODY", body, 1), `{"version": 1, "buffers": {"b": {"bytes": 1024, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "b"}]}]}`}
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			if got := prof.Rows[len(prof.Rows)-1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
