package analysis

import (
	"strings"
	"testing"
)

// TestCopySources: a cp.async reads its source until it is waited for, by whoever began it.
func TestCopySources(t *testing.T) {
	const (
		kernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.shared .align 16 .b8 sh[1024];
	.reg .b64 o, s; .reg .b32 t, x, to; .reg .pred p, q;
	ld.param.u64 o, [out];
	mov.u32 t, %tid.x;
	mul.lo.u32 to, t, 16;
	mov.u32 x, sh; add.u32 to, to, x;
	mad.wide.u32 s, t, 16, o;
BODY
	ld.shared.u32 x, [sh];
	setp.eq.u32 q, x, 9;
	@q bra E;
	add.u32 x, x, 1;
E:	ret;
}`
		each   = "\tcp.async.ca.shared.global [to], [s], 16;\n"
		same   = "\tcp.async.ca.shared.global [to], [o], 16;\n"
		commit = "\tcp.async.commit_group;\n"
		bar    = "\tbar.sync 0;\n"
		all    = "\tcp.async.wait_all;\n"
		other  = "\tsetp.eq.u32 p, t, 32;\n\t@p st.global.u32 [o], 9;\n"
		own    = "\tsetp.eq.u32 p, t, 0;\n\t@p st.global.u32 [o], 9;\n"
	)
	// Where all read the word that thread 32 writes, so does its own warp.
	for _, c := range []struct{ name, body, want string }{
		{"nobody writes it", each + all + bar, "exact"},
		{"all read one word", same + all + bar, "exact"},
		{"written behind the wait and a barrier", each + all + bar + other, "exact"},
		{"one word, behind the wait and a barrier", same + all + bar + other, "exact"},
		{"one word, each group waited for", same + commit + same + commit + "\tcp.async.wait_group 0;\n" + bar + other, "exact"},
		{"a younger group still reads", same + commit + same + commit + "\tcp.async.wait_group 1;\n" + bar + other + all + bar, "undefined"},
		{"an older group has read", same + commit + commit + "\tcp.async.wait_group 1;\n" + bar + other + all + bar, "exact"},
		{"written behind a barrier alone", each + bar + other + all + bar, "scheduled"},
		{"one word, behind a barrier alone", same + bar + other + all + bar, "undefined"},
		{"written by the thread itself", each + own + all + bar, "undefined"},
		{"written by the thread itself behind the wait", each + all + own + bar, "exact"},
	} {
		p := program{strings.Replace(kernel, "BODY", c.body, 1), launch(1, 64, `"o": {"bytes": 4096, "type": "u32", "init": "zero"}`, `{"buffer": "o"}`)}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[0].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
