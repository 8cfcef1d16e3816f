package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/check"
)

// clusterManifest is checkManifest of a cluster of two CTAs.
var clusterManifest = strings.Replace(fmt.Sprintf(checkManifest, 2, 64), `"block"`, `"cluster": [2], "block"`, 1)

// TestCheckClusters: of random kernels whose CTAs access each other's shared memory, meet at barriers of the
// cluster, arrive at each other's mbarrier objects and copy to each other, the filter lets nothing pass that the
// detector finds; and it lets some pass at all.
func TestCheckClusters(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(15000, 120, 30)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		if !sameRaces(t, fmt.Sprint("seed ", seed), program{checkPrelude + clusterBody(r) + checkEnd, clusterManifest}) {
			quiet++
		}
	}
	if quiet < len(seeds)/20 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// clusterBody is a random body for two CTAs of two warps. %r2 is the address of the thread's word in shared
// memory, %r3 that of the other CTA's, %r7 that of the other warp's, %r8 where the other CTA's shared
// memory begins. Of an object at 896 thread 0 arrives alone, of one at 904 all of both CTAs do.
func clusterBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`
	.reg .b64 %state;
	.reg .pred %hasmore;
	shl.b32 %r1, %id, 2;
	mov.u32 %r4, sh;
	add.u32 %r2, %r4, %r1;
	xor.b32 %r7, %r1, 128;
	add.u32 %r7, %r4, %r7;
	xor.b32 %r5, %cta, 1;
	mapa.shared::cluster.u32 %r3, %r2, %r5;
	mapa.shared::cluster.u32 %r8, %r4, %r5;
	mul.lo.u32 %r5, %cta, 1024;
	cvt.u64.u32 %d2, %r5;
	add.u64 %d2, %b, %d2;
	st.shared.u32 [%r2], %id;
	@%t0 mbarrier.init.shared.b64 [%r4+896], 1;
	@%t0 mbarrier.init.shared.b64 [%r4+904], 128;
	fence.proxy.async;`)
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	meet := "\n\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;"
	relaxed := strings.Replace(meet, "arrive.", "arrive.relaxed.", 1)
	fence := func() string {
		return pick("", "\n\tfence.acq_rel.cluster;", "\n\t@%t0 fence.mbarrier_init.release.cluster;", "\n\t@%t0 fence.mbarrier_init.release.cluster;")
	}
	b.WriteString(pick(meet, meet, "\n\tbar.sync 0;", fence()+relaxed, fence()+relaxed))
	inOrder, phases := r.IntN(3) > 0, [2]int{}
	wait := func(n, object int) string {
		text := fmt.Sprintf("mov.u32 %%r9, 0;\nW%d: mbarrier.%s.parity.acquire.cluster.shared.b64 %%p0, [%%r4+%d], %d;\n\t@%%p0 bra D%d;\n\tadd.u32 %%r9, %%r9, 1;\n\tsetp.lt.u32 %%p1, %%r9, 3;\n\t@%%p1 bra W%d;\nD%d:",
			n, pick("test_wait", "try_wait"), 896+8*object, phases[object]%2, n, n, n)
		phases[object]++
		return text
	}
	for n := range 1 + r.IntN(10) {
		b.WriteString("\n\t")
		at, who := pick("shared.u32 X[%r2]", "shared::cluster.u32 X[%r3]", "shared::cluster.u32 X[%r3]", "shared.u32 X[%r7]"), pick("", "", "@%t0 ", "@%c0 ", "@%c1 ")
		switch kind := r.IntN(12); {
		case kind < 3:
			b.WriteString(who + "st." + strings.Replace(at, "X", "", 1) + ", %id;")
		case kind < 6:
			b.WriteString(who + "ld." + strings.Replace(at, "X", "%x, ", 1) + ";")
		case kind == 6:
			b.WriteString(who + "red." + strings.Replace(strings.Replace(at, "u32", "add.u32", 1), "X", "", 1) + ", 1;")
		case kind == 7:
			b.WriteString(pick("bar.sync 0;", "bar.warp.sync 0xffffffff;", "fence.proxy.async;"))
		case kind == 8:
			b.WriteString(fence() + "\n\tbarrier.cluster.arrive" + pick("", ".release", ".relaxed") + ".aligned;\n\t" + pick("", "ld.shared.u32 %x, [%r2];", "st.shared::cluster.u32 [%r3], 5;") + "\n\tbarrier.cluster.wait" + pick("", ".acquire") + ".aligned;")
		case kind == 9:
			b.WriteString("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8+904];\n\t" + wait(n, 1))
		default:
			if inOrder {
				b.WriteString("fence.proxy.async;" + meet + "\n\t")
			}
			fmt.Fprintf(&b, "@%%t0 mbarrier.arrive.expect_tx.shared.b64 %%state, [%%r4+896], %d;\n\t", 64)
			b.WriteString(pick("@%t0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r4+64], 64, [%r8+896];\n\t",
				"mov.b16 %h0, 3;\n\t@!%c0 bra M"+fmt.Sprint(n)+";\n\t@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4+128], [%d2], 64, [%r4+896], %h0;\nM"+fmt.Sprint(n)+":\n\t"))
			b.WriteString(wait(n, 0))
		}
		if inOrder && r.IntN(2) == 0 {
			b.WriteString(pick(meet, meet, fence()+relaxed))
		}
	}
	return b.String() + pick(meet, meet, meet, relaxed, "\n\tbar.sync 0;")
}

// clusterFaults are faults of clusters of two CTAs: kind, body, and a near-miss.
var clusterFaults = []struct {
	name      string
	kind      check.Kind
	bad, good string
}{
	{"load of what the other CTA stores, without a barrier of the cluster between", check.Race,
		clusterBegin + `
	st.shared.u32 [%r2], 5;
	bar.sync 0;
	ld.shared::cluster.u32 %x, [%r3];` + clusterMeet,
		clusterBegin + `
	st.shared.u32 [%r2], 5;` + clusterMeet + `
	ld.shared::cluster.u32 %x, [%r3];` + clusterMeet},
	{"load of what the other CTA has stored behind its arrival", check.Race,
		clusterBegin + `
	barrier.cluster.arrive.aligned;
	st.shared.u32 [%r2], 5;
	barrier.cluster.wait.aligned;
	ld.shared::cluster.u32 %x, [%r3];` + clusterMeet,
		clusterBegin + `
	st.shared.u32 [%r2], 5;
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;
	ld.shared::cluster.u32 %x, [%r3];` + clusterMeet},
	{"store over what the other CTA reads, behind a relaxed arrival", check.Race,
		clusterBegin + `
	ld.shared::cluster.u32 %x, [%r3];
	barrier.cluster.arrive.relaxed.aligned;
	barrier.cluster.wait.aligned;
	st.shared.u32 [%r2], 5;`,
		clusterBegin + `
	ld.shared::cluster.u32 %x, [%r3];
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.aligned;
	st.shared.u32 [%r2], 5;`},
	{"arrival at an object of another CTA that a relaxed barrier alone says is there", check.Race,
		clusterBegin + `
	@%t1 mbarrier.init.shared.b64 [%r4+920], 64;
	barrier.cluster.arrive.relaxed.aligned;
	barrier.cluster.wait.aligned;
	mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8+920];` + clusterMeet,
		clusterBegin + `
	@%t1 mbarrier.init.shared.b64 [%r4+920], 64;
	@%t1 fence.mbarrier_init.release.cluster;
	barrier.cluster.arrive.relaxed.aligned;
	barrier.cluster.wait.aligned;
	mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8+920];` + clusterMeet},
	{"load of the memory of a CTA that may have ended", check.AbsentCTA,
		clusterBegin + `
	ld.shared::cluster.u32 %x, [%r3];
	setp.gt.u32 %p1, %x, 100;
	@%p1 bra END;`,
		clusterBegin + `
	ld.shared::cluster.u32 %x, [%r3];
	setp.gt.u32 %p1, %x, 100;` + clusterMeet + `
	@%p1 bra END;`},
	{"copy from another CTA for which a barrier of the cluster alone has waited", check.Unfinished,
		clusterBegin + `
	fence.proxy.async;` + clusterMeet + clusterCopy + clusterMeet + `
	ld.shared.u32 %x, [%r2+256];`,
		clusterBegin + `
	fence.proxy.async;` + clusterMeet + clusterCopy + `
	WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r4+896], 0;
	@!%p1 bra WAIT;
	ld.shared.u32 %x, [%r2+256];`},
}

const (
	clusterMeet = `
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;`
	clusterBegin = `
	.reg .b64 %state;
	shl.b32 %r1, %id, 2;
	mov.u32 %r4, sh;
	add.u32 %r2, %r4, %r1;
	xor.b32 %r5, %cta, 1;
	mapa.shared::cluster.u32 %r3, %r2, %r5;
	mapa.shared::cluster.u32 %r8, %r4, %r5;
	st.shared.u32 [%r2], %id;
	@%t0 mbarrier.init.shared.b64 [%r4+896], 1;` + clusterMeet
	clusterCopy = `
	@%t0 mbarrier.arrive.expect_tx.shared.b64 %state, [%r4+896], 256;
	@%t0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8+256], [%r4], 256, [%r8+896];`
)

// TestCheckClusterPlanted: each planted fault of a cluster is found, and nothing else; near-misses are silent, and
// do not go to the detector.
func TestCheckClusterPlanted(t *testing.T) {
	for _, f := range clusterFaults {
		t.Run(f.name, func(t *testing.T) {
			list := find(t, program{checkPrelude + f.bad + checkEnd, clusterManifest})
			if got := kindsFound(list); !slices.Equal(got, []check.Kind{f.kind}) {
				t.Errorf("found %v, by hand %v\n%s", got, f.kind, show(list))
			}
			quiet(t, program{checkPrelude + f.good + checkEnd, clusterManifest}.source(t, t.TempDir()))
		})
	}
}
