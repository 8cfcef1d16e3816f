package dl_test

import (
	"errors"
	"testing"

	"hyptx/internal/hardware/cuda/cudatest"
	"hyptx/internal/hardware/dl"
)

// TestOpen takes the first library that there is, and its functions.
func TestOpen(t *testing.T) {
	lib := cudatest.Build(t)
	t.Setenv("HYPTX_FAKE_VERSION", "11080")
	l, err := dl.Open("/nowhere/none.so", lib)
	if errors.Is(err, dl.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil || l.Name != lib {
		t.Fatalf("opened %+v, %v; want %s", l, err, lib)
	}
	var version func(*int32) int32
	if err := l.Bind("cuDriverGetVersion", &version); err != nil {
		t.Fatal(err)
	}
	var v int32
	if code := version(&v); code != 0 || v != 11080 {
		t.Errorf("returned %d, version %d; want 0 and 11080", code, v)
	}
	var text func(int32, **byte) int32
	if err := l.Bind("cuGetErrorString", &text); err != nil {
		t.Fatal(err)
	}
	var p *byte
	if code := text(2, &p); code != 0 || dl.GoString(p) != "out of memory" {
		t.Errorf("returned %d, %q; want 0 and out of memory", code, dl.GoString(p))
	}
	if s := dl.GoString(nil); s != "" {
		t.Errorf("%q for a null pointer", s)
	}
	var none func()
	if err := l.Bind("cuNothing", &none); err == nil || none != nil {
		t.Errorf("error %v for a function that is not there", err)
	}
}

// TestOpenNothing: the error is about the first name.
func TestOpenNothing(t *testing.T) {
	if _, err := dl.Open("/nowhere/first.so", "/nowhere/second.so"); err == nil {
		t.Error("no error for libraries that are not there")
	}
}
