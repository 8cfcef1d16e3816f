package analysis

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hyptx/emulator"
)

// TestSpinLock is while (atomicCAS(lock, 0, 1)); sum++; lock = 0; by all
// threads of two warps in each of two CTAs.
//
// Of n lanes in the loop the first one gets the lock and comes to the loop's
// exit, the branch's post-dominator, where it waits for the others. These take
// the back edge 64 more times and yield; so the first goes on alone, frees the
// lock and ends, and the other n-1 do the same. The round in which a lane
// leaves is no round of waiting. The other warps find the lock free, since a
// warp that yields runs its other paths first.
func TestSpinLock(t *testing.T) {
	ptx := entry(".param .u64 lock, .param .u64 sum", `
	ld.param.u64 %d1, [lock];
	ld.param.u64 %d2, [sum];
	mov.u32 %r3, 0;
SPIN:
	atom.global.cas.b32 %r1, [%d1], 0, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r2, [%d2];
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%d2], %r2;
	st.volatile.global.u32 [%d1], %r3;
	ret;`)
	m := newModel()
	const warps = 4
	m.run(warps, warps*32, "misc*3")
	for n := uint64(1); n <= 32; n++ {
		split := uint64(1)
		if n == 1 {
			split = 0
		}
		m.run(warps, warps*n, "atomic integer")
		m.branch(warps, warps*n, warps*(n-1), warps*split)
		if n > 1 {
			m.run(warps*64, warps*64*(n-1), "atomic integer")
			m.branch(warps*64, warps*64*(n-1), warps*64*(n-1), 0)
		}
		m.run(warps, warps, "compute_ld_st*3 integer control")
	}
	m.exactness = "scheduled"
	p := program{ptx, strings.TrimSuffix(launch(2, 64, `"lock": {"bytes": 4, "init": "zero"}, "sum": {"type": "u32", "bytes": 4, "init": "zero"}`,
		`{"buffer": "lock"}, {"buffer": "sum"}`), "}") + `, "outputs": ["sum"]}`}
	known(t, p, m)
	outs, err := p.session(t, Full).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n := outs[0].Bits(0); n != warps*32 {
		t.Errorf("%d threads were in the critical section, not %d", n, warps*32)
	}
}

// TestLeavingBeginsAnew: 41 rounds until lane 0 leaves, 41 more until lane 1
// does, but never 64 in a row without a lane leaving: nobody yields, so that
// all merge behind the loop.
//
// Both lanes draw numbers: in round k (from 0) lane 0 gets 2k and stops at 80,
// which is round 40; then lane 1 gets 82, 83, ... and stops at 122.
func TestLeavingBeginsAnew(t *testing.T) {
	draw := `
	atom.global.add.u32 %r3, [%d1], 1;
	setp.ge.u32 %p1, %r3, %r2;
`
	limits := `
	ld.param.u64 %d1, [counter];
	mov.u32 %r1, %tid.x;
	mad.lo.u32 %r2, %r1, 42, 80;
`
	counter := launch(1, 3, `"counter": {"bytes": 4, "init": "zero"}`, `{"buffer": "counter"}`)
	rounds := func(m *model) {
		m.run(82, 41*2+41, "atomic integer")
	}

	// Lane 2 goes past the loop.
	m := newModel()
	m.run(1, 3, "misc*2 integer*2")
	m.branch(1, 3, 1, 1)
	rounds(m)
	m.branch(82, 41*2+41, 40*2+1+40, 1)
	m.run(1, 3, "fadd control")
	m.exactness = "scheduled"
	known(t, program{entry(".param .u64 counter", limits+`
	setp.eq.u32 %p2, %r1, 2;
	@%p2 bra END;
LOOP:`+draw+`
	@!%p1 bra LOOP;
END:
	add.f32 %f1, %f1, %f1;
	ret;`), counter}, m)

	// Lane 2 does not call; of the callers lane 0 exits from within the loop.
	f := ".func wait(.param .b64 counter, .param .b32 limit)\n{\n" + declared + `
	ld.param.u64 %d1, [counter];
	ld.param.u32 %r2, [limit];
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p2, %r1, 0;
LOOP:` + draw + `
	and.pred %p3, %p1, %p2;
	@%p3 exit;
	@!%p1 bra LOOP;
	ret;
}
`
	m = newModel()
	m.run(1, 3, "misc*4 integer*2")
	m.guarded(1, 3, 2, "control")
	m.run(1, 2, "misc*3 integer")
	rounds(m)
	m.run(82, 41*2+41, "integer")
	m.guarded(82, 41*2+41, 1, "control")
	m.branch(82, 40*2+1+41, 40*2+1+40, 0)
	m.run(1, 1, "control")
	m.run(1, 2, "fadd control")
	m.exactness = "scheduled"
	known(t, program{module(f, ".param .u64 counter", limits+`
	setp.ne.u32 %p2, %r1, 2;
	{
	.param .b64 a;
	.param .b32 b;
	st.param.b64 [a], %d1;
	st.param.b32 [b], %r2;
	@%p2 call wait, (a, b);
	}
	add.f32 %f1, %f1, %f1;
	ret;`), counter}, m)
}

// TestWaitForLaterCTA has CTA 0 wait for a flag that CTA 1 sets: 64 rounds,
// then the other CTA runs, then one more round.
func TestWaitForLaterCTA(t *testing.T) {
	// The back edge falls through: the loop's body stands before its head.
	ptx := entry(".param .u64 flag", `
	ld.param.u64 %d1, [flag];
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p1, %r1, 1;
	@%p1 bra SET;
	bra HEAD;
BODY:
	add.f32 %f1, %f1, %f1;
HEAD:
	ld.volatile.global.u32 %r2, [%d1];
	setp.eq.u32 %p2, %r2, 0;
	@%p2 bra BODY;
	ret;
SET:
	st.volatile.global.u32 [%d1], %r1;
	ret;`)
	m := newModel()
	m.run(2, 64, "misc*2 integer")
	m.branch(2, 64, 32, 0)
	m.jump(1, 32)
	m.run(65, 65*32, "compute_ld_st integer")
	m.branch(65, 65*32, 64*32, 0)
	m.run(64, 64*32, "fadd")
	m.run(2, 64, "control")
	m.run(1, 32, "compute_ld_st")
	m.exactness = "scheduled"
	known(t, program{ptx, launch(2, 32, `"flag": {"bytes": 4, "init": "zero"}`, `{"buffer": "flag"}`)}, m)
}

// TestPathsOfAWarp has one path of a warp wait for a flag and another one at a
// barrier. The first path ends while the second one still waits, so that the
// warp goes on later with what is left of it.
func TestPathsOfAWarp(t *testing.T) {
	ptx := entry(".param .u64 flag", `
	ld.param.u64 %d1, [flag];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra OTHER;
	setp.lt.u32 %p2, %r1, 16;
	@%p2 bra LOW;
FIRST:
	ld.volatile.global.u32 %r2, [%d1];
	setp.eq.u32 %p3, %r2, 0;
	@%p3 bra FIRST;
	st.volatile.global.u32 [%d1+4], %r1;
	ret;
LOW:
	bar.sync 0;
	ret;
OTHER:
	st.volatile.global.u32 [%d1], %r1;
SECOND:
	ld.volatile.global.u32 %r3, [%d1+4];
	setp.eq.u32 %p4, %r3, 0;
	@%p4 bra SECOND;
	bar.sync 0; // idle: to exit is to arrive
	ret;`)
	m := newModel()
	m.run(2, 64, "misc*2 integer")
	m.branch(2, 64, 32, 0)
	m.run(1, 32, "integer")
	m.branch(1, 32, 16, 1)
	// Each loop yields once after 64 rounds and sees its flag in the next.
	m.run(65, 65*16, "compute_ld_st integer")
	m.branch(65, 65*16, 64*16, 0)
	m.run(65, 65*32, "compute_ld_st integer")
	m.branch(65, 65*32, 64*32, 0)
	m.run(1, 16, "compute_ld_st control")
	m.run(1, 16, "bar control")
	m.run(1, 32, "compute_ld_st bar control")
	m.divergentBarriers = 1
	m.exactness = "undefined" // else scheduled
	known(t, program{ptx, launch(1, 64, `"flag": {"bytes": 8, "init": "zero"}`, `{"buffer": "flag"}`)}, m)
}

// failing profiles a program that cannot end and returns its error.
func failing(t *testing.T, p program, mode Mode) error {
	t.Helper()
	s := p.session(t, mode)
	s.Options.MaxInstructions = 1000
	_, err := s.Profile(context.Background())
	if err == nil {
		t.Fatalf("mode %s: no error\n%s", mode, numbered(p.ptx))
	}
	return err
}

func TestEndlessLoop(t *testing.T) {
	p := program{entry("", "LOOP:\nadd.u32 %r1, %r1, 1;\nbra LOOP;"), launch(1, 32, "", "")}
	for _, mode := range []Mode{Control, Full} {
		err := failing(t, p, mode)
		var limit *emulator.LimitError
		if !errors.As(err, &limit) || limit.Option != "max-instructions" {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
}

// TestInstructionLimit: a launch may issue exactly as many instructions as the
// limit says, with any number of workers.
func TestInstructionLimit(t *testing.T) {
	p := program{entry("", "add.u32 %r1, %r1, 1;\nret;"), launch(50, 64, "", "")}
	for _, jobs := range []int{1, 2, 8} {
		for _, limit := range []int64{199, 200} {
			s := p.session(t, Full)
			s.Options.MaxInstructions, s.Options.Jobs = limit, jobs
			if _, err := s.Profile(context.Background()); (err == nil) != (limit == 200) {
				t.Errorf("%d workers, a limit of %d for 200 warp instructions: %v", jobs, limit, err)
			}
		}
	}
}

func TestDeadlock(t *testing.T) {
	for _, c := range []struct {
		name, body string
		block      int
		modes      []Mode
		want       []string
	}{
		// All threads arrive together: a slice has no use for the barrier.
		{"barrier for more threads than there are", "bar.sync 3, 64;\nret;", 32, []Mode{Full},
			[]string{"CTA (0,0,0), warp 0, 32 threads from (0,0,0) on: at barrier 3", ":10"}},
		{"half of a warp at each of two barriers", `
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 16;
	@%p1 bra HIGH;
	bar.sync 1;
	ret;
HIGH:
	bar.sync 2;
	ret;`, 32, []Mode{Control, Full}, []string{"16 threads from (0,0,0) on: at barrier 1", "16 threads from (16,0,0) on: at barrier 2"}},
		{"a flag that nobody sets", `
	ld.param.u64 %d1, [flag];
LOOP:
	ld.volatile.global.u32 %r1, [%d1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra LOOP;
	ret;`, 40, []Mode{Full}, []string{"warp 0, 32 threads from (0,0,0) on: in a loop that waits for memory", "warp 1, 8 threads from (32,0,0) on"}},
		{"one warp stands for all", `
	ld.param.u64 %d1, [flag];
LOOP:
	ld.volatile.global.u32 %r1, [%d1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra LOOP;
	ret;`, 96, []Mode{Control}, []string{"warp 0, 32 threads from (0,0,0) on: in a loop that waits for memory"}},
		{"bytes that nobody copies, and an arrival that nobody makes", `
	.shared .align 8 .b64 object[2];
	.reg .b64 %state;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [object+8], 2;
	bar.sync 0;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 %state, [object+8], 96;
LOOP:
	mbarrier.try_wait.parity.shared.b64 %p2, [object+8], 0;
	@!%p2 bra LOOP;
	ret;`, 32, []Mode{Control, Full}, []string{"for the phase of an mbarrier object at byte 8 of object, whose phase of parity 0 lacks 1 of 2 arrivals and 96 bytes"}},
		{"a flag that is set behind a barrier", `
	ld.param.u64 %d1, [flag];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra SET;
LOOP:
	ld.volatile.global.u32 %r2, [%d1];
	setp.eq.u32 %p2, %r2, 0;
	@%p2 bra LOOP;
	bar.sync 0;
	ret;
SET:
	bar.sync 0;
	st.volatile.global.u32 [%d1], %r1;
	ret;`, 64, []Mode{Control, Full}, []string{"warp 0, 32 threads from (0,0,0) on: in a loop that waits for memory", "warp 1, 32 threads from (32,0,0) on: at barrier 0"}},
	} {
		p := program{strings.Replace(entry(".param .u64 flag", c.body), "sm_70", "sm_90", 1), launch(1, c.block, `"flag": {"bytes": 4, "init": "zero"}`, `{"buffer": "flag"}`)}
		for _, mode := range c.modes {
			_, err := p.session(t, mode).Profile(context.Background())
			var dead *emulator.DeadlockError
			if !errors.As(err, &dead) {
				t.Errorf("%s: mode %s: %v", c.name, mode, err)
				continue
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%s: mode %s: %v\nlacks %q", c.name, mode, err, w)
				}
			}
		}
	}
}
