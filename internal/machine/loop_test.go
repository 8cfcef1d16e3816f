package machine

import (
	"slices"
	"strings"
	"testing"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
)

// A loop that adds up words: its rounds, and what its bound is.
const sumLoop = `
	mov.u32 %i, %tid.x; mov.f32 %f2, 0f00000000; mov.u32 %r1, 0;
L:	mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rda, %rd1; ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f2, %f1; BODY
	add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, BOUND; @%p1 bra L;
	st.shared.f32 [sh], %f2;`

func loop(bound, body string) string {
	return replace(sumLoop, "BOUND", bound, "BODY", body)
}

func replace(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// TestLoops holds unrolling against counts made by hand.
func TestLoops(t *testing.T) {
	for _, c := range []transformCase{
		// ld.global: the index is a constant in each round, the base a
		// parameter (MOV twice); nothing of the loop is left.
		{"four rounds leave no loop", 70, loop("4", ""), "compute_ld_st 2, fp_32 1, misc 2"},
		// In 16 rounds: MOV of 4, IMAD.WIDE, 16 LDG with offsets, 16 FADD, IADD,
		// ISETP, BRA; before them MOV of 0 twice, for the sum and the index.
		{"many short rounds go by 16", 70, loop("512", ""), "compute_ld_st 2, control 1/16, fp_32 1, integer 3/16, misc 33/16"},
		{"or as far as that divides them", 70, loop("516", ""), "compute_ld_st 2, control 1/4, fp_32 1, integer 3/4, misc 9/4"},
		// 510 is no multiple of four: MOV of 4, IMAD.WIDE, IADD, ISETP and BRA each time.
		{"unless four does not divide them", 70, loop("510", ""), "compute_ld_st 2, control 1, fp_32 1, integer 3, misc 3"},
		{"or a pragma forbids it", 70, strings.Replace(loop("4", ""), "L:", "L: .pragma \"nounroll\";", 1), "compute_ld_st 2, control 1, fp_32 1, integer 3, misc 3"},
		{"a bound that is not known: by four, too", 70, loop("%rn", ""), "compute_ld_st 2, control 1/4, fp_32 1, integer 3/4, misc 9/4"},
		// LDG of the bound from a parameter (MOV twice), which lanes may differ in: BSSY, BSYNC.
		{"unless it may change", 70, loop("%r9", "ld.global.u32 %r9, [%rdb];"), "compute_ld_st 3, control 3, fp_32 1, integer 3, misc 5"},
	} {
		if got := charged(t, c.sm, c.body, nil); got != c.want {
			t.Errorf("%s: %s, by hand it is %s", c.name, got, c.want)
		}
	}
}

// TestLeftOver: what an unrolled loop of unknown bounds leaves over goes round as it stands in
// the PTX, by hand, and its values go on to what comes behind the loop.
func TestLeftOver(t *testing.T) {
	for _, c := range []struct{ what, body, want string }{
		// IMAD.WIDE, LDG, FADD, IADD, ISETP, BRA.
		{"tested at the end", loop("%rn", ""), "compute_ld_st 1, control 1, fp_32 1, integer 3, misc 1"},
		{"tested before", `mov.u32 %i, %tid.x; mov.f32 %f2, 0f00000000; mov.u32 %r1, 0;
L:	setp.ge.s32 %p1, %r1, %rn; @%p1 bra E;
	ld.global.f32 %f1, [%rda]; add.f32 %f2, %f2, %f1; add.s32 %r1, %r1, 1; bra L;
E:	st.shared.f32 [sh], %f2;`, "compute_ld_st 1, control 1, fp_32 1, integer 2"},
		{"all rounds are unrolled", loop("512", ""), ""},
	} {
		s := ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, c.body))))
		if got := codeOf(s, nil, 70).summed(true, nil); got != c.want {
			t.Errorf("%s: %q, by hand %q", c.what, got, c.want)
		}
		l := listingOf(s, nil, 70)
		if (len(l.Open) == 1) != (c.want != "") {
			t.Fatalf("%s: open loops %v", c.what, l.Open)
		}
		for _, o := range l.Open {
			if handed := l.leaving(o, pipe.FP32, pipe.StoreShared); !handed {
				t.Errorf("%s: the sum of the rounds left over is not what is stored behind them", c.what)
			}
		}
	}
}

// leaving reports whether what an instruction of kind from computes in rounds left over is
// handed on to one of kind to behind the loop.
func (l *Listing) leaving(o OpenLoop, from, to pipe.Kind) bool {
	written := map[Slot]bool{}
	for range 2 { // once around
		for _, n := range o.Blocks {
			for _, op := range l.Blocks[n].Ops {
				if op.Kind == from {
					written[op.Dst] = true
				}
			}
			for _, p := range l.Blocks[n].Parts {
				for _, e := range p.Edges {
					for _, m := range e.Moves {
						written[m.Dst] = written[m.Dst] || written[m.Src]
					}
				}
			}
		}
	}
	for n, b := range l.Blocks {
		for _, op := range b.Ops {
			if op.Kind == to && !slices.Contains(o.Blocks, int32(n)) && slices.ContainsFunc(op.Srcs, func(s Slot) bool { return written[s] }) {
				return true
			}
		}
	}
	return false
}

// inLoop returns the machine instructions that each round of the loop at block
// 1 runs.
func inLoop(t *testing.T, body string) float64 {
	t.Helper()
	c := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, body)))), nil, 70)
	n := 0.0
	for _, ch := range c.Charges {
		if c.Func.Module.Instrs[ch.Issue].Block == 1 {
			n += float64(ch.Num) / float64(ch.IssueDen)
		}
	}
	return n
}

// TestInvariants holds that what stays the same is computed before the loop:
// also a part of a sum.
func TestInvariants(t *testing.T) {
	whole := func(body string) string {
		return strings.Replace(loop("%rn", body), "L:", "L: .pragma \"nounroll\";", 1)
	}
	plain := inLoop(t, whole(""))
	for _, c := range []struct {
		what, body string
		more       float64
	}{
		{"a product of invariants", "mul.lo.s32 %r5, %i, %rn; xor.b32 %r6, %r6, %r5;", 1},
		{"a sum with an invariant part: one IADD", "mad.lo.s32 %r5, %i, 7, %rn; add.s32 %r5, %r5, %r1; xor.b32 %r6, %r6, %r5;", 2},
		{"the same, written the other way", "add.s32 %r5, %r1, %rn; mad.lo.s32 %r5, %i, 7, %r5; xor.b32 %r6, %r6, %r5;", 2},
		{"nothing that is loaded", "ld.global.u32 %r5, [%rdb]; xor.b32 %r6, %r6, %r5;", 2},
		// IMAD.WIDE where two registers and two IADD would be the other way
		{"no product that an addition makes on the way", "mul.wide.s32 %rd4, %r7, 4; add.s64 %rd5, %rd9, %rd4; ld.global.u64 %rd9, [%rd5]; cvt.u32.u64 %r5, %rd9; xor.b32 %r6, %r6, %r5;", 3},
		{"but one that the PTX has outside", "add.s64 %rd5, %rd9, %rd8; ld.global.u64 %rd9, [%rd5]; cvt.u32.u64 %r5, %rd9; xor.b32 %r6, %r6, %r5;", 4},
		// what both have in common, and IMAD.WIDE and a store of each
		{"nor parts of sums that others are made of", "add.s64 %rd4, %rd2, %rd8; mul.wide.s32 %rd5, %r7, 4; add.s64 %rd5, %rd4, %rd5; st.global.u32 [%rd5], %r6; mul.wide.s32 %rd6, %r8, 4; add.s64 %rd6, %rd4, %rd6; st.global.u32 [%rd6], %r6;", 5},
		{"but of one alone", "add.s64 %rd4, %rd2, %rd8; mul.wide.s32 %rd5, %r7, 4; add.s64 %rd5, %rd4, %rd5; st.global.u32 [%rd5], %r6;", 2},
	} {
		body := "mov.u32 %r6, 0; ld.global.v2.u32 {%r7, %r8}, [%rdb]; mov.u64 %rd9, %rdb; mul.wide.s32 %rd8, %r7, 8;" + whole(c.body) + "st.shared.u32 [sh+4], %r6;"
		if got := inLoop(t, body) - plain; got != c.more {
			t.Errorf("%s: %v instructions more in the loop, by hand %v", c.what, got, c.more)
		}
	}
}

const (
	shortArm = "ld.shared.u32 %r1, [sh]; st.shared.u32 [sh+4], %r1;"
	longArm  = shortArm + shortArm + shortArm + shortArm
	fiveArm  = shortArm + shortArm + "st.shared.u32 [sh+8], %i;"
)

// branchBody branches around an arm and stores behind it.
func branchBody(cond, arm, behind string) string {
	return "mov.u32 %i, %tid.x;" + cond + "@%p1 bra J;" + arm + "J: " + behind
}

// TestBranches holds what is left of branches: control instructions.
func TestBranches(t *testing.T) {
	const (
		lane   = "setp.lt.s32 %p1, %i, %rn;"
		block  = "mov.u32 %c, %ctaid.x; setp.lt.s32 %p1, %c, %rn;"
		behind = "st.shared.u32 [sh+16], %i;"
	)
	for _, c := range []struct {
		what string
		sm   int
		body string
		want string
	}{
		{"a short arm is predicated", 70, branchBody(lane, shortArm, behind), ""},
		{"also up to four", 70, branchBody(lane, shortArm+shortArm, behind), ""},
		{"since Volta up to seven", 70, branchBody(lane, fiveArm+shortArm, behind), ""},
		{"not more: BRA, BSSY, BSYNC", 70, branchBody(lane, longArm, behind), "control 3"},
		{"before Volta not five: SSY, SYNC twice", 60, branchBody(lane, fiveArm, behind), "control 3"},
		{"SSY, SYNC twice before Volta", 60, branchBody(lane, longArm, behind), "control 3"},
		{"two arms: SSY, BRA, SYNC twice", 60, branchBody(lane, longArm+"bra K;", longArm+"K: "+behind), "control 4"},
		{"only BRA on Kepler", 35, branchBody(lane, longArm, behind), "control 1"},
		{"only BRA where the paths need not meet", 70, branchBody(lane, longArm, ""), "control 1"},
		{"nor where warps stay together", 70, branchBody(block, longArm, behind), "control 1"},
		{"there five are too many as well", 60, branchBody(block, fiveArm, behind), "control 1"},
		{"a barrier is not predicated", 70, branchBody(lane, "bar.sync 0;", behind), "control 3"},
		{"two arms", 70, branchBody(lane, shortArm+"bra K;", shortArm+"K: "+behind), ""},
		{"an arm within an arm", 70, branchBody(lane, "setp.eq.s32 %p2, %rn, 5; @%p2 bra K; st.shared.u32 [sh], %i; K: st.shared.u32 [sh+12], %i;", behind), ""},
	} {
		got := ""
		for _, part := range strings.Split(charged(t, c.sm, c.body, nil), ", ") {
			if strings.HasPrefix(part, "control") {
				got = part
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, by hand it is %q", c.what, got, c.want)
		}
	}
}

// TestPredicationIssues holds that a predicated arm is issued as often as its
// branch, and executed by the threads that the arm had.
func TestPredicationIssues(t *testing.T) {
	c := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, branchBody("setp.lt.s32 %p1, %i, %rn;", shortArm, "st.shared.u32 [sh+16], %i;"))))), nil, 70)
	f := c.Func
	branch, moved := f.Blocks[0].End-1, 0
	for _, ch := range c.Charges {
		if f.Module.Instrs[ch.Exec].Block == 1 {
			moved++
			if ch.Issue != branch {
				t.Errorf("%s is issued with %s, not with the branch", f.Text(ch.Exec), f.Text(ch.Issue))
			}
		}
	}
	if moved != 2 {
		t.Errorf("%d instructions are predicated, by hand 2", moved)
	}
}

// TestLaunchRanges holds that a launch's extents prove what the PTX alone does
// not: that an index does not wrap around.
func TestLaunchRanges(t *testing.T) {
	body := `mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.s32 %r1, %c, 65536, %i; add.s32 %r2, %r1, 3;
		mul.wide.s32 %rd1, %r1, 4; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rda, %rd1; add.s64 %rd4, %rda, %rd2;
		st.global.u32 [%rd3], %i; st.global.u32 [%rd4], %i;`
	for _, c := range []struct {
		launch *Launch
		want   string
	}{
		{nil, "compute_ld_st 2, integer 4, misc 3"},                                                                // IMAD; IADD; MOV of 4, IMAD.WIDE twice
		{&Launch{NTID: [3]uint32{64, 1, 1}, NCTAID: [3]uint32{32768, 1, 1}}, "compute_ld_st 2, integer 2, misc 3"}, // IMAD; MOV of 4, IMAD.WIDE
		{&Launch{NTID: [3]uint32{64, 1, 1}, NCTAID: [3]uint32{32769, 1, 1}}, "compute_ld_st 2, integer 4, misc 3"},
	} {
		if got := charged(t, 70, body, c.launch); got != c.want {
			t.Errorf("%+v: %s, by hand it is %s", c.launch, got, c.want)
		}
	}
	guard := "mov.u32 %i, %tid.x; setp.lt.s32 %p1, %i, 64; selp.u32 %r1, %i, %rn, %p1; st.shared.u32 [sh], %r1;"
	for _, l := range []*Launch{nil, {NTID: [3]uint32{64, 1, 1}}} {
		if got, want := charged(t, 70, guard, l), "compute_ld_st 1, integer 1, misc 2"; got != want {
			t.Errorf("%+v: %s, by hand it is %s: a launch decides no comparison", l, got, want)
		}
	}
}
