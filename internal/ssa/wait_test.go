package ssa

import "testing"

func TestWaitingLoops(t *testing.T) {
	tests := []struct {
		name, stmts string
		want        int
	}{
		{"spin on a lock", `L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%rd1], 0;`, 1},
		{"volatile flag", `L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;`, 1},
		{"acquire flag", `L: ld.acquire.gpu.global.u32 %r1, [%rd1+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;`, 1},
		{"address computed anew", `L: add.u64 %rd2, %rd1, 8; ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;`, 1},
		{"plain load that nobody stores to", `L: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;`, 0},
		{"plain load, store elsewhere", `L: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%rd2], 1;`, 1},
		{"plain load, store to another space", `L: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; st.shared.u32 [%r2], 1;`, 0},
		{"plain load, store to another variable", `L: ld.shared.u32 %r1, [sv]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; .shared .u32 o; st.shared.u32 [o], 1;`, 0},
		{"read-only load", `L: ld.global.nc.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%rd2], 1;`, 0},
		{"counted loop", `L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra L; st.global.u32 [%rd1], 1;`, 0},
		{"moving address", `L: add.u64 %rd1, %rd1, 4; ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, 0},
		{"the loop stores there", `L: ld.volatile.global.u32 %r1, [%rd1]; sub.u32 %r1, %r1, 1; st.volatile.global.u32 [%rd1], %r1;
			setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, 0},
		{"the loop stores beside it", `L: ld.volatile.global.u32 %r1, [%rd1]; st.global.u32 [%rd1+4], %r2; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, 1},
		{"one of two exits counts rounds", `L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;
			add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100; @%p2 bra L; E:`, 0},
		{"both exits wait", `L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 exit;
			ld.volatile.global.u32 %r2, [%rd2]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L;`, 1},
		{"endless", `L: ld.volatile.global.u32 %r1, [%rd1]; bra L;`, 0},
		{"decided by a branch", `L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra A;
			mov.pred %p2, 0; bra J; A: mov.pred %p2, -1; J: @%p2 bra L;`, 1},
		{"a branch that decides nothing", `L: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; setp.eq.u32 %p1, %r1, 0;
			@%p1 bra A; mov.u32 %r3, 0; A: @%p2 bra L;`, 0},
		{"guarded definition", `L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; mov.pred %p2, 0; @%p1 mov.pred %p2, -1; @%p2 bra L;`, 1},
		{"redefined before the branch", `L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r1, %r2; add.u32 %r2, %r2, 1;
			setp.lt.u32 %p1, %r1, 9; @%p1 bra L;`, 0},
		{"mbarrier", `L: mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1; @!%p1 bra L;`, 1},
		{"outer loop counts, inner waits", `M: L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;
			add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra M2; ret; M2: mov.u32 %r3, 1; bra M;`, 0},
		{"a loop around a waiting one", `M: mov.u32 %r3, 0; L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;
			add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra M;`, 1},
	}
	for _, test := range tests {
		f := lower(t, ".shared .u32 sv;\n.entry k() {\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"+test.stmts+"\n}\n").Func("k")
		s, got := Build(f), 0
		for _, l := range f.Loops() {
			if waits, _ := s.Waits(l); waits {
				got++
			}
		}
		if got != test.want {
			t.Errorf("%s: %d waiting loops of %d, want %d", test.name, got, len(f.Loops()), test.want)
		}
	}
}
