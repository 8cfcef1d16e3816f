package nvml

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"

	"hyptx/internal/hardware/dl"
)

// environment names the variable that says where the library is.
const environment = "HYPTX_LIBNVML"

// handle is an nvmlDevice_t.
type handle uintptr

// Library is the management library, initialised. Its functions may be called
// from several goroutines (NVML API reference: the library is thread-safe).
type Library struct {
	init          func() int32              `c:"nvmlInit_v2"`
	errorString   func(int32) *byte         `c:"nvmlErrorString"`
	shutdown      func() int32              `c:"nvmlShutdown,optional"`
	driverVersion func(*byte, uint32) int32 `c:"nvmlSystemGetDriverVersion,optional"`

	byUUID func(*byte, *handle) int32        `c:"nvmlDeviceGetHandleByUUID,optional"`
	byPCI  func(*byte, *handle) int32        `c:"nvmlDeviceGetHandleByPciBusId_v2,optional"`
	name   func(handle, *byte, uint32) int32 `c:"nvmlDeviceGetName,optional"`
	uuid   func(handle, *byte, uint32) int32 `c:"nvmlDeviceGetUUID,optional"`

	power       func(handle, *uint32) int32          `c:"nvmlDeviceGetPowerUsage,optional"`
	limit       func(handle, *uint32) int32          `c:"nvmlDeviceGetEnforcedPowerLimit,optional"`
	energy      func(handle, *uint64) int32          `c:"nvmlDeviceGetTotalEnergyConsumption,optional"`
	temperature func(handle, uint32, *uint32) int32  `c:"nvmlDeviceGetTemperature,optional"`
	clock       func(handle, uint32, *uint32) int32  `c:"nvmlDeviceGetClockInfo,optional"`
	throttle    func(handle, *uint64) int32          `c:"nvmlDeviceGetCurrentClocksThrottleReasons,optional"` // the old name, which CUDA 13 deprecates
	event       func(handle, *uint64) int32          `c:"nvmlDeviceGetCurrentClocksEventReasons,optional"`    // the new one
	ecc         func(handle, *uint32, *uint32) int32 `c:"nvmlDeviceGetEccMode,optional"`

	lock   func(handle, uint32, uint32) int32 `c:"nvmlDeviceSetGpuLockedClocks,optional"`
	unlock func(handle) int32                 `c:"nvmlDeviceResetGpuLockedClocks,optional"`
}

// names returns where the library is looked for.
func names() []string {
	if runtime.GOOS == "windows" {
		return []string{"nvml.dll"}
	}
	// as package cuda looks for the driver: containers and WSL have it elsewhere
	return []string{"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1",
		"/run/opengl-driver/lib/libnvidia-ml.so.1", "libnvidia-ml.so"}
}

// Open loads and initialises the library: the system's, or the one that
// $HYPTX_LIBNVML names. Without one the error is an [ErrNoLibrary].
func Open() (*Library, error) {
	where := names()
	if p := os.Getenv(environment); p != "" {
		where = []string{p}
	}
	so, err := dl.Open(where...)
	switch {
	case errors.Is(err, dl.ErrUnsupported):
		return nil, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %s cannot be loaded; it comes with the NVIDIA driver, and $%s names another place (%w)", ErrNoLibrary, where[0], environment, err)
	}
	l := &Library{}
	if err := so.BindAll(l, unsupported); err != nil {
		return nil, fmt.Errorf("%s: %w", so.Name, err)
	}
	return l, l.check("nvmlInit_v2", l.init())
}

// unsupported lets an optional function that a driver has no more, or not yet,
// answer as for a board that does not support it.
func unsupported(missing dl.Missing) error {
	if !missing.Optional {
		return missing.Err
	}
	missing.Variable.Set(reflect.MakeFunc(missing.Variable.Type(), func([]reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(int32(codeNotSupported))}
	}))
	return nil
}

// check makes a return code an error.
func (l *Library) check(call string, code int32) error {
	if code == codeSuccess {
		return nil
	}
	return &Error{Call: call, Code: int(code), Text: dl.GoString(l.errorString(code))}
}

// Close ends the use of the library.
func (l *Library) Close() error { return l.check("nvmlShutdown", l.shutdown()) }

// text reads a string that a call writes into a buffer.
func (l *Library) text(call string, fill func(*byte, uint32) int32) (string, error) {
	const bytes = 128 // NVML_DEVICE_UUID_V2_BUFFER_SIZE is 96
	var b [bytes]byte
	if err := l.check(call, fill(&b[0], bytes)); err != nil {
		return "", err
	}
	s, _, _ := strings.Cut(string(b[:]), "\x00")
	return s, nil
}

// DriverVersion is the driver's version, as "550.54.15".
func (l *Library) DriverVersion() (string, error) {
	return l.text("nvmlSystemGetDriverVersion", l.driverVersion)
}
