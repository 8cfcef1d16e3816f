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
	w.factors(in, s, thread, n, func(at uint32, bytes uint64) {
		for o := uint64(0); o < bytes; o += 4 {
			w.followPiece(in, side, thread, at+uint32(o), min(4, bytes-o), from)
		}
	}, func(lane, column int) {
		w.loadCell(in, side.memory, thread, side.memory.cell(w, in, lane, column), from)
	})
}
