package cuda

import (
	"bytes"
	"fmt"
)

// DeviceInfo is what the driver says of a GPU. A number that the driver does
// not know is 0.
type DeviceInfo struct {
	Ordinal int    `json:"ordinal"`
	Name    string `json:"name"`
	UUID    string `json:"uuid"` // as nvidia-smi writes it: GPU-...
	// Major and Minor are the compute capability.
	Major int `json:"major"`
	Minor int `json:"minor"`

	SMs                      int `json:"sms"`
	ClockKHz                 int `json:"clock_khz"` // the highest, not the present one
	MemoryClockKHz           int `json:"memory_clock_khz"`
	MemoryBusBits            int `json:"memory_bus_bits"`
	L2Bytes                  int `json:"l2_bytes"`
	MaxThreadsPerSM          int `json:"max_threads_per_sm"`
	RegistersPerSM           int `json:"registers_per_sm"` // of 32 bits
	SharedBytesPerSM         int `json:"shared_bytes_per_sm"`
	SharedBytesPerBlockOptin int `json:"shared_bytes_per_block_optin"`
	WarpSize                 int `json:"warp_size"`

	MemoryBytes   uint64 `json:"memory_bytes"`
	DriverVersion int    `json:"driver_version"` // 12040: CUDA 12.4
	PCIBusID      string `json:"pci_bus_id"`     // domain:bus:device.0, in hexadecimal
}

// device describes one GPU.
func (d *Driver) device(ordinal int) (*DeviceInfo, error) {
	handle, err := d.handle(ordinal)
	if err != nil {
		return nil, err
	}
	info := &DeviceInfo{Ordinal: ordinal, DriverVersion: d.version}
	name := make([]byte, 256)
	if err := d.check("cuDeviceGetName", d.api.deviceGetName(&name[0], int32(len(name)-1), handle)); err != nil {
		return nil, err
	}
	name, _, _ = bytes.Cut(name, []byte{0})
	info.Name = string(name)
	if info.UUID, err = d.uuid(handle); err != nil {
		return nil, err
	}
	var memory uintptr
	if err := d.check("cuDeviceTotalMem_v2", d.api.deviceTotalMem(&memory, handle)); err != nil {
		return nil, err
	}
	info.MemoryBytes = uint64(memory)
	return info, d.attributes(info, handle)
}

// attributes fills in the numbers.
func (d *Driver) attributes(info *DeviceInfo, handle int32) error {
	var domain, bus, slot int
	for _, a := range []struct {
		attribute deviceAttribute
		to        *int
	}{
		{attrMajor, &info.Major}, {attrMinor, &info.Minor}, {attrSMs, &info.SMs}, {attrClockRate, &info.ClockKHz},
		{attrMemoryClockRate, &info.MemoryClockKHz}, {attrMemoryBusWidth, &info.MemoryBusBits}, {attrL2Bytes, &info.L2Bytes},
		{attrThreadsPerSM, &info.MaxThreadsPerSM}, {attrRegistersPerSM, &info.RegistersPerSM}, {attrSharedPerSM, &info.SharedBytesPerSM},
		{attrSharedPerBlockOptin, &info.SharedBytesPerBlockOptin}, {attrWarpSize, &info.WarpSize},
		{attrPCIDomain, &domain}, {attrPCIBus, &bus}, {attrPCIDevice, &slot},
	} {
		v, err := d.attribute(a.attribute, handle)
		if err != nil {
			return err
		}
		*a.to = v
	}
	info.PCIBusID = fmt.Sprintf("%08x:%02x:%02x.0", domain, bus, slot)
	return nil
}

// attribute returns an attribute of a GPU, 0 where the driver does not know it.
func (d *Driver) attribute(a deviceAttribute, handle int32) (int, error) {
	var v int32
	err := d.check("cuDeviceGetAttribute", d.api.deviceGetAttribute(&v, a, handle))
	if isCode(err, codeInvalidValue) || isCode(err, codeNotSupported) {
		return 0, nil
	}
	return int(v), err
}

// uuid returns a GPU's UUID, "" where the driver has no function for it. The
// older function comes first: of a partition (MIG) it gives the whole GPU's,
// whose sensors there are.
func (d *Driver) uuid(handle int32) (string, error) {
	call, get := "cuDeviceGetUuid", d.api.deviceGetUUID
	if get == nil {
		call, get = "cuDeviceGetUuid_v2", d.api.deviceGetUUID2
	}
	if get == nil {
		return "", nil
	}
	var u [16]byte
	if err := d.check(call, get(&u[0], handle)); err != nil {
		return "", err
	}
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// handle returns the CUdevice of an ordinal.
func (d *Driver) handle(ordinal int) (int32, error) {
	var n, h int32
	if err := d.check("cuDeviceGetCount", d.api.deviceGetCount(&n)); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fmt.Errorf("%w: the driver (%s) counts 0", ErrNoDevice, versionText(d.version))
	}
	if ordinal < 0 || ordinal >= int(n) {
		return 0, fmt.Errorf("there is no GPU %d; the driver has %d, numbered from 0", ordinal, n)
	}
	return h, d.check("cuDeviceGet", d.api.deviceGet(&h, int32(ordinal)))
}
