package emulator

import (
	"encoding/binary"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// An 8x8 matrix of 16-bit elements is spread over a warp: lane 4i+j holds the
// elements 2j and 2j+1 of row i in one register, with .trans those of column i
// (PTX ISA 9.7.16.5.15 to .17).

// rowBytes is the length of a row in memory.
const rowBytes = 16

// rowsOf is a matrix as ldmatrix and stmatrix see it in memory, row by row.
type rowsOf [8][rowBytes]byte

// element is element k of the two that a lane holds.
func (m *rowsOf) element(lane, k int, trans bool) []byte {
	row, col := lane/4, lane%4*2+k
	if trans {
		row, col = col, row
	}
	return m[row][2*col:][:2]
}

// buildMatrixAccess decodes ldmatrix (d, [a]) and stmatrix ([a], b).
func buildMatrixAccess(c *compiler, in *ir.Instr, i *inst) error {
	data, address := &in.Ops[0], &in.Ops[1]
	i.exec = execLoadMatrix
	if in.Inst.IsStore() {
		data, address = address, data
		i.exec = execStoreMatrix
	}
	e := &access{trans: in.Inst.Has(isa.ModTrans)}
	c.access(in, i, e, address)
	e.elems = c.destinations(data)
	if in.Inst.IsStore() {
		e.elems = c.elements(in, data)
	}
	i.width, i.mem = rowBytes, e
	return nil
}

// matrixRow returns the memory of row r of matrix n: lane 8n+r has its
// address.
func (w *warp) matrixRow(in *inst, m uint32, addr *[lanes.Width]uint64, n, r int, write bool) []byte {
	lane := 8*n + r
	if m>>lane&1 == 0 {
		w.fail(in, m, "lane %d, which has the address of row %d, does not execute", lane, r)
	}
	return w.bytesAt(in, lane, in.mem.space, addr[lane], rowBytes, write)
}

func execLoadMatrix(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	for n, d := range in.mem.elems {
		var rows rowsOf
		for r := range rows {
			copy(rows[r][:], w.matrixRow(in, m, &addr, n, r, false))
		}
		if d.off < 0 {
			continue
		}
		slot := w.slot(d)
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			lo, hi := rows.element(lane, 0, in.mem.trans), rows.element(lane, 1, in.mem.trans)
			slot[lane] = uint32(binary.LittleEndian.Uint16(lo)) | uint32(binary.LittleEndian.Uint16(hi))<<16
		}
	}
}

func execStoreMatrix(w *warp, in *inst, m uint32) {
	w.worker.stores++
	addr := *w.addresses(in)
	for n, a := range in.mem.elems {
		var rows rowsOf
		slot := w.slot(a)
		for lane, v := range slot {
			binary.LittleEndian.PutUint16(rows.element(lane, 0, in.mem.trans), uint16(v))
			binary.LittleEndian.PutUint16(rows.element(lane, 1, in.mem.trans), uint16(v>>16))
		}
		for r := range rows {
			copy(w.matrixRow(in, m, &addr, n, r, true), rows[r][:])
		}
	}
}

// buildMoveMatrix decodes movmatrix: the transpose, without memory.
func buildMoveMatrix(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.exec = c.dest(in, 0), c.source(in, 1), execMoveMatrix
	return nil
}

func execMoveMatrix(w *warp, in *inst, m uint32) {
	var rows rowsOf
	for lane, v := range w.slot(in.a) {
		binary.LittleEndian.PutUint16(rows.element(lane, 0, false), uint16(v))
		binary.LittleEndian.PutUint16(rows.element(lane, 1, false), uint16(v>>16))
	}
	t := &w.worker.tmp[0]
	for lane := range t {
		lo, hi := rows.element(lane, 0, true), rows.element(lane, 1, true)
		t[lane] = uint32(binary.LittleEndian.Uint16(lo)) | uint32(binary.LittleEndian.Uint16(hi))<<16
	}
	commit32(w.slot(in.d), t, m)
}
