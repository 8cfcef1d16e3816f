package machine

import (
	"fmt"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir/isa"
)

// warpCost sums up what a warp issues, and how many EXIT and branches among it,
// if it executes each PTX block so many times.
func warpCost(c *Code, blocks []float64) (all, control float64) {
	for _, ch := range c.Charges {
		n := float64(ch.Num) / float64(ch.IssueDen) * blocks[c.Func.Module.Instrs[ch.Issue].Block]
		all += n
		if ch.Class == isa.Control {
			control += n
		}
	}
	return all, control
}

const (
	// index is S2R twice, IMAD, ISETP: with the stack pointer 5 instructions.
	index = `mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %i, %tid.x; mad.lo.s32 %c, %r1, %r2, %i;
		setp.ge.s32 %p1, %c, %rn;`
	// work is MOV of 4, IMAD.WIDE twice, LDG, FADD, STG: 6 instructions.
	work = `mul.wide.s32 %rd1, %c, 4; add.s64 %rd2, %rda, %rd1; add.s64 %rd3, %rdb, %rd1;
		ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd3], %f2;`
	// repeated is a loop with LDS, IADD, ISETP, BRA each time.
	repeated = "L: ld.shared.u32 %r4, [sh]; add.s32 %r3, %r3, %r4; setp.lt.s32 %p2, %r3, %rn; @%p2 bra L;"
)

// TestExit holds what warps with and without work issue against counts made by
// hand: a thread without work leaves with a predicated EXIT.
func TestExit(t *testing.T) {
	for _, c := range []struct {
		what, body   string
		blocks       []float64 // how often a warp comes to each
		all, control float64
	}{
		// 5, EXIT; 6, EXIT. A partial warp comes to the same blocks.
		{"guard, full or partial", index + "@%p1 bra R;" + work + "R:", []float64{1, 1, 1}, 13, 2},
		{"guard, idle", index + "@%p1 bra R;" + work + "R:", []float64{1, 0, 1}, 6, 1},
		{"guarded ret, full", index + "@%p1 ret;" + work, []float64{1, 1}, 13, 2},
		{"guarded ret, idle", index + "@%p1 ret;" + work, []float64{1, 0}, 6, 1},
		{"guarded exit, idle", index + "@%p1 exit;" + work, []float64{1, 0}, 6, 1},
		{"fall through to ret, full", index + "@!%p1 bra B; ret; B:" + work, []float64{1, 0, 1}, 13, 2},
		{"fall through to ret, partial", index + "@!%p1 bra B; ret; B:" + work, []float64{1, 1, 1}, 13, 2},
		{"fall through to ret, idle", index + "@!%p1 bra B; ret; B:" + work, []float64{1, 1, 0}, 6, 1},
		{"over a jump, full", index + "@!%p1 bra B; bra R; B:" + work + "R:", []float64{1, 0, 1, 1}, 13, 2},
		{"over a jump, idle", index + "@!%p1 bra B; bra R; B:" + work + "R:", []float64{1, 1, 0, 1}, 6, 1},
		{"what is dead does not count, idle", index + "@%p1 bra R;" + work + "R: xor.b32 %r5, %i, %c;", []float64{1, 0, 1}, 6, 1},
		// A short arm within stays predicated: ISETP, STS behind the work.
		{"an arm behind the guard, full", index + "@%p1 bra R;" + work + "setp.eq.s32 %p2, %i, 3; @%p2 bra S; st.shared.u32 [sh], %i; S: st.shared.u32 [sh+4], %i; R:", []float64{1, 1, 0, 1, 1}, 16, 2},
		// A second guard: ISETP, EXIT, STS, EXIT behind the work.
		{"two guards, full", index + "@%p1 bra R;" + work + "setp.eq.s32 %p2, %i, 3; @%p2 bra R; st.shared.u32 [sh], %i; R:", []float64{1, 1, 1, 1}, 16, 3},
		{"two guards, the second idle", index + "@%p1 bra R;" + work + "setp.eq.s32 %p2, %i, 3; @%p2 bra R; st.shared.u32 [sh], %i; R:", []float64{1, 1, 0, 1}, 14, 2},
		{"two guards, the first idle", index + "@%p1 bra R;" + work + "setp.eq.s32 %p2, %i, 3; @%p2 bra R; st.shared.u32 [sh], %i; R:", []float64{1, 0, 0, 1}, 6, 1},
		// 5, EXIT; the work's 6, MOV of 0; three rounds of LDS, IADD, ISETP, BRA; EXIT.
		{"a loop behind the guard", index + "@%p1 bra R;" + work + "mov.u32 %r3, 0;" + repeated + "R:", []float64{1, 1, 3, 1}, 26, 5},
		{"a loop behind the guard, idle", index + "@%p1 bra R;" + work + "mov.u32 %r3, 0;" + repeated + "R:", []float64{1, 0, 0, 1}, 6, 1},
		// A loop's own test stays a branch, and one EXIT stands behind: the stack pointer, STS, MOV of 0; three rounds; EXIT.
		{"a loop at the end", "mov.u32 %r3, 0; st.shared.u32 [sh+8], %r3;" + repeated, []float64{1, 3, 1}, 16, 4},
		// A barrier behind the guard: EXIT, BAR, EXIT.
		{"a barrier behind the guard, idle", index + "@%p1 bra R; bar.sync 0; R:", []float64{1, 0, 1}, 6, 1},
		// Both sides end: one EXIT.
		{"nothing on either side", index + "@%p1 bra R; ret; R:", []float64{1, 1, 0}, 6, 1},
		{"nothing on either side, the other", index + "@%p1 bra R; ret; R:", []float64{1, 0, 1}, 6, 1},
		// Short arms that both do something are no exits: STS twice, EXIT.
		{"two arms", index + "@%p1 bra A; st.shared.u32 [sh], %i; bra R; A: st.shared.u32 [sh+4], %i; R:", []float64{1, 1, 1, 1}, 8, 1},
		// trap is no EXIT: BRA.
		{"trap", index + "@%p1 bra R;" + work + "ret; R: trap;", []float64{1, 1, 0}, 13, 2},
	} {
		code := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, c.body)))), nil, 70)
		if n := len(code.Func.Blocks); n != len(c.blocks) {
			if n != len(c.blocks)+1 {
				t.Fatalf("%s: %d blocks, %d counts", c.what, n, len(c.blocks))
			}
			c.blocks = append(c.blocks, 0) // the wrapper's ret
		}
		if all, control := warpCost(code, c.blocks); all != c.all || control != c.control {
			t.Errorf("%s: %v instructions, %v of them control; by hand %v and %v\n%s", c.what, all, control, c.all, c.control, listing(code))
		}
	}
}

// TestNoRet holds that a loop at the end of a kernel without ret branches back
// once each round: IADD, ISETP, BRA.
func TestNoRet(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 pn) {
.reg .pred %p1; .reg .b32 %r<9>;
ld.param.u32 %r1, [pn]; mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 bra E; mov.u32 %r3, 0;
L: add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;
E: }`
	code := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(text))), nil, 70)
	for i, want := range []float64{4, 1, 3} { // the stack pointer, S2R, ISETP, EXIT; MOV of 0
		counts := make([]float64, 3)
		counts[i] = 1
		if all, _ := warpCost(code, counts); all != want {
			t.Errorf("block %d: %v instructions, by hand %v\n%s", i, all, want, listing(code))
		}
	}
}

// TestExitThreads holds that EXIT is executed by the threads that leave.
func TestExitThreads(t *testing.T) {
	code := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, index+"@%p1 bra R;"+work+"R:")))), nil, 70)
	for _, ch := range code.Charges {
		if block := code.Func.Module.Instrs[ch.Exec].Block; ch.Class == isa.Control && ch.Guarded != (block == 0) {
			t.Errorf("EXIT in block %d: guarded %v", block, ch.Guarded)
		}
		if ch.Issue != ch.Exec {
			t.Errorf("%+v: nothing is predicated here", ch)
		}
	}
}

func listing(c *Code) string {
	text := ""
	for _, ch := range c.Charges {
		text += fmt.Sprintf("  block %d: %d/%d %v with %s\n", c.Func.Module.Instrs[ch.Issue].Block, ch.Num, ch.IssueDen, ch.Class, c.Func.Text(ch.Exec))
	}
	return text
}
