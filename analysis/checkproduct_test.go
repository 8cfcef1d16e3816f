package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckProducts: of random kernels in which a warpgroup multiplies what threads and copies write, with waits,
// fences and barriers or without some, the filter lets nothing pass that the detector finds; and it lets some pass at all.
func TestCheckProducts(t *testing.T) {
	quiet := 0
	seeds := randomSeeds(18000, 60, 20)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		p := program{checkPrelude + groupBody(r) + checkEnd, fmt.Sprintf(checkManifest, 1, 128)}
		if !sameRaces(t, fmt.Sprint("seed ", seed), p) {
			quiet++
		}
	}
	if quiet < len(seeds)/20 {
		t.Errorf("%d of %d kernels were no suspects", quiet, len(seeds))
	}
	t.Logf("%d of %d kernels were no suspects", quiet, len(seeds))
}

// groupBody is a random body for a warpgroup whose first 64 threads have a word each of a matrix at sh (%r2); %d3
// describes it. Of an object at sh+512 a copy of thread 0 over the matrix tells.
func groupBody(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(productBefore + `
	mov.f32 %f0, 0f00000000;
	mov.f32 %f1, %f0;
	mov.f32 %f2, %f0;
	mov.f32 %f3, %f0;
	setp.lt.u32 %p3, %id, 64;
	@%p3 st.shared.u32 [%r2], 0;
	fence.proxy.async;
	bar.sync 0;`)
	careful, copies := r.IntN(3) > 0, 0
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	maybe := func(text string) string { // what a careful program has
		if careful || r.IntN(2) == 0 {
			return text
		}
		return ""
	}
	for n := range 3 + r.IntN(7) {
		b.WriteString("\n\t")
		switch kind := r.IntN(10); {
		case kind < 3:
			b.WriteString(product + "\n\t" + maybe("wgmma.wait_group.sync.aligned 0;"))
		case kind == 3:
			b.WriteString(product + product + "\n\twgmma.wait_group.sync.aligned 1;\n\t" + maybe("wgmma.wait_group.sync.aligned 0;"))
		case kind == 4:
			b.WriteString("mov.b32 %x, %f" + pick("0", "3") + ";")
		case kind < 7:
			b.WriteString(maybe("bar.sync 0;") + "\n\t" + pick("@%p3 ", "@%t0 ") + "st.shared.u32 [%r2], %id;\n\t" + maybe("fence.proxy.async;") + "\n\t" + maybe("bar.sync 0;"))
		case kind == 7:
			b.WriteString("@%p3 ld.shared.u32 %x, [%r2];\n\t" + maybe("bar.sync 0;"))
		case kind == 8:
			b.WriteString(maybe("bar.sync 0;") + bulkLoad)
			wait := strings.NewReplacer("WAIT", fmt.Sprint("W", n), "], 0;", fmt.Sprintf("], %d;", copies%2)).Replace(bulkWait)
			b.WriteString(maybe(wait))
			copies++
		default:
			b.WriteString(pick("bar.sync 0;", "bar.warp.sync 0xffffffff;", "wgmma.wait_group.sync.aligned 0;"))
		}
	}
	return b.String() + "\n\twgmma.wait_group.sync.aligned 0;\n\tbar.sync 0;"
}
