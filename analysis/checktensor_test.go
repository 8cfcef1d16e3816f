package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckTensors: of random kernels that multiply into tensor memory, copy into it, load and store it, the
// filter lets nothing pass that the detector finds, where waits, fences and barriers lack as well as where
// they do not; and it lets some pass at all.
func TestCheckTensors(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(17000, 120, 24)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		text := strings.Replace(checkPrelude+tensorBody(r)+checkEnd, ".version 8.0\n.target sm_90a", ".version 8.7\n.target sm_100a", 1)
		if !sameRaces(t, fmt.Sprint("seed ", seed), program{text, fmt.Sprintf(checkManifest, 1, 64)}) {
			quiet++
		}
	}
	if quiet < len(seeds)/20 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// tensorBody is a random body for two warps. Thread 0 issues products and copies, seldom another; of the
// objects at 896 and 904 commits tell. %r2 is the address of the thread's word of a matrix, %r4 that of sh, %r5
// that of tensor memory, %r6 the part of it that the warp reaches.
func tensorBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`
	.shared .align 1024 .b8 mats[3072];
	.reg .b64 %ma, %mb, %mc;
	.reg .b32 %col<2>;
	shl.b32 %r1, %id, 2;
	mov.u32 %r4, sh;
	mov.u32 %r3, mats;
	add.u32 %r2, %r3, %r1;
	mov.u32 %r7, 0;
FILL:	add.u32 %r8, %r2, %r7;
	st.shared.u32 [%r8], 0x3c003c00;
	add.u32 %r7, %r7, 256;
	setp.lt.u32 %p0, %r7, 3072;
	@%p0 bra FILL;
	shr.u32 %r7, %r3, 4;
	mov.b64 %ma, {%r7, 0xc0004010};
	add.u32 %r8, %r7, 128;
	mov.b64 %mb, {%r8, 0xc0004010};
	add.u32 %r8, %r7, 0x200080;
	mov.b64 %mc, {%r8, 0x4008};
	setp.ge.u32 %p2, %id, 32;
	@%p2 bra READY;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sh+912], 32;
READY:
	@%t0 mbarrier.init.shared.b64 [%r4+896], 1;
	@%t0 mbarrier.init.shared.b64 [%r4+904], 1;
	fence.proxy.async;
	bar.sync 0;
	ld.shared.u32 %r5, [sh+912];
	shr.u32 %r6, %id, 5;
	shl.b32 %r6, %r6, 21;
	add.u32 %r6, %r6, %r5;
	setp.eq.u32 %p3, %id, %id;
	setp.ne.u32 %p2, %id, %id;`)
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	careful, phases, begun := r.IntN(3) > 0, [2]int{}, false
	maybe := func(text string) string { // what a careful program has
		if careful || r.IntN(2) == 0 {
			return text
		}
		return ""
	}
	column := func() int { return 8 * r.IntN(3) }
	for n := range 4 + r.IntN(9) {
		b.WriteString("\n\t")
		by := "@%%t0 "
		if r.IntN(20) == 0 {
			by = "@%%t1 "
		}
		switch kind := r.IntN(12); {
		case kind < 3:
			fmt.Fprintf(&b, by+"tcgen05.mma.cta_group::1.kind::f16 [%%r5+%d], %%ma, %%mb, 0x4020010, %s;", column(), pick("%p3", "%p2"))
			begun = true
		case kind == 3:
			fmt.Fprintf(&b, by+"tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r5+%d], %%mc;", column())
			begun = true
		case kind < 7 && (begun || r.IntN(8) == 0):
			object := r.IntN(2)
			fmt.Fprintf(&b, by+"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r4+%d];\n\t", 896+8*object)
			wait := fmt.Sprintf("mov.u32 %%r9, 0;\nW%d: mbarrier.%s.parity.shared.b64 %%p0, [%%r4+%d], %d;\n\t@%%p0 bra D%d;\n\tadd.u32 %%r9, %%r9, 1;\n\tsetp.lt.u32 %%p1, %%r9, 3;\n\t@%%p1 bra W%d;\nD%d:",
				n, pick("test_wait", "try_wait"), 896+8*object, phases[object]%2, n, n, n)
			b.WriteString(maybe(wait))
			phases[object]++
			begun = false
		case kind < 9:
			fmt.Fprintf(&b, "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%%col0, %%col1}, [%%r6+%d];\n\t", column())
			b.WriteString(maybe("tcgen05.wait::ld.sync.aligned;") + "\n\t" + pick("", "add.u32 %x, %x, %col1;"))
		case kind == 9:
			fmt.Fprintf(&b, "tcgen05.st.sync.aligned.%s [%%r6+%d], {%%id, %%id};\n\t", pick("32x32b.x2.b32", "16x64b.x2.b32"), column())
			b.WriteString(maybe("tcgen05.wait::st.sync.aligned;") + "\n\t" + maybe("bar.sync 0;"))
		case kind == 10:
			fmt.Fprintf(&b, "%sst.shared.u32 [%%r2+%d], 0x3c003c00;\n\t", pick("", "@%t0 "), 2048*r.IntN(2))
			b.WriteString(maybe("fence.proxy.async;"))
		default:
			fmt.Fprintf(&b, "%sld.shared.u32 %%x, [%%r2+%d];", pick("", "@%t32 "), 2048*r.IntN(2))
		}
		if r.IntN(3) == 0 {
			b.WriteString("\n\t" + maybe("bar.sync 0;"))
		}
	}
	return b.String() + "\n\tbar.sync 0;"
}
