package analysis

import (
	"strings"
	"testing"
)

// workText is tensorText with room for a copy, whose shared memory is filled and whose tensor
// memory is 5, and descriptors of a product of one shape and of another.
var workText = strings.NewReplacer("matrices[8192]", "matrices[32768]", ".pred %p,", ".pred %p, %q, %two,", ".b64 %rd1,", ".b64 %rd1, %dc,",
	"%r<4>,", "%r<4>, %x, %shape, %other,", ".param .u64 a)", ".param .u64 a, .param .u64 out)", "BODY", `
	setp.eq.u32 %two, %t, 32;
	mov.u32 %x, matrices; mad.lo.u32 %r0, %t, 256, %x; mov.u32 %r1, 0;
F:	st.shared.v4.u32 [%r0], {%w, %w, %w, %w}; add.u32 %r0, %r0, 16; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 16; @%p bra F;
	fence.proxy.async;
	mov.u32 %r3, 5;
	tcgen05.st.sync.aligned.32x32b.x8.b32 [%mine], {%r3, %r3, %r3, %r3, %r3, %r3, %r3, %r3}; tcgen05.wait::st.sync.aligned;
	MEET
	shr.u32 %r0, %x, 4; mov.b64 %dc, {%r0, 0x40004040};
	or.b32 %r0, %r0, 0x80000; mov.b64 %da, {%r0, 0x4010}; add.u32 %r0, %r0, 256; mov.b64 %db, {%r0, 0x4010};
	mov.u32 %shape, 0x8020010; mov.u32 %other, 0x8040010; mov.u32 %to, done;
	BODY`).Replace(tensorText)

const (
	workMeet   = "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
	workCommit = "@%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%to];\n"
	workLoad   = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%mine]; tcgen05.wait::ld.sync.aligned;\n"
	workStore  = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%mine], {%r3}; tcgen05.wait::st.sync.aligned;\n"
	workCopy   = "@%one tcgen05.cp.cta_group::1.128x256b [%base], %dc;\n"
	workShift  = "@%one tcgen05.shift.cta_group::1.down [%base];\n"
	workAdds   = "setp.eq.u32 %q, %t, %t; @%one tcgen05.mma.cta_group::1.kind::f16 [%base], %da, %db, %shape, %q;\n"
	workShared = "@%two st.shared.u32 [%x], 9;\n"
)

func workWait(label, parity string) string {
	return label + ": mbarrier.try_wait.parity.shared.b64 %q, [%to], " + parity + "; @!%q bra " + label + "; tcgen05.fence::after_thread_sync;\n"
}

// TestTensorWork: products, copies and shifts go on until who needs them has waited at an
// mbarrier for a commit of the thread that began them; some pairs are in order by themselves.
func TestTensorWork(t *testing.T) {
	wait, again := workWait("W", "0"), workWait("V", "1")
	two := func(s string) string { return strings.ReplaceAll(s, "@%one", "@%two") }
	other := strings.ReplaceAll(workAdds, "%shape", "%other")
	for _, c := range []struct {
		name, body string
		ordered    bool
	}{
		{"a copy, waited for", workCopy + workCommit + wait + workLoad, true},
		{"a copy, committed", workCopy + workCommit + workMeet + workLoad, false},
		{"a copy and a barrier", workCopy + workMeet + workLoad, false},
		{"one waits, and a barrier tells others", workCopy + workCommit + "@!%one bra B;\n" + wait + "B:\n" + workMeet + workLoad, true},
		{"one waits behind the barrier", workCopy + workCommit + workMeet + "@!%one bra B;\n" + wait + "B:\n" + workLoad, false},
		{"a store behind the wait for a copy", workCopy + workCommit + wait + workStore + workLoad, true},
		{"a store while it is copied", workCopy + workStore + workCommit + wait + workLoad, false},
		{"a copy behind a store that is not waited for", "tcgen05.st.sync.aligned.32x32b.x1.b32 [%mine], {%r1};" + workMeet + workCopy + workCommit + wait + workLoad, false},
		{"a copy while it is loaded", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%mine];" + workMeet + workCopy + workCommit + wait + "tcgen05.wait::ld.sync.aligned;", false},
		{"a copy when it has been loaded", workLoad + workMeet + workCopy + workCommit + wait, true},
		{"the source is written when it has been copied", workCopy + workCommit + wait + workMeet + workShared + workLoad, true},
		{"the source is written behind a barrier", workCopy + workMeet + workShared + workCommit + wait + workLoad, false},
		{"the source is written when it is committed", workCopy + workCommit + workMeet + workShared + wait + workLoad, false},
		{"a product", workAdds + workCommit + wait + workLoad, true},
		{"a product and a barrier", workAdds + workCommit + workMeet + workLoad, false},
		{"two products", workAdds + workAdds + workCommit + wait + workLoad, true},
		{"two products, the first committed", workAdds + workCommit + workAdds + wait + workLoad, false},
		{"two products, each waited for", workAdds + workCommit + wait + workMeet + workAdds + workCommit + again + workLoad, true},
		{"products of two shapes", workAdds + other + workCommit + wait + workLoad, false},
		{"products of two shapes, the first waited for", workAdds + workCommit + wait + workMeet + other + workCommit + again + workLoad, true},
		{"a product added to what is copied", workCopy + workAdds + workCommit + wait + workLoad, true},
		{"a copy over a product", workAdds + workCopy + workCommit + wait + workLoad, false},
		{"two copies", workCopy + workCopy + workCommit + wait + workLoad, true}, // of the same
		{"a shift of a product", workAdds + workShift + workCommit + wait + workLoad, true},
		{"a product added to what is shifted", workShift + workAdds + workCommit + wait + workLoad, true},
		{"a shift of a copy", workCopy + workShift + workCommit + wait + workLoad, false},
		{"a product of another thread", workAdds + workMeet + two(workAdds+workCommit) + wait + workLoad, true},
		{"a product of another thread that does not meet", workAdds + two(workAdds+workCommit) + wait + workLoad, false},
		{"a commit of another thread", workAdds + workMeet + two(workCommit) + wait + workLoad, false},
		{"a stage that is filled again", workAdds + workCommit + wait + workMeet + workShared + "fence.proxy.async;" + workMeet + workAdds + workCommit + again + workLoad, true},
		{"a stage that is filled too early", workAdds + workCommit + workMeet + workShared + "fence.proxy.async;" + workMeet + workAdds + workCommit + again + workLoad, false},
	} {
		text := strings.NewReplacer("MEET", workMeet, "BODY", c.body).Replace(workText)
		lateCheck(t, c.name, text, 128, c.ordered)
	}
	asked := strings.NewReplacer("MEET", workMeet, "BODY", workCopy+workCommit+workMeet+"mbarrier.test_wait.parity.shared.b64 %q, [%to], 0; selp.u32 %r1, 7, 0, %q;").Replace(workText)
	if got := lateProfile(t, Control, asked, 128).Rows[0].Exactness; got != "scheduled" {
		t.Errorf("asked whether a commit has come: %s", got)
	}
}
