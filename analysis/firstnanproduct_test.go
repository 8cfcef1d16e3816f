package analysis

import (
	"fmt"
	"strings"
	"testing"

	"hyptx/internal/observe"
)

// TestFirstNaNProducts: of products of matrices in shared memory it is told whether the product has made a NaN, or
// a matrix had it, and which element; of those whose result lies in tensor memory, too.
func TestFirstNaNProducts(t *testing.T) {
	group := func(word, sum, add string) program {
		return program{checkPrelude + productBefore + fmt.Sprintf(`
	@%%t1 st.shared.u32 [sh], %s;
	mov.f32 %%f0, %s;
	mov.f32 %%f1, %%f0;
	mov.f32 %%f2, %%f0;
	mov.f32 %%f3, %%f0;
	fence.proxy.async;
	bar.sync 0;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f0, %%f1, %%f2, %%f3}, {%%r8, %%r8, %%r8, %%r8}, %%d3, %s, 1, 1, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;`, word, sum, add) + checkEnd, fmt.Sprintf(checkManifest, 1, 128)}
	}
	tensor := func(word, rest string) program {
		return tensorProgram(tensorBegin + fmt.Sprintf(`
	@%%t1 st.shared.u32 [%%r2], %s;
	fence.proxy.async;
	bar.sync 0;`, word) + strings.ReplaceAll(rest, "SUM", "%p2"))
	}
	for _, c := range []struct {
		name string
		p    program
		want []string // in this order; of a line what matters
	}{
		{"0 * inf", group("0x7c00", "0f00000000", "1"), []string{"first NaN that is made: launch 0 (k), CTA (0,0,0)", "wgmma.mma_async", "B[0][0]=+inf -> %f0=NaN"}},
		{"NaN in a matrix", group("0x7e000000", "0f00000000", "1"), []string{"first NaN that is passed on by an operand", "B[0][1]=NaN (0x7e00)", "no instruction makes a NaN"}},
		{"NaN in the sum", group("0", "0f7FC00000", "1"), []string{"first NaN that is a constant", "no instruction makes a NaN"}},
		{"NaN where the sum does not count", group("0x7c00", "0f7FC00000", "0"), []string{"first NaN that is a constant", "first NaN that is made", "B[0][0]=+inf"}},
		{"infinities in tensor memory", tensor("0x7c003c00", tensorMultiply+tensorDone), []string{"first infinity that is passed on by an operand", "tcgen05.mma", "A[0][3]=+inf -> D[0][0]=+inf", "no instruction makes a NaN"}},
		{"inf - inf in tensor memory", tensor("0xfc007c00", tensorMultiply+tensorDone), []string{"first NaN that is made", "tcgen05.mma", "A[0][2]=+inf -> D[0][0]=NaN"}},
		{"added to a NaN", tensor("0x7e00", tensorMultiply+tensorDone+`
	@%t1 st.shared.u32 [%r2], 0;
	fence.proxy.async;
	bar.sync 0;`+strings.Replace(tensorAgain, "%p2", "%p3", 1)), []string{"first NaN that is passed on by an operand", "A[0][2]=NaN", "no instruction makes a NaN"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tellsInOrder(t, oneBlank(debugText(t, c.p, observe.Request{FirstNaN: true})), c.want)
		})
	}
}
