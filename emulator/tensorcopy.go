package emulator

import (
	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tcgen05.cp copies rows of 16 or 32 bytes from shared memory to lanes of tensor memory,
// each thread that issues it all of them (PTX ISA 9.7.18.9.2). Rows lie as those of a
// matrix whose lines run along k.

// tensorCopy is such a copy: rows, and bytes of each. Lanes l of tensor memory get row
// rowOf(l). Of 4 rows each warp's lanes get one, at the lane of the address.
type tensorCopy struct {
	address     location
	source      operand
	rows, bytes int
	// neighbours: of 64 rows the warps of a pair that have half each are neighbours (01,
	// 23), not two apart (02, 13).
	neighbours bool
	pair       bool
	// packed is how many bits the numbers have that become bytes, 0 if they are copied.
	packed int
}

// rowOf returns the row that a lane gets: 128 rows go to all lanes one after the other,
// 32 to each warp's; of 64 a warp of a pair gets the first half, the other the second.
func (t *tensorCopy) rowOf(lane int) int {
	warp := lane / 32
	switch {
	case t.rows == 4:
		return warp
	case t.rows == 64 && t.neighbours:
		return lane%32 + warp%2*32
	case t.rows == 64:
		return lane%32 + warp/2*32
	}
	return lane % t.rows
}

// lanes are the first of the lanes that are written, and how far they lie apart.
func (t *tensorCopy) lanes(base int) (first, step int) {
	if t.rows == 4 {
		return base, lanes.Width
	}
	return 0, 1
}

// buildTensorCopy decodes tcgen05.cp [taddr], s.
func buildTensorCopy(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	t := &tensorCopy{address: c.tensorAddress(in, &in.Ops()[0]), source: c.source(in, 1), neighbours: hasWord(x, "warpx2::01_23"), pair: paired(x)}
	t.rows, t.bytes = copiedRows(x)
	for word, bits := range map[string]int{"b4x16_p64": 4, "b6x16_p32": 6} {
		if hasWord(x, word) {
			t.packed = bits
		}
	}
	i.multiply, i.exec = &multiply{copy: t}, execTensorCopy
	return nil
}

// copiedRows returns how many rows a tcgen05.cp copies, and the bytes of each.
func copiedRows(x *isa.Inst) (rows, bytes int) {
	for word, size := range map[string][2]int{"128x256b": {128, 32}, "128x128b": {128, 16}, "64x128b": {64, 16}, "32x128b": {32, 16}, "4x256b": {4, 32}} {
		if hasWord(x, word) {
			return size[0], size[1]
		}
	}
	return 0, 0
}

func execTensorCopy(w *warp, in *inst, m uint32) {
	t := in.multiply.copy
	sides, two := w.sides(in, t.pair)
	for thread := range lanesOf(m) {
		lane, column := w.tensorAt(in, &t.address, 1<<thread)
		if lane != 0 && (t.rows != 4 || lane >= lanes.Width) {
			w.fail(in, 1<<thread, "a copy to all lanes of tensor memory begins at lane %d", lane)
		}
		matrix := w.tensorMatrix(in, wide(w.slot(t.source))[thread], false)
		w.checkLine(in, &matrix, t.bytes)
		for _, side := range sides[:two] {
			for l, step := t.lanes(lane); l < tensorLanes; l += step {
				for unit := 0; unit < t.bytes; unit += exchange.RowBytes {
					row := w.tensorRow(in, side, &matrix, t.rowOf(l), unit, t.packed)
					if t.packed == 4 {
						centre(&row)
					}
					for n := 0; n < len(row); n += 4 {
						side.memory.cells[side.memory.cell(w, in, l, column+(unit+n)/4)] = uint32(words.Get(row[n : n+4]))
					}
				}
			}
		}
	}
	w.worker.stores++
}

// centre moves numbers of 4 bits to the central ones of their bytes, where .kind::f8f6f4
// has them (PTX ISA 9.7.16.5.14).
func centre(row *[exchange.RowBytes]byte) {
	for i := range row {
		row[i] <<= 2
	}
}

// tensorShift is tcgen05.shift: each lane of a warp's gets what the next one has in 8
// columns, but for the last (PTX ISA 9.7.18.9.3). That lanes get what the next one has, not
// the one before, follows from what comes after a shift: tcgen05.cp.4x256b, which
// refreshes the last lanes (CUTLASS, SM100_UTCCP_4dp256bit), with the pixels that
// .im2col::w::128 puts behind every 32.
type tensorShift struct {
	address location
	pair    bool
}

const shiftColumns = 8 // of 32 bits

// buildTensorShift decodes tcgen05.shift.down [taddr].
func buildTensorShift(c *compiler, in *ir.Instr, i *inst) error {
	t := &tensorShift{address: c.tensorAddress(in, &in.Ops()[0]), pair: paired(in.Inst)}
	i.multiply, i.exec = &multiply{shift: t}, execTensorShift
	return nil
}

func execTensorShift(w *warp, in *inst, m uint32) {
	t := in.multiply.shift
	sides, two := w.sides(in, t.pair)
	w.worker.stores++
	for thread := range lanesOf(m) {
		base, column := w.tensorAt(in, &t.address, 1<<thread)
		if base%lanes.Width != 0 {
			w.fail(in, 1<<thread, "a shift of a warp's lanes begins at lane %d, which is no multiple of 32", base)
		}
		for _, side := range sides[:two] {
			for lane := base; lane < base+lanes.Width-1; lane++ {
				for c := column; c < column+shiftColumns; c++ {
					side.memory.cells[side.memory.cell(w, in, lane, c)] = side.memory.cells[side.memory.cell(w, in, lane+1, c)]
				}
			}
		}
	}
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
func (w *warp) tensorRow(in *inst, side tensorSide, matrix *descriptor.Matrix, row, offset, packed int) (bytes [exchange.RowBytes]byte) {
	copy(bytes[:], w.bytesAt(in, 0, isa.Shared, side.window+uint64(matrix.At(row, offset)), exchange.RowBytes, false))
	if packed != 0 {
		exchange.Unpack(&bytes, packed)
	}
	return bytes
}
