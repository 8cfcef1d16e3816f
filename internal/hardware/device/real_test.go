package device_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
)

// realGPU makes a context on this machine's own GPU; without one the test is
// skipped.
func realGPU(t *testing.T) *cuda.Context {
	t.Helper()
	t.Setenv("HYPTX_LIBCUDA", "")
	d, err := cuda.Open("")
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Context(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, driver %d", c.Device.Name, c.Device.DriverVersion)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestRealGPU: the program that uses everything leaves on a real GPU what it
// leaves in the emulator.
func TestRealGPU(t *testing.T) {
	c := realGPU(t)
	got, err := device.Run(context.Background(), c, open(t, everything))
	if err != nil {
		t.Fatal(err)
	}
	want, err := open(t, everything).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if !slices.Equal(got.Outputs[i].Data, w.Data) {
			t.Errorf("%s is % .40x on the GPU, % .40x in the emulator", w.Name, got.Outputs[i].Data, w.Data)
		}
	}
	for _, l := range got.Launches {
		if l.TimeMS <= 0 || l.Registers <= 0 {
			t.Errorf("%s took %v ms with %d registers", l.Kernel, l.TimeMS, l.Registers)
		}
	}
}

// TestRealFunction: the address of a function that an argument takes is that
// of the function.
func TestRealFunction(t *testing.T) {
	c := realGPU(t)
	r, err := device.Run(context.Background(), c, open(t, `{"version": 1, "buffers": {"out": {"bytes": 4, "type": "u32"}},
"launches": [{"module": "m.ptx", "kernel": "call", "grid": [1], "block": [1], "args": [{"buffer": "out"}, {"function": "twice"}, {"value": 21}]}], "outputs": ["out"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Outputs[0].Bits(0); got != 42 {
		t.Errorf("twice 21 is %d", got)
	}
}
