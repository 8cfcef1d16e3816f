package emulator

import (
	"slices"

	"hyptx/emulator/internal/descriptor"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Origins through wgmma. What a product depends on is all of its registers and all that
// its warp reads in shared memory. Until the warp has waited for it (wgmma.wait_group)
// its result is undefined for everybody but a product that adds to it.
//
// What products read is asynchronous work, of a third warp, w.multiplying, whose groups are
// those of wgmma: until they are waited for they go on reading, whatever barriers others
// pass. Who has waited knows that the products of its warpgroup, which are one, have read.
// It knows of nothing else that the other warps have done, since a wait is no barrier.

// pendingProduct is a wgmma, or a load from tensor memory, that nobody has waited for: where it writes, the number of
// its group.
type pendingProduct struct {
	frame *frame
	in    *inst
	group uint64
}

// follow returns what accounts for a multiply that is no mma.
func (e *multiply) follow() func(w *warp, in *inst, m uint32, from *order.Lanes) {
	switch {
	case e.group != nil:
		return followGroupProduct
	case e.move != nil:
		return followTensorMove
	case e.copy != nil:
		return followTensorCopy
	case e.shift != nil:
		return followTensorShift
	}
	return followTensorProduct
}

// followGroupProduct accounts for what a wgmma reads.
func followGroupProduct(w *warp, in *inst, m uint32, from *order.Lanes) {
	t, p := in.rule, in.multiply.group
	adds := w.pred(p.add, p.addFlip)&m != 0
	*from = order.Lanes{}
	for _, u := range t.uses {
		switch own := slices.Contains(t.defs, u); {
		case !own:
			w.unfinished(u, m, from)
		case !adds:
			continue
		}
		*from = from.Or(*w.originsOf(w.frame, u))
		from.Leave(m) // a descriptor is an address
	}
	w.multiplying.Acquire(1, w.order.Release(m)) // lane 0 reads
	if len(p.a) == 0 {
		matrix := descriptor.Warpgroup(w.uniformWide(in, p.descA, m), p.mnA)
		w.followMatrix(in, &matrix, w.number%groupWarps*16, 16, p.bytesA, p.bits, from)
	}
	matrix := descriptor.Warpgroup(w.uniformWide(in, p.descB, m), p.mnB)
	w.followMatrix(in, &matrix, 0, len(p.d)/p.per*8, p.bytesB, p.bits, from)
	*from = from.Spread(fullMask).And(m)
	t.exec(w, in, m)
	w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.frame == w.frame && p.in == in })
	w.products = append(w.products, pendingProduct{w.frame, in, w.groups})
}

// unfinished adds that a register holds what nobody has waited for, if it does.
func (w *warp) unfinished(place int32, m uint32, from *order.Lanes) {
	for i := range w.products {
		if p := &w.products[i]; p.frame == w.frame && slices.Contains(p.in.rule.defs, place) {
			from.Add(m, order.Undefined, w.worker.launch.log.Note(order.Unfinished, uint32(p.in.pc)))
		}
	}
}

// followMatrix accounts for rows of a matrix in shared memory, so many bytes of each.
func (w *warp) followMatrix(in *inst, matrix *descriptor.Matrix, first, rows, bytes, bits int, from *order.Lanes) {
	size := 4
	if matrix.Transposed() {
		size = bits / 8
	}
	for row := first; row < first+rows; row++ {
		for offset := 0; offset < bytes; offset += size {
			at := matrix.At(row, offset)
			if matrix.Transposed() {
				at = matrix.At(offset/size, row*size)
			}
			w.followLoadBy(&w.multiplying, in, &in.rule.op, 0, isa.Shared, uint64(at), uint64(size), from)
		}
	}
}

// followGroupCommit ends a group of products.
func followGroupCommit(w *warp, _ *inst, _ uint32, _ *order.Lanes) {
	w.groups++
	w.multiplying.Commit(1)
}

// waitProducts ends the products of a warp that it waits for, of all groups but the latest,
// and tells its warpgroup that they have read.
func (w *warp) waitProducts(in *inst, bar *barrier) {
	w.multiplying.WaitRead(1, uint32(in.width))
	bar.meeting.Read(&w.multiplying, w.multiplying.Stamp())
	w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.in.multiply.group != nil && p.group+uint64(in.width) < w.groups })
}
