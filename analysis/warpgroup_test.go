package analysis

import (
	"strings"
	"testing"
)

// multiplying is a module with a kernel that writes matrices of ones, as threads of its
// first warpgroup, and multiplies them: each element of D grows by 16.
const multiplying = `.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{
	.shared .align 1024 .b8 matrices[4096];
	.shared .align 8 .b64 free;
	.reg .b32 %t, %w, %r<4>; .reg .b64 %rd1, %da, %db; .reg .f32 %d<4>, %e<4>; .reg .pred %p, %q, %none;
	ld.param.u64 %rd1, [a];
	mov.u32 %t, %tid.x;
	ld.global.u32 %w, [%rd1];
	setp.ne.u32 %none, %t, %t;
	mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;
	BEFORE
	mov.u32 %r0, matrices;
	mad.lo.u32 %r0, %t, 32, %r0;
	WRITE
	fence.proxy.async;
	MEET
	mov.u32 %r1, matrices; shr.u32 %r1, %r1, 4;
	or.b32 %r2, %r1, 0x80000; mov.b64 %da, {%r2, 16};
	add.u32 %r2, %r2, 128; mov.b64 %db, {%r2, 16};
	wgmma.fence.sync.aligned;
	MULTIPLY
	setp.gt.f32 %p, %d0, 0f41000000;
	@%p bra END;
	add.u32 %r1, %r1, 1;
END:
	ret;
}`

const (
	onesWritten = "st.shared.v4.u32 [%r0], {%w, %w, %w, %w}; st.shared.v4.u32 [%r0+16], {%w, %w, %w, %w};"
	oneProduct  = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %da, %db, %p, 1, 1, 0, 0;"
)

// TestWarpgroupProducts: what a wgmma gives depends on what is in shared memory, and is
// undefined before the wait for it, in every mode.
func TestWarpgroupProducts(t *testing.T) {
	const adds, ends, waits = "setp.eq.u32 %p, %t, %t;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"
	const fragment = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%w, %w, %r2, %w}, %db, %p, 1, 1, 0;"
	const over = "st.shared.u32 [%r0], %t;"
	for _, c := range []struct{ name, write, meet, multiply, want, fact string }{
		{"waited for", onesWritten, "bar.sync 0;", adds + oneProduct + ends + waits, "exact", ""},
		{"not waited for", onesWritten, "bar.sync 0;", adds + oneProduct + ends, "undefined", "unfinished"},
		{"committed after the wait", onesWritten, "bar.sync 0;", adds + oneProduct + waits + ends, "undefined", "unfinished"},
		{"one group may be pending", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "wgmma.wait_group.sync.aligned 1;", "undefined", "unfinished"},
		{"one group after it may be pending", onesWritten, "bar.sync 0;", adds + oneProduct + ends + ends + "wgmma.wait_group.sync.aligned 1;", "exact", ""},
		{"added to", onesWritten, "bar.sync 0;", adds + oneProduct + oneProduct + ends + waits, "exact", ""},
		{"another register", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "mov.f32 %e0, 0f00000000; setp.gt.f32 %p, %e0, 0f41000000; @%p bra END; ret;", "exact", ""},
		{"the accumulator is written", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "mov.f32 %d0, 0f00000000;", "undefined", "unfinished"},
		{"the accumulator is written before the commit", onesWritten, "bar.sync 0;", adds + oneProduct + "mov.f32 %d0, 0f00000000;" + ends + waits, "undefined", "unfinished"},
		{"the accumulator is written by a load", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "ld.global.f32 %d0, [%rd1];" + waits, "undefined", "unfinished"},
		{"another word of the accumulator", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "mov.f32 %d1, 0f00000000;" + waits, "undefined", "unfinished"},
		{"the accumulator is written behind the wait", onesWritten, "bar.sync 0;", adds + oneProduct + ends + waits + "mov.f32 %d0, 0f00000000;", "exact", ""},
		{"behind the wait for the older group", onesWritten, "bar.sync 0;", adds + oneProduct + ends + ends + "wgmma.wait_group.sync.aligned 1; mov.f32 %d0, 0f00000000;", "exact", ""},
		{"A is written", onesWritten, "bar.sync 0;", adds + fragment + ends + "mov.u32 %r2, 0;" + waits, "undefined", "unfinished"},
		{"A is written behind the wait", onesWritten, "bar.sync 0;", adds + fragment + ends + waits + "mov.u32 %r2, 0;", "exact", ""},
		{"no fence behind a write", onesWritten, "bar.sync 0;", "mov.f32 %d0, 0f00000000;" + adds + oneProduct + ends + waits, "undefined", "unfinished"},
		{"no fence behind a write of A", onesWritten, "bar.sync 0;", adds + "mov.u32 %r2, 0;" + fragment + ends + waits, "undefined", "unfinished"},
		{"a fence behind a write", onesWritten, "bar.sync 0;", "mov.f32 %d0, 0f00000000; wgmma.fence.sync.aligned;" + adds + oneProduct + ends + waits, "exact", ""},
		{"a register of another product", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%e0, %e1, %e2, %e3}, {%r0, %r1, %r2, %r3}, %db, %none, 1, 1, 0;" + ends + "wgmma.wait_group.sync.aligned 1;", "exact", ""},
		{"A of what is not waited for", onesWritten, "bar.sync 0;", adds + oneProduct + "mov.b32 %r3, %d1;" + ends + waits + "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%r3, %r3, %r3, %r3}, %db, %none, 1, 1, 0;" + ends + waits, "undefined", "unfinished"},
		{"nobody has written", "", "bar.sync 0;", adds + oneProduct + ends + waits, "assumed", ""},
		{"nobody has written, nothing is read of it", "", "bar.sync 0;", adds + oneProduct + ends + waits + "mov.f32 %d0, 0f00000000;", "exact", ""},
		{"no barrier", onesWritten, "", adds + oneProduct + ends + waits, "assumed", "write-read"},
		{"written by others while the wait is no barrier", onesWritten, "bar.sync 0;", adds + oneProduct + ends + waits +
			"st.shared.u32 [%r0], %t;" + "wgmma.wait_group.sync.aligned 0;" + "xor.b32 %r3, %t, 32; mov.u32 %r2, matrices; mad.lo.u32 %r2, %r3, 32, %r2; ld.shared.u32 %w, [%r2]; setp.eq.u32 %q, %w, 1; @%q bra END;", "scheduled", "write-read"},
		{"written again", onesWritten, "bar.sync 0; mov.u32 %w, 0;" + onesWritten + "fence.proxy.async; bar.warp.sync -1;", adds + oneProduct + ends + waits, "scheduled", "read-write"},
		{"no proxy fence", "", onesWritten + "bar.sync 0;", adds + oneProduct + ends + waits, "undefined", "no-proxy-fence"},
		{"written over behind a barrier alone", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "bar.sync 0;" + over + waits, "scheduled", "read-write"},
		{"written over behind a barrier of some", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "bar.sync 1, 128;" + over + waits, "scheduled", "read-write"},
		{"written over by a copy", onesWritten, "bar.sync 0;", adds + oneProduct + ends + "bar.sync 0; setp.eq.u32 %q, %t, 0; @%q cp.async.ca.shared.global [%r0], [%rd1], 4, 0;" + waits, "scheduled", "read-write"},
		{"written over behind the wait and a barrier", onesWritten, "bar.sync 0;", adds + oneProduct + ends + waits + "bar.sync 0;" + over, "exact", ""},
		{"written over when the older group is done", onesWritten, "bar.sync 0;", adds + oneProduct + ends + ends + "wgmma.wait_group.sync.aligned 1; bar.sync 0;" + over + waits, "exact", ""},
		{"written over when only the older group is done", onesWritten, "bar.sync 0;", adds + oneProduct + ends + oneProduct + ends + "wgmma.wait_group.sync.aligned 1; bar.sync 0;" + over + waits, "scheduled", "read-write"},
		{"D of registers that nobody has written", onesWritten, "bar.sync 0;", "{ .reg .f32 %d<4>;" + adds + oneProduct + ends + waits + "setp.gt.f32 %p, %d0, 0f00000000; @%p bra END; add.u32 %r1, %r1, 1; }", "assumed", ""},
		{"D of such, not added", onesWritten, "bar.sync 0;", "{ .reg .f32 %d<4>; setp.ne.u32 %p, %t, %t;" + oneProduct + ends + waits + "setp.gt.f32 %p, %d0, 0f00000000; @%p bra END; add.u32 %r1, %r1, 1; }", "exact", ""},
	} {
		text := strings.NewReplacer("BEFORE", "", "WRITE", c.write, "MEET", c.meet, "MULTIPLY", c.multiply).Replace(multiplying)
		p := program{text, launch(1, 128, `"a": {"bytes": 4, "type": "u32", "init": {"fill": 1006648320}}`, `{"buffer": "a"}`)}
		counts := uint64(0)
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			row := prof.Rows[0]
			if row.Exactness != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, row.Exactness, c.want)
			}
			if counts == 0 {
				counts = row.ThreadInstructions.N
			}
			if row.ThreadInstructions.N != counts {
				t.Errorf("%s, mode %s: %d instructions, %d in mode control", c.name, mode, row.ThreadInstructions.N, counts)
			}
			var why []string
			for _, r := range prof.Races() {
				why = append(why, r.Kind)
			}
			if !strings.Contains(strings.Join(why, " "), c.fact) {
				t.Errorf("%s, mode %s: facts %v", c.name, mode, why)
			}
		}
	}
}

// TestWarpgroupReleases: when one warp of a warpgroup has waited for a product, all have
// read what it needs, and whoever is told may write over it.
func TestWarpgroupReleases(t *testing.T) {
	text := strings.NewReplacer("BEFORE", `mov.u32 %r0, free;
	setp.eq.u32 %q, %t, 128;
	@%q mbarrier.init.shared.b64 [%r0], 1;
	bar.sync 0;
	setp.lt.u32 %q, %t, 128;
	@%q bra CONSUMER;
	{ .reg .b32 %k, %z, %one; mov.u32 %k, matrices; sub.u32 %one, %t, 128; mad.lo.u32 %k, %one, 128, %k; mov.u32 %z, 0;
	  // the fifth warp writes ones, then nothing, when thread 0 says that it may
	WRITEALL(%w)
	fence.proxy.async;
	bar.sync 0;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %q, [%r0], 0;
	@!%q bra WAIT;
	WRITEALL(%z)
	}
	ret;
CONSUMER:
	bar.sync 0;
	setp.lt.u32 %q, %t, 32;
	@%q bra FIRST;
	bar.sync 1, 96;
FIRST:`, "WRITE", "", "MEET", "", "MULTIPLY", `setp.eq.u32 %p, %t, %t;`+oneProduct+`wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	{ .reg .b32 %f; mov.u32 %f, free; setp.eq.u32 %q, %t, 0; @%q mbarrier.arrive.shared.b64 _, [%f]; }
	cvta.to.global.u64 %rd1, %rd1; mad.wide.u32 %rd1, %t, 4, %rd1; st.global.f32 [%rd1+4], %d0;`).Replace(multiplying)
	for _, register := range []string{"%w", "%z"} {
		all := ""
		for i := range 8 {
			all += strings.ReplaceAll("st.shared.v4.u32 [%k+AT], {R, R, R, R};", "R", register)
			all = strings.ReplaceAll(all, "AT", []string{"0", "16", "32", "48", "64", "80", "96", "112"}[i])
		}
		text = strings.ReplaceAll(text, "WRITEALL("+register+")", all)
	}
	p := program{text, launch(1, 160, `"a": {"bytes": 1024, "type": "u32", "init": {"fill": 1006648320}}`, `{"buffer": "a"}`)}
	counts := uint64(0)
	for _, mode := range []Mode{Control, Memory, Full} {
		prof := p.profile(t, mode)
		row := prof.Rows[0]
		if counts == 0 {
			counts = row.ThreadInstructions.N
		}
		for _, r := range prof.Races() {
			if !strings.Contains(r.Text+r.OtherText, "mbarrier") {
				t.Errorf("mode %s: %+v", mode, r)
			}
		}
		if row.Exactness != "exact" || row.ThreadInstructions.N != counts {
			t.Errorf("mode %s: %s, %d instructions, %d in mode control", mode, row.Exactness, row.ThreadInstructions.N, counts)
		}
		if row.ThreadInstructionsPredOn.N == 0 {
			t.Error("nothing is counted")
		}
	}
	// 128 threads have found 16, and none has come to the instruction behind the branch.
	prof := p.profile(t, Full)
	if got := prof.Rows[0].DivergentBranches.N; got > 2 {
		t.Errorf("%d branches diverge: some products are others", got)
	}
}

// TestWarpgroupFence: a product without a fence before it is undefined, and one is enough for
// those that add to it, in a loop, too.
func TestWarpgroupFence(t *testing.T) {
	const fence, ends = "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
	const loop = "mov.u32 %r3, 0; L: setp.eq.u32 %p, %t, %t;" + oneProduct + ends + "add.u32 %r3, %r3, 1; setp.lt.u32 %q, %r3, 3; @%q bra L;"
	for _, c := range []struct{ name, fence, multiply, want string }{
		{"none", "", "setp.eq.u32 %p, %t, %t;" + oneProduct + ends, "undefined"},
		{"on one way", "setp.eq.u32 %q, %w, 0; @%q bra M;" + fence + "M:", "setp.eq.u32 %p, %t, %t;" + oneProduct + ends, "undefined"},
		{"before a loop", fence, loop, "exact"},
		{"before a loop that writes", fence, strings.Replace(loop, "add.u32", "mov.f32 %d1, 0f00000000; add.u32", 1), "undefined"},
	} {
		text := strings.NewReplacer("BEFORE", "", "WRITE", onesWritten, "MEET", "bar.sync 0;", "MULTIPLY", c.multiply, fence, c.fence).Replace(multiplying)
		p := program{text, launch(1, 128, `"a": {"bytes": 4, "type": "u32", "init": {"fill": 1006648320}}`, `{"buffer": "a"}`)}
		for _, mode := range []Mode{Control, Memory, Full} {
			if got := p.profile(t, mode).Rows[0].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
