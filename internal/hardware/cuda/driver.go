package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"hyptx/internal/hardware/dl"
)

// ErrNoDriver: this machine has no CUDA driver, or this hyptx was built
// without the means to load one. Errors that wrap it say which.
var ErrNoDriver = errors.New("no CUDA driver")

// ErrNoDevice: there is a driver, but no GPU that it can use.
var ErrNoDevice = errors.New("no CUDA GPU")

// Driver is the loaded driver library.
type Driver struct {
	api     api
	library string
	version int
}

// Open loads the CUDA driver and initialises it. library names the file; "" is
// the one that the environment variable HYPTX_LIBCUDA names or, without it,
// the system's. The error wraps [ErrNoDriver] or [ErrNoDevice] where there is
// none.
func Open(library string) (*Driver, error) {
	if library == "" {
		library = os.Getenv("HYPTX_LIBCUDA")
	}
	names := []string{library}
	if library == "" {
		names = systemLibraries()
	}
	lib, err := dl.Open(names...)
	if err != nil {
		return nil, noDriver(library != "", err)
	}
	loadCompiler(lib.Name)
	d := &Driver{library: lib.Name}
	if err := d.api.bind(lib); err != nil {
		return nil, err
	}
	var v int32
	if err := d.check("cuDriverGetVersion", d.api.driverGetVersion(&v)); err != nil {
		return nil, err
	}
	d.version = int(v)
	if err := d.check("cuInit", d.api.init(0)); err != nil {
		if isCode(err, codeNoDevice) {
			return nil, fmt.Errorf("%w: the driver (%s) sees none: %w", ErrNoDevice, versionText(d.version), err)
		}
		return nil, err
	}
	return d, nil
}

// systemLibraries are the names of the driver's library, the usual one first:
// containers and WSL have it in a folder that the loader may not know.
func systemLibraries() []string {
	if runtime.GOOS == "windows" {
		return []string{"nvcuda.dll"}
	}
	return []string{"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/run/opengl-driver/lib/libcuda.so.1"}
}

// loadCompiler loads the driver's compiler of PTX from beside the driver, where
// that was found in a folder that the loader does not know: the driver asks for
// it by its bare name.
func loadCompiler(driver string) {
	if runtime.GOOS == "linux" && filepath.IsAbs(driver) {
		dl.Open(filepath.Join(filepath.Dir(driver), "libnvidia-ptxjitcompiler.so.1")) // without it the driver still says what it lacks
	}
}

// noDriver says in one sentence what is missing and what to do. named: the
// user named the library.
func noDriver(named bool, err error) error {
	switch {
	case errors.Is(err, dl.ErrUnsupported) && runtime.GOOS != "linux" && runtime.GOOS != "windows":
		return fmt.Errorf("%w: NVIDIA makes none for %s", ErrNoDriver, runtime.GOOS)
	case errors.Is(err, dl.ErrUnsupported):
		return fmt.Errorf("%w: this hyptx was built without CUDA (tag nocuda); use one built without the tag", ErrNoDriver)
	case named:
		return fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	return fmt.Errorf("%w: %w; install NVIDIA's driver (the CUDA toolkit is not needed), or name its library in HYPTX_LIBCUDA", ErrNoDriver, err)
}

// Version is the newest CUDA version that the driver supports: 12040 for 12.4.
func (d *Driver) Version() int { return d.version }
