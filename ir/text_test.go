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

// TestTextConstant: a constant that only a constant can be keeps its sign.
func TestTextConstant(t *testing.T) {
	want := "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, -1, 0, 1"
	m, err := lowerWith(t, ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k()\n{\n.reg .f32 %f<4>;\n.reg .b64 %rd<3>;\n.reg .pred %p<2>;\n"+want+";\nret;\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Funcs[0].Text(m.Funcs[0].First); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
