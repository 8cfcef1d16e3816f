package ir

import (
	"fmt"
	"testing"
)

func TestBlocks(t *testing.T) {
	tests := []struct{ name, stmts, want string }{
		{"empty", "", "0:[0,0)[-1] "},
		{"straight", "mov.u32 %r1, 1; ret;", "0:[0,2)[-1] "},
		{"falls off", "mov.u32 %r1, 1;", "0:[0,1)[-1] "},
		{"label at the end", "@%p1 bra L; mov.u32 %r1, 1; L:", "0:[0,1)[1 -1] 1:[1,2)[-1] "},
		{"unused label", "mov.u32 %r1, 1; L: mov.u32 %r2, 2;", "0:[0,2)[-1] "},
		{"guarded ret", "@%p1 ret; mov.u32 %r1, 1;", "0:[0,1)[1 -1] 1:[1,2)[-1] "},
		{"guarded exit at the end", "@%p1 exit;", "0:[0,1)[-1] "},
		{"loop", "L: mov.u32 %r1, 1; @%p1 bra L; trap;", "0:[0,2)[1 0] 1:[2,3)[-1] "},
		{"branch to the next", "@%p1 bra L; L: ret;", "0:[0,1)[1] 1:[1,2)[-1] "},
		{"unreachable", "bra L; mov.u32 %r1, 1; L: ret;", "0:[0,1)[2] 1:[1,2)[2] 2:[2,3)[-1] "},
		{"table", "T: .branchtargets A, B, A; @%p1 brx.idx %r1, T; A: ret; B: ret;", "0:[0,1)[1 2] 1:[1,2)[-1] 2:[2,3)[-1] "},
		{"range", "T: .branchtargets L<2>; brx.idx %r1, T; L0: ret; L1: ret;", "0:[0,1)[1 2] 1:[1,2)[-1] 2:[2,3)[-1] "},
		{"inner label hides", "{ L: @%p1 bra L; } { L: @%p1 bra L; }", "0:[0,1)[1 0] 1:[1,2)[-1 1] "},
		{"call does not end a block", ".param .b32 a, r; .param .b64 b; call (r), callee, (a, b); ret;", "0:[0,2)[-1] "},
	}
	for _, test := range tests {
		f := kernelOf(t, test.stmts)
		first := f.First
		got := ""
		for i, b := range f.Blocks {
			got += fmt.Sprintf("%d:[%d,%d)%v ", i, b.First-first, b.End-first, b.Succs())
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestReconvergence: paths merge at the immediate post-dominator, and nowhere
// if that is the exit.
func TestReconvergence(t *testing.T) {
	f := kernelOf(t, "@%p1 bra A; mov.u32 %r1, 1; bra J; A: mov.u32 %r1, 2; J: @%p2 ret; mov.u32 %r1, 3;")
	post := f.PostDominators()
	if got := f.Blocks[post.IDom(0)].First - f.First; got != 4 {
		t.Errorf("the arms merge at %d, want 4", got)
	}
	if b := f.Instrs()[4].Block; post.IDom(int(b)) != Exit {
		t.Errorf("paths merge after a guarded ret")
	}
}
