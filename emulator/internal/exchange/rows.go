package exchange

import (
	"encoding/binary"

	"hyptx/emulator/internal/lanes"
)

// RowBytes is the length of a matrix' row in memory.
const RowBytes = 16

// Rows are an 8x8 matrix of 16-bit elements as ldmatrix and stmatrix see it in
// memory, row by row. Spread over a warp, lane 4i+j holds the elements 2j and
// 2j+1 of row i in one register, the first in its lower half; transposed, those
// of column i (PTX ISA 9.7.16.5.15 to .17). Lane 6, for instance, holds elements
// 4 and 5 of row 1.
type Rows [8][RowBytes]byte

// element is element k of the two that a lane holds.
func (m *Rows) element(lane, k int, transposed bool) []byte {
	row, col := lane/4, lane%4*2+k
	if transposed {
		row, col = col, row
	}
	return m[row][2*col:][:2]
}

// Spread returns the register of a lane.
func (m *Rows) Spread(lane int, transposed bool) uint32 {
	lo, hi := m.element(lane, 0, transposed), m.element(lane, 1, transposed)
	return uint32(binary.LittleEndian.Uint16(lo)) | uint32(binary.LittleEndian.Uint16(hi))<<16
}

// Gather is the opposite: it makes the rows of all lanes' registers.
func (m *Rows) Gather(s *lanes.Slot, transposed bool) {
	for lane, v := range s {
		binary.LittleEndian.PutUint16(m.element(lane, 0, transposed), uint16(v))
		binary.LittleEndian.PutUint16(m.element(lane, 1, transposed), uint16(v>>16))
	}
}
