package analysis

import (
	"testing"
)

// TestBreak leaves a loop by its bound or by a break.
func TestBreak(t *testing.T) {
	const block, bound = 64, 10
	ptx := entry(".param .u32 n", `
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	and.b32 %r3, %r2, 15;
	mov.u32 %r4, 0; // idle: registers begin as zero
HEAD:
	setp.ge.u32 %p1, %r4, %r1;
	@%p1 bra END;
	setp.eq.u32 %p2, %r4, %r3;
	@%p2 bra END;
	add.u32 %r4, %r4, 1;
	bra HEAD;
END:
	ret;`)
	m := newModel()
	m.run(2, block, "misc*3 integer")
	// In round i (from 0) 4 of the 64 threads break, 2 of each warp; the rest
	// leaves together in round 10.
	for i := uint64(0); i <= bound; i++ {
		here := 64 - 4*i
		m.run(2, here, "integer")
		if i == bound {
			m.branch(2, here, here, 0)
			break
		}
		m.branch(2, here, 0, 0)
		m.run(2, here, "integer")
		m.branch(2, here, 4, 2)
		m.run(2, here-4, "integer")
		m.jump(2, here-4)
	}
	m.run(2, block, "control")
	known(t, program{ptx, launch(1, block, "", `{"value": 10}`)}, m)
}

// TestPhi has a register that both sides of a branch write decide the next.
func TestPhi(t *testing.T) {
	const block = 32
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra ODD;
	shr.u32 %r3, %r1, 2;
	bra JOIN;
ODD:
	shr.u32 %r3, %r1, 1;
JOIN:
	setp.ge.u32 %p2, %r3, 4;
	@%p2 bra END;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)
	m := newModel()
	m.run(1, 32, "misc integer*2")
	m.branch(1, 32, 16, 1)
	m.run(1, 16, "integer")
	m.jump(1, 16)
	m.run(1, 16, "integer")
	m.run(1, 32, "integer")
	// Below 4: even threads below 16 (8 of them), odd ones below 8 (4).
	m.branch(1, 32, 32-12, 1)
	m.run(1, 12, "fadd")
	m.run(1, 32, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestExit ends threads in three ways within divergent code.
func TestExit(t *testing.T) {
	const block = 32
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 5;
	@%p1 exit;
	setp.lt.u32 %p2, %r1, 12;
	@%p2 bra LOW;
	setp.lt.u32 %p3, %r1, 20;
	@%p3 ret;
	add.f32 %f1, %f1, %f1;
	bra END;
LOW:
	mul.f32 %f1, %f1, %f1;
END:
	add.f32 %f1, %f1, %f1;`)
	m := newModel()
	m.run(1, 32, "misc integer")
	m.guarded(1, 32, 5, "control") // exit is no branch
	m.run(1, 27, "integer")
	m.branch(1, 27, 7, 1)
	m.run(1, 20, "integer")
	m.guarded(1, 20, 8, "control")
	m.run(1, 12, "fadd")
	m.jump(1, 12)
	m.run(1, 7, "fmul")
	// A guarded ret leads to the exit, so that only the exit post-dominates
	// the branch: the two sides end one after the other. Falling off the end
	// counts nothing.
	m.run(2, 19, "fadd")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestSwitch has two entries that name one label: three targets, not four.
func TestSwitch(t *testing.T) {
	const block = 64
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
T: .branchtargets A, B, A2, C;
	brx.idx %r2, T;
A:
A2:
	add.f32 %f1, %f1, %f1;
	bra END;
B:
	mul.f32 %f1, %f1, %f1;
	bra END;
C:
	fma.rn.f32 %f1, %f1, %f1, %f1;
END:
	ret;`)
	m := newModel()
	m.run(2, 64, "misc integer")
	m.branch(2, 64, 64, 2) // a switch is executed by all, and conditional
	m.targets += 2         // a third target each
	m.run(2, 32, "fadd")
	m.jump(2, 32)
	m.run(2, 16, "fmul")
	m.jump(2, 16)
	m.run(2, 16, "fma")
	m.run(2, 64, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestGuards has guards that hold for no lane, for all and for some; a guarded
// branch to the next instruction has two names for one PC.
func TestGuards(t *testing.T) {
	const block = 33
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 100;
	setp.lt.u32 %p2, %r1, 3;
	@%p1 add.f32 %f1, %f1, %f1;
	@!%p1 mul.f32 %f1, %f1, %f1;
	@%p2 fma.rn.f32 %f1, %f1, %f1, %f1;
	@%p1 bra NEVER;
	@%p2 bra NEXT;
NEXT:
	ret;
NEVER:
	add.f32 %f1, %f1, %f1;
	bra NEXT;`)
	m := newModel()
	m.run(2, 33, "misc integer*2")
	m.guarded(2, 33, 0, "fadd")
	m.guarded(2, 33, 33, "fmul")
	m.guarded(2, 33, 3, "fma")
	m.branch(2, 33, 0, 0)
	m.branch(2, 33, 3, 0)
	m.run(2, 33, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestGuardedCall calls from a part of the warp; the function returns early
// for some, and the others go on in the caller by themselves until the call's
// merge point.
func TestGuardedCall(t *testing.T) {
	const block = 32
	ptx := module(`.func (.param .b32 out) f(.param .b32 in)
{
.reg .b32 %r<4>;
.reg .pred %p<2>;
	ld.param.u32 %r1, [in];
	st.param.b32 [out], %r1; // idle: returned by lanes 0 to 3 only, and none is 10
	setp.lt.u32 %p1, %r1, 4;
	@%p1 ret;
	add.u32 %r1, %r1, 1;
	st.param.b32 [out], %r1;
	ret;
}
`, "", `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 10;
	{
	.param .b32 a, b;
	st.param.b32 [a], %r1;
	@%p1 call (b), f, (a);
	@%p1 ld.param.b32 %r1, [b];
	}
	setp.eq.u32 %p2, %r1, 10;
	@%p2 bra END;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)
	m := newModel()
	m.run(1, 32, "misc integer misc")
	m.guarded(1, 32, 10, "control")
	m.run(1, 10, "misc*2 integer")
	m.guarded(1, 10, 4, "control")
	m.run(1, 6, "integer misc control")
	m.guarded(1, 32, 10, "misc")
	m.run(1, 32, "integer")
	m.branch(1, 32, 2, 1) // 9 + 1 and 10
	m.run(1, 30, "fadd")
	m.run(1, 32, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestEarlyReturn: lanes that return one after the other merge behind the call.
func TestEarlyReturn(t *testing.T) {
	const block = 32
	ptx := module(`.func f(.param .b32 in)
{
.reg .b32 %r<4>;
.reg .pred %p<2>;
	ld.param.u32 %r1, [in];
	setp.lt.u32 %p1, %r1, 4;
	@%p1 bra END;
	add.u32 %r1, %r1, 1;
	ret;
END:
	ret;
}
`, "", `
	mov.u32 %r1, %tid.x;
	{
	.param .b32 a;
	st.param.b32 [a], %r1;
	call f, (a);
	}
	add.f32 %f1, %f1, %f1;
	ret;`)
	m := newModel()
	m.run(1, 32, "misc*2 control misc integer")
	m.branch(1, 32, 4, 1)
	m.run(1, 28, "integer control")
	m.run(1, 4, "control")
	m.run(1, 32, "fadd control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestPredicateResult: a branch is decided by a function that gives a predicate,
// and by one that takes it.
func TestPredicateResult(t *testing.T) {
	const block = 32
	ptx := module(`.func (.reg .pred r) below(.reg .u32 x, .reg .u32 limit)
{
	setp.lt.u32 r, x, limit;
	ret;
}
.func (.reg .pred r) other(.reg .pred q)
{
	not.pred r, q;
	ret;
}
`, "", `
	mov.u32 %r1, %tid.x;
	call (%p1), below, (%r1, 12);
	call (%p2), other, (%p1);
	@%p2 bra END;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)
	m := newModel()
	m.run(1, 32, "misc control*2 integer*2 control*2")
	m.branch(1, 32, 20, 1)
	m.run(1, 12, "fadd")
	m.run(1, 32, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestRecursion goes as deep as each thread's number: depth d is entered by
// the threads from d on.
func TestRecursion(t *testing.T) {
	const block = 8
	ptx := module(`.func f(.param .b32 in)
{
.reg .b32 %r<4>;
.reg .pred %p<2>;
	ld.param.u32 %r1, [in];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra END;
	sub.u32 %r1, %r1, 1;
	{
	.param .b32 a;
	st.param.b32 [a], %r1;
	call f, (a);
	}
END:
	ret;
}
`, "", `
	mov.u32 %r1, %tid.x;
	{
	.param .b32 a;
	st.param.b32 [a], %r1;
	call f, (a);
	}
	add.f32 %f1, %f1, %f1;
	ret;`)
	m := newModel()
	m.run(1, block, "misc*2 control")
	for d := uint64(0); d < block; d++ {
		n := block - d // threads d to 7
		split := uint64(1)
		if n == 1 {
			split = 0
		}
		m.run(1, n, "misc integer")
		m.branch(1, n, 1, split)
		if n > 1 {
			m.run(1, n-1, "integer misc control")
		}
		m.run(1, n, "control")
	}
	m.run(1, block, "fadd control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestEndlessRegion: of code that cannot reach the exit, the loop's end counts
// as leading there; a branch around it splits for good.
func TestEndlessRegion(t *testing.T) {
	const block = 32
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 100;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p2, %r2, 1;
	@%p2 bra ODD;
	@%p1 bra TRAP;
	bra END;
ODD:
	add.f32 %f1, %f1, %f1;
END:
	mul.f32 %f1, %f1, %f1;
	ret;
TRAP:
	add.f32 %f1, %f1, %f1;
	bra TRAP;`)
	m := newModel()
	m.run(1, 32, "misc integer*3")
	m.branch(1, 32, 16, 1)
	m.branch(1, 16, 0, 0)
	m.jump(1, 16)
	m.run(1, 16, "fadd")
	m.run(2, 32, "fmul control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}
