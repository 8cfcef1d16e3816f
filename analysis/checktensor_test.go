package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/check"
)

// TestCheckTensors: of random kernels that multiply into tensor memory, copy into it, load and store it, the
// filter lets nothing pass that the detector finds, where waits, fences and barriers lack as well as where
// they do not; and it lets some pass at all.
func TestCheckTensors(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(17000, 60, 20)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		if !sameRaces(t, fmt.Sprint("seed ", seed), tensorProgram(tensorBody(r))) {
			quiet++
		}
	}
	if quiet < len(seeds)/20 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// tensorProgram is a program of two warps for a GPU that has tensor memory.
func tensorProgram(body string) program {
	text := strings.Replace(checkPrelude+body+checkEnd, ".version 8.0\n.target sm_90a", ".version 8.7\n.target sm_100a", 1)
	return program{text, fmt.Sprintf(checkManifest, 1, 64)}
}

// tensorBegin fills two matrices and allocates tensor memory. %ma and %mb describe the matrices, %mc what is
// copied; %r2 is the address of the thread's word of the first one, %r4 that of sh, %r5 that of tensor memory, %r6
// the part of it that the warp reaches. Of the objects at 896 and 904 commits tell.
const tensorBegin = `
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
	setp.ne.u32 %p2, %id, %id;`

// tensorBody is a random body for two warps. Thread 0 issues products and copies, seldom another.
func tensorBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(tensorBegin)
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

const (
	tensorMultiply = `
	@%t0 tcgen05.mma.cta_group::1.kind::f16 [%r5], %ma, %mb, 0x4020010, %p2;
	@%t0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4+896];`
	tensorAgain = `
	@%t0 tcgen05.mma.cta_group::1.kind::f16 [%r5], %ma, %mb, 0x4020010, %p2;`
	tensorDone = `
DONE:	mbarrier.try_wait.parity.shared.b64 %p1, [%r4+896], 0;
	@!%p1 bra DONE;
	tcgen05.fence::after_thread_sync;`
	tensorLoad = `
	tcgen05.ld.sync.aligned.32x32b.x2.b32 {%col0, %col1}, [%r6];
	tcgen05.wait::ld.sync.aligned;
	mov.u32 %x, %col0;`
	tensorWrite = `
	st.shared.u32 [%r2], 0;`
)

// tensorFaults are faults of products in tensor memory: kind, body, a near-miss, and what the report names.
var tensorFaults = []struct {
	name      string
	kind      check.Kind
	bad, good string
	names     string
}{
	{"load of a product for which nobody has waited", check.Unfinished,
		tensorMultiply + tensorLoad, tensorMultiply + tensorDone + tensorLoad, "tcgen05.commit"},
	{"value of a load for which nobody has waited", check.Unfinished,
		tensorMultiply + tensorDone + strings.Replace(tensorLoad, "tcgen05.wait::ld.sync.aligned;", "", 1),
		tensorMultiply + tensorDone + tensorLoad, "tcgen05.wait"},
	{"store over a matrix that a product may still read", check.Unfinished,
		tensorMultiply + tensorWrite + tensorDone, tensorMultiply + tensorDone + tensorWrite, "product"},
	{"product of what threads have stored without a fence of the proxies", check.ProxyRace,
		tensorWrite + "bar.sync 0;" + tensorMultiply + tensorDone, tensorWrite + "fence.proxy.async; bar.sync 0;" + tensorMultiply + tensorDone, "fence.proxy.async"},
	{"product of what threads store without a barrier between", check.Unfinished,
		tensorWrite + "fence.proxy.async;" + tensorMultiply + tensorDone, tensorWrite + "fence.proxy.async; bar.sync 0;" + tensorMultiply + tensorDone, "no barrier"},
	{"product over what another warp loads", check.Unfinished,
		tensorMultiply + tensorDone + tensorLoad + tensorAgain, tensorMultiply + tensorDone + tensorLoad + "bar.sync 0;" + tensorAgain, "load of tensor memory"},
	{"product over what another warp stores", check.Unfinished,
		"tcgen05.st.sync.aligned.32x32b.x2.b32 [%r6], {%id, %id}; bar.sync 0;" + tensorMultiply + tensorDone,
		"tcgen05.st.sync.aligned.32x32b.x2.b32 [%r6], {%id, %id}; tcgen05.wait::st.sync.aligned; bar.sync 0;" + tensorMultiply + tensorDone, "tcgen05.wait::st"},
}

// TestCheckTensorPlanted: each planted fault is found, and nothing else; near-misses are silent, and do not go to the detector.
func TestCheckTensorPlanted(t *testing.T) {
	for _, f := range tensorFaults {
		t.Run(f.name, func(t *testing.T) {
			list := find(t, tensorProgram(tensorBegin+f.bad))
			if got := kindsFound(list); !slices.Equal(got, []check.Kind{f.kind}) {
				t.Errorf("found %v, by hand %v\n%s", got, f.kind, show(list))
			} else if !strings.Contains(list[0].Why, f.names) {
				t.Errorf("no %s in\n%s", f.names, show(list))
			}
			quiet(t, tensorProgram(tensorBegin+f.good).source(t, t.TempDir()))
		})
	}
}
