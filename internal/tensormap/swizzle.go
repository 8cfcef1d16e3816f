package tensormap

// Place returns where in shared memory what the layout without swizzling has at an address
// lies (PTX ISA 5.5.7). Bits of the line of 128 bytes that the address is in are added, without carry, to
// those of the atom within the line; pieces of 16 bytes stay together but where an atom of
// 32 bytes flips its halves of 8.
func (m *Map) Place(addr uint64) uint64 {
	line := addr >> 7
	switch m.Swizzle {
	case Swizzle32, Swizzle96:
		return addr ^ line&1<<4
	case Swizzle64:
		return addr ^ line&3<<4
	case Swizzle128:
		switch m.Atom {
		case Atom32:
			return addr ^ line&3<<5
		case Atom32Flip8:
			return addr ^ line&3<<5 ^ line&1<<3
		case Atom64:
			return addr ^ line&1<<6
		}
		return addr ^ line&7<<4
	}
	return addr
}

// Bytes returns how long the rows of a box may be that are swizzled so
// (cuTensorMapEncodeTiled, CUDA Driver API); of rows that are not there is no such bound.
func (s Swizzle) Bytes() uint64 {
	if s == Swizzle96 {
		return 96
	}
	return 16 << s
}
