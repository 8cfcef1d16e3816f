package emulator

import (
	"strings"

	"hyptx/emulator/internal/exchange"
	"hyptx/ir/isa"
)

// byteMatrix is what ldmatrix and stmatrix move of bytes: a shape, and of how many bits
// the numbers are in memory, 0 for bytes. Signed ones of 4 bits (.s8.s4) are 16 to a row of 8
// bytes, the first in the lower half of the first.
type byteMatrix struct {
	shape  exchange.Shape
	packed int
	signed bool
}

// byteMatrixOf returns nil for matrices of 16-bit elements.
func byteMatrixOf(x *isa.Inst) *byteMatrix {
	b := &byteMatrix{}
	for _, mod := range x.Mods {
		switch name := mod.String(); {
		case name == "m8n16":
			b.shape = exchange.Bytes8x16
		case name == "m16n16":
			b.shape = exchange.Bytes16x16
		case name == "m16n8":
			b.shape = exchange.Bytes16x8
		case strings.HasPrefix(name, "b4x16"):
			b.packed = 4
		case strings.HasPrefix(name, "b6x16"):
			b.packed = 6
		case name == "s4":
			b.packed, b.signed = 4, true
		}
	}
	if b.shape == exchange.Halves {
		return nil
	}
	return b
}

func execLoadBytes(w *warp, in *inst, m uint32) {
	addr, b := *w.addresses(in), in.mem.bytes
	per := b.shape.Registers()
	for n := range len(in.mem.elems) / per {
		var rows exchange.ByteRows
		for r := range b.shape.Rows() {
			lane := n*b.shape.Rows() + r
			copy(rows[r][:], w.matrixRow(in, m, &addr, lane/8, lane%8, false))
			if b.packed != 0 {
				exchange.Unpack(&rows[r], b.packed)
			}
			if b.signed {
				extend(&rows[r])
			}
		}
		for register, d := range in.mem.elems[n*per : (n+1)*per] {
			if d.off < 0 {
				continue
			}
			slot := w.slot(d)
			for lane := range lanesOf(m) {
				slot[lane] = rows.Spread(b.shape, lane, register)
			}
		}
	}
}

// extend makes signed bytes of numbers of 4 bits.
func extend(row *[exchange.RowBytes]byte) {
	for i, v := range row {
		row[i] = byte(int8(v<<4) >> 4)
	}
}

func execStoreBytes(w *warp, in *inst, m uint32) {
	w.worker.stores++
	addr := *w.addresses(in)
	for n, a := range in.mem.elems {
		var rows exchange.ByteRows
		rows.Gather(in.mem.bytes.shape, w.slot(a))
		for r := range in.mem.bytes.shape.Rows() {
			copy(w.matrixRow(in, m, &addr, n, r, true), rows[r][:])
		}
	}
}
