package analysis

import (
	"slices"
	"strings"
	"testing"
)

// lateHead begins a kernel of two warps with two mbarriers, mb for one arrival and mc for
// one, and 16 bytes of shared memory that are 7.
const lateHead = `.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 t, x, y, z, d, u, v;
	.reg .b64 i, o, s;
	.reg .pred p, p1, q;
	.shared .align 128 .b32 sh[64];
	.shared .align 8 .b64 mb;
	.shared .align 8 .b64 mc;
	mov.u32 t, %tid.x;
	setp.eq.u32 p, t, 0;
	setp.eq.u32 p1, t, 32;
	ld.param.u64 i, [in];
	ld.param.u64 o, [out];
	mov.u32 x, sh;
	mov.u32 y, mb;
	mov.u32 z, mc;
	@p mbarrier.init.shared.b64 [y], 1;
	@p mbarrier.init.shared.b64 [z], 1;
	@p st.shared.v4.u32 [x], {7, 7, 7, 7};
	fence.proxy.async;
	bar.sync 0;
`

const (
	lateCopy   = "\t@p cp.async.ca.shared.global [x], [i], 16;\n"
	lateNoinc  = "\t@p cp.async.mbarrier.arrive.noinc.shared.b64 [y];\n"
	lateAdds   = "\t@p cp.async.mbarrier.arrive.shared.b64 [y];\n"
	lateArrive = "\t@p mbarrier.arrive.shared.b64 s, [y];\n"
	lateBar    = "\tbar.sync 0;\n"
	lateAsk    = "\tmbarrier.test_wait.parity.shared.b64 q, [y], 0;\n"
	lateDecide = "\t@q bra E;\n\tst.global.u32 [o], d;\nE:\n\tret;\n}\n"
	lateRead   = "\tld.shared.u32 d, [x];\n\tsetp.eq.u32 q, d, 3;\n" + lateDecide
	lateBytes  = "\t@p mbarrier.arrive.expect_tx.shared.b64 s, [y], 16;\n"
	lateBulk   = "\t@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [x], [i], 16, [y];\n"
	lateOther  = "\t@p mbarrier.arrive.expect_tx.shared.b64 s, [z], 16;\n\t@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [x+128], [i], 16, [z];\n"
)

// lateWait waits in a loop for the phase of an object with a parity.
func lateWait(label, at, parity string) string {
	return label + ":\n\tmbarrier.try_wait.parity.shared.b64 q, [" + at + "], " + parity + ";\n\t@!q bra " + label + ";\n"
}

// TestLateArrivals: what copies have done, and the arrival that says so, is there for who has
// seen that the phase of the mbarrier is over, and for nobody else. How often a loop asks is a
// matter of order by itself: there it counts whether any two accesses race.
func TestLateArrivals(t *testing.T) {
	wait := lateWait("W", "y", "0")
	for _, c := range []struct {
		name, body string
		ordered    bool
	}{
		{"waited for", lateCopy + lateNoinc + wait + lateRead, true},
		{"waited for by those who arrive, too", lateCopy + lateAdds + lateArrive + wait + lateRead, true},
		{"a barrier in its place", lateCopy + lateNoinc + lateBar + lateRead, false},
		{"nothing in its place", lateCopy + lateNoinc + lateRead, false},
		{"an arrival that adds itself, and a barrier", lateCopy + lateAdds + lateArrive + lateBar + lateRead, false},
		{"asked, and not decided on", lateCopy + lateNoinc + lateAsk + lateRead, false},
		{"asked, and not decided on, behind a barrier", lateCopy + lateNoinc + lateAsk + lateBar + lateRead, false},
		{"the copy comes behind the arrival", lateNoinc + lateCopy + wait + lateRead, false},
		{"one waits, and a barrier tells others", lateCopy + lateNoinc + "\t@p1 bra V;\n\tbra B;\nV:\n" + wait + "B:\n" + lateBar + lateRead, true},
		{"one waits behind the barrier", lateCopy + lateNoinc + lateBar + "\t@p1 bra V;\n\tbra B;\nV:\n" + wait + "B:\n" + lateRead, false},
		{"the group is waited for as well", lateCopy + lateNoinc + "\tcp.async.wait_all;\n" + lateBar + lateRead, true},
		{"the group of the arrival alone", lateCopy + lateNoinc + "\tcp.async.commit_group;\n" + strings.ReplaceAll(lateCopy, "16;", "8;") +
			"\tcp.async.commit_group;\n\tcp.async.wait_group 1;\n" + lateBar + lateRead, false},
		{"a store before it is not told", "\t@p st.shared.u32 [x+64], 3;\n" + lateCopy + lateNoinc + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), false},
		{"a store before a normal arrival is", "\t@p st.shared.u32 [x+64], 3;\n" + lateCopy + lateAdds + lateArrive + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), true},
		{"written again behind the wait and a barrier", lateCopy + lateNoinc + wait + lateBar + "\t@p1 st.shared.u32 [x], 9;\n" + lateBar + lateRead, true},
		{"written again by who has not waited", lateCopy + lateNoinc + "\t@p1 st.shared.u32 [x], 9;\n" + wait + lateBar + lateRead, false},
		{"two stages", lateCopy + lateNoinc + "\t@p cp.async.ca.shared.global [x+16], [i+16], 16;\n\t@p cp.async.mbarrier.arrive.noinc.shared.b64 [z];\n" +
			wait + lateRead, true},
		{"the second of two stages", lateCopy + lateNoinc + "\t@p cp.async.ca.shared.global [x+16], [i+16], 16;\n\t@p cp.async.mbarrier.arrive.noinc.shared.b64 [z];\n" +
			wait + strings.Replace(lateRead, "[x]", "[x+16]", 1), false},
		{"the second waited for", lateCopy + lateNoinc + "\t@p cp.async.ca.shared.global [x+16], [i+16], 16;\n\t@p cp.async.mbarrier.arrive.noinc.shared.b64 [z];\n" +
			lateWait("W", "z", "0") + strings.Replace(lateRead, "[x]", "[x+16]", 1), true},
		{"a stage that is filled again", lateCopy + lateNoinc + wait + lateBar + lateCopy + lateNoinc + lateWait("U", "y", "1") + lateRead, true},
		{"a stage that is filled again, not waited for", lateCopy + lateNoinc + wait + lateBar + strings.Replace(lateCopy, "[i]", "[i+16]", 1) + lateNoinc + lateRead, false},

		{"bytes, waited for", lateBytes + lateBulk + wait + lateRead, true},
		{"a store before bytes is told by the arrival", "\t@p st.shared.u32 [x+64], 3;\n" + lateBytes + lateBulk + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), true},
		{"a store before bytes is not told by them", lateBytes + "\t@p st.shared.u32 [x+64], 3;\n" + lateBulk + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), false},
		{"who counts bytes by itself tells nothing", "\t@p mbarrier.expect_tx.shared.b64 [y], 16;\n" + lateBar + lateArrive + lateBar +
			"\t@p1 st.shared.u32 [x+64], 3;\n\t@p1 mbarrier.complete_tx.shared.b64 [y], 16;\n" + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), false},
		{"who arrives does", "\t@p1 st.shared.u32 [x+64], 3;\n\t@p1 mbarrier.arrive.shared.b64 s, [y];\n" + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), true},
		{"who arrives relaxed does not", "\t@p1 st.shared.u32 [x+64], 3;\n\t@p1 mbarrier.arrive.relaxed.cta.shared.b64 s, [y];\n" + wait + strings.Replace(lateRead, "[x]", "[x+64]", 1), false},
		{"who waits relaxed knows nothing", "\t@p1 st.shared.u32 [x+64], 3;\n\t@p1 mbarrier.arrive.shared.b64 s, [y];\n" + strings.Replace(wait, "try_wait.parity", "try_wait.parity.relaxed.cta", 1) +
			strings.Replace(lateRead, "[x]", "[x+64]", 1), false},
		{"bytes of another object", lateBytes + lateBulk + lateOther + lateWait("W", "z", "0") + lateRead, false},
		{"bytes of another object, before", lateOther + lateBytes + lateBulk + lateWait("W", "z", "0") + lateRead, false},
		{"both objects", lateBytes + lateBulk + lateOther + lateWait("W", "z", "0") + lateWait("U", "y", "0") + lateRead, true},
		{"a group beside bytes", "\t@p cp.async.bulk.global.shared::cta.bulk_group [o+64], [x], 16;\n\t@p cp.async.bulk.commit_group;\n" + lateBytes + strings.Replace(lateBulk, "[x]", "[x+128]", 1) +
			wait + lateBar + "\tld.global.u32 d, [o+64];\n\tsetp.eq.u32 q, d, 7;\n" + lateDecide, false},
		{"a group beside bytes, waited for", "\t@p cp.async.bulk.global.shared::cta.bulk_group [o+64], [x], 16;\n\t@p cp.async.bulk.commit_group;\n" + lateBytes + strings.Replace(lateBulk, "[x]", "[x+128]", 1) +
			"\t@p cp.async.bulk.wait_group 0;\n" + lateBar + "\tld.global.u32 d, [o+64];\n\tsetp.eq.u32 q, d, 7;\n" + lateDecide, true},
	} {
		lateCheck(t, c.name, lateHead+c.body, 64, c.ordered)
	}
	for name, body := range map[string]string{
		"asked behind a barrier":                lateCopy + lateNoinc + lateBar + lateAsk + lateDecide,
		"asked where an arrival has come":       lateCopy + lateAdds + lateArrive + lateBar + lateAsk + lateDecide,
		"asked for bytes":                       lateBytes + lateBulk + lateBar + lateAsk + lateDecide,
		"asked for bytes behind other bytes":    lateBytes + lateBulk + lateOther + lateWait("W", "z", "0") + lateAsk + lateDecide,
		"asked for bytes before the other ones": lateOther + lateBytes + lateBulk + lateWait("W", "z", "0") + lateAsk + lateDecide,
	} {
		if got := lateProfile(t, Control, lateHead+body, 64).Rows[0].Exactness; got != "scheduled" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// lateCheck holds what races in every mode against what is said of a program.
func lateCheck(t *testing.T, name, text string, threads int, ordered bool) {
	t.Helper()
	for _, mode := range []Mode{Control, Memory, Full} {
		p := lateProfile(t, mode, text, threads)
		at := slices.IndexFunc(p.Races(), func(r *RaceRow) bool { return !r.SameValue && !r.Synchronised })
		if at >= 0 == ordered {
			t.Errorf("%s, mode %s: ordered %t, %s", name, mode, !ordered, p.Rows[0].Exactness)
			for _, r := range p.Races() {
				t.Logf("%s %s %s", r.Kind, r.Text, r.OtherText)
			}
		}
		if got := p.Rows[0].Exactness; (got == "exact") != ordered {
			t.Errorf("%s, mode %s: %s", name, mode, got)
		}
	}
}

func lateProfile(t *testing.T, mode Mode, text string, threads int) *Profile {
	t.Helper()
	p := program{text, launch(1, threads, `"in": {"type": "u32", "bytes": 256, "init": {"iota": {"start": 3, "step": 1}}}, "out": {"type": "u32", "bytes": 512, "init": "zero"}`,
		`{"buffer": "in"}, {"buffer": "out"}`)}
	return p.profile(t, mode)
}

// latePipeline is a pipeline of two stages and eight rounds: the first warp copies what the
// second one adds up. What is EARLY comes before the stage is free, what is LATE then; what is
// BEFORE comes before it is full, what is BEHIND then.
const latePipeline = `.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 t, x, y, z, d, sum, stage, phase, round, at;
	.reg .b64 i, o, s;
	.reg .pred p, q, one;
	.shared .align 128 .b8 sh[1024];
	.shared .align 8 .b64 full[2];
	.shared .align 8 .b64 empty[2];
	mov.u32 t, %tid.x;
	setp.eq.u32 one, t, 0;
	setp.lt.u32 p, t, 32;
	ld.param.u64 i, [in];
	ld.param.u64 o, [out];
	mov.u32 y, full; mov.u32 z, empty;
	@one mbarrier.init.shared.b64 [y], COUNT; @one mbarrier.init.shared.b64 [y+8], COUNT;
	@one mbarrier.init.shared.b64 [z], 32; @one mbarrier.init.shared.b64 [z+8], 32;
	bar.sync 0;
	mov.u32 round, 0; mov.u32 stage, 0; mov.u32 phase, 0; mov.u32 sum, 0;
	and.b32 at, t, 31; mul.lo.u32 at, at, 16;
	@!p bra CONSUME;
PRODUCE: shl.b32 z, stage, 3; mov.u32 y, full; add.u32 y, y, z; mov.u32 d, empty; add.u32 z, z, d;
	xor.b32 d, phase, 1;
	mov.u32 x, sh; mad.lo.u32 x, stage, 512, x;
	EARLY
FREE:	mbarrier.try_wait.parity.shared.b64 q, [z], d; @!q bra FREE;
	LATE
	add.u64 i, i, 16;
	xor.b32 stage, stage, 1; setp.eq.u32 q, stage, 0; @q xor.b32 phase, phase, 1;
	add.u32 round, round, 1; setp.lt.u32 q, round, 8; @q bra PRODUCE;
	bra E;
CONSUME: shl.b32 z, stage, 3; mov.u32 y, full; add.u32 y, y, z; mov.u32 d, empty; add.u32 z, z, d;
	mov.u32 x, sh; mad.lo.u32 x, stage, 512, x; add.u32 x, x, at;
	BEFORE
FULL:	mbarrier.try_wait.parity.shared.b64 q, [y], phase; @!q bra FULL;
	BEHIND
	mbarrier.arrive.shared.b64 s, [z];
	xor.b32 stage, stage, 1; setp.eq.u32 q, stage, 0; @q xor.b32 phase, phase, 1;
	add.u32 round, round, 1; setp.lt.u32 q, round, 8; @q bra CONSUME;
	setp.gt.u32 q, sum, 5; @q bra E;
	st.global.u32 [o], sum;
E:	ret;
}`

// TestLatePipelines: stages that are filled again and again are in order, if those who fill
// them wait for who reads them and the other way round.
func TestLatePipelines(t *testing.T) {
	const (
		async = "add.u32 x, x, at; cp.async.ca.shared.global [x], [i], 16;"
		bulk  = "@one mbarrier.arrive.expect_tx.shared.b64 s, [y], 512; @one cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [x], [o], 512, [y];"
		read  = "ld.shared.u32 d, [x]; add.u32 sum, sum, d;"
	)
	// Without the warp's barrier the lanes that only wait may come when their phase is over and gone.
	lagging := strings.NewReplacer("EARLY", "", "LATE", bulk, "BEFORE", "", "BEHIND", read, "COUNT", "1").Replace(latePipeline)
	if got := lateProfile(t, Control, lagging, 64).Rows[0].Exactness; got != "scheduled" {
		t.Errorf("lanes that are not kept in step: %s", got)
	}
	for _, c := range []struct{ name, how, tell, count string }{
		{"copies", async, "cp.async.mbarrier.arrive.noinc.shared.b64 [y];", "32"},
		{"copies and arrivals", async, "cp.async.mbarrier.arrive.shared.b64 [y]; mbarrier.arrive.shared.b64 s, [y];", "32"},
		{"bulk copies", "", "bar.warp.sync -1;" + bulk, "1"},
		{"stores", "add.u32 x, x, at; st.shared.u32 [x], round;", "mbarrier.arrive.shared.b64 s, [y];", "32"},
	} {
		text := func(early, late, before, behind string) string {
			return strings.NewReplacer("EARLY", early, "LATE", late, "BEFORE", before, "BEHIND", behind, "COUNT", c.count).Replace(latePipeline)
		}
		lateCheck(t, c.name, text("", c.how+c.tell, "", read), 64, true)
		lateCheck(t, c.name+" that are read too early", text("", c.how+c.tell, read, ""), 64, false)
		if c.how != "" {
			lateCheck(t, c.name+" that come too early", text(c.how, c.tell, "", read), 64, false)
		}
	}
}
