package dl

import "errors"

// ErrUnsupported: this program cannot load libraries at all, because of its
// system or of how it was built.
var ErrUnsupported = errors.New("this hyptx cannot load libraries")

// Library is a loaded shared library. It stays loaded until the process ends:
// a driver may have started threads.
type Library struct {
	// Name is the name under which the library was found.
	Name   string
	handle uintptr
}

// Open loads the first of some libraries that there is. The error is that of
// the first name, or wraps [ErrUnsupported].
func Open(names ...string) (*Library, error) {
	var first error
	for _, name := range names {
		handle, err := open(name)
		if err == nil {
			return &Library{Name: name, handle: handle}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// Bind makes *fptr, a pointer to a variable of function type, call the C
// function of that name. It is an error if the library has none.
func (l *Library) Bind(name string, fptr any) error { return bind(l.handle, name, fptr) }
