package ir

import "testing"

func TestCalls(t *testing.T) {
	m := lowerText(t, `.func (.param .b32 r) f (.param .b32 a, .param .b8 rest[]) { ret; }
.func (.param .b32 r) g (.param .b32 a, .param .b8 rest[]) { ret; }
.func h (.reg .b32 %x) { ret; }
.func (.param .b32 r) alias (.param .b32 a, .param .b8 rest[]);
.alias alias, f;
.entry k { .reg .b64 %rd; .reg .b32 %r<4>; .reg .pred %rp; .param .b32 p, q; .param .b8 s[8];
call (q), f, (p, s);
call (q), f, (p);
call (%r0), f, (%r1);
call (_), f, (7);
call h, (%r2);
P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b8 _[]);
call (q), %rd, (p), P;
T: .calltargets f, g;
@%rp call (q), %rd, (p), T;
call (q), alias, (p);
}`)
	k, f := m.Func("k"), m.Func("f")
	want := []struct {
		callee                 string
		args, rets, candidates int
		defs, uses             string
	}{
		{"f", 2, 1, 0, "[]", "[]"},
		{"f", 1, 1, 0, "[]", "[]"},
		{"f", 1, 1, 0, "[%r0]", "[%r1]"},
		{"f", 1, 1, 0, "[]", "[]"},
		{"h", 1, 0, 0, "[]", "[%r2]"},
		{"", 1, 1, 0, "[]", "[%rd]"},
		{"", 1, 1, 2, "[]", "[%rd %rp]"},
		{"f", 1, 1, 0, "[]", "[]"},
	}
	if len(k.Calls) != len(want) {
		t.Fatalf("%d calls, want %d", len(k.Calls), len(want))
	}
	for i, w := range want {
		in := &m.Instrs[k.Calls[i]]
		c, callee := in.Call, ""
		if c.Callee != nil {
			callee = c.Callee.Name
		}
		if callee != w.callee || len(c.Args) != w.args || len(c.Returns) != w.rets || len(c.Candidates) != w.candidates {
			t.Errorf("call %d: %s, %d arguments, %d returns, %d candidates; want %+v", i, callee, len(c.Args), len(c.Returns), len(c.Candidates), w)
		}
		if d, u := k.regNames(in.Defs()), k.regNames(in.Uses()); d != w.defs || u != w.uses {
			t.Errorf("call %d defines %s, uses %s; want %+v", i, d, u, w)
		}
	}
	alias := m.Func("alias")
	if !alias.Defined || alias.AliasOf != f || alias.First != f.First || m.FuncOf(f.First) != f {
		t.Errorf("the alias does not share its aliasee's body")
	}
}
