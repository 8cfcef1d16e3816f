package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckMeetings: of random kernels whose warps meet in parts, at barriers of some threads, by
// mbarrier objects and within a warp, the filter lets no race pass that the detector finds, nor a
// barrier at which it is open who meets whom; and it lets some pass at all.
func TestCheckMeetings(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(11000, 120, 30)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		p := program{checkPrelude + meetingBody(r) + checkEnd, fmt.Sprintf(checkManifest, 1+r.IntN(2), 128)}
		if !sameRaces(t, fmt.Sprint("seed ", seed), p) {
			quiet++
		}
	}
	if quiet < len(seeds)/20 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// meetingBody is a random body for four warps. %r2 is the address of the thread's word in shared
// memory, %r3 that of another lane's, %r7 that of another warp's. Two objects lie behind them: at
// that of 512 the threads of warps 0 and 1 arrive, at that of 520 one thread of each warp.
func meetingBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`
	.reg .pred %front, %back, %one;
	.reg .b64 %state;
	shl.b32 %r1, %id, 2;
	mov.u32 %r4, sh;
	add.u32 %r2, %r4, %r1;
	xor.b32 %r3, %r1, 4;
	add.u32 %r3, %r4, %r3;
	xor.b32 %r7, %r1, 256;
	add.u32 %r7, %r4, %r7;
	setp.lt.u32 %front, %id, 64;
	setp.ge.u32 %back, %id, 64;
	setp.eq.u32 %one, %lane, 0;
	st.shared.u32 [%r2], %id;
	@%t0 mbarrier.init.shared.b64 [%r4+512], 64;
	@%t0 mbarrier.init.shared.b64 [%r4+520], 4;
	bar.sync 0;`)
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	phases, inOrder := [2]int{}, r.IntN(2) == 0
	for n := range 4 + r.IntN(14) {
		b.WriteString("\n\t")
		at, who := pick("%r2", "%r2", "%r3", "%r7"), pick("", "", "@%front ", "@%back ", "@%t0 ")
		if inOrder { // those in front store, the others read
			at, who = pick("%r2", "%r7"), pick("@%front ", "@%back ")
		}
		switch kind := r.IntN(12); {
		case kind < 3:
			b.WriteString(who + "st.shared.u32 [" + at + "], %id;")
		case kind < 5:
			b.WriteString(who + "ld.shared.u32 %x, [" + at + "];")
		case kind == 5:
			b.WriteString(who + pick("atom.shared.add.u32 %x, ["+at+"], 1;", "red.shared.add.u32 ["+at+"], 1;"))
		case kind == 6:
			b.WriteString(pick("bar.sync 0;", "bar.warp.sync 0xffffffff;", "bar.sync 1, 128;", "bar.red.popc.u32 %r5, 0, %lo;"))
		case kind == 7:
			b.WriteString("@%front bar.sync 2, 64;" + pick("", "\n\t@%back bar.sync 3, 64;"))
		case kind < 10:
			id := 4 + n%pickInt(r, 1, 12)
			first, second := "@%front ", "@%back "
			if r.IntN(2) == 0 {
				first, second = second, first
			}
			fmt.Fprintf(&b, "%sbar.arrive %d, 128;\n\t%sbar.sync %d, 128;", first, id, second, id)
		default:
			object := r.IntN(2)
			arrives := [2]string{"@%front ", pick("", "bar.warp.sync 0xffffffff;\n\t") + "@%one "}[object]
			fmt.Fprintf(&b, "%smbarrier.arrive%s.shared.b64 %%state, [%%r4+%d];\n", arrives, pick("", "", ".release.cta"), 512+8*object)
			if r.IntN(4) > 0 {
				fmt.Fprintf(&b, "\tW%d: mbarrier.%s.parity.shared.b64 %%p0, [%%r4+%d], %d;\n\t@!%%p0 bra W%d;", n, pick("test_wait", "try_wait"), 512+8*object, phases[object]%2, n)
			} else {
				fmt.Fprintf(&b, "\tmbarrier.test_wait.parity.shared.b64 %%p0, [%%r4+%d], %d;\n\tbar.sync 0;", 512+8*object, phases[object]%2)
			}
			phases[object]++
		}
	}
	return b.String()
}

func pickInt(r *rand.Rand, of ...int) int { return of[r.IntN(len(of))] }
