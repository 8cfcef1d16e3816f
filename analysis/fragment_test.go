package analysis

import "testing"

// TestFragments: which element of a fragment of wmma a lane holds is the machine's own,
// so what rests on that is undefined, and what was stored as a matrix is not.
func TestFragments(t *testing.T) {
	const product = `ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [o];
	.reg .b32 %a<8>, %b<8>;
	.reg .f32 %c<8>;
	wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%d1];
	wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [%d1];
	wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%d2];
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};
	mul.f32 %c0, %c0, 0f40000000; mul.f32 %c1, %c1, 0f40000000; mul.f32 %c2, %c2, 0f40000000; mul.f32 %c3, %c3, 0f40000000;
	mul.f32 %c4, %c4, 0f40000000; mul.f32 %c5, %c5, 0f40000000; mul.f32 %c6, %c6, 0f40000000; mul.f32 %c7, %c7, 0f40000000;
	wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d2], {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};
	bar.warp.sync -1;
	`
	const decide = "setp.gt.f32 %p1, %f1, 0f00000000; @%p1 bra END; add.u32 %r1, %r1, 1; END: ret;"
	for _, test := range []struct{ name, use, want string }{
		{"the matrix", "ld.global.f32 %f1, [%d2];" + decide, "exact"},
		{"a register", "mov.f32 %f1, %c0;" + decide, "undefined"},
		{"a register that is stored", "st.global.f32 [%d2], %c3; ld.global.f32 %f1, [%d2];" + decide, "undefined"},
		{"a register of another lane", "mov.b32 %r1, %c0; shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; mov.b32 %f1, %r1;" + decide, "undefined"},
		{"nothing of it", "mov.f32 %f1, 0f00000000;" + decide, "exact"},
	} {
		p := program{entry(".param .u64 a, .param .u64 o", product+test.use),
			launch(1, 32, `"a": {"bytes": 512, "init": "zero"}, "o": {"bytes": 1024, "init": "zero"}`, `{"buffer": "a"}, {"buffer": "o"}`)}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[0].Exactness; got != test.want {
				t.Errorf("%s, mode %s: %s, want %s", test.name, mode, got, test.want)
			}
		}
	}
}
