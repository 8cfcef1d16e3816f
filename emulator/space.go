package emulator

import "fmt"

// What a GPU has of the memories that PTX declares. Beyond it no target can
// run a kernel, and the emulator would ask for whatever stands in the text.
const (
	// Shared memory of a CTA: 227 KiB (CUDA C++ Programming Guide, technical
	// specifications, compute capability 9.0 and 10.0).
	maxSharedBytes = 227 << 10
	// Local memory of a thread: 512 KiB (the same table).
	maxLocalBytes = 512 << 10
	// .const variables of a module: 64 KiB and ten more regions of 64 KiB (PTX
	// ISA 5.1.3).
	maxConstBytes = 11 * 64 << 10
)

// checkSpaces fails if a launch needs more shared or local memory than there
// is.
func (l *launch) checkSpaces() error {
	k := l.prog.Kernel.Name
	if l.shared > maxSharedBytes {
		return fmt.Errorf("kernel %s: %d bytes of shared memory; a CTA has at most %d", k, l.shared, maxSharedBytes)
	}
	if n := max(l.prog.LocalBytes(), l.StackBytes); n > maxLocalBytes {
		return fmt.Errorf("kernel %s: %d bytes of local memory a thread; there are at most %d", k, n, maxLocalBytes)
	}
	return nil
}
