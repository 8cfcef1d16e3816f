package analysis

import (
	"strings"
	"testing"
)

// TestOriginsApart: a word that depends on the order of threads makes neither the other
// words of a vector load inexact, nor what other lanes are handed by a shuffle; and what
// does get it is.
func TestOriginsApart(t *testing.T) {
	const head = `.version 7.5
.target sm_80
.address_size 64
.visible .shared .align 16 .b8 sh[512];
.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>;
	mov.u32 %r0, %tid.x;
	shr.u32 %r7, %r0, 5;
	mov.u32 %r8, %laneid;
	setp.lt.u32 %p1, %r0, 4;
	and.b32 %r1, %r0, 3;
	shl.b32 %r1, %r1, 2;
	cvt.u64.u32 %rd1, %r1;
	mov.u64 %rd2, sh;
	add.u64 %rd2, %rd2, %rd1;
	@%p1 st.shared.u32 [%rd2], %r0;
	bar.sync 0;
`
	// The third word races: each warp stores another value.
	const race = "bar.warp.sync -1; setp.eq.u32 %p2, %r8, 0; add.u32 %r6, %r7, 7; @%p2 st.shared.u32 [sh+8], %r6; bar.warp.sync -1;\n"
	const raced = race + "bar.sync 0;\n"
	const decide = "setp.gt.u32 %p3, REG, 6; @%p3 bra END; add.u32 %r1, %r1, 1;\nEND: ret;\n}"
	on := func(reg string) string { return strings.Replace(decide, "REG", reg, 1) }
	const vector = "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [sh];\n"
	shuffled := func(lane string) string {
		return "ld.shared.u32 %r2, [%rd2];\nshfl.sync.idx.b32 %r3, %r2, " + lane + ", 31, -1;\n" + on("%r3")
	}
	for _, c := range []struct{ name, body, want string }{
		{"the first word", race + vector + on("%r2"), "exact"},
		{"the word beside it", race + vector + on("%r5"), "exact"},
		{"the word itself", race + vector + on("%r4"), "scheduled"},
		{"their sum", race + vector + "add.u32 %r2, %r2, %r4;\n" + on("%r2"), "scheduled"},
		{"overtaken, the first word decides", vector + race + on("%r2"), "exact"},
		{"overtaken, the word decides", vector + race + on("%r4"), "scheduled"},
		{"overtaken, the word is stored and decides", vector + race + "st.shared.u32 [sh+32], %r4; bar.sync 0; ld.shared.u32 %r2, [sh+32];\n" + on("%r2"), "scheduled"},
		{"a pair of 64 bits", race + "ld.shared.v2.u64 {%rd3, %rd4}, [sh];\ncvt.u32.u64 %r2, %rd3;\n" + on("%r2"), "exact"},
		{"the other of the pair", race + "ld.shared.v2.u64 {%rd3, %rd4}, [sh];\ncvt.u32.u64 %r2, %rd4;\n" + on("%r2"), "scheduled"},
		{"shuffled from another lane", raced + shuffled("3"), "exact"},
		{"shuffled from the lane", raced + shuffled("2"), "scheduled"},
		{"shuffled by the word", raced + "ld.shared.u32 %r2, [sh+8];\nshfl.sync.idx.b32 %r3, %r8, %r2, 31, -1;\n" + on("%r3"), "scheduled"},
		{"a vote", raced + "ld.shared.u32 %r2, [%rd2];\nsetp.gt.u32 %p3, %r2, 6;\nvote.sync.any.pred %p3, %p3, -1;\n@%p3 bra END; add.u32 %r1, %r1, 1;\nEND: ret;\n}", "scheduled"},
	} {
		p := program{head + c.body, `{"version": 1, "buffers": {"b": {"bytes": 512, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [64], "args": [{"buffer": "b"}]}]}`}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[0].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
