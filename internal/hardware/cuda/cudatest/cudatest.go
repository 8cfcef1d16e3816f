// Package cudatest builds the stand-in for the CUDA driver that tests run
// against on machines without a GPU. What it does and which environment
// variables steer it stands in internal/hardware/cuda/cudatest/testdata/libcuda.c. No program
// uses it, only tests.
//
// Start with [Use].
package cudatest

import (
	"embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hyptx/internal/hardware/dl"
)

// sources are carried along: where this file lies a test cannot know if it was
// built with -trimpath.
//
//go:embed testdata
var sources embed.FS

// built are the libraries that were compiled already, by the compiler's flags: a
// compiler takes longer than most tests do. Each test has a copy of its own, as a
// library that is open already would keep the state of another test.
var built = map[string][]byte{}

// Build compiles the stand-in and returns its file. The test is skipped where
// there is no C compiler, or no loader for libraries.
func Build(t testing.TB, flags ...string) string {
	t.Helper()
	if _, err := dl.Open("none"); errors.Is(err, dl.ErrUnsupported) || runtime.GOOS == "windows" {
		t.Skip("no loader for the stand-in for libcuda")
	}
	key, lib := strings.Join(flags, " "), filepath.Join(t.TempDir(), "libcuda.so.1")
	if built[key] == nil {
		built[key] = compile(t, flags)
	}
	if err := os.WriteFile(lib, built[key], 0o755); err != nil {
		t.Fatal(err)
	}
	return lib
}

// compile compiles the stand-in.
func compile(t testing.TB, flags []string) []byte {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler for the stand-in for libcuda")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, sources); err != nil {
		t.Fatal(err)
	}
	source, lib := filepath.Join(dir, "testdata", "libcuda.c"), filepath.Join(dir, "libcuda.so.1")
	args := append([]string{"-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", lib, source}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	binary, err := os.ReadFile(lib)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// Driver is a stand-in in use.
type Driver struct {
	t   testing.TB
	log string
}

// Use builds the stand-in and makes it the driver until the test ends: package
// cuda finds it by HYPTX_LIBCUDA. Every variable that steers it is unset.
func Use(t testing.TB, flags ...string) *Driver {
	t.Helper()
	lib := Build(t, flags...)
	d := &Driver{t, filepath.Join(t.TempDir(), "calls")}
	for _, name := range []string{"FAIL", "DEVICES", "MEMORY", "VERSION", "BUSY", "HANG"} {
		d.Set(name, "")
	}
	d.Set("LOG", d.log)
	t.Setenv("HYPTX_LIBCUDA", lib)
	return d
}

// Set steers the stand-in from the next cuInit on: Set("FAIL",
// "cuMemAlloc_v2:2@3").
func (d *Driver) Set(name, value string) { d.t.Setenv("HYPTX_FAKE_"+name, value) }

// Calls returns what was called so far, a line each, and forgets it.
func (d *Driver) Calls() []string {
	d.t.Helper()
	data, err := os.ReadFile(d.log)
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	os.Remove(d.log)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
