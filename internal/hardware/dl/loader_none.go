//go:build nocuda || !(linux || windows) || !(amd64 || arm64)

package dl

func open(string) (uintptr, error) { return 0, ErrUnsupported }

func bind(uintptr, string, any) error { return ErrUnsupported }
