package cuda_test

import (
	"encoding/binary"
	"math"
	"testing"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/cuda/cudatest"
)

// vectorAdd is what the stand-in needs to see of a module.
const vectorAdd = `.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .f32 table[3];
.visible .entry vector_add(.param .u64 sum, .param .u64 a, .param .u64 b, .param .u32 n)
{
ret;
}
`

// open makes a context on the stand-in.
func open(t *testing.T, d *cudatest.Driver) *cuda.Context {
	t.Helper()
	drv, err := cuda.Open("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := drv.Context(0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func u64(v cuda.DevicePointer) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
func u32(v uint32) []byte             { return binary.LittleEndian.AppendUint32(nil, v) }

func floats(v ...float32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// TestVectorAdd goes through a whole program: 3 sums of 2 vectors.
func TestVectorAdd(t *testing.T) {
	d := cudatest.Use(t)
	c := open(t, d)
	m, err := c.Load([]byte(vectorAdd))
	ok(t, err)
	f, err := m.Function("vector_add")
	ok(t, err)
	sum, err := c.Alloc(12)
	ok(t, err)
	a, err := c.Alloc(12)
	ok(t, err)
	ok(t, c.CopyIn(a, floats(1, 2, 3)))
	b, n, err := m.Global("table")
	ok(t, err)
	if n != 12 {
		t.Errorf("table has %d bytes, want 12", n)
	}
	ok(t, c.CopyIn(b, floats(.5, .25, .125)))
	start, err := c.Event()
	ok(t, err)
	end, err := c.Event()
	ok(t, err)
	ok(t, start.Record())
	ok(t, f.Launch(cuda.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: [][]byte{u64(sum), u64(a), u64(b), u32(3)}}))
	ok(t, end.Record())
	ok(t, c.Synchronize())
	if ms, err := cuda.Elapsed(start, end); err != nil || ms != .125 {
		t.Errorf("%v ms, %v; want 0.125", ms, err)
	}
	got := make([]byte, 12)
	ok(t, c.CopyOut(got, sum))
	if want := floats(1.5, 2.25, 3.125); string(got) != string(want) {
		t.Errorf("sum is %x, want %x", got, want)
	}
	for _, free := range []func() error{start.Destroy, end.Destroy, func() error { return c.Free(a) }, func() error { return c.Free(sum) }, m.Unload, c.Close} {
		ok(t, free())
	}
	if calls := d.Calls(); calls[len(calls)-1] != "left 0 allocations 0 modules 0 events" {
		t.Errorf("the last line is %q", calls[len(calls)-1])
	}
}
