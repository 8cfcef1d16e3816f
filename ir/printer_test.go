package ir

import (
	"bytes"
	"testing"
)

// TestText: an instruction's text has its operands as PTX writes them.
func TestText(t *testing.T) {
	tests := []string{
		"add.rn.ftz.f32 %f1, %f2, 0f3F800000", "@!%p1 bra L", "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3",
		"ld.global.v4.f32 {%f0, %f1, _, %f3}, [%rd1+-12]", "mov.u64 %rd1, gv+4", "mov.u32 %r1, %tid.x",
		"mov.s32 %r1, -5", "st.shared.u32 [sv], %r1", "ret",
	}
	for _, want := range tests {
		f := kernelOf(t, want+"; L: ret;")
		if got := f.Text(f.First); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestPrint: the printed form of a small loop, written by hand.
func TestPrint(t *testing.T) {
	m := lowerText(t, `.entry k (.param .u64 p) { .reg .pred %p; .reg .b32 %r; .shared .b8 s[16];
mov.u32 %r, 0; L: add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 9; @%p bra L; ret; }`)
	want := `entry k
  param .param::entry .align 8 .u64 p at 0
  var .shared .align 1 .b8 s[16]
block 0: preds [] succs [1] merge 1
     0  mov.u32 %r, 0
block 1: preds [0 1] succs [2 1] merge 2 loop 1 depth 1
     1  add.u32 %r, %r, 1
     2  setp.lt.u32 %p, %r, 9
     3  @%p bra L
block 2: preds [1] succs [exit] merge exit
     4  ret
`
	var got bytes.Buffer
	if err := m.Func("k").Print(&got); err != nil || got.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got.String(), want)
	}
}
