//go:build nocuda

package cuda_test

import (
	"errors"
	"testing"

	"hyptx/internal/hardware/cuda"
)

// TestWithoutCUDA: a program built without CUDA says so, whatever is there.
func TestWithoutCUDA(t *testing.T) {
	_, err := cuda.Open("")
	if !errors.Is(err, cuda.ErrNoDriver) {
		t.Errorf("%v is not ErrNoDriver", err)
	}
	wants(t, err, "no CUDA driver: this hyptx was built without CUDA (tag nocuda)")
}
