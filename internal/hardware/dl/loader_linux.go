//go:build (amd64 || arm64) && !nocuda

package dl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open and bind stay on one thread: why they failed (dlerror) is kept for each
// thread.
func open(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func bind(handle uintptr, name string, fptr any) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return err
	}
	purego.RegisterFunc(fptr, address)
	return nil
}
