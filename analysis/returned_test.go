package analysis

import (
	"context"
	"strings"
	"testing"
)

// TestReturned: what comes when a function returns that is .noreturn is undefined (PTX ISA
// 11.4.6), and nothing is where it does not.
func TestReturned(t *testing.T) {
	for _, c := range []struct{ name, function, call, want string }{
		{"returns", ".noreturn { ret; }", "call f;", "undefined"},
		{"comes to its end", ".noreturn { .reg .b32 x; mov.u32 x, 1; }", "call f;", "undefined"},
		{"has no instructions", ".noreturn { }", "call f;", "undefined"},
		{"returns for some", ".noreturn { .reg .pred p; .reg .b32 x; mov.u32 x, %tid.x; setp.eq.u32 p, x, 3; @p ret; exit; }", "call f;", "undefined"},
		{"exits", ".noreturn { exit; }", "@first call f;", "exact"},
		{"exits, if it is called", ".noreturn { .reg .pred p; .reg .b32 x; mov.u32 x, %tid.x; setp.gt.u32 p, x, 99; @p ret; exit; }", "@first call f;", "exact"},
		{"is not called", ".noreturn { ret; }", "setp.gt.u32 p, t, 99; @p call f;", "exact"},
		{"may return", "{ ret; }", "call f;", "exact"},
		{"may return, and has no instructions", "{ }", "call f;", "exact"},
	} {
		text := strings.Replace(deciding, "BODY", c.call+" setp.eq.u32 p, t, 3;", 1)
		p := program{strings.Replace(text, ".visible", ".func f() "+c.function+"\n.visible", 1), decidingManifest}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}

// TestCarryOfCalls: the carry is not preserved across a call (PTX ISA 9.7.2), by whichever function.
func TestCarryOfCalls(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"none between", "call f; add.cc.u32 x, t, -3; addc.u32 z, t, 7;", "exact"},
		{"one between", "add.cc.u32 x, t, -3; call f; addc.u32 z, t, 7;", "undefined"},
		{"one between, for some", "add.cc.u32 x, t, -3; @first call f; addc.u32 z, t, 7;", "undefined"},
		{"one between, for nobody", "setp.gt.u32 q, t, 99; add.cc.u32 x, t, -3; @q call f; addc.u32 z, t, 7;", "exact"},
		{"a constant", "add.cc.u32 x, -3, 5; call f; addc.u32 z, t, 0;", "undefined"},
		{"of constants", "mov.u32 x, -3; add.cc.u32 x, x, 5; call f; addc.u32 z, 8, 0;", "undefined"},
		{"of constants, none between", "add.cc.u32 x, -3, 5; addc.u32 z, 8, 0; call f;", "exact"},
		{"of constants, for some", "add.cc.u32 x, -3, 5; @first call f; addc.u32 z, 8, 0;", "undefined"},
		{"of constants, on one way", "add.cc.u32 x, -3, 5; @first bra A; bra B; A: call f; B: addc.u32 z, 8, 0;", "undefined"},
		{"of constants, where another way has none", "add.cc.u32 x, -3, 5; setp.gt.u32 q, t, 99; @q bra A; bra B; A: call f; B: addc.u32 z, 8, 0;", "exact"},
		{"of constants, and round a loop", "mov.u32 y, 0; add.cc.u32 x, -3, 5; L: addc.u32 z, 8, 0; call f; add.u32 y, y, 1; setp.lt.u32 q, y, 2; @q bra L;", "undefined"},
		{"of constants, from a function", "call f; call (z), c, (); ", "assumed"},
		{"of constants, by an address", "mov.u64 d1, f; T: .calltargets f; add.cc.u32 x, -3, 5; call d1, T; addc.u32 z, 8, 0;", "undefined"},
		{"of constants, 64 bits", "add.cc.u64 d1, -3, 5; call f; addc.u64 d1, 8, 0; cvt.u32.u64 z, d1;", "undefined"},
		{"a borrow of constants", "sub.cc.u32 x, 3, 5; call f; subc.u32 z, 10, 0;", "undefined"},
		{"of a product of constants", "mad.lo.cc.u32 x, -3, 1, 5; call f; madc.hi.u32 z, 8, 1, 8;", "undefined"},
		{"in the callee", "call g; mov.u32 z, t;", "undefined"},
		{"and set again", "add.cc.u32 x, t, -3; call f; addc.cc.u32 x, t, 7; mov.u32 x, 0; add.cc.u32 x, t, -3; addc.u32 z, t, 7;", "exact"},
	} {
		text := strings.Replace(strings.Replace(deciding, "p, first", "p, q, first", 1), "BODY", c.body+" setp.eq.u32 p, z, 9;", 1)
		p := program{strings.Replace(text, ".visible", ".func f() { ret; }\n.func (.reg .b32 o) c() { addc.u32 o, 8, 0; ret; }\n"+
			".func g() { .reg .b32 x, z; .reg .pred p; add.cc.u32 x, -3, 5; call f; addc.u32 z, 8, 0; setp.eq.u32 p, z, 9; @p ret; ret; }\n.visible", 1), decidingManifest}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}

// TestStackEnds: an alloca for which there is no room on the stack fails in all modes alike, be
// its address used or not.
func TestStackEnds(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"used", "alloca.u64 d1, 2000; st.local.u32 [d1], t; ld.local.u32 x, [d1]; setp.eq.u32 p, x, 3;", "alloca of 2000 bytes"},
		{"stored to", "alloca.u64 d1, 2000; st.local.u32 [d1], t; setp.eq.u32 p, t, 3;", "alloca of 2000 bytes"},
		{"not used", "alloca.u64 d1, 2000; setp.eq.u32 p, t, 3;", "alloca of 2000 bytes"},
		{"not used, and the number is computed", "mul.wide.u32 d2, t, 100; alloca.u64 d1, d2; setp.eq.u32 p, t, 3;", "alloca of 1100 bytes"},
		{"restored to nowhere", "mov.b64 d2, 7; stackrestore.u64 d2; setp.eq.u32 p, t, 3;", "is no address that stacksave"},
		{"small", "alloca.u64 d1, 200; setp.eq.u32 p, t, 3;", ""},
	} {
		p := program{strings.Replace(deciding, "BODY", c.body, 1), decidingManifest}
		for _, mode := range []Mode{Control, Memory, Full} {
			_, err := p.session(t, mode).Profile(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, mode %s: %v, want %q", c.name, mode, err, c.want)
			}
		}
	}
}
