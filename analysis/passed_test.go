package analysis

import (
	"strings"
	"testing"
)

// passing is a module with a function and a kernel whose threads call it and decide on what
// they find in R, or in the one byte range of it that DECIDE loads.
const passing = `.version 7.5
.target sm_80
.address_size 64
.func (.param .align 8 .b8 R[16]) f(.param .align 8 .b8 A[16])
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
	BODY
}
.visible .entry k()
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
	mov.u32 %r1, %tid.x;
	.param .align 8 .b8 a[16];
	.param .align 8 .b8 r[16];
	PASS
	call (r), f, (a);
	DECIDE
	@%p bra END;
	add.u32 %r1, %r1, 1;
END:
	ret;
}`

// TestPassed: bytes of a parameter of a call, or of its result, that nobody has stored are
// unspecified, as registers are that nobody has written.
func TestPassed(t *testing.T) {
	const (
		whole  = "st.param.v2.b64 [a], {1, 2};"
		decide = "ld.param.b32 %r2, [r+4]; setp.eq.u32 %p, %r2, 5;"
		copied = "ld.param.b32 %r1, [A+4]; st.param.b32 [R+4], %r1; ret;"
	)
	for _, c := range []struct{ name, body, pass, decide, want string }{
		{"all stored", copied, whole, decide, "exact"},
		{"as much as is read", copied, "st.param.b32 [a+4], %r1;", decide, "exact"},
		{"an argument's other bytes", copied, "st.param.b32 [a], %r1;", decide, "assumed"},
		{"half of an argument", copied, "st.param.b16 [a+4], 1;", decide, "assumed"},
		{"an argument by two stores", copied, "st.param.b16 [a+4], 1; st.param.b16 [a+6], 2;", decide, "exact"},
		{"an argument of some threads", copied, "setp.lt.u32 %p, %r1, 9; @%p st.param.b32 [a+4], %r1;", decide, "assumed"},
		{"no argument", copied, "", decide, "assumed"},
		{"a result's other bytes", copied, whole, "ld.param.b32 %r2, [r]; setp.eq.u32 %p, %r2, 5;", "assumed"},
		{"half of a result", copied, whole, "ld.param.b64 %rd1, [r]; setp.eq.u64 %p, %rd1, 5;", "assumed"},
		{"a result of no thread", "ld.param.b32 %r1, [A+4]; setp.eq.u32 %p, %r1, 77; @%p st.param.b32 [R+4], %r1; ret;", whole, decide, "assumed"},
		{"a result of one way", "ld.param.b32 %r1, [A+4]; setp.ne.u32 %p, %r1, 0; @%p bra X; ret; X: st.param.b32 [R+4], %r1; ret;", whole, decide, "assumed"},
		{"a result of both ways", "ld.param.b32 %r1, [A+4]; setp.eq.u32 %p, %r1, 0; @%p bra X; st.param.b32 [R+4], 7; ret; X: st.param.b32 [R+4], %r1; ret;", whole, decide, "exact"},
		{"a result in front of where they join", "ld.param.b32 %r1, [A+4]; setp.eq.u32 %p, %r1, 0; st.param.b32 [R+4], 7; @%p bra X; add.u32 %r1, %r1, 1; X: ret;", whole, decide, "exact"},
		{"by its address", "mov.b64 %rd1, A; add.u64 %rd1, %rd1, 4; ld.param.b32 %r1, [%rd1]; st.param.b32 [R+4], %r1; ret;", "st.param.b32 [a], 1;", decide, "assumed"},
		{"by its address, stored", "mov.b64 %rd1, A; add.u64 %rd1, %rd1, 4; ld.param.b32 %r1, [%rd1]; st.param.b32 [R+4], %r1; ret;", whole, decide, "exact"},
		{"called before", copied, whole + "call (r), f, (a); st.param.b32 [a], 1;", decide, "exact"},
	} {
		p := program{strings.NewReplacer("BODY", c.body, "PASS", c.pass, "DECIDE", c.decide).Replace(passing), `{"version": 1, "buffers": {},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [64], "args": []}]}`}
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			if got := prof.Rows[len(prof.Rows)-1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
