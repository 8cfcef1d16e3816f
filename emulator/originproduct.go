package emulator

import "hyptx/internal/order"

// followTensorProduct accounts for tcgen05.mma: each element of D depends on all of A and
// B, and on what it is added to.
func followTensorProduct(w *warp, in *inst, m uint32, from *order.Lanes) {
	p := in.multiply.product
	sides, two := w.sides(in, p.pair)
	before := copies(sides[:two])
	in.rule.exec(w, in, m)
	if w.worker.product.invalid {
		from.Add(m, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
	}
	for thread := range lanesOf(m) {
		s, _ := p.shapeOf(w.slot(p.idesc)[thread])
		pipeline := w.pipeline(in, &s, thread)
		w.tensoring.Issue(thread, pipeline, order.Pipelines{Some: [3]uint16{order.TensorCopy, order.TensorShift}})
		for h, side := range sides[:two] {
			w.followFactors(in, side, &s, thread, s.n/two, from)
			w.tensoring.After(order.Pipelines{Some: [3]uint16{order.TensorCopy, order.TensorShift, pipeline}})
			w.followD(in, side, &s, thread, h, before[h], from)
		}
	}
}

// pipeline returns the pipeline of products with the accumulator and the shape of one, a hash
// of them. For those of another that work on the same cells nothing is said of the order.
func (w *warp) pipeline(in *inst, s *productShape, thread int) uint16 {
	base, column := w.tensorAt(in, &in.multiply.product.d, 1<<thread)
	h := uint32(2166136261) // FNV-1a
	for _, v := range []int{base, column, s.m, s.n, s.k} {
		h = (h ^ uint32(v)) * 16777619
	}
	return order.TensorProduct | uint16(h>>16^h)
}

// followD accounts for what a CTA has of D.
func (w *warp) followD(in *inst, side tensorSide, s *productShape, thread, h int, before []uint32, from *order.Lanes) {
	p := in.multiply.product
	base, column := w.tensorAt(in, &p.d, 1<<thread)
	adds := w.pred(p.add, p.addFlip)>>thread&1 != 0
	for part := range p.parts(s) {
		for i := range s.rows {
			lane := base + p.lane(s, i, part)
			if p.stays(w, h*tensorLanes+lane, thread) {
				continue
			}
			for j := range s.n / p.parts(s) {
				cell, own := side.memory.cell(w, in, lane, column+j), *from
				if adds {
					w.loadCell(in, side.memory, thread, cell, &own)
				}
				w.storeCell(in, side.memory, thread, cell, before[cell], &own)
			}
		}
	}
}

// followFactors accounts for what a CTA has of A and B, and for their metadata and scales.
func (w *warp) followFactors(in *inst, side tensorSide, s *productShape, thread, n int, from *order.Lanes) {
	p := in.multiply.product
	shared := func(bits uint64, mn bool, first, n, k, size int) {
		matrix := w.tensorMatrix(in, bits, mn)
		for i := first; i < first+n; i++ {
			if !mn {
				w.followRow(in, side, &matrix, thread, i, k*size/8, from)
				continue
			}
			for k := range k {
				w.followPiece(in, side, thread, matrix.At(k, i*size/8), uint64(size/8), from)
			}
		}
	}
	cells := func(l *location, lanes, columns int, lane func(int) int) {
		base, column := w.tensorAt(in, l, 1<<thread)
		for i := range lanes {
			for c := range columns {
				w.loadCell(in, side.memory, thread, side.memory.cell(w, in, min(base+lane(i), tensorLanes-1), column+c), from)
			}
		}
	}
	if !p.aInTensor {
		shared(wide(w.slot(p.descA))[thread], s.mnA, 0, s.rows, s.stored, s.bitsA)
	}
	for part := range p.parts(s) {
		row := func(i int) int { return p.lane(s, i, part) }
		if p.aInTensor && p.shifted {
			row = func(i int) int { return p.lane(s, i, part) + 1 }
		}
		if p.aInTensor {
			cells(&p.a, s.rows, s.stored*s.bitsA/32, row)
		}
		if p.sparse {
			first, _, _ := p.metadataAt(s, 0, 0, part)
			columns := map[bool]int{true: 1 + s.selector, false: 2}[s.bitsA >= 16]
			cells(&p.meta, s.rows, columns, func(i int) int { return first + p.lane(s, i, 0) })
		}
	}
	if p.table {
		shared(wide(w.slot(p.descB))[thread], false, 0, n, lookupBytes, 8)
		cells(&p.lookup, n/8, 2, func(i int) int { return i })
	} else {
		shared(wide(w.slot(p.descB))[thread], s.mnB, w.zeroColumns(in, s, thread), n, s.k, s.bitsB)
	}
	if p.scaled {
		all := func(i int) int { return i }
		cells(&p.scaleA, tensorLanes, s.rows/32, all)
		cells(&p.scaleB, tensorLanes, (s.n/p.parts(s)+31)/32, all)
	}
}
