package cuda

import (
	"fmt"

	"hyptx/internal/hardware/dl"
)

// api holds the driver's functions. CUresult is int32, handles (CUcontext,
// CUmodule, ...) are uintptr, CUdeviceptr is DevicePointer, CUdevice is int32,
// size_t is uintptr. Functions that older drivers lack are nil there.
type api struct {
	driverGetVersion func(version *int32) int32
	init             func(flags uint32) int32
	getErrorName     func(code int32, text **byte) int32
	getErrorString   func(code int32, text **byte) int32

	deviceGetCount     func(count *int32) int32
	deviceGet          func(device *int32, ordinal int32) int32
	deviceGetName      func(name *byte, bytes int32, device int32) int32
	deviceGetUUID      func(uuid *byte, device int32) int32
	deviceGetUUID2     func(uuid *byte, device int32) int32 // CUDA 11.4
	deviceTotalMem     func(bytes *uintptr, device int32) int32
	deviceGetAttribute func(value *int32, attribute deviceAttribute, device int32) int32

	primaryRetain  func(context *uintptr, device int32) int32
	primaryRelease func(device int32) int32
	primaryReset   func(device int32) int32
	ctxSetCurrent  func(context uintptr) int32
	ctxSynchronize func() int32
	ctxSetLimit    func(limit Limit, bytes uintptr) int32

	moduleLoadDataEx  func(module *uintptr, image *byte, options uint32, keys *jitOption, values *uintptr) int32
	moduleUnload      func(module uintptr) int32
	moduleGetFunction func(function *uintptr, module uintptr, name string) int32
	moduleGetGlobal   func(address *DevicePointer, bytes *uintptr, module uintptr, name string) int32

	funcGetAttribute func(value *int32, attribute functionAttribute, function uintptr) int32
	funcSetAttribute func(function uintptr, attribute functionAttribute, value int32) int32
	funcGetParamInfo func(function uintptr, index uintptr, offset, bytes *uintptr) int32 // CUDA 12.4

	launchKernel            func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes uint32, stream uintptr, params **byte, extra uintptr) int32
	launchCooperativeKernel func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes uint32, stream uintptr, params **byte) int32
	launchKernelEx          func(config *launchConfig, function uintptr, params **byte, extra uintptr) int32 // CUDA 11.8

	memAlloc   func(address *DevicePointer, bytes uintptr) int32
	memFree    func(address DevicePointer) int32
	memGetInfo func(free, total *uintptr) int32
	copyIn     func(to DevicePointer, from *byte, bytes uintptr) int32
	copyOut    func(to *byte, from DevicePointer, bytes uintptr) int32
	copyDevice func(to, from DevicePointer, bytes uintptr) int32
	set8       func(to DevicePointer, value uint8, count uintptr) int32

	eventCreate      func(event *uintptr, flags uint32) int32
	eventDestroy     func(event uintptr) int32
	eventRecord      func(event, stream uintptr) int32
	eventQuery       func(event uintptr) int32
	eventElapsedTime func(ms *float32, start, end uintptr) int32
}

// symbol is a function of the library under its exported name.
type symbol struct {
	name     string
	fptr     any
	optional bool
}

// symbols lists what is taken from the library. Where the manual's name stands
// for a newer form of an old function, the library exports it with _v2.
func (a *api) symbols() []symbol {
	return []symbol{
		{"cuDriverGetVersion", &a.driverGetVersion, false}, // first: errors name the version
		{"cuInit", &a.init, false},
		{"cuGetErrorName", &a.getErrorName, false},
		{"cuGetErrorString", &a.getErrorString, false},
		{"cuDeviceGetCount", &a.deviceGetCount, false},
		{"cuDeviceGet", &a.deviceGet, false},
		{"cuDeviceGetName", &a.deviceGetName, false},
		{"cuDeviceGetUuid", &a.deviceGetUUID, true},
		{"cuDeviceGetUuid_v2", &a.deviceGetUUID2, true},
		{"cuDeviceTotalMem_v2", &a.deviceTotalMem, false},
		{"cuDeviceGetAttribute", &a.deviceGetAttribute, false},
		{"cuDevicePrimaryCtxRetain", &a.primaryRetain, false},
		{"cuDevicePrimaryCtxRelease_v2", &a.primaryRelease, false},
		{"cuDevicePrimaryCtxReset_v2", &a.primaryReset, false},
		{"cuCtxSetCurrent", &a.ctxSetCurrent, false},
		{"cuCtxSynchronize", &a.ctxSynchronize, false},
		{"cuCtxSetLimit", &a.ctxSetLimit, false},
		{"cuModuleLoadDataEx", &a.moduleLoadDataEx, false},
		{"cuModuleUnload", &a.moduleUnload, false},
		{"cuModuleGetFunction", &a.moduleGetFunction, false},
		{"cuModuleGetGlobal_v2", &a.moduleGetGlobal, false},
		{"cuFuncGetAttribute", &a.funcGetAttribute, false},
		{"cuFuncSetAttribute", &a.funcSetAttribute, false},
		{"cuFuncGetParamInfo", &a.funcGetParamInfo, true},
		{"cuLaunchKernel", &a.launchKernel, false},
		{"cuLaunchCooperativeKernel", &a.launchCooperativeKernel, true},
		{"cuLaunchKernelEx", &a.launchKernelEx, true},
		{"cuMemAlloc_v2", &a.memAlloc, false},
		{"cuMemFree_v2", &a.memFree, false},
		{"cuMemGetInfo_v2", &a.memGetInfo, false},
		{"cuMemcpyHtoD_v2", &a.copyIn, false},
		{"cuMemcpyDtoH_v2", &a.copyOut, false},
		{"cuMemcpyDtoD_v2", &a.copyDevice, false},
		{"cuMemsetD8_v2", &a.set8, false},
		{"cuEventCreate", &a.eventCreate, false},
		{"cuEventDestroy_v2", &a.eventDestroy, false},
		{"cuEventRecord", &a.eventRecord, false},
		{"cuEventQuery", &a.eventQuery, false},
		{"cuEventElapsedTime", &a.eventElapsedTime, false},
	}
}

// bind takes the functions from the library. What an older driver lacks stays
// nil where it can be done without.
func (a *api) bind(lib *dl.Library) error {
	var version int32
	for _, s := range a.symbols() {
		switch err := lib.Bind(s.name, s.fptr); {
		case err == nil || s.optional:
		case a.driverGetVersion == nil:
			return fmt.Errorf("%w: %s is another library: it has no %s", ErrNoDriver, lib.Name, s.name)
		default:
			return fmt.Errorf("%s (%s) has no %s; update the NVIDIA driver", lib.Name, versionText(int(version)), s.name)
		}
		if s.name == "cuDriverGetVersion" {
			a.driverGetVersion(&version) // 0 if it fails, and then it is not named
		}
	}
	return nil
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
