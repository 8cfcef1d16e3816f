package emulator

import (
	"sync"

	"hyptx/ir"
)

// An access that hits no memory is a fault, unless the launch forgives it
// (LaunchConfig.Forgive): real programs read a few bytes past the end of a buffer, and
// a GPU, which guards whole pages, lets them. Then what is read is zeros, of which
// nobody knows whether they are what a GPU would read, so that their origin is
// order.Assumed; what is stored is dropped, and an atomic finds 0. Each instruction
// that did so is counted, by elements of vectors and lanes: a warp whose 32 lanes load
// v4.f32 from a wrong pointer counts 128. A misaligned access and a store to read-only
// memory stay faults: no end of a buffer makes them.
//
// The fast ways of accesses refuse what is not all memory, and leave it to the general
// way, so that none of this costs anything where all accesses hit.

// beyond are the accesses of a launch that hit no memory, by instruction.
type beyond struct {
	mu sync.Mutex
	at map[ir.PC]uint64
}

// add counts one.
func (b *beyond) add(pc ir.PC) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at == nil {
		b.at = map[ir.PC]uint64{}
	}
	b.at[pc]++
}

// zeros are what a read that hits no memory gives; nobody writes to them.
var zeros [16]byte

// nothing is what an access that hits no memory gets instead: n zeros to read, or a
// place to write to that nobody looks at.
func (w *warp) nothing(in *inst, n int, write bool) []byte {
	if !w.checks() && (in.mem == nil || in.mem.traffic == nil) { // else it was counted with the request
		w.worker.launch.beyond.add(in.pc)
	}
	if !write {
		return zeros[:n]
	}
	clear(w.worker.dropped[:])
	return w.worker.dropped[:n]
}
