package dl

import "unsafe"

// maxStringBytes bounds the search for the end of a C string.
const maxStringBytes = 1 << 16

// GoString copies a C string; "" for a null pointer.
func GoString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for n < maxStringBytes && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Address is the address of a value that is pinned, for arrays of which C
// takes some elements as pointers and some as numbers.
func Address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
