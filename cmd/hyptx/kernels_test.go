package main

import (
	"os"
	"testing"
)

// TestManyKernels: what a kernel of a file of many costs in control mode, which runs it, does
// not depend on how many others there are, nor on the memory that it might touch.
func TestManyKernels(t *testing.T) {
	t.Chdir(t.TempDir())
	allocated := func(kernels int) int64 {
		put(t, "k.ptx", manyKernels(kernels))
		return asProcess(t, "profile", "k.ptx", "--mode", "control", "--arg", "n=1", "-o", os.DevNull).allocated
	}
	const n = 200
	few, some, many := allocated(n), allocated(2*n), allocated(4*n)
	first, second := (some-few)/n, (many-some)/(2*n)
	t.Logf("%d bytes for each of %d kernels more, %d for each of %d", first, n, second, 2*n)
	if most := int64(600_000); second > most && !raceDetector {
		t.Errorf("%d bytes are allocated for a kernel, at most %d are wanted", second, most)
	}
	if second > first+first/4 {
		t.Errorf("a kernel among %d takes %d bytes, one among %d %d", 4*n, second, 2*n, first)
	}
}
