package analysis

import (
	"strings"
	"testing"
)

// TestLocations: where variables, functions and the stack lie is the machine's matter, and a decision
// on the number of such an address undefined. Not so where it is an address and no more, be it compared
// with another one or with null, or asked for what its alignment says; and where buffers lie the
// manifest says.
func TestLocations(t *testing.T) {
	const functions = ".global .b32 gv[4];\n.func f() { ret; }\n.func (.reg .b32 o) g(.reg .b64 i) { ld.shared.u32 o, [i]; ret; }\n.visible"
	const bits = " shr.u64 d1, d1, 12; and.b64 d1, d1, 7; setp.eq.u64 p, d1, 1;"
	for _, c := range []struct{ name, body, want string }{
		{"shared memory", "setp.eq.u32 p, y, 0;", "undefined"},
		{"shared memory, by its name", "mov.u64 d1, sh; setp.gt.u64 p, d1, 64;", "undefined"},
		{"shared memory, generic", "mov.u64 d1, sh; cvta.shared.u64 d1, d1;" + bits, "undefined"},
		{"local memory", "mov.u64 d1, lo; cvta.local.u64 d1, d1;" + bits, "undefined"},
		{"a module's variable", "mov.u64 d1, gv;" + bits, "undefined"},
		{"a parameter", "mov.u64 d1, a; cvta.param.u64 d1, d1;" + bits, "undefined"},
		{"a function", "mov.u64 d1, f;" + bits, "undefined"},
		{"the stack", "alloca.u64 d1, 16;" + bits, "undefined"},
		{"from memory", "mov.u64 d1, sh; st.global.u64 [o+8], d1; ld.global.u64 d1, [o+8];" + bits, "undefined"},
		{"a buffer", "mov.u64 d1, o;" + bits, "exact"},
		{"another one", "mad.lo.u32 x, t, 4, y; add.u32 z, y, 64; L: add.u32 x, x, 4; setp.lt.u32 p, x, z; @p bra L;", "exact"},
		{"a difference", "mad.lo.u32 x, t, 4, y; sub.u32 x, x, y; setp.eq.u32 p, x, 8;", "exact"},
		{"null", "mov.u64 d1, gv; add.u64 d1, d1, o; sub.u64 d1, d1, o; setp.eq.u64 p, d1, 0;", "exact"},
		{"alignment", "mad.lo.u32 x, t, 4, y; and.b32 x, x, 15; setp.eq.u32 p, x, 0;", "exact"},
		{"other bits", "mad.lo.u32 x, t, 4, y; shr.u32 x, x, 9; and.b32 x, x, 15; setp.eq.u32 p, x, 0;", "undefined"},
		{"which space", "mov.u64 d1, lo; cvta.local.u64 d1, d1; isspacep.shared p, d1;", "exact"},
		{"an access", "mad.lo.u32 x, t, 4, y; shr.u32 z, x, 3; and.b32 z, z, 4; xor.b32 x, x, z; st.shared.u32 [x], t; ld.shared.u32 z, [x]; setp.eq.u32 p, z, 3;", "exact"},
		{"an access by what memory holds", "mov.u64 d1, sh; st.global.u64 [o+8], d1; ld.global.u64 d2, [o+8]; st.shared.u32 [sh], 7; ld.shared.u32 x, [d2]; setp.eq.u32 p, x, 3;", "exact"},
		{"an access by another function", "mov.u64 d1, sh; st.shared.u32 [sh], 7; call (x), g, (d1); setp.eq.u32 p, x, 3;", "exact"},
		{"a call", "mov.u64 d1, f; T: .calltargets f; call d1, T; setp.eq.u32 p, t, 3;", "exact"},
	} {
		text := strings.Replace(strings.Replace(deciding, ".shared", ".local .b32 lo[4];\n\t.shared", 1), "BODY", c.body, 1)
		p := program{strings.Replace(text, ".visible", functions, 1), decidingManifest}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
