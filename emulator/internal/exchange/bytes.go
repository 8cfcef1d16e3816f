package exchange

import "hyptx/emulator/internal/lanes"

// Matrices of bytes (PTX ISA 9.7.16.5.15, .16), whose fragments the manual draws; what
// the figures show is also in CUTLASS' traits of these copies (copy_traits_sm100.hpp).
// g is lane/4 and t is lane%4:
//
//	m8n16: bytes 4t to 4t+3 of row g
//	m16n16, transposed, two registers: of rows 4t and 4t+1, in the second register 4t+2
//	and 4t+3, byte g of both, then byte g+8 of both
//	m16n8, transposed: of rows 2t and 2t+1 byte g of both, then byte g+8 of both

// Shape is one of them.
type Shape uint8

// The shapes; Halves are the 8 x 8 elements of 16 bits of [Rows].
const (
	Halves Shape = iota
	Bytes8x16
	Bytes16x16
	Bytes16x8
)

// Rows is how many rows of 16 bytes a matrix has, Registers how many registers of a
// lane.
func (s Shape) Rows() int { return 8 * s.Registers() }

// Registers: see Rows.
func (s Shape) Registers() int {
	if s == Bytes16x16 {
		return 2
	}
	return 1
}

// ByteRows are the rows of a matrix of bytes.
type ByteRows [16][RowBytes]byte

// at returns byte k of a register of a lane.
func (m *ByteRows) at(s Shape, lane, register, k int) *byte {
	g, t := lane/4, lane%4
	switch s {
	case Bytes8x16:
		return &m[g][4*t+k]
	case Bytes16x16:
		return &m[4*t+2*register+k%2][g+k/2*8]
	}
	return &m[2*t+k%2][g+k/2*8]
}

// Spread returns a register of a lane.
func (m *ByteRows) Spread(s Shape, lane, register int) (w uint32) {
	for k := range 4 {
		w |= uint32(*m.at(s, lane, register, k)) << (8 * k)
	}
	return w
}

// Gather makes the rows of a register of all lanes.
func (m *ByteRows) Gather(s Shape, slot *lanes.Slot) {
	for lane, w := range slot {
		for k := range 4 {
			*m.at(s, lane, 0, k) = byte(w >> (8 * k))
		}
	}
}

// Unpack makes bytes of 16 numbers of so many bits, which stand at the beginning of a
// row, in the lower bits of the bytes.
func Unpack(row *[RowBytes]byte, bits int) {
	packed := *row
	for i := range row {
		at := i * bits
		w := uint(packed[at/8]) | uint(packed[min(at/8+1, RowBytes-1)])<<8
		row[i] = byte(w >> (at % 8) & (1<<bits - 1))
	}
}
