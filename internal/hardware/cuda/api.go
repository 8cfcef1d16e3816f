package cuda

import (
	"fmt"

	"hyptx/internal/hardware/dl"
)

// api holds the driver's functions, each with the name under which the library
// exports it: where the manual's name stands for a newer form of an old function,
// that is the name with _v2. CUresult is int32, handles (CUcontext, CUmodule, ...)
// are uintptr, CUdeviceptr is DevicePointer, CUdevice is int32, size_t is uintptr.
// Functions that older drivers lack are optional, and nil there. The version comes
// first: the errors about the others name it.
type api struct {
	driverGetVersion func(version *int32) int32          `c:"cuDriverGetVersion"`
	init             func(flags uint32) int32            `c:"cuInit"`
	getErrorName     func(code int32, text **byte) int32 `c:"cuGetErrorName"`
	getErrorString   func(code int32, text **byte) int32 `c:"cuGetErrorString"`

	deviceGetCount     func(count *int32) int32                                          `c:"cuDeviceGetCount"`
	deviceGet          func(device *int32, ordinal int32) int32                          `c:"cuDeviceGet"`
	deviceGetName      func(name *byte, bytes int32, device int32) int32                 `c:"cuDeviceGetName"`
	deviceGetUUID      func(uuid *byte, device int32) int32                              `c:"cuDeviceGetUuid,optional"`
	deviceGetUUID2     func(uuid *byte, device int32) int32                              `c:"cuDeviceGetUuid_v2,optional"` // CUDA 11.4
	deviceTotalMem     func(bytes *uintptr, device int32) int32                          `c:"cuDeviceTotalMem_v2"`
	deviceGetAttribute func(value *int32, attribute deviceAttribute, device int32) int32 `c:"cuDeviceGetAttribute"`

	primaryRetain  func(context *uintptr, device int32) int32 `c:"cuDevicePrimaryCtxRetain"`
	primaryRelease func(device int32) int32                   `c:"cuDevicePrimaryCtxRelease_v2"`
	primaryReset   func(device int32) int32                   `c:"cuDevicePrimaryCtxReset_v2"`
	ctxSetCurrent  func(context uintptr) int32                `c:"cuCtxSetCurrent"`
	ctxSynchronize func() int32                               `c:"cuCtxSynchronize"`
	ctxSetLimit    func(limit Limit, bytes uintptr) int32     `c:"cuCtxSetLimit"`

	moduleLoadDataEx  func(module *uintptr, image *byte, options uint32, keys *jitOption, values *uintptr) int32 `c:"cuModuleLoadDataEx"`
	moduleUnload      func(module uintptr) int32                                                                 `c:"cuModuleUnload"`
	moduleGetFunction func(function *uintptr, module uintptr, name string) int32                                 `c:"cuModuleGetFunction"`
	moduleGetGlobal   func(address *DevicePointer, bytes *uintptr, module uintptr, name string) int32            `c:"cuModuleGetGlobal_v2"`

	funcGetAttribute func(value *int32, attribute functionAttribute, function uintptr) int32 `c:"cuFuncGetAttribute"`
	funcSetAttribute func(function uintptr, attribute functionAttribute, value int32) int32  `c:"cuFuncSetAttribute"`
	funcGetParamInfo func(function uintptr, index uintptr, offset, bytes *uintptr) int32     `c:"cuFuncGetParamInfo,optional"` // CUDA 12.4

	launchKernel            func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes uint32, stream uintptr, params **byte, extra uintptr) int32 `c:"cuLaunchKernel"`
	launchCooperativeKernel func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes uint32, stream uintptr, params **byte) int32                `c:"cuLaunchCooperativeKernel,optional"`
	launchKernelEx          func(config *launchConfig, function uintptr, params **byte, extra uintptr) int32                                                            `c:"cuLaunchKernelEx,optional"` // CUDA 11.8

	memAlloc   func(address *DevicePointer, bytes uintptr) int32        `c:"cuMemAlloc_v2"`
	memFree    func(address DevicePointer) int32                        `c:"cuMemFree_v2"`
	memGetInfo func(free, total *uintptr) int32                         `c:"cuMemGetInfo_v2"`
	copyIn     func(to DevicePointer, from *byte, bytes uintptr) int32  `c:"cuMemcpyHtoD_v2"`
	copyOut    func(to *byte, from DevicePointer, bytes uintptr) int32  `c:"cuMemcpyDtoH_v2"`
	copyDevice func(to, from DevicePointer, bytes uintptr) int32        `c:"cuMemcpyDtoD_v2"`
	set8       func(to DevicePointer, value uint8, count uintptr) int32 `c:"cuMemsetD8_v2"`

	eventCreate      func(event *uintptr, flags uint32) int32    `c:"cuEventCreate"`
	eventDestroy     func(event uintptr) int32                   `c:"cuEventDestroy_v2"`
	eventRecord      func(event, stream uintptr) int32           `c:"cuEventRecord"`
	eventQuery       func(event uintptr) int32                   `c:"cuEventQuery"`
	eventElapsedTime func(ms *float32, start, end uintptr) int32 `c:"cuEventElapsedTime"`
}

// bind takes the functions from the library. What an older driver lacks stays
// nil where it can be done without.
func (a *api) bind(lib *dl.Library) error {
	return lib.BindAll(a, func(missing dl.Missing) error {
		switch {
		case missing.Optional:
			return nil
		case a.driverGetVersion == nil:
			return fmt.Errorf("%w: %s is another library: it has no %s", ErrNoDriver, lib.Name, missing.Name)
		}
		var version int32
		a.driverGetVersion(&version) // 0 if it fails, and then it is not named
		return fmt.Errorf("%s (%s) has no %s; update the NVIDIA driver", lib.Name, versionText(int(version)), missing.Name)
	})
}

// versionText is a driver's version as people write it: 12040 is CUDA 12.4.
func versionText(v int) string {
	if v <= 0 {
		return "CUDA of an unknown version"
	}
	return fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
}

// launchConfig is CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	sharedBytes uint32
	_           uint32
	stream      uintptr
	attributes  *launchAttribute
	count       uint32
	_           uint32
}

// launchAttribute is CUlaunchAttribute: an id, padded to 8 bytes, and a union
// of 64 bytes.
type launchAttribute struct {
	id    launchAttributeID
	_     uint32
	value [16]uint32
}
