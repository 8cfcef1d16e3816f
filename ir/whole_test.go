package ir

import (
	"strings"
	"testing"
)

// TestDescriptorOrVector: the first matrix of wgmma is four registers, or one descriptor of 64
// bits; its result is always a vector.
func TestDescriptorOrVector(t *testing.T) {
	const head = ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() {\n.reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;\n" +
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
	for operands, want := range map[string]string{
		"{%f0, %f1, %f2, %f3}, %d1, %d2, %p, 1, 1, 0, 0":               "",
		"{%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %d2, %p, 1, 1, 0": "",
		"{%f0, %f1, %f2, %f3}, %r1, %d2, %p, 1, 1, 0, 0":               "vector of 4 elements or of type .b64, register %r1 is .b32",
		"{%f0, %f1, %f2, %f3}, {%d1, %d2, %d3, %d4}, %d2, %p, 1, 1, 0": "operand a of wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
		"%f0, %d1, %d2, %p, 1, 1, 0, 0":                                "operand d of wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 is a vector of 4 elements",
		"{%f0, %f1, %f2, %f3}, {%r1, %r2, %r3}, %d2, %p, 1, 1, 0":      "3 elements, 4 are expected",
	} {
		_, err := lowerSource(head + operands + ";\nret;\n}\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", operands, err, want)
		}
	}
}
