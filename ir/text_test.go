package ir

import "testing"

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
