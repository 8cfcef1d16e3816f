package emulator

import (
	"slices"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/traffic"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// wmma.load and wmma.store move a matrix between memory and fragments, of which only
// this machine knows what lane holds which element (lanes.Tile). Each lane accesses its
// pieces, a round of all lanes after the other, at its own p, with its own stride; the
// manual asks that all have the same.

// tileAccess is what a matrix of wmma is beside an access: how its lines lie.
type tileAccess struct {
	lanes.Tile
	stride operand
}

// tileOf returns the matrix that the first modifier, a, b, c or d, names.
func tileOf(x *isa.Inst) lanes.Tile {
	m, n, k := x.Shape()
	t := lanes.Tile{Rows: m, Cols: n, Bits: x.Type().Bits(), Col: x.Has(isa.ModCol)}
	switch x.Mods[0].String() {
	case "a":
		t.Cols = k
	case "b":
		t.Rows = k
	default:
		t.RowMajor = true
	}
	return t
}

// buildTileAccess decodes wmma.load (r, [p], stride) and wmma.store ([p], r, stride).
func buildTileAccess(c *compiler, in *ir.Instr, i *inst) error {
	data, address := &in.Ops()[0], &in.Ops()[1]
	i.exec = execLoadTile
	if in.Inst.IsStore() {
		data, address, i.exec = address, data, execStoreTile
	}
	t := &tileAccess{Tile: tileOf(in.Inst)}
	t.stride = c.constant(uint64(t.DefaultStride()), 1)
	if len(in.Ops()) > 2 && in.Ops()[2].Kind != ir.NoOperand {
		t.stride = c.source(in, 2)
	}
	e := &access{tile: t}
	c.access(in, e, address)
	e.elems = c.destinations(data)
	if in.Inst.IsStore() {
		e.elems = c.elements(in, data)
	}
	i.width, i.mem = uint8(t.Piece()), e
	return nil
}

// pieces computes where the lanes' pieces of a round are.
func (w *warp) pieces(in *inst, round int) *[lanes.Width]uint64 {
	t := in.mem.tile
	addr := w.addresses(in)
	stride := w.slot(t.stride)
	for lane := range addr {
		line, offset := t.At(round, lane)
		addr[lane] += uint64(line)*uint64(stride[lane])*uint64(t.Bits)/8 + uint64(offset)
		if !in.mem.base64 {
			addr[lane] = uint64(uint32(addr[lane]))
		}
	}
	return addr
}

// recogniseTile makes p the pattern of all that the lanes of m access, and returns the
// first address.
func (w *warp) recogniseTile(in *inst, p *traffic.Pattern, m uint32) uint64 {
	if in.mem.tile.Rounds() == 1 {
		return p.Recognise(w.pieces(in, 0), m)
	}
	first := *w.pieces(in, 0)
	return p.RecogniseBoth(&first, w.pieces(in, 1), m)
}

// fragments returns the registers of a fragment, nil for those that are not written.
func (w *warp) fragments(elems []operand) []*lanes.Slot {
	slots := w.worker.matrix[:0]
	for _, o := range elems {
		if o.off < 0 {
			slots = append(slots, nil)
			continue
		}
		slots = append(slots, w.slot(o))
	}
	w.worker.matrix = slots
	return slots
}

func execLoadTile(w *warp, in *inst, m uint32) {
	t := in.mem.tile
	var mem lanes.TileBytes
	n := t.Piece()
	for round := range t.Rounds() {
		addr := w.pieces(in, round)
		for lane := range lanesOf(m) {
			copy(mem[(round*lanes.Width+lane)*n:], w.bytesAt(in, lane, in.mem.space, addr[lane], n, false))
		}
	}
	t.Spread(&mem, w.fragments(in.mem.elems), m)
}

func execStoreTile(w *warp, in *inst, m uint32) {
	for round := range in.mem.tile.Rounds() {
		w.storeTile(in, m, round)
	}
}

// storeTile writes the lanes' pieces of a round.
func (w *warp) storeTile(in *inst, m uint32, round int) {
	w.worker.stores++
	t := in.mem.tile
	var mem lanes.TileBytes
	t.Gather(&mem, w.fragments(in.mem.elems))
	n := t.Piece()
	addr := w.pieces(in, round)
	for lane := range lanesOf(m) {
		copy(w.bytesAt(in, lane, in.mem.space, addr[lane], n, true), mem[(round*lanes.Width+lane)*n:][:n])
	}
}

// buildWMMA decodes wmma.mma d, a, b, c (PTX ISA 9.7.16.4.5).
func buildWMMA(c *compiler, in *ir.Instr, i *inst) error {
	m, n := matrixOf(in.Inst)
	return c.multiply(in, i, lanes.WMMA(m, n))
}

// matrixOf returns the variant of a matrix product, and the columns of its result.
func matrixOf(x *isa.Inst) (m lanes.Matrix, n int) {
	types := x.Matrices()
	m = lanes.Matrix{D: types[0], A: types[1], B: types[2], C: types[3], Rnd: x.Rnd}
	if n := m.A.Bits(); n < 8 && !m.A.IsFloat() {
		m.SubByte, m.A, m.B = n, byteOf(m.A), byteOf(m.B)
	}
	m.M, n, m.K = x.Shape()
	m.Satfinite, m.Xor = x.Has(isa.ModSatfinite), x.Has(isa.ModXor)
	layouts := slices.DeleteFunc(slices.Clone(x.Mods), func(mod isa.Mod) bool { return mod != isa.ModRow && mod != isa.ModCol })
	if len(layouts) == 2 { // of A, then of B
		m.ColA, m.RowB = layouts[0] == isa.ModCol, layouts[1] == isa.ModRow
	}
	return m, n
}
