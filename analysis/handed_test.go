package analysis

import (
	"slices"
	"strings"
	"testing"
)

// expectDeciding checks the exactness of a body of deciding in all modes that run it, and that a
// fact of a kind says why.
func expectDeciding(t *testing.T, name, text, want, why string) {
	t.Helper()
	p := program{text, decidingManifest}
	for _, mode := range []Mode{Control, Memory, Full} {
		prof := p.profile(t, mode)
		if got := prof.Rows[len(prof.Rows)-1].Exactness; got != want {
			t.Errorf("%s, mode %s: %s, want %s", name, mode, got, want)
		}
		if why != "" && !slices.ContainsFunc(prof.Races(), func(r *RaceRow) bool { return r.Kind == why }) {
			t.Errorf("%s, mode %s: no fact of the kind %s", name, mode, why)
		}
	}
}

// TestLocalMemoryOfOthers: local memory is private to a thread (PTX ISA 5.1.5), and its window the
// same for all. What a thread finds, or leaves, by the address of another one's is undefined, however
// that came to it; not so by its own, and not what is no access.
func TestLocalMemoryOfOthers(t *testing.T) {
	const (
		own    = "mov.u64 d1, lo; cvta.local.u64 d1, d1; st.local.u32 [lo], t;"
		put    = "mad.lo.u32 z, t, 8, y; st.shared.u64 [z], d1; bar.sync 0;"
		other  = "xor.b32 z, t, 1; mad.lo.u32 z, z, 8, y;"
		get    = "ld.shared.u64 d2, [z];"
		look   = "ld.u32 x, [d2]; setp.eq.u32 p, x, 3;"
		halves = "mov.b64 {x, z}, d1; shfl.sync.HOW.b32 x, x, LANE, 31, -1; shfl.sync.HOW.b32 z, z, LANE, 31, -1; mov.b64 d2, {x, z};"
		why    = "local-of-another"
	)
	global := strings.NewReplacer("mad.lo.u32 z, t, 8, y", "mad.wide.u32 d3, t, 8, o", "mad.lo.u32 z, z, 8, y", "mad.wide.u32 d3, z, 8, o", "shared", "global", "[z]", "[d3]")
	shuffled := func(how, lane string) string { return strings.NewReplacer("HOW", how, "LANE", lane).Replace(halves) }
	for _, c := range []struct{ name, body, want, why string }{
		{"one's own", own + "ld.u32 x, [d1]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"one's own, from shared memory", own + put + get + look, "exact", ""},
		{"another one's, from shared memory", own + put + other + get + look, "undefined", why},
		{"another one's, from global memory", own + global.Replace(put+other+get) + look, "undefined", why},
		{"one's own, from global memory", own + global.Replace(put+get) + look, "exact", ""},
		{"handed on once more", own + put + other + get + "st.local.u64 [lo+8], d2; ld.local.u64 d3, [lo+8]; add.u64 d2, d3, 0;" + look, "undefined", why},
		{"stored once more", own + put + other + get + "bar.sync 0; mad.lo.u32 z, t, 8, y; st.shared.u64 [z+512], d2; ld.shared.u64 d2, [z+512];" + look, "undefined", why},
		{"from another lane", own + shuffled("bfly", "1") + look, "undefined", why},
		{"from the own lane", own + shuffled("idx", "t") + look, "exact", ""},
		{"by an atomic", own + "cvt.u64.u32 d3, t; @first st.shared.u64 [y], d1; bar.sync 0; atom.shared.or.b64 d2, [y], 0;" + look, "undefined", why},
		{"what is stored there", own + put + other + get + "st.u32 [d2], 7; ld.local.u32 x, [lo]; setp.eq.u32 p, x, 7;", "undefined", why},
		{"what is stored for some", own + put + other + get + "@first st.u32 [d2], 7; ld.local.u32 x, [lo]; setp.eq.u32 p, x, 7;", "undefined", why},
		{"its address in .local", "mov.u64 d1, lo; st.local.u32 [lo], t;" + put + other + get + "ld.local.u32 x, [d2]; setp.eq.u32 p, x, 3;", "undefined", why},
		{"one's own, by an atomic", own + "atom.add.u32 x, [d1], 1; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"one's own, by a reduction", own + "red.add.u32 [d1], 1; ld.local.u32 x, [lo]; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"null", own + put + other + get + "setp.eq.u64 p, d2, 0;", "exact", ""},
		{"stored, and nobody looks", own + put + other + get + "st.u32 [d2], 7; setp.eq.u32 p, t, 7;", "exact", ""},
		{"nobody looks", own + put + other + get + "ld.u32 x, [d2]; setp.eq.u32 p, t, 3;", "exact", ""},
		{"for one's own again", own + put + other + get + "mov.b64 d2, d1;" + look, "exact", ""},
		{"shared memory", "mov.u64 d1, sh; add.u64 d1, d1, 1024; cvta.shared.u64 d1, d1; st.shared.u32 [y+1024], 3; bar.sync 0;" + put + other + get + look, "exact", ""},
		{"a buffer", "add.u64 d1, o, 512;" + put + other + get + look, "exact", ""},
		{"a variable of the function", "call (x), f, (t); setp.eq.u32 p, x, 3;", "exact", ""},
	} {
		text := strings.Replace(strings.Replace(deciding, ".shared", ".local .align 8 .b32 lo[4];\n\t.shared", 1), "BODY", c.body, 1)
		const functions = ".func (.reg .b32 o) g(.reg .b64 i) { ld.u32 o, [i]; ret; }\n" +
			".func (.reg .b32 o) f(.reg .b32 i) { .local .b32 v; .reg .b64 a; mov.u64 a, v; cvta.local.u64 a, a; st.local.u32 [v], i; call (o), g, (a); ret; }\n.visible"
		expectDeciding(t, c.name, strings.Replace(text, ".visible", functions, 1), c.want, c.why)
	}
}

// TestStatesAreNoNumbers: a number is no state of an mbarrier object, even if a state could be that
// very number, and comes the same way.
func TestStatesAreNoNumbers(t *testing.T) {
	const (
		// alike is what an arrival returns here: 32 expected, 1 pending
		alike   = "mov.b64 d2, 0x0000000000100020;"
		arrived = "@first mbarrier.init.shared.b64 [y+64], 32; bar.sync 0; mbarrier.arrive.shared.b64 d1, [y+64]; bar.sync 0; " + alike
		ask     = "mbarrier.test_wait.shared.b64 p, [y+64], d1;"
		put     = "mad.lo.u32 z, t, 8, y; st.shared.u64 [z+512], d1; bar.sync 0;"
		get     = "ld.shared.u64 d1, [z+512];"
		count   = "mbarrier.pending_count.b64 x, d1; setp.eq.u32 p, x, 3;"
		invalid = "invalid-operand"
	)
	for _, c := range []struct{ name, body, want, why string }{
		{"a number for some", arrived + "@first mov.b64 d1, d2;" + ask, "undefined", invalid},
		{"a number that is chosen", arrived + "selp.b64 d1, d2, d1, first;" + ask, "undefined", invalid},
		{"the count of a number for some", arrived + "@first mov.b64 d1, d2;" + count, "undefined", invalid},
		{"a number from memory", arrived + "@first mov.b64 d1, d2;" + put + get + ask, "undefined", invalid},
		{"a number from local memory", arrived + "@first mov.b64 d1, d2; st.local.u64 [lo], d1; ld.local.u64 d1, [lo];" + ask, "undefined", invalid},
		{"a number that a function returns", arrived + "call (d2), number, (); @first mov.b64 d1, d2;" + ask, "undefined", invalid},
		{"a number that a function is given", arrived + "selp.b64 d1, d2, d1, first; call (x), asks, (d1, y); setp.eq.u32 p, x, 1;", "undefined", invalid},
		{"a number on another way", arrived + "@first bra N; bra A; N: mov.b64 d1, d2; A: " + ask, "undefined", invalid},
		{"half a number", arrived + "mov.b64 {x, z}, d1; mov.b32 z, 0; mov.b64 d1, {x, z};" + ask, "undefined", invalid},
		{"a sum that is alike", arrived + "add.u64 d1, d1, 0;" + ask, "undefined", ""},
		{"chosen, and a state", arrived + "setp.ne.u32 p, t, t; selp.b64 d1, d1, d2, first; @first " + ask, "exact", ""},
		{"a state from memory", arrived + put + get + ask, "scheduled", ""},
		{"a state from local memory", arrived + "st.local.u64 [lo], d1; ld.local.u64 d1, [lo];" + ask, "scheduled", ""},
		{"a state in halves", arrived + "mov.b64 {x, z}, d1; mov.b64 d1, {x, z};" + ask, "exact", ""},
		{"a state in halves from another lane", arrived + "mov.b64 {x, z}, d1; shfl.sync.bfly.b32 x, x, 1, 31, -1; shfl.sync.bfly.b32 z, z, 1, 31, -1; mov.b64 d1, {x, z};" + ask, "scheduled", ""},
		{"a state that a function is given", arrived + "call (x), asks, (d1, y); setp.eq.u32 p, x, 1;", "scheduled", ""},
		{"a state that a function returns", arrived + "call (d1), same, (d1);" + ask, "scheduled", ""},
		{"bits of a state from memory", arrived + put + "ld.shared.u32 x, [z+512]; setp.eq.u32 p, x, 3;", "undefined", "machine"},
	} {
		text := strings.Replace(strings.Replace(deciding, ".shared", ".local .align 8 .b32 lo[4];\n\t.shared", 1), "BODY", c.body, 1)
		const functions = ".func (.reg .b64 o) number() { mov.b64 o, 0x0000000000100020; ret; }\n" +
			".func (.reg .b64 o) same(.reg .b64 i) { mov.b64 o, i; ret; }\n" +
			".func (.reg .b32 o) asks(.reg .b64 i, .reg .b32 y) { .reg .pred p; mbarrier.test_wait.shared.b64 p, [y+64], i; selp.b32 o, 1, 0, p; ret; }\n.visible"
		expectDeciding(t, c.name, strings.Replace(text, ".visible", functions, 1), c.want, c.why)
	}
}
