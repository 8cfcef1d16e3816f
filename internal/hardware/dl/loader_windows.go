//go:build (amd64 || arm64) && !nocuda

package dl

import (
	"fmt"
	"path/filepath"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/windows"
)

// open looks for a bare name in the system's folder only: a DLL beside a
// manifest must not run.
func open(name string) (uintptr, error) {
	var flags uintptr
	if !filepath.IsAbs(name) {
		flags = windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	}
	h, err := windows.LoadLibraryEx(name, 0, flags)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return uintptr(h), nil
}

func bind(handle uintptr, name string, fptr any) error {
	address, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	purego.RegisterFunc(fptr, address)
	return nil
}
