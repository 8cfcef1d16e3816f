package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// suspending is a kernel of some warps, in whose body y is the address of an mbarrier that
// waits for 32 arrivals, t the thread in its warp, w the warp, x what decides behind it.
const suspending = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .b32 t, w, x, y, n; .reg .b64 o, s; .reg .pred p, q, first, w0, w1, w2;
	.shared .align 16 .b8 sh[2048];
	ld.param.u64 o, [a];
	mov.u32 t, %laneid;
	mov.u32 w, %tid.x;
	setp.eq.u32 first, w, 0;
	shr.u32 w, w, 5;
	setp.eq.u32 w0, w, 0; setp.eq.u32 w1, w, 1; setp.eq.u32 w2, w, 2;
	mov.u32 y, sh;
	mov.u32 n, 0; mov.u32 x, 0;
	@first mbarrier.init.shared.b64 [y], 32;
	@first st.shared.u32 [y+64], 0;
	bar.sync 0;
	BODY
	setp.eq.u32 p, x, 3;
	@p bra END;
	add.u32 t, t, 1;
END:
	ret;
}`

const (
	suspendWait   = "W: mbarrier.try_wait.parity.shared.b64 q, [y], 0;\n@!q bra W;\n"
	suspendArrive = "mbarrier.arrive.shared.b64 s, [y];\n"
	suspendLoad   = "@w1 ld.shared.u32 x, [y+64];\n"
	suspendHalf   = "setp.lt.u32 p, t, 16;\n@!p bra END;\n"
	suspendStore  = "@w0 st.shared.u32 [y+64], 3;\n"
)

// suspendOther makes another object, that waits for so many.
func suspendOther(arrivals string) string {
	return "@first mbarrier.init.shared.b64 [y+8], " + arrivals + ";\nbar.sync 0;\n"
}

func suspendingProgram(body string) program { return suspendingThreads(body, 96) }

func suspendingThreads(body string, threads int) program {
	return program{strings.Replace(suspending, "BODY", body, 1), launch(1, threads, `"b": {"bytes": 1024, "init": "zero"}`, `{"buffer": "b"}`)}
}

// TestSuspends: who asks an mbarrier by try_wait asks once for each wait, and that is so in
// any order of threads, unless one lets it come too late or nobody could go on.
func TestSuspends(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       string
		asked      uint64 // how often warps execute try_wait
	}{
		{"for the other warp", "@!w0 bra W;\n" + suspendArrive + suspendWait, "exact", 3},
		{"before and behind the arrival", "@w2 bra A;\n@w0 bra W;\nbra W;\nA:\n" + suspendArrive + suspendWait, "exact", 3},
		{"what the other has stored", suspendStore + "@!w0 bra W;\n" + suspendArrive + suspendWait + suspendLoad, "exact", 3},
		{"the same, relaxed", suspendStore + "@!w0 bra W;\n" + suspendArrive + strings.Replace(suspendWait, "try_wait", "try_wait.relaxed.cta", 1) + suspendLoad, "scheduled", 3},
		{"what nobody has told of", "@!w0 bra W;\n" + suspendArrive + suspendStore + suspendWait + suspendLoad, "scheduled", 3},
		{"a phase that may be over and gone", "@w0 bra W;\n" + suspendArrive + "bra END;\n" + suspendWait, "scheduled", 1},
		{"a phase that nobody ends", "mbarrier.try_wait.parity.shared.b64 q, [y], 0;\n@q mov.u32 x, 3;\n", "scheduled", 3},
		{"a thousand times", "W: mbarrier.try_wait.parity.shared.b64 q, [y], 0;\nadd.u32 n, n, 1;\nsetp.lt.u32 p, n, 1000;\n@q mov.u32 n, 1000;\n@p bra W;\n", "scheduled", 3000},
		{"one by one", "W: mbarrier.test_wait.parity.shared.b64 q, [y], 1;\n@!q bra W;\n" + strings.Replace(suspendWait, "0;", "1;", 1)[2:], "exact", 3},
		{"those who wait behind for the one that waits for them", "@!w0 bra END;\nsetp.ne.u32 p, t, 0;\n@p bra J;\n" + suspendWait + "J:\n@p " + suspendArrive +
			"setp.eq.u32 q, t, 1;\n@q " + suspendArrive, "scheduled", 2},
		{"one that arrives twice where another should", "@w2 bra W;\n" + suspendHalf + suspendArrive + suspendStore + "@w0 " + suspendArrive + "bra END;\n" + suspendWait + "@w2 ld.shared.u32 x, [y+64];\n", "scheduled", 1},
		{"one that knows of an arrival, not of all", suspendOther("16") + "@w2 bra V;\n" + suspendHalf + suspendArrive + "@w1 mbarrier.arrive.shared.b64 s, [y+8];\n" + suspendWait + suspendStore + suspendArrive +
			"bra END;\nV: mbarrier.try_wait.parity.shared.b64 q, [y+8], 0;\n@!q bra V;\nU: mbarrier.try_wait.parity.shared.b64 q, [y], 1;\n@!q bra U;\n@w2 ld.shared.u32 x, [y+64];\n", "scheduled", 4},
		{"a ring of one stage", suspendOther("32") + `@w2 bra END;
			R: and.b32 w, n, 1; @w1 bra C; xor.b32 w, w, 1;
			E: mbarrier.try_wait.parity.shared.b64 q, [y+8], w; @!q bra E; st.shared.u32 [y+64], n; mbarrier.arrive.shared.b64 s, [y]; bra N;
			C: mbarrier.try_wait.parity.shared.b64 q, [y], w; @!q bra C; ld.shared.u32 x, [y+64]; mbarrier.arrive.shared.b64 s, [y+8];
			N: add.u32 n, n, 1; setp.lt.u32 p, n, 4; @p bra R;
			`, "exact", 8},
		{"all wait for all, five times", suspendOther("96") + "R: and.b32 w, n, 1; mbarrier.arrive.shared.b64 s, [y+8];\nV: mbarrier.try_wait.parity.shared.b64 q, [y+8], w; @!q bra V;\n" +
			"add.u32 n, n, 1; setp.lt.u32 p, n, 5; @p bra R;\n", "exact", 15},
		{"one before the last", "@!w0 bra W;\n" + suspendArrive + suspendStore + suspendArrive + strings.Replace(suspendWait, "0;", "1;", 1) + suspendLoad, "scheduled", 3},
	} {
		p := suspendingProgram(c.body)
		for _, mode := range runningModes {
			prof := p.profile(t, mode)
			if got := prof.Rows[0].Exactness; string(got) != c.want {
				t.Errorf("%s, mode %s: %s, want %s: %v", c.name, mode, got, c.want, prof.Explain())
			}
			asked := uint64(0)
			for _, r := range prof.PerInstruction() {
				if strings.Contains(fmt.Sprint(r.Text), "try_wait") {
					asked += r.WarpExecutions
				}
			}
			if asked != c.asked {
				t.Errorf("%s, mode %s: asked %d times, want %d", c.name, mode, asked, c.asked)
			}
		}
	}
}

// TestSuspendsLarge: in the largest CTA, too, each thread may arrive and wait for all others, again
// and again, and all is exact; what is kept of a word has room for all warps.
func TestSuspendsLarge(t *testing.T) {
	wait := map[string]string{"state": "mbarrier.try_wait.shared.b64 q, [y+8], s", "parity": "mbarrier.try_wait.parity.shared.b64 q, [y+8], w"}
	for _, by := range []string{"state", "parity"} {
		p := suspendingThreads(suspendOther("1024")+"R: and.b32 w, n, 1; mbarrier.arrive.shared.b64 s, [y+8];\nV: "+wait[by]+"; @!q bra V;\n"+
			"add.u32 n, n, 1; setp.lt.u32 p, n, 4; @p bra R;\n", 1024)
		for _, mode := range []Mode{Control, Memory} {
			if prof := p.profile(t, mode); prof.Rows[0].Exactness != "exact" {
				t.Errorf("by %s, mode %s: %s: %v", by, mode, prof.Rows[0].Exactness, prof.Explain())
			}
		}
	}
}

// TestSuspendsCalled: a wait in a function that is called has no simulated time, which its
// program is told before anything runs, and counts all the same.
func TestSuspendsCalled(t *testing.T) {
	p := suspendingProgram("@!w0 bra C;\n" + suspendArrive + "C: call wait, (y);\n")
	p.ptx = strings.Replace(p.ptx, ".visible .entry", `.func wait(.reg .b32 of)
{
	.reg .pred over;
W:	mbarrier.try_wait.parity.shared.b64 over, [of], 0;
	@!over bra W;
	ret;
}
.visible .entry`, 1)
	s := p.session(t, Control)
	if s.Unsimulated == nil || !strings.Contains(s.Unsimulated.Error(), "mbarrier.try_wait is not simulated: it waits in a function") {
		t.Errorf("it says %v", s.Unsimulated)
	}
	if prof := p.profile(t, Control); prof.Rows[0].Exactness != "exact" {
		t.Errorf("%s: %v", prof.Rows[0].Exactness, prof.Explain())
	}
}

// TestSuspendedForEver: a wait for what nobody does is a deadlock, which names it.
func TestSuspendedForEver(t *testing.T) {
	for _, mode := range runningModes {
		s := suspendingProgram(suspendWait).session(t, mode)
		if _, err := s.Profile(t.Context()); err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "for the phase of an mbarrier") {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
}
