package lanes

import "unsafe"

// This is the package's only file with unsafe: it views the words of a slot
// as values of another type, which a Slot's alignment to 8 bytes allows.

// as views the slots from s on as an A, which must have no padding and no more
// slots than the register: nothing checks that here. Callers know it from the
// type of the instruction, by which the emulator laid out the registers.
func as[A any](s *Slot) *A { return (*A)(unsafe.Pointer(s)) }

// Wide views two slots as a 64-bit register.
func Wide(s *Slot) *[Width]uint64 { return as[[Width]uint64](s) }

// Quad views four slots as a 128-bit register.
func Quad(s *Slot) *[Width][2]uint64 { return as[[Width][2]uint64](s) }

// word is a type that fills one slot or two, without padding.
type word interface {
	~uint32 | ~int32 | ~float32 | ~uint64 | ~int64 | ~float64
}

// wholeWord is one of integers.
type wholeWord interface {
	uint32 | int32 | uint64 | int64
}

// view views a register as 32 values of T.
func view[T word](s *Slot) *[Width]T { return as[[Width]T](s) }
