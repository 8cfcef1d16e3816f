package descriptor

// A matrix is cut into tiles of 8 lines. A line is what lies side by side: a row of
// columns along k if the matrix is k-major, along m or n if it is not. Within a tile a
// line has as many bytes as the swizzle is wide, or 16 without one, and the lines follow
// each other. One stride leads from tile to tile across lines, the other along them:
//
//	                      lines 0-7 to 8-15    along a line, a piece further
//	k-major, no swizzle   stride               lead, 16 bytes
//	k-major, swizzled     stride               it has one piece
//	mn-major, no swizzle  lead                 stride, 16 bytes
//	mn-major, swizzled    stride               lead, as wide as the swizzle
//
// (the manual's canonical layouts, with its T normalised to 16 bytes). Then the swizzle
// exclusive-ors the number of 16 bytes in the line with that of the line in the pattern.
// Patterns begin at multiples of their size, or as far from one as the base offset says.

// Matrix is a matrix in shared memory. Addresses have 18 bits.
type Matrix struct {
	start, lead, stride uint32
	base                uint32 // lines from a multiple of 8 to where patterns begin
	width               uint32 // of a line of the pattern in bytes
	mn                  bool   // lines run along m or n
}

// unswizzled is the width of a line without a swizzle.
const unswizzled = 16

// addressMask are the bits that addresses and strides have.
const addressMask = 1<<18 - 1

// Warpgroup reads a descriptor of wgmma (PTX ISA 9.7.17.5.1.2.2); mn: the matrix is
// transposed.
func Warpgroup(bits uint64, mn bool) Matrix {
	m := common(bits, mn)
	m.width = [4]uint32{unswizzled, 128, 64, 32}[bits>>62]
	return m
}

// Tensor reads a descriptor of tcgen05 (PTX ISA 9.7.18.4.1), and says why it is none.
func Tensor(bits uint64, mn bool) (m Matrix, why string) {
	m = common(bits, mn)
	m.width = [8]uint32{0: unswizzled, 2: 128, 4: 64, 6: 32}[bits>>61]
	switch {
	case bits>>46&7 != 1:
		why = "bits 46 to 48 of the descriptor are not 001"
	case bits>>61 == 1 || bits>>52&1 != 0:
		why = "the descriptor has a swizzle of 128 bytes in pieces of 32, or an absolute address, of which the manual shows the layout in figures alone"
	case m.width == 0:
		why = "the descriptor has a swizzle that does not exist"
	}
	return m, why
}

// common reads what all descriptors have in common.
func common(bits uint64, mn bool) Matrix {
	field := func(at int) uint32 { return uint32(bits>>at) & 0x3fff << 4 }
	return Matrix{start: field(0), lead: field(16), stride: field(32), base: uint32(bits>>49) & 7, mn: mn}
}

// Transposed reports whether lines run along m or n.
func (m *Matrix) Transposed() bool { return m.mn }

// Line returns the bytes that a line can have at most, 0 if there is no limit.
func (m *Matrix) Line() int {
	if m.mn || m.width == unswizzled {
		return 0
	}
	return int(m.width)
}

// At returns the address of a byte of a line.
func (m *Matrix) At(line, offset int) uint32 {
	across, along := m.stride, m.lead
	if m.mn && m.width == unswizzled {
		across, along = along, across
	}
	l, o := uint32(line), uint32(offset)
	at := m.start + l%8*m.width + l/8*across + o%m.width
	if m.mn || m.width == unswizzled {
		at += o / m.width * along
	} else {
		at += o - o%m.width
	}
	at &= addressMask
	if m.width == unswizzled {
		return at
	}
	return at ^ ((at>>7-m.base)&(m.width/unswizzled-1))<<4
}
