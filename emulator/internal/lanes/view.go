package lanes

import "unsafe"

// This is the package's only file with unsafe: it views the words of a slot
// as values of another type, which a Slot's alignment to 8 bytes allows.

// Wide views two slots as a 64-bit register.
func Wide(s *Slot) *[Width]uint64 { return (*[Width]uint64)(unsafe.Pointer(s)) }

// Quad views four slots as a 128-bit register.
func Quad(s *Slot) *[Width][2]uint64 { return (*[Width][2]uint64)(unsafe.Pointer(s)) }

// word is a type that fills one slot or two, without padding.
type word interface {
	~uint32 | ~int32 | ~float32 | ~uint64 | ~int64 | ~float64
}

// view views a register as 32 values of T.
func view[T word](s *Slot) *[Width]T { return (*[Width]T)(unsafe.Pointer(s)) }
