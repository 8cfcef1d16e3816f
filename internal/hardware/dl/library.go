package dl

import (
	"errors"
	"reflect"
	"strings"
)

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

// Missing is a function of a table that a library does not have.
type Missing struct {
	Name string
	// Optional: its tag says so.
	Optional bool
	// Variable is the table's function variable, which can still be set.
	Variable reflect.Value
	// Err is why it cannot be bound.
	Err error
}

// BindAll binds the functions of a table in their order. The table is a pointer to
// a struct whose function variables carry the C names as tags: `c:"cuInit"`, with
// ",optional" behind the name of one that the caller can do without. The library
// may lack any of them; missing then decides what becomes of the variable, and
// its error ends the binding.
func (l *Library) BindAll(table any, missing func(Missing) error) error {
	v := reflect.ValueOf(table).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("c")
		if tag == "" {
			continue
		}
		name, kind, _ := strings.Cut(tag, ",")
		// Unexported fields cannot be set by reflection but through their address.
		fptr := reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer())
		if err := l.Bind(name, fptr.Interface()); err != nil {
			if err = missing(Missing{name, kind == "optional", fptr.Elem(), err}); err != nil {
				return err
			}
		}
	}
	return nil
}
