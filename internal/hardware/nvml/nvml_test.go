package nvml

import (
	"errors"
	"os"
	"strings"
	"testing"

	"hyptx/internal/hardware/dl"
	"hyptx/internal/hardware/nvml/nvmltest"
)

func device(t *testing.T) *Device {
	t.Helper()
	nvmltest.Use(t)
	l, err := Open()
	if errors.Is(err, ErrNoLibrary) && strings.Contains(err.Error(), "this hyptx") {
		t.Skip("built without loaders")
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.ByUUID(nvmltest.UUID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRead(t *testing.T) {
	d := device(t)
	t.Setenv("NVML_WHY", "5")
	r, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	if r.PowerW != 123.456 || r.EnergyJ != 5 || r.TemperatureC != 65 || r.SMClockMHz != 1980 || r.MemClockMHz != 2619 || len(r.Absent) != 0 {
		t.Errorf("reading %+v", r)
	}
	if r.Throttle != Idle|PowerCap || r.Throttle.String() != "idle, power cap" {
		t.Errorf("throttle %s", r.Throttle)
	}
	if d.Name != "Stand-in GPU" || d.UUID != nvmltest.UUID {
		t.Errorf("device %+v", d)
	}
	if w, err := d.LimitW(); w != 700 || err != nil {
		t.Errorf("limit %g %v", w, err)
	}
	if on, err := d.ECC(); !on || err != nil {
		t.Errorf("ECC %t %v", on, err)
	}
	if err := errors.Join(d.LockClock(1200), d.UnlockClock()); err != nil {
		t.Error(err)
	}
	if v, err := d.l.DriverVersion(); v != "550.54.15" || err != nil {
		t.Errorf("driver %q %v", v, err)
	}
}

func TestNotSupportedIsAbsent(t *testing.T) {
	d := device(t)
	t.Setenv("NVML_FAIL", "nvmlDeviceGetTotalEnergyConsumption")
	for _, code := range []string{"2", "3", "4", "13", "21", "26", "999"} {
		t.Setenv("NVML_FAIL_CODE", code)
		r, err := d.Read()
		if err != nil || r.Has("energy_j") || !r.Has("power_w") || len(r.Why) != 1 {
			t.Errorf("code %s: %+v %v", code, r, err)
		}
	}
	t.Setenv("NVML_FAIL_CODE", "15") // GPU_IS_LOST
	if _, err := d.Read(); err == nil {
		t.Error("a lost GPU has readings")
	}
}

// TestByPCI finds the board where there is no UUID.
func TestByPCI(t *testing.T) {
	d := device(t)
	other, err := d.l.ByPCI("00000000:1b:00.0")
	if err != nil || other.UUID != d.UUID {
		t.Errorf("%+v %v", other, err)
	}
	if _, err := d.l.ByPCI("00000000:ff:00.0"); err == nil || !strings.Contains(err.Error(), "00000000:ff:00.0: nvmlDeviceGetHandleByPciBusId_v2") {
		t.Errorf("a place without a board: %v", err)
	}
}

func TestErrors(t *testing.T) {
	d := device(t)
	for call, do := range map[string]func() error{
		"nvmlDeviceGetHandleByUUID":    func() error { _, err := d.l.ByUUID(nvmltest.UUID); return err },
		"nvmlDeviceGetName":            func() error { _, err := d.l.ByPCI("00000000:1b:00.0"); return err },
		"nvmlDeviceSetGpuLockedClocks": func() error { return d.LockClock(1) },
		"nvmlShutdown":                 d.l.Close,
	} {
		t.Setenv("NVML_FAIL", call)
		t.Setenv("NVML_FAIL_CODE", "4")
		err := do()
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.Call != call || !e.NoPermission() || !strings.Contains(err.Error(), "Insufficient Permissions") {
			t.Errorf("%s: %v", call, err)
		}
	}
	t.Setenv("NVML_FAIL", "")
	if _, err := d.l.ByUUID("nope"); err == nil || !strings.Contains(err.Error(), "GPU-nope") {
		t.Errorf("an unknown UUID: %v", err)
	}
}

func TestNoLibrary(t *testing.T) {
	t.Setenv(environment, "/nowhere/libnvml.so")
	if _, err := Open(); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("error %v", err)
	}
}

func TestReasons(t *testing.T) {
	for r, want := range map[Reasons]string{0: "none", Idle: "idle", HWThermal | SWThermal: "software thermal, hardware thermal", 1 << 20: "0x100000"} {
		if got := r.String(); got != want {
			t.Errorf("%d: %q, want %q", uint64(r), got, want)
		}
	}
}

// TestMissingFunction: a driver that lacks a function answers for the others.
func TestMissingFunction(t *testing.T) {
	nvmltest.Use(t)
	so, err := dl.Open(os.Getenv(environment))
	if err != nil {
		t.Fatal(err)
	}
	l := &Library{}
	if err := so.BindAll(l, unsupported); err != nil {
		t.Fatal(err)
	}
	table := struct {
		none func(handle, *uint32) int32 `c:"nvmlNoSuchFunction,optional"`
	}{}
	if err := so.BindAll(&table, unsupported); err != nil {
		t.Fatal(err)
	}
	l.power = table.none
	d := &Device{l: l, h: 1}
	if r, err := d.Read(); err != nil || r.Has("power_w") || !r.Has("sm_clock_mhz") {
		t.Errorf("%+v %v", r, err)
	}
}

// TestFailedCall: what a call that fails has written is no reading.
func TestFailedCall(t *testing.T) {
	nvmltest.Use(t)
	t.Setenv("NVML_FAIL", "nvmlDeviceGetPowerUsage")
	t.Setenv("NVML_FAIL_CODE", "3")
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.ByPCI("00000000:1b:00.0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Read()
	if err != nil || r.PowerW != 0 || r.Has("power_w") || r.WhyAbsent("power_w") == nil || r.WhyAbsent("energy_j") != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
