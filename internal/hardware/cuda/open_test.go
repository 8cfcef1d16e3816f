package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/cuda/cudatest"
)

// wants fails the test unless an error holds all of some texts.
func wants(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q lacks %q", err, text)
		}
	}
}

// TestNoLibrary: a driver that is not there is one sentence, whoever named it.
func TestNoLibrary(t *testing.T) {
	cudatest.Build(t) // skips where nothing can be loaded
	missing := filepath.Join(t.TempDir(), "none.so")
	_, err := cuda.Open(missing)
	if !errors.Is(err, cuda.ErrNoDriver) {
		t.Errorf("%v is not ErrNoDriver", err)
	}
	wants(t, err, "no CUDA driver: ", missing)
	t.Setenv("HYPTX_LIBCUDA", missing)
	_, err = cuda.Open("")
	wants(t, err, missing)
	text := filepath.Join(t.TempDir(), "text.so")
	ok(t, os.WriteFile(text, []byte("no library"), 0o644))
	_, err = cuda.Open(text)
	wants(t, err, text)
	t.Setenv("HYPTX_LIBCUDA", "")
	if _, err = cuda.Open(""); err != nil && !errors.Is(err, cuda.ErrNoDevice) { // this machine may have a driver
		wants(t, err, "no CUDA driver: libcuda.so.1", "install NVIDIA's driver", "HYPTX_LIBCUDA")
	}
}

// TestWrongLibrary: other libraries and drivers that lack a function are named.
func TestWrongLibrary(t *testing.T) {
	broken := cudatest.Build(t, "-DFAKE_BROKEN")
	t.Setenv("HYPTX_FAKE_VERSION", "11020")
	_, err := cuda.Open(broken)
	wants(t, err, broken, "(CUDA 11.2) has no cuMemsetD8_v2; update the NVIDIA driver")
	t.Setenv("HYPTX_FAKE_VERSION", "0")
	_, err = cuda.Open(broken)
	wants(t, err, "(CUDA of an unknown version)")
	_, err = cuda.Open("libm.so.6")
	wants(t, err, "no CUDA driver: libm.so.6 is another library: it has no cuDriverGetVersion")
}

// TestNoDevice: a driver without a GPU.
func TestNoDevice(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("DEVICES", "0")
	_, err := cuda.Open("")
	if !errors.Is(err, cuda.ErrNoDevice) || errors.Is(err, cuda.ErrNoDriver) {
		t.Errorf("%v is not ErrNoDevice alone", err)
	}
	wants(t, err, "no CUDA GPU: the driver (CUDA 12.4) sees none", "CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected")
	d.Set("DEVICES", "1")
	d.Set("FAIL", "cuInit:999")
	_, err = cuda.Open("")
	wants(t, err, "cuInit: an unknown CUresult (999): the driver has no text for it")
}

// TestDevices holds what is read of two GPUs.
func TestDevices(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("DEVICES", "2")
	drv, err := cuda.Open("")
	ok(t, err)
	if drv.Version() != 12040 {
		t.Errorf("version %d, want 12040", drv.Version())
	}
	c, err := drv.Context(1)
	ok(t, err)
	defer c.Close()
	want := cuda.DeviceInfo{
		Ordinal: 1, Name: "Stand-in GPU 1", UUID: "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f", Major: 9, SMs: 132, ClockKHz: 1980000,
		MemoryClockKHz: 2619000, MemoryBusBits: 5120, L2Bytes: 52428800, MaxThreadsPerSM: 2048, RegistersPerSM: 65536,
		SharedBytesPerSM: 233472, SharedBytesPerBlockOptin: 232448, WarpSize: 32, MemoryBytes: 1 << 30, DriverVersion: 12040, PCIBusID: "00000000:1b:00.0",
	}
	if c.Device != want {
		t.Errorf("got %+v, want %+v", c.Device, want)
	}
	for _, ordinal := range []int{2, -1} {
		_, err := drv.Context(ordinal)
		wants(t, err, "the driver has 2, numbered from 0")
	}
	d.Set("DEVICES", "1")
}

// TestUnknownAttribute: a number that the driver does not know is 0.
func TestUnknownAttribute(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("FAIL", "cuDeviceGetAttribute:1@4")
	drv, err := cuda.Open("")
	ok(t, err)
	c, err := drv.Context(0)
	ok(t, err)
	defer c.Close()
	if c.Device.ClockKHz != 0 || c.Device.MemoryClockKHz != 2619000 {
		t.Errorf("clocks %d and %d, want 0 and 2619000", c.Device.ClockKHz, c.Device.MemoryClockKHz)
	}
}

// TestOldDriver: what an older driver lacks is missed only where it is needed.
func TestOldDriver(t *testing.T) {
	d := cudatest.Use(t, "-DFAKE_OLD")
	c := open(t, d)
	defer c.Close()
	if c.Device.UUID != "" {
		t.Errorf("UUID %q of a driver that has none", c.Device.UUID)
	}
	m, err := c.Load([]byte(vectorAdd))
	ok(t, err)
	f, err := m.Function("vector_add")
	ok(t, err)
	l := cuda.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: [][]byte{u64(0), u64(0), u64(0), u32(0)}}
	ok(t, f.Launch(l))
	l.Cooperative = true
	wants(t, f.Launch(l), "cooperative launches need cuLaunchCooperativeKernel, which ", "(CUDA 12.4) lacks; update the NVIDIA driver")
	l.Cluster = [3]uint32{2}
	wants(t, f.Launch(l), "clusters need cuLaunchKernelEx, which ")
}
