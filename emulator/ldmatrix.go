package emulator

import (
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// ldmatrix and stmatrix move up to four 8x8 matrices of 16-bit elements between
// memory and a register of each lane (PTX ISA 9.7.16.5.15, .16). Addresses and
// data are not those of the same lane: lanes 8n to 8n+7 give the addresses of
// the rows of matrix n, while the elements go to all lanes (exchange.Rows).

// buildMatrixAccess decodes ldmatrix (d, [a]) and stmatrix ([a], b).
func buildMatrixAccess(c *compiler, in *ir.Instr, i *inst) error {
	data, address := &in.Ops()[0], &in.Ops()[1]
	i.exec = execLoadMatrix
	if in.Inst.IsStore() {
		data, address = address, data
		i.exec = execStoreMatrix
	}
	e := &access{trans: in.Inst.Has(isa.ModTrans), bytes: byteMatrixOf(in.Inst)}
	switch {
	case e.bytes != nil && in.Inst.IsStore():
		i.exec = execStoreBytes
	case e.bytes != nil:
		i.exec = execLoadBytes
	}
	c.access(in, e, address)
	e.elems = c.destinations(data)
	if in.Inst.IsStore() {
		e.elems = c.elements(in, data)
	}
	i.width, i.mem = exchange.RowBytes, e
	if e.bytes != nil && e.bytes.signed {
		i.width = exchange.RowBytes / 2
	}
	return nil
}

// matrixRow returns the memory of row r of matrix n: lane 8n+r has its
// address.
func (w *warp) matrixRow(in *inst, m uint32, addr *[lanes.Width]uint64, n, r int, write bool) []byte {
	lane := 8*n + r
	if m>>lane&1 == 0 {
		w.fail(in, m, "lane %d, which has the address of row %d, does not execute", lane, r)
	}
	return w.bytesAt(in, lane, in.mem.space, addr[lane], int(in.width), write)
}

func execLoadMatrix(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	for n, d := range in.mem.elems {
		var rows exchange.Rows
		for r := range rows {
			copy(rows[r][:], w.matrixRow(in, m, &addr, n, r, false))
		}
		if d.off < 0 {
			continue
		}
		slot := w.slot(d)
		for lane := range lanesOf(m) {
			slot[lane] = rows.Spread(lane, in.mem.trans)
		}
	}
}

func execStoreMatrix(w *warp, in *inst, m uint32) {
	w.worker.stores++
	addr := *w.addresses(in)
	for n, a := range in.mem.elems {
		var rows exchange.Rows
		rows.Gather(w.slot(a), in.mem.trans)
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
	var rows exchange.Rows
	rows.Gather(w.slot(in.a), false)
	d := w.slot(in.d)
	for lane := range lanesOf(m) {
		d[lane] = rows.Spread(lane, true)
	}
}
