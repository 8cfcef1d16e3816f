package main

import (
	"os"
	"strings"
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

// TestCountedOnce: every kernel's row says how many instructions its file has, for which the
// file is counted once.
func TestCountedOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", manyKernels(3))
	r := hyptx("profile", "k.ptx", "--mode", "static", "--arg", "n=1", "-o", "-", "--metrics", "file_instructions", "--quiet")
	if n := strings.Count(r.out, ",33"); r.code != 0 || n < 3 {
		t.Errorf("%d rows say that the file has 33 instructions:\n%s%s", n, r.out, r.errOut)
	}
}
