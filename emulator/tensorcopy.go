package emulator

import (
	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tcgen05.cp copies rows of 16 or 32 bytes from shared memory to lanes of tensor memory,
// each thread that issues it all of them (PTX ISA 9.7.18.9.2). Rows lie as those of a
// matrix whose lines run along k.

// tensorCopy is such a copy: rows, and bytes of each. Lanes l of tensor memory get row
// rowOf(l).
type tensorCopy struct {
	address     location
	source      operand
	rows, bytes int
	// neighbours: of 64 rows the warps of a pair that have half each are neighbours (01,
	// 23), not two apart (02, 13).
	neighbours bool
}

// rowOf returns the row that a lane gets: 128 rows go to all lanes one after the other,
// 32 to each warp's; of 64 a warp of a pair gets the first half, the other the second.
func (t *tensorCopy) rowOf(lane int) int {
	warp := lane / 32
	switch {
	case t.rows == 64 && t.neighbours:
		return lane%32 + warp%2*32
	case t.rows == 64:
		return lane%32 + warp/2*32
	}
	return lane % t.rows
}

// buildTensorCopy decodes tcgen05.cp [taddr], s.
func buildTensorCopy(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	t := &tensorCopy{address: c.tensorAddress(in, &in.Ops[0]), source: c.source(in, 1), neighbours: hasWord(x, "warpx2::01_23")}
	for word, size := range map[string][2]int{"128x256b": {128, 32}, "128x128b": {128, 16}, "64x128b": {64, 16}, "32x128b": {32, 16}} {
		if hasWord(x, word) {
			t.rows, t.bytes = size[0], size[1]
		}
	}
	i.multiply, i.exec = &multiply{copy: t}, execTensorCopy
	return nil
}

func execTensorCopy(w *warp, in *inst, m uint32) {
	t, memory := in.multiply.copy, w.tensor()
	for thread := range lanesOf(m) {
		lane, column := w.tensorAt(in, &t.address, 1<<thread)
		if lane != 0 {
			w.fail(in, 1<<thread, "a copy to all lanes of tensor memory begins at lane %d", lane)
		}
		matrix := w.tensorMatrix(in, wide(w.slot(t.source))[thread], false)
		w.checkLine(in, &matrix, t.bytes)
		for l := range tensorLanes {
			for unit := 0; unit < t.bytes; unit += exchange.RowBytes {
				row := w.tensorRow(in, &matrix, t.rowOf(l), unit, 0)
				for n := 0; n < len(row); n += 4 {
					memory.cells[w.tensorCell(in, l, column+(unit+n)/4)] = uint32(words.Get(row[n : n+4]))
				}
			}
		}
	}
	w.worker.stores++
}

// tensorMatrix reads a descriptor of tcgen05.
func (w *warp) tensorMatrix(in *inst, bits uint64, mn bool) descriptor.Matrix {
	m, why := descriptor.Tensor(bits, mn)
	if why != "" {
		w.fail(in, 1, "%s", why)
	}
	return m
}

// checkLine fails where rows do not fit the lines of a swizzled matrix.
func (w *warp) checkLine(in *inst, matrix *descriptor.Matrix, bytes int) {
	if most := matrix.Line(); most > 0 && bytes > most {
		w.fail(in, 1, "%d bytes along k, of which a line of the swizzled matrix has %d", bytes, most)
	}
}

// tensorRow reads 16 bytes of a row from an offset on; elements of fewer than 8 bits
// become bytes.
func (w *warp) tensorRow(in *inst, matrix *descriptor.Matrix, row, offset, packed int) (bytes [exchange.RowBytes]byte) {
	copy(bytes[:], w.bytesAt(in, 0, isa.Shared, uint64(matrix.At(row, offset)), exchange.RowBytes, false))
	if packed != 0 {
		exchange.Unpack(&bytes, packed)
	}
	return bytes
}
