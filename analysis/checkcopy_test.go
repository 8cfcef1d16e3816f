package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckCopies: of random kernels that copy by cp.async, wait for some of that, meet at barriers,
// of which some count threads, and touch what was copied, the filter lets no race pass that the
// detector finds; and it lets some pass at all.
func TestCheckCopies(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(9000, 200, 60)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		p := program{checkPrelude + copyingBody(r) + checkEnd, fmt.Sprintf(checkManifest, 1+r.IntN(2), 64)}
		if !sameRaces(t, fmt.Sprint("seed ", seed), p) {
			quiet++
		}
	}
	if quiet < len(seeds)/10 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// copyingBody is a random body. %r2 is the address of the thread's word in shared memory, %r3 that
// of its neighbour's, %d1 and %d2 those of both in a buffer that is the CTA's.
func copyingBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`
	shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	xor.b32 %r3, %r1, 4;
	xor.b32 %r7, %r1, 128;
	mov.u32 %r4, sh;
	add.u32 %r3, %r4, %r3;
	add.u32 %r7, %r4, %r7;
	st.shared.u32 [%r2], %id;
	st.shared.u32 [%r2+256], %id;
	mad.lo.u32 %r5, %cta, 512, %r1;
	cvt.u64.u32 %d1, %r5;
	add.u64 %d1, %b, %d1;
	mov.u32 %r6, 64;
	bar.sync 0;`)
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for range 4 + r.IntN(12) {
		at := pick("%r2", "%r2", "%r2", "%r2+256", "%r3", "%r7")
		b.WriteString("\n\t" + pick("", "", "", "@%t0 ", "@%t32 ", "@%lo "))
		switch r.IntN(8) {
		case 0, 1:
			b.WriteString("cp.async.ca.shared.global [" + at + "], [%d1" + pick("", "+256") + "], 4" + pick("", "", ", 0", ", 2") + ";\n\t" + pick("cp.async.commit_group;", ""))
		case 2, 3:
			b.WriteString(pick("cp.async.wait_all;", "cp.async.wait_group 0;", "cp.async.wait_group 1;"))
		case 4:
			b.WriteString("ld.shared.u32 %x, [" + at + "];")
		case 5:
			b.WriteString(pick("st.shared.u32 ["+at+"], %id;", "st.global.u32 [%d1"+pick("", "+256")+"], %id;"))
		default: // all come to those
			s := b.String()
			b.Reset()
			b.WriteString(s[:strings.LastIndexByte(s, '\t')+1] + pick("bar.sync 0;", "bar.sync 1, 64;", "bar.sync 0, %r6;", "bar.warp.sync -1;", "cp.async.wait_all;\n\tbar.sync 0;"))
		}
	}
	return b.String() + "\n\tcp.async.wait_all;"
}
