package emulator

import (
	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/ir/isa"
)

// The state that an arrival returns is good for questions to its own object, in the phase
// of the arrival and in the next one (PTX ISA 9.7.15.16.19). So a state has a tag that says
// where its object lies, in units of 8 bytes, and which of 64 phases in a row it is of. For
// that each CTA counts the phases of its objects, where the program has states at all.

const (
	tagPhases = 64
	tagPlaces = 1 << 15 // all of shared memory
)

// countPhase counts a phase that an operation on an object has ended, or begun anew, and returns
// the state before it.
func (w *warp) countPhase(space isa.Space, addr, old uint64, now *mbarrier.Object, made bool) (state uint64) {
	c, at := w.objectOf(space, addr)
	phase := c.phases[at]
	ends := mbarrier.Unpack(old).Parity != now.Parity
	if !made && !ends {
		return mbarrier.Tagged(old, tagOf(at, phase))
	}
	if c.phases == nil {
		c.phases = map[uint64]uint32{}
	}
	if c.phases[at]++; made { // the states of what was there are good for nothing
		c.phases[at]++
	}
	return mbarrier.Tagged(old, tagOf(at, phase))
}

// objectOf returns the CTA in whose shared memory an object lies, and where.
func (w *warp) objectOf(space isa.Space, addr uint64) (*cta, uint64) {
	_, at := address.Resolve(space, addr)
	return w.sharedOf(at)
}

func tagOf(at uint64, phase uint32) uint32 {
	return phase%tagPhases*tagPlaces + uint32(at/8)%tagPlaces
}

// isOf reports whether a state is one of an object, of its present phase or of the last one.
func (w *warp) isOf(state uint64, space isa.Space, addr uint64) bool {
	c, at := w.objectOf(space, addr)
	tag, phase := mbarrier.Tag(state), c.phases[at]
	return tag == tagOf(at, phase) || tag == tagOf(at, phase-1)
}
