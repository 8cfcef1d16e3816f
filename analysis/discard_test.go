package analysis

import (
	"strings"
	"testing"
)

// discarding is a module with a kernel that discards the line of 128 bytes that its
// argument leads into, and does something else; and one that decides on a word.
const discarding = `.version 7.5
.target sm_80
.address_size 64
.visible .entry w(.param .u64 a)
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
	ld.param.u64 %rd1, [a];
	discard.global.L2 [%rd1], 128;
	BODY
	ret;
}
.visible .entry l(.param .u64 a)
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
	ld.param.u64 %rd1, [a];
	DECIDE
	ret;
}`

// TestDiscard: what discard leaves is any value, until it is written again: in every
// mode, in this launch and in later ones, and nowhere else.
func TestDiscard(t *testing.T) {
	const decide = "ld.global.u32 %r1, [%rd1+OFF]; setp.eq.u32 %p, %r1, 0; @%p bra END; add.u32 %r1, %r1, 1;\nEND:"
	at := func(off string) string { return strings.ReplaceAll(decide, "OFF", off) }
	for _, c := range []struct {
		name, body, later, want string
	}{
		{"its first word", at("0"), "", "undefined"},
		{"its last word", at("124"), "", "undefined"},
		{"the line behind it", at("128"), "", "exact"},
		{"written again", "mov.u32 %r2, 3; st.global.u32 [%rd1+4], %r2;" + at("4"), "", "exact"},
		{"the word beside one that is written again", "mov.u32 %r2, 3; st.global.u32 [%rd1+4], %r2;" + at("8"), "", "undefined"},
		{"an atomic on it", "atom.global.add.u32 %r1, [%rd1], 0; setp.eq.u32 %p, %r1, 0; @%p bra END; add.u32 %r1, %r1, 1;\nEND:", "", "undefined"},
		{"later", "", at("64"), "undefined"},
		{"written again, later", "mov.u32 %r2, 3; st.global.u32 [%rd1+64], %r2;", at("64"), "exact"},
		{"stored elsewhere, and read later", "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1+256], %r1;", at("256"), "undefined"},
		{"nobody reads", "", at("200"), "exact"},
	} {
		p := program{strings.NewReplacer("BODY", c.body, "DECIDE", c.later).Replace(discarding), `{"version": 1, "buffers": {"b": {"bytes": 512, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "w", "grid": [1], "block": [1], "args": [{"buffer": "b"}]},
				{"module": "k.ptx", "kernel": "l", "grid": [1], "block": [1], "args": [{"buffer": "b"}]}]}`}
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			if got := prof.Rows[len(prof.Rows)-1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
			if c.want == "exact" {
				continue
			}
			var why []string
			for _, r := range prof.Races() {
				why = append(why, r.Kind)
			}
			if !strings.Contains(strings.Join(why, " "), "discarded") {
				t.Errorf("%s, mode %s: facts %v", c.name, mode, why)
			}
		}
	}
}
