package cuda_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/cuda/cudatest"
)

// program makes every call of the API once or more.
func program() (err error) {
	drv, err := cuda.Open("")
	if err != nil {
		return err
	}
	c, err := drv.Context(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	m, err := c.Load([]byte(kernels + ".global .u64 g[2];\n"))
	if err != nil {
		return err
	}
	f, err := m.Function("nothing")
	if err != nil {
		return err
	}
	var p, q cuda.DevicePointer
	var start, end *cuda.Event
	one := [3]uint32{1, 1, 1}
	data := make([]byte, 16)
	for _, step := range []func() error{
		func() error { return c.SetLimit(cuda.LimitStackBytes, 4096) },
		func() (err error) { p, _, err = m.Global("g"); return },
		func() (err error) { q, err = c.Alloc(16); return },
		func() (err error) { _, _, err = c.MemoryInfo(); return },
		func() error { return c.CopyIn(p, data) },
		func() error { return c.Set8(q, 1, 16) },
		func() error { return c.CopyDevice(p, q, 16) },
		func() (err error) { start, err = c.Event(); return },
		func() (err error) { end, err = c.Event(); return },
		func() error { return start.Record() },
		func() error { return f.Launch(cuda.Launch{Grid: one, Block: one, SharedBytes: 50000}) },
		func() error { return f.Launch(cuda.Launch{Grid: one, Block: one, Cooperative: true}) },
		func() error {
			return f.Launch(cuda.Launch{Grid: [3]uint32{16, 1, 1}, Block: one, Cluster: [3]uint32{16}})
		},
		func() error { return end.Record() },
		func() (err error) { _, err = end.Done(); return },
		c.Synchronize,
		func() (err error) { _, err = cuda.Elapsed(start, end); return },
		func() error { return c.CopyOut(data, p) },
		func() (err error) { _, err = f.Registers(); return },
		func() error { return c.Free(q) },
		func() error { return start.Destroy() },
		func() error { return end.Destroy() },
		m.Unload,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// TestEveryCallFails lets each call of a program fail in turn, once for good
// and once not: the error names the call, and afterwards all is well again.
func TestEveryCallFails(t *testing.T) {
	d := cudatest.Use(t)
	ok(t, program())
	names := map[string]int{}
	for _, line := range d.Calls() {
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "cu") {
			names[name]++
		}
	}
	if len(names) != 34 { // all but the version, the errors' two texts and the reset after a loss
		t.Errorf("%d different calls, want 34: %v", len(names), names)
	}
	for name, count := range names {
		for _, code := range []string{"802", "719"} {
			for n := 1; n <= min(count, 5); n++ {
				d.Set("FAIL", fmt.Sprintf("%s:%s@%d", name, code, n))
				if err := program(); err == nil {
					t.Errorf("%s: call %d fails with %s and nobody notices", name, n, code)
				} else {
					wants(t, err, name+": ", "("+code+")")
				}
				d.Set("FAIL", "")
				if err := program(); err != nil {
					t.Fatalf("after %s failed: %v", name, err)
				}
			}
		}
	}
}
