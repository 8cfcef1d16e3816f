package analysis

import "testing"

// TestDivergentBarrier has the halves of a warp arrive at two barriers: the
// same one of the CTA's, so that it completes.
func TestDivergentBarrier(t *testing.T) {
	const block = 64
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 16;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra HIGH;
	bar.sync 0;
	add.f32 %f1, %f1, %f1;
	bra END;
HIGH:
	bar.sync 0;
	mul.f32 %f1, %f1, %f1;
END:
	bar.sync 0; // idle: all come to it together
	ret;`)
	m := newModel()
	m.run(2, 64, "misc integer*2")
	m.branch(2, 64, 32, 2)
	m.run(2, 32, "bar fadd")
	m.jump(2, 32)
	m.run(2, 32, "bar fmul")
	m.run(2, 64, "bar control")
	m.divergentBarriers, m.exactness = 4, "undefined"
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestBarrierWithoutTheOthers: half of a warp waits at a barrier for the other
// half, which waits for it at the merge point. The latter goes on alone and
// exits, which counts as arriving.
func TestBarrierWithoutTheOthers(t *testing.T) {
	const block = 32
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 16;
	@%p1 bra END;
	bar.sync 0;
	add.f32 %f1, %f1, %f1;
END:
	mul.f32 %f1, %f1, %f1;
	ret;`)
	m := newModel()
	m.run(1, 32, "misc integer")
	m.branch(1, 32, 16, 1)
	m.run(1, 16, "bar fadd")
	m.run(2, 32, "fmul control")
	m.divergentBarriers, m.exactness = 1, "undefined"
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestGuardedBarrier: lanes whose guard is false do not arrive, but the
// instruction is issued for them.
func TestGuardedBarrier(t *testing.T) {
	const block = 64
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 32;
	setp.ge.u32 %p2, %r1, 32;
	@%p1 bar.sync 1, 64;
	@%p2 bar.sync 1, 64;
	ret;`)
	m := newModel()
	m.run(2, 64, "misc integer*2")
	m.guarded(2, 64, 32, "bar*2")
	m.run(2, 64, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestBarReduction lets the results of bar.red decide branches.
func TestBarReduction(t *testing.T) {
	const block = 40
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 35;
	bar.red.popc.u32 %r2, 0, %p1;
	bar.red.and.pred %p2, 0, %p1; // idle: false, as predicates begin
	bar.red.or.pred %p3, 0, %p1;
	bar.red.and.pred %p4, 0, !%p1; // idle: false, as predicates begin
	setp.eq.u32 %p5, %r2, 35;
	@%p5 add.f32 %f1, %f1, %f1;
	@%p2 add.f32 %f1, %f1, %f1;
	@%p3 mul.f32 %f1, %f1, %f1;
	@%p4 mul.f32 %f1, %f1, %f1;
	setp.ge.u32 %p6, %r1, %r2;
	@%p6 bra END;
	fma.rn.f32 %f1, %f1, %f1, %f1;
END:
	ret;`)
	m := newModel()
	m.run(2, 40, "misc integer bar*4 integer")
	m.guarded(2, 40, 40, "fadd") // popc is 35
	m.guarded(2, 40, 0, "fadd")
	m.guarded(2, 40, 40, "fmul")
	m.guarded(2, 40, 0, "fmul")
	m.run(2, 40, "integer")
	m.branch(2, 40, 5, 1)
	m.run(2, 35, "fma")
	m.run(2, 40, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestNamedBarriers passes a value from one warp to another through shared
// memory: barrier 1 counts 64 threads, of which 32 only arrive. The barrier's
// number stands in a register.
func TestNamedBarriers(t *testing.T) {
	const block = 96
	ptx := module(".shared .align 4 .u32 box;\n", "", `
	mov.u32 %r1, %tid.x;
	shr.u32 %r2, %r1, 5;
	mov.u32 %r3, 1;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra CONSUMER;
	setp.eq.u32 %p2, %r2, 1;
	@!%p2 bra END;
	mov.u32 %r4, 5;
	st.shared.u32 [box], %r4;
	bar.arrive %r3, 64;
	bra END;
CONSUMER:
	bar.sync %r3, 64;
	ld.shared.u32 %r5, [box];
LOOP:
	sub.u32 %r5, %r5, 1;
	setp.ne.u32 %p3, %r5, 0;
	@%p3 bra LOOP;
END:
	ret;`)
	m := newModel()
	m.run(3, 96, "misc integer misc integer")
	m.branch(3, 96, 32, 0)
	m.run(2, 64, "integer")
	m.branch(2, 64, 32, 0)
	m.run(1, 32, "misc compute_ld_st bar")
	m.jump(1, 32)
	m.run(1, 32, "bar compute_ld_st")
	m.run(5, 160, "integer*2")
	m.branch(5, 160, 128, 0)
	m.run(3, 96, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestUniformOperands has barriers and votes outside the slice whose operands
// stand in registers: nothing computes them.
func TestUniformOperands(t *testing.T) {
	const block = 96
	ptx := entry(".param .u32 n", `
	ld.param.u32 %r1, [n];
	add.u32 %r2, %r1, 92;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r5, -1;
	bar.sync %r1, %r2;
	bar.sync %r1, %r3;
	shfl.sync.bfly.b32 %r6, %r1, 16, 31, %r5;
	vote.sync.ballot.b32 %r7, %p1, %r5;
	bar.warp.sync %r5;
	ret;`)
	m := newModel()
	m.run(3, 96, "misc integer misc*2 bar*2 inter_thread_communication*2")
	m.run(3, 96, "barrier control")
	known(t, program{ptx, launch(1, block, "", `{"value": 4}`)}, m)
}

// TestShuffleReduction sums over a warp with shuffles; the sum bounds a loop.
func TestShuffleReduction(t *testing.T) {
	const block = 64
	ptx := entry("", `
	mov.u32 %r1, %laneid;
	mov.u32 %r2, 16;
LOOP:
	shfl.sync.bfly.b32 %r3, %r1, %r2, 31, -1;
	add.u32 %r1, %r1, %r3;
	shr.u32 %r2, %r2, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra LOOP;
TAIL:
	sub.u32 %r1, %r1, 31;
	setp.gt.s32 %p2, %r1, 0;
	@%p2 bra TAIL;
	ret;`)
	m := newModel()
	m.run(2, 64, "misc*2")
	m.run(10, 5*64, "inter_thread_communication integer*3")
	m.branch(10, 5*64, 4*64, 0)
	// 0 + ... + 31 = 496 = 16 * 31
	m.run(32, 16*64, "integer*2")
	m.branch(32, 16*64, 15*64, 0)
	m.run(2, 64, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestBarrierNeverMet: all threads come to a barrier that names more of them
// than there are: control mode finds the deadlock as full mode does.
func TestBarrierNeverMet(t *testing.T) {
	for _, mode := range []Mode{Control, Full} {
		for body, met := range map[string]bool{
			"bar.sync 0, 64;\nret;":                         true,
			"bar.sync 0, 32;\nret;":                         true,
			"bar.sync 0, 96;\nret;":                         false,
			"mov.u32 %r1, %ntid.x;\nbar.sync 1, %r1;\nret;": true,
			"mov.u32 %r1, %ntid.x;\nadd.u32 %r1, %r1, 32;\nbar.sync 1, %r1;\nret;": false,
			"mov.u32 %r1, %tid.x;\nshr.u32 %r1, %r1, 5;\nbar.sync %r1;\nret;":      false,
			"mov.u32 %r1, 17;\nbar.sync %r1;\nret;":                                false,
			"bar.arrive 1, 64;\nbar.sync 1, 64;\nret;":                             false,
			"bar.arrive 1, 64;\nret;":                                              true,
		} {
			_, err := program{module("", "", body), launch(3, 64, "", "")}.session(t, mode).Profile(t.Context())
			if met != (err == nil) {
				t.Errorf("mode %s, %q: %v", mode, body, err)
			}
		}
	}
}
