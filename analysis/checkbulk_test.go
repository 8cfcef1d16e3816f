package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckBulk: of random kernels that copy in bulk, tell mbarrier objects of the bytes or wait for groups,
// fence between proxies, and touch what was copied, the filter lets nothing pass that the detector finds; and it
// lets some pass at all.
func TestCheckBulk(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(13000, 120, 30)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		p := program{checkPrelude + bulkBody(r) + checkEnd, fmt.Sprintf(checkManifest, 1+r.IntN(2), 64)}
		if !sameRaces(t, fmt.Sprint("seed ", seed), p) {
			quiet++
		}
	}
	if quiet < len(seeds)/20 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// bulkBody is a random body for two warps. %r2 is the address of the thread's word in shared memory,
// %r7 that of the other warp's, %d1 that of the thread's word in a buffer that is the CTA's. Behind
// the words lie objects: of that at 896 thread 0 arrives alone, at the others all do.
func bulkBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`
	.reg .b64 %state;
	shl.b32 %r1, %id, 2;
	mov.u32 %r4, sh;
	add.u32 %r2, %r4, %r1;
	xor.b32 %r7, %r1, 128;
	add.u32 %r7, %r4, %r7;
	st.shared.u32 [%r2], %id;
	mad.lo.u32 %r5, %cta, 1024, %r1;
	cvt.u64.u32 %d1, %r5;
	add.u64 %d1, %b, %d1;
	mul.lo.u32 %r5, %cta, 1024;
	cvt.u64.u32 %d2, %r5;
	add.u64 %d2, %b, %d2;
	@%t0 mbarrier.init.shared.b64 [%r4+896], 1;
	@%t0 mbarrier.init.shared.b64 [%r4+904], 64;
	@%t0 mbarrier.init.shared.b64 [%r4+912], 64;
	@%t0 mbarrier.init.shared.b64 [%r4+920], 64;
	fence.proxy.async;
	bar.sync 0;`)
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	phases := [4]int{}
	inOrder := r.IntN(2) == 0
	wait := func(n, object int) string {
		return fmt.Sprintf("mov.u32 %%r9, 0;\nW%d: mbarrier.%s.parity.shared.b64 %%p0, [%%r4+%d], %d;\n\t@%%p0 bra D%d;\n\tadd.u32 %%r9, %%r9, 1;\n\tsetp.lt.u32 %%p1, %%r9, 3;\n\t@%%p1 bra W%d;\nD%d:",
			n, pick("test_wait", "try_wait"), 896+8*object, phases[object]%2, n, n, n)
	}
	for n := range 4 + r.IntN(12) {
		b.WriteString("\n\t")
		at, who := pick("%r2", "%r2", "%r7"), pick("", "", "@%t0 ", "@%t32 ")
		piece := 64 * r.IntN(3)
		switch kind := r.IntN(18); {
		case kind < 2:
			b.WriteString(who + "st.shared.u32 [" + at + "], %id;")
		case kind < 4:
			b.WriteString(who + "ld.shared.u32 %x, [" + at + "];")
		case kind == 4:
			b.WriteString(pick("st.global.u32 [%d1], %id;", "ld.global.u32 %x, [%d1];", who+"red.global.add.u32 [%d1], 1;", who+"red.shared.add.u32 ["+at+"], 1;"))
		case kind < 7:
			b.WriteString(pick("bar.sync 0;", "bar.sync 0;", "bar.warp.sync 0xffffffff;", "bar.sync 1, 64;"))
		case kind == 7:
			b.WriteString(pick("", "@%t0 ") + "fence.proxy.async" + pick("", ".shared::cta") + ";")
		case kind < 10: // bytes come, and an object hears of them
			expects := pick("@%%t0 mbarrier.arrive.expect_tx.shared.b64 %%state, [%%r4+896], 64;\n\t", "@%%t0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%%r4+896], 64;\n\t@%%t0 mbarrier.arrive.shared.b64 %%state, [%%r4+896];\n\t")
			fmt.Fprintf(&b, expects+"@%%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r4+%d], [%%d2+%d], 64, [%%r4+896];\n\t", piece, 64*r.IntN(4))
			if inOrder || r.IntN(3) > 0 {
				b.WriteString(pick("", "", "@%t0 bra W"+fmt.Sprint(n)+";\n\tbra.uni D"+fmt.Sprint(n)+";\n\t") + wait(n, 0))
			}
			if inOrder {
				b.WriteString("\n\tbar.sync 0;")
			}
			phases[0]++
		case kind < 12: // and go
			if inOrder {
				b.WriteString("fence.proxy.async;\n\tbar.sync 0;\n\t")
			}
			fmt.Fprintf(&b, "@%%t0 cp%s.async.bulk.global.shared::cta.bulk_group%s [%%d2+%d], [%%r4+%d], 64;", pick("", ".reduce"), "", 64*r.IntN(8), piece)
			b.WriteString("\n\t" + pick("@%t0 cp.async.bulk.commit_group;", ""))
			if inOrder || r.IntN(2) == 0 {
				b.WriteString("\n\t@%t0 cp.async.bulk.wait_group" + pick("", ".read") + pick(" 0;", " 0;", " 1;"))
			}
			if inOrder {
				b.WriteString("\n\tbar.sync 0;")
			}
		case kind == 12: // reductions of shared memory, of one object
			fmt.Fprintf(&b, "@%%t0 mbarrier.arrive.expect_tx.shared.b64 %%state, [%%r4+896], 128;\n\t")
			for range 2 {
				fmt.Fprintf(&b, "@%%t0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u%s [%%r4+%d], [%%r4+%d], 64, [%%r4+896];\n\t", pick("32", "32", "32", "64"), piece, 64*r.IntN(3))
			}
			if inOrder || r.IntN(2) == 0 {
				b.WriteString(wait(n, 0) + "\n\tbar.sync 0;")
			}
			phases[0]++
		case kind == 13: // bytes that a thread says have come
			fmt.Fprintf(&b, "@%%t0 mbarrier.arrive.expect_tx.shared.b64 %%state, [%%r4+896], 16;\n\t%smbarrier.complete_tx.shared.b64 [%%r4+896], 16;\n\t", pick("@%t0 ", "@%t1 "))
			b.WriteString(wait(n, 0))
			phases[0]++
		case kind < 16: // copies of threads of which an object hears
			b.WriteString(who + "cp.async.ca.shared.global [%r2], [%d1], 4;\n\t" + pick("", "cp.async.commit_group;\n\t"))
			arrive, object := "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4+912];\n\t", 2
			if r.IntN(3) == 0 {
				arrive, object = "cp.async.mbarrier.arrive.shared.b64 [%r4+904];\n\tmbarrier.arrive.shared.b64 %state, [%r4+904];\n\t", 1
			}
			b.WriteString(arrive + pick(wait(n, object), wait(n, object), "cp.async.wait_all;\n\tbar.sync 0;", ""))
			phases[object]++
		case kind == 16 && phases[3] == 0:
			b.WriteString("mbarrier.arrive_drop.shared.b64 %state, [%r4+920];\n\t" + wait(n, 3))
			phases[3]++
		default:
			fmt.Fprintf(&b, "%smbarrier.arrive.shared.b64 %%state, [%%r4+904];\n\t", "")
			b.WriteString(wait(n, 1))
			phases[1]++
		}
	}
	s := strings.ReplaceAll(b.String(), "cp.reduce.async.bulk.global.shared::cta.bulk_group", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32")
	return s + "\n\tcp.async.bulk.wait_group 0;\n\tbar.sync 0;"
}
