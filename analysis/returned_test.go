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
		{"and set again", "add.cc.u32 x, t, -3; call f; addc.cc.u32 x, t, 7; mov.u32 x, 0; add.cc.u32 x, t, -3; addc.u32 z, t, 7;", "exact"},
	} {
		text := strings.Replace(strings.Replace(deciding, "p, first", "p, q, first", 1), "BODY", c.body+" setp.eq.u32 p, z, 9;", 1)
		p := program{strings.Replace(text, ".visible", ".func f() { ret; }\n.visible", 1), decidingManifest}
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
