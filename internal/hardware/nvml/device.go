package nvml

import "fmt"

// Enums of the API (NVML API reference, Device Enums).
const (
	sensorGPU   = 0 // NVML_TEMPERATURE_GPU
	clockSM     = 1 // NVML_CLOCK_SM
	clockMemory = 2 // NVML_CLOCK_MEM
)

// Device is a GPU.
type Device struct {
	Name, UUID string
	l          *Library
	h          handle
}

// ByUUID returns the device with a UUID, with or without "GPU-" before it.
func (l *Library) ByUUID(uuid string) (*Device, error) {
	if len(uuid) < 4 || uuid[:4] != "GPU-" && uuid[:4] != "MIG-" {
		uuid = "GPU-" + uuid
	}
	return l.device("nvmlDeviceGetHandleByUUID", l.byUUID, uuid)
}

// ByPCI returns the device at a place on the bus: "00000000:1b:00.0", domain, bus,
// device and function in hexadecimal.
func (l *Library) ByPCI(id string) (*Device, error) {
	return l.device("nvmlDeviceGetHandleByPciBusId_v2", l.byPCI, id)
}

// device asks for a handle by what a device is called.
func (l *Library) device(call string, get func(*byte, *handle) int32, id string) (*Device, error) {
	text := append([]byte(id), 0)
	d := &Device{l: l}
	if err := l.check(call, get(&text[0], &d.h)); err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	return d, d.identify()
}

func (d *Device) identify() (err error) {
	if d.Name, err = d.l.text("nvmlDeviceGetName", func(p *byte, n uint32) int32 { return d.l.name(d.h, p, n) }); err != nil {
		return err
	}
	d.UUID, err = d.l.text("nvmlDeviceGetUUID", func(p *byte, n uint32) int32 { return d.l.uuid(d.h, p, n) })
	return err
}

// LimitW is the power limit that the board keeps to, in W.
func (d *Device) LimitW() (float64, error) {
	var mw uint32
	err := d.l.check("nvmlDeviceGetEnforcedPowerLimit", d.l.limit(d.h, &mw))
	return float64(mw) / 1e3, err
}

// ECC reports whether error correction of the memory is on.
func (d *Device) ECC() (bool, error) {
	var now, pending uint32
	err := d.l.check("nvmlDeviceGetEccMode", d.l.ecc(d.h, &now, &pending))
	return now != 0, err
}

// LockClock holds the SM clock at a frequency in MHz until [Device.UnlockClock].
// It needs the rights of an administrator.
func (d *Device) LockClock(mhz int) error {
	return d.l.check("nvmlDeviceSetGpuLockedClocks", d.l.lock(d.h, uint32(mhz), uint32(mhz)))
}

// UnlockClock gives the SM clock free again.
func (d *Device) UnlockClock() error {
	return d.l.check("nvmlDeviceResetGpuLockedClocks", d.l.unlock(d.h))
}
