package lanes

import "encoding/binary"

// Which elements of a matrix of wmma a lane holds, no manual says, and so a program
// must not ask: it may load a fragment, multiply it, store it, and do to all elements
// the same (PTX ISA 9.7.16.4.1). This machine deals a matrix out as it lies in
// memory. Its lines (rows of .row, columns of .col) are cut, one after the other, into
// pieces of up to 16 bytes, as many as each lane gets one, or two, of: lane n has
// pieces n and n+32, the first in its first registers. A fragment with more registers
// than that has the elements again in the others. For c and d, whose layout
// wmma.mma does not say, the order is always that of .row.
//
// Of a row-major a of m16n16k16 with halves, 512 bytes, lane 5 has 16 of them: the
// second half of row 2.

// Tile is a matrix of wmma: Rows x Cols elements of some Bits. Col: column-major in
// memory; RowMajor: in the fragments it is row-major all the same.
type Tile struct {
	Rows, Cols, Bits int
	Col, RowMajor    bool
}

// maxTileBytes is the largest matrix, of 16 x 16 accumulators.
const maxTileBytes = 1024

// TileBytes has room for the elements of a tile.
type TileBytes [maxTileBytes]byte

func (t *Tile) bytes() int { return t.Rows * t.Cols * t.Bits / 8 }

// Piece is how many bytes a lane reads or writes at a time, Rounds how often it does.
func (t *Tile) Piece() int { return min(16, t.bytes()/Width) }

// Rounds: see Piece.
func (t *Tile) Rounds() int { return t.bytes() / (Width * t.Piece()) }

// lineBytes is the length of a row, or of a column.
func (t *Tile) lineBytes() int {
	if t.Col {
		return t.Rows * t.Bits / 8
	}
	return t.Cols * t.Bits / 8
}

// DefaultStride is the distance of lines where nothing is said, in elements.
func (t *Tile) DefaultStride() int { return t.lineBytes() * 8 / t.Bits }

// At returns the line in which a lane's piece of a round lies, and how many bytes from
// the line's beginning.
func (t *Tile) At(round, lane int) (line, offset int) {
	at := (round*Width + lane) * t.Piece()
	return at / t.lineBytes(), at % t.lineBytes()
}

// turned reports whether fragments have another order than memory.
func (t *Tile) turned() bool { return t.Col && t.RowMajor }

// turn copies the elements of a tile in memory's order to that of fragments, or back.
func (t *Tile) turn(to, from *TileBytes, back bool) {
	size := t.Bits / 8
	for i := range t.Rows {
		for j := range t.Cols {
			in, out := (j*t.Rows+i)*size, (i*t.Cols+j)*size
			if back {
				in, out = out, in
			}
			copy(to[out:out+size], from[in:in+size])
		}
	}
}

// Spread hands out the bytes of a tile, in the order of memory, to the registers of the
// lanes of m; of registers that are nil nobody wants to know.
func (t *Tile) Spread(mem *TileBytes, regs []*Slot, m uint32) {
	if t.turned() {
		var turned TileBytes
		t.turn(&turned, mem, false)
		mem = &turned
	}
	for r, slot := range regs {
		if slot == nil {
			continue
		}
		for lane := range Width {
			if m>>lane&1 == 0 {
				continue
			}
			at := t.place(r, lane)
			if t.Bits == 64 {
				Wide(slot)[lane] = binary.LittleEndian.Uint64(mem[at:])
			} else {
				slot[lane] = binary.LittleEndian.Uint32(mem[at:])
			}
		}
	}
}

// Gather collects the bytes of a tile from registers.
func (t *Tile) Gather(mem *TileBytes, regs []*Slot) {
	for r, slot := range regs {
		for lane := range Width {
			at, w := t.place(r, lane), uint64(slot[lane])
			if t.Bits == 64 {
				w = Wide(slot)[lane]
			}
			for i := range t.registerBytes() {
				mem[at+i] = byte(w >> (8 * i))
			}
		}
	}
	if t.turned() {
		from := *mem
		t.turn(mem, &from, true)
	}
}

func (t *Tile) registerBytes() int { return max(4, t.Bits/8) }

// place returns where in a tile the bytes of a register of a lane lie.
func (t *Tile) place(register, lane int) int {
	per := t.Piece() / t.registerBytes() // registers of a piece
	register %= per * t.Rounds()
	return (register/per*Width+lane)*t.Piece() + register%per*t.registerBytes()
}

// places returns where each element is in the registers, by row*Cols + column.
func (t *Tile) places() []place {
	out := make([]place, t.Rows*t.Cols)
	order := *t
	order.Col = t.Col && !t.RowMajor
	for i := range t.Rows {
		for j := range t.Cols {
			n := i*t.Cols + j
			if order.Col {
				n = j*t.Rows + i
			}
			at := n * t.Bits / 8
			piece, off := at/t.Piece(), at%t.Piece()
			register := piece/Width*(t.Piece()/t.registerBytes()) + off/t.registerBytes()
			out[i*t.Cols+j] = place{uint8(register), uint8(piece % Width), uint8(n * t.Bits % (8 * t.registerBytes()))}
		}
	}
	return out
}
