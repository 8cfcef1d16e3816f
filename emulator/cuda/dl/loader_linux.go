//go:build (amd64 || arm64) && !nocuda

package dl

import "github.com/ebitengine/purego"

func open(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func bind(handle uintptr, name string, fptr any) error {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return err
	}
	purego.RegisterFunc(fptr, address)
	return nil
}
