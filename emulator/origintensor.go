package emulator

import (
	"math"
	"math/bits"
	"slices"

	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/exchange"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Origins through tensor memory: it has a shadow of its own, a cell for each column of
// a lane. Who issues an operation is taken to do all of it, which the fences and objects
// that a program needs put in order with what others do.

// loadCell accounts for a read of a cell, storeCell for a write.
func (w *warp) loadCell(in *inst, thread, cell int, from *order.Lanes) {
	o, cause, _ := w.tensor().shadow.Load(&w.order, thread, &in.rule.op, 4*uint64(cell), 4)
	from.Add(1<<thread, o, cause)
}

func (w *warp) storeCell(in *inst, thread, cell int, old uint32, from *order.Lanes) {
	diff := uint32(0)
	if w.tensor().cells[cell] != old {
		diff = math.MaxUint32
	}
	over, why := w.tensor().shadow.Store(&w.order, thread, &in.rule.op, 4*uint64(cell), 4, from.Of(thread)|w.implicit, from.Cause, diff, 0)
	if over != 0 {
		w.decide(in, over, why)
	}
}

// followTensorMove accounts for tcgen05.ld and .st.
func followTensorMove(w *warp, in *inst, m uint32, from *order.Lanes) {
	t := in.multiply.move
	w.tensor()
	if in.rule.op.Reads {
		w.cellsOf(in, m, func(thread, _, cell int) {
			w.loadCell(in, thread, cell, from)
			if t.packed {
				w.loadCell(in, thread, cell+1, from)
			}
		})
		in.rule.exec(w, in, m)
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.frame == w.frame && p.in == in })
		w.products = append(w.products, pendingProduct{w.frame, in, 0})
		return
	}
	before := slices.Clone(w.tensor().cells)
	in.rule.exec(w, in, m)
	w.cellsOf(in, m, func(thread, _, cell int) {
		w.storeCell(in, thread, cell, before[cell], from)
		if t.packed {
			w.storeCell(in, thread, cell+1, before[cell+1], from)
		}
	})
}

// followTensorWait ends the loads that a warp has waited for.
func followTensorWait(w *warp, _ *inst, _ uint32, _ *order.Lanes) {
	w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.in.multiply.move != nil })
}

// followTensorAlloc accounts for the address that tcgen05.alloc stores, and forgets what
// was known of the columns, whose contents are anybody's.
func followTensorAlloc(w *warp, in *inst, m uint32, from *order.Lanes) {
	free := w.tensor().owner
	lane, addr := bits.TrailingZeros32(m), *w.addresses(in)
	w.keepOld(in, lane, addr[lane], 4)
	in.rule.exec(w, in, m)
	w.followStore(in, lane, in.mem.space, addr[lane], 4, from)
	for piece, owner := range w.cta.tensor.owner {
		if owner == free[piece] {
			continue
		}
		for lane := range tensorLanes {
			for column := piece * tensorPiece; column < (piece+1)*tensorPiece; column++ {
				w.cta.tensor.shadow.Specify(4*uint64(lane*tensorColumns+column), 4, order.Assumed)
			}
		}
	}
}

// followTensorCopy accounts for tcgen05.cp.
func followTensorCopy(w *warp, in *inst, m uint32, from *order.Lanes) {
	t := in.multiply.copy
	before := slices.Clone(w.tensor().cells)
	in.rule.exec(w, in, m)
	for thread := range lanesOf(m) {
		matrix := w.tensorMatrix(in, wide(w.slot(t.source))[thread], false)
		for row := range t.rows {
			w.followRow(in, &matrix, thread, row, t.bytes, from)
		}
		_, column := w.tensorAt(in, &t.address, 1<<thread)
		for lane := range tensorLanes {
			for c := range t.bytes / 4 {
				cell := w.tensorCell(in, lane, column+c)
				w.storeCell(in, thread, cell, before[cell], from)
			}
		}
	}
}

// followRow accounts for bytes of a row in shared memory.
func (w *warp) followRow(in *inst, matrix *descriptor.Matrix, thread, row, bytes int, from *order.Lanes) {
	for o := 0; o < bytes; o += 4 {
		w.followLoad(in, &in.rule.op, thread, isa.Shared, uint64(matrix.At(row, o)), 4, from)
	}
}

// followTensorProduct accounts for tcgen05.mma: each element of D depends on all of A and
// B, and on what it is added to.
func followTensorProduct(w *warp, in *inst, m uint32, from *order.Lanes) {
	before := slices.Clone(w.tensor().cells)
	in.rule.exec(w, in, m)
	p := in.multiply.product
	for thread := range lanesOf(m) {
		s, _ := p.shapeOf(w.slot(p.idesc)[thread])
		w.followFactors(in, &s, thread, from)
		base, column := w.tensorAt(in, &p.d, 1<<thread)
		adds := w.pred(p.add, p.addFlip)>>thread&1 != 0
		for i := range s.m {
			for j := range s.n {
				lane, col := p.place(&s, i, j)
				if p.stays(w, base+lane, thread) {
					continue
				}
				cell, own := w.tensorCell(in, base+lane, column+col), *from
				if adds {
					w.loadCell(in, thread, cell, &own)
				}
				w.storeCell(in, thread, cell, before[cell], &own)
			}
		}
	}
}

// followFactors accounts for A and B and their scales.
func (w *warp) followFactors(in *inst, s *productShape, thread int, from *order.Lanes) {
	p := in.multiply.product
	shared := func(bits uint64, mn bool, first, n, size int) {
		matrix := w.tensorMatrix(in, bits, mn)
		for i := first; i < first+n; i++ {
			if !mn {
				w.followRow(in, &matrix, thread, i, 2*exchange.RowBytes, from)
				continue
			}
			for k := range s.k {
				w.followLoad(in, &in.rule.op, thread, isa.Shared, uint64(matrix.At(k, i*size)), uint64(size), from)
			}
		}
	}
	cells := func(l *location, lanes, columns int, lane func(int) int) {
		base, column := w.tensorAt(in, l, 1<<thread)
		for i := range lanes {
			for c := range columns {
				w.loadCell(in, thread, w.tensorCell(in, base+lane(i), column+c), from)
			}
		}
	}
	if p.aInTensor {
		cells(&p.a, s.m, s.k*s.bitsA/32, func(i int) int { lane, _ := p.place(s, i, 0); return lane })
	} else {
		shared(wide(w.slot(p.descA))[thread], s.mnA, 0, s.m, s.bitsA/8)
	}
	shared(wide(w.slot(p.descB))[thread], s.mnB, w.zeroColumns(in, s, thread), s.n, s.bitsB/8)
	if p.scaled {
		all := func(i int) int { return i }
		cells(&p.scaleA, tensorLanes, s.m/32, all)
		cells(&p.scaleB, tensorLanes, (s.n+31)/32, all)
	}
}
