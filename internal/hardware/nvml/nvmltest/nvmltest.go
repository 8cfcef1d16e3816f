// Package nvmltest builds the stand-in for NVIDIA's management library that
// tests run against on machines without a GPU. What it answers, and which
// environment variables steer it, stands in internal/hardware/nvml/nvmltest/testdata/libnvml.c. No
// program uses it, only tests.
//
// Start with [Use].
package nvmltest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// libnvml is carried along: where this file lies a test cannot know if it was
// built with -trimpath.
//
//go:embed testdata/libnvml.c
var libnvml []byte

// UUID is that of the stand-in's board, and of the stand-in for libcuda.
const UUID = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"

// Use builds the stand-in and makes it the library until the test ends: package
// nvml finds it by HYPTX_LIBNVML. The test is skipped where there is no C
// compiler, or no loader for libraries.
func Use(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the stand-in for libnvidia-ml is for linux")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler for the stand-in for libnvidia-ml")
	}
	dir := t.TempDir()
	source, lib := filepath.Join(dir, "libnvml.c"), filepath.Join(dir, "libnvidia-ml.so.1")
	if err := os.WriteFile(source, libnvml, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", lib, source).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	for _, name := range []string{"NVML_FAIL", "NVML_FAIL_CODE", "NVML_MW", "NVML_MJ", "NVML_WHY"} {
		t.Setenv(name, "")
	}
	t.Setenv("HYPTX_LIBNVML", lib)
}
