package analysis

import (
	"fmt"
	"testing"
)

// TestRoundsCountedNotRun: loops whose rounds are alike give the counts of full
// emulation, and are not run round by round where the slice allows it.
func TestRoundsCountedNotRun(t *testing.T) {
	const tid = "mov.u32 %r1, %tid.x;"
	cases := []struct {
		name, body string
		// most is what the slice may run, in warp instructions; 0 is any.
		most uint64
	}{
		{"tested at the end", `mov.u32 %r2, 0;
L:	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %n;
	@%p1 bra L;`, 3100},
		{"tested at the start", `mov.u32 %r2, 0;
L:	setp.ge.u32 %p1, %r2, %n;
	@%p1 bra E;
	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	bra L;
E:`, 3100},
		{"three deep", `mov.u32 %r2, 0;
A:	mov.u32 %r3, 0;
B:	mov.u32 %r4, 0;
C:	add.f32 %f1, %f1, 1.0;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p1, %r4, 100;
	@%p1 bra C;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, 50;
	@%p2 bra B;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p3, %r2, %n;
	@%p3 bra A;`, 6500},
		{"a divergent branch within", tid + `
	mov.u32 %r2, 0;
L:	setp.lt.u32 %p2, %r1, 7;
	@%p2 bra S;
	add.f32 %f1, %f1, 1.0;
S:	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %n;
	@%p1 bra L;`, 4200},
		{"lanes that leave one by one", tid + `
	mov.u32 %r2, 0;
L:	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 3;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 bra L;`, 0},
		{"half of the lanes leave later", tid + `
	and.b32 %r1, %r1, 1;
	mul.lo.u32 %r1, %r1, 500;
	mov.u32 %r2, 0;
L:	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	setp.le.u32 %p1, %r2, %r1;
	@%p1 bra L;`, 1700},
		{"an inner loop that depends on the outer one", `mov.u32 %r2, 0;
A:	mov.u32 %r3, %r2;
B:	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, %n;
	@%p1 bra B;
	add.u32 %r2, %r2, 100;
	setp.lt.u32 %p2, %r2, %n;
	@%p2 bra A;`, 0},
		{"a guard within that changes with the round", `mov.u32 %r2, 0;
L:	setp.gt.u32 %p2, %r2, 10;
	@%p2 add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %n;
	@%p1 bra L;`, 0},
		{"a guarded step", tid + `
	setp.gt.u32 %p2, %r1, 3;
	mov.u32 %r2, 0;
L:	add.f32 %f1, %f1, 1.0;
	@%p2 add.u32 %r2, %r2, 1;
	@!%p2 add.u32 %r2, %r2, 2;
	setp.lt.u32 %p1, %r2, %n;
	@%p1 bra L;`, 0},
		{"a counter in another register than the one it came from", `mov.u32 %r2, 0;
L:	add.f32 %f1, %f1, 1.0;
	add.u32 %r3, %r2, 1;
	mov.u32 %r2, %r3;
	mov.u32 %r3, 77;
	add.u32 %r4, %r3, 1;
	setp.lt.u32 %p1, %r2, %n;
	@%p1 bra L;
	setp.eq.u32 %p2, %r3, 77;
	@%p2 bra E;
	add.f32 %f1, %f1, 1.0;
E:`, 0},
		{"a Fibonacci counter", `mov.u32 %r2, 1;
	mov.u32 %r3, 1;
L:	add.u32 %r4, %r2, %r3;
	mov.u32 %r2, %r3;
	mov.u32 %r3, %r4;
	setp.lt.u32 %p1, %r3, 100000;
	@%p1 bra L;
	setp.eq.u32 %p2, %r2, 75025;
	@%p2 bra E;
	add.f32 %f1, %f1, 1.0;
E:`, 0},
		{"a shift that wraps", `mov.u32 %r2, 1;
L:	mad.lo.u32 %r2, %r2, 1664525, 1013904223;
	shr.u32 %r3, %r2, 22;
	setp.ne.u32 %p1, %r3, 5;
	@%p1 bra L;`, 0},
		{"a bound in shared memory", `st.shared.u32 [s], %n;
	mov.u32 %r2, 0;
L:	ld.shared.u32 %r3, [s];
	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r3;
	@%p1 bra L;`, 0},
		{"a store that feeds the bound", `st.shared.u32 [s], 40;
	mov.u32 %r2, 0;
L:	ld.shared.u32 %r3, [s];
	sub.u32 %r3, %r3, 1;
	st.shared.u32 [s], %r3;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r3;
	@%p1 bra L;`, 0},
		{"a barrier that all come to", `mov.u32 %r2, 0;
L:	bar.sync 0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %n;
	@%p1 bra L;`, 3100},
		{"entered twice", `mov.u32 %r5, 0;
A:	mov.u32 %r2, 0;
	mad.lo.u32 %r6, %r5, 300, 5;
L:	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r6;
	@%p1 bra L;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p2, %r5, 3;
	@%p2 bra A;`, 2900},
		{"two, three and no rounds", tid + `
	and.b32 %r1, %r1, 3;
	mov.u32 %r2, 0;
L:	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra E;
	add.f32 %f1, %f1, 1.0;
	add.u32 %r2, %r2, 1;
	bra L;
E:`, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ptx := module(".shared .align 4 .b8 s[4];\n", ".param .u32 pn", "\n\t.reg .u32 %n;\n\tld.param.u32 %n, [pn];\n\tmov.f32 %f1, 0f00000000;\n\t"+c.body+"\n\tret;")
			p := program{ptx, launch(2, 48, "", `{"value": 1000}`)}
			control, full := p.profile(t, Control).Rows[0], p.profile(t, Full).Rows[0]
			if control.WarpInstructions != full.WarpInstructions || control.ThreadInstructionsPredOn != full.ThreadInstructionsPredOn {
				t.Errorf("%d warp and %d thread instructions; full emulation has %d and %d", control.WarpInstructions.N,
					control.ThreadInstructionsPredOn.N, full.WarpInstructions.N, full.ThreadInstructionsPredOn.N)
			}
			if n := control.EmulatedWarpInstructions.N; c.most > 0 && n > c.most*2 {
				t.Errorf("%d warp instructions were run, expected at most %d", n, c.most*2)
			}
		})
	}
}

// TestRoundsOverflow: what is not run can be more than can be counted.
func TestRoundsOverflow(t *testing.T) {
	body := "\n"
	for i := range 4 {
		body += fmt.Sprintf("\tmov.u32 %%r%d, 0;\nL%d:\n", i+1, i)
	}
	for i := 3; i >= 0; i-- {
		body += fmt.Sprintf("\tadd.u32 %%r%d, %%r%d, 1;\n\tsetp.lt.u32 %%p1, %%r%d, 100000;\n\t@%%p1 bra L%d;\n", i+1, i+1, i+1, i)
	}
	p := program{module("", "", body+"\tret;"), launch(1, 32, "", "")}
	_, err := p.session(t, Control).Profile(t.Context())
	if err == nil {
		t.Fatal("10^20 rounds were counted")
	}
	t.Log(err)
}

// TestRoundsOfOtherOrigin: which elements of a nobody gave changes from round
// to round, and with it the decisions that rest on them.
func TestRoundsOfOtherOrigin(t *testing.T) {
	write := func(from, to int) string {
		return fmt.Sprintf("\tmov.u32 %%r2, %d;\nW%d:\tmad.wide.u32 %%d2, %%r2, 4, %%d1;\n\tst.global.u32 [%%d2], 0;\n"+
			"\tadd.u32 %%r2, %%r2, 1;\n\tsetp.lt.u32 %%p1, %%r2, %d;\n\t@%%p1 bra W%d;\n", from, from, to, from)
	}
	body := "\tld.param.u64 %d1, [pa];\n" + write(0, 10) + write(60, 90) + `	mov.u32 %r2, 0;
L:	mad.wide.u32 %d2, %r2, 4, %d1;
	ld.global.u32 %r3, [%d2];
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, 90;
	setp.eq.and.u32 %p1, %r3, 0, %p2;
	@%p1 bra L;
	ret;`
	p := program{module("", ".param .u64 pa", body), launch(1, 32, `"a": {"bytes": 400, "type": "u32"}`, `{"buffer": "a"}`)}
	for _, mode := range []Mode{Control, Full} {
		// The last round ends by the counter, but its guard reads what was written.
		if r := p.profile(t, mode).Rows[0]; r.AssumedDecisions.N != 50 || r.Exactness != "assumed" {
			t.Errorf("mode %s: %s, %d assumed decisions, by hand 50", mode, r.Exactness, r.AssumedDecisions.N)
		}
	}
}
