package emulator

import (
	"math"
	"math/bits"
	"slices"

	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Origins through tensor memory: it has a shadow of its own, a cell for each column of
// a lane. All that is done to it goes on by itself. Loads and stores do so until tcgen05.wait
// (w.multiplying, as there is no wgmma where there is tensor memory), the rest until an
// mbarrier says that what a tcgen05.commit tracks is done (w.tensoring). Of the rest some is
// in order with what was begun before it. The fences of tcgen05 are taken to be there.

// loadCell accounts for a read of a cell, storeCell for a write.
func (w *warp) loadCell(in *inst, t *tensorMemory, thread, cell int, from *order.Lanes) {
	by, op := w.tensorWork(in), in.rule.op
	op.Writes, op.Proxy = false, false
	w.tellPlace(0, 4*uint64(cell), 4) // tensor memory is no space
	o, cause, _ := t.shadow.Load(by, thread, &op, 4*uint64(cell), 4)
	by.Reading(thread, t.shadow, 4*uint64(cell), 4)
	from.Add(1<<thread, o, cause)
}

// tensorWork returns who does what an instruction does to tensor memory.
func (w *warp) tensorWork(in *inst) *order.Warp {
	if in.multiply.move != nil {
		return &w.multiplying
	}
	return &w.tensoring
}

func (w *warp) storeCell(in *inst, t *tensorMemory, thread, cell int, old uint32, from *order.Lanes) {
	diff := uint32(0)
	if t.cells[cell] != old {
		diff = math.MaxUint32
	}
	by := w.tensorWork(in)
	w.tellPlace(0, 4*uint64(cell), 4)
	over, why := t.shadow.Store(by, thread, &in.rule.op, 4*uint64(cell), 4, from.Of(thread)|w.implicit, from.Cause, diff, 0)
	by.Copying(thread, t.shadow, 4*uint64(cell), 4)
	if over != 0 {
		w.decide(in, over, why)
	}
}

// followTensorMove accounts for tcgen05.ld and .st.
func followTensorMove(w *warp, in *inst, m uint32, from *order.Lanes) {
	t, memory := in.multiply.move, w.tensor()
	for rest := m; rest != 0; rest &= rest - 1 { // each knows what its own thread does
		lane := rest & -rest
		w.multiplying.Acquire(lane, w.order.Release(lane))
	}
	if in.rule.op.Reads {
		w.cellsOf(in, m, func(thread, _, cell int) {
			w.loadCell(in, memory, thread, cell, from)
			if t.packed {
				w.loadCell(in, memory, thread, cell+1, from)
			}
		})
		in.rule.exec(w, in, m)
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.frame == w.frame && p.in == in })
		w.products = append(w.products, pendingProduct{w.frame, in, 0})
		return
	}
	before := slices.Clone(memory.cells)
	in.rule.exec(w, in, m)
	w.cellsOf(in, m, func(thread, _, cell int) {
		w.storeCell(in, memory, thread, cell, before[cell], from)
		if t.packed {
			w.storeCell(in, memory, thread, cell+1, before[cell+1], from)
		}
	})
}

// followTensorWait ends the loads, or the stores, that a warp has waited for.
func followTensorWait(w *warp, in *inst, m uint32, _ *order.Lanes) {
	w.multiplying.WaitFor(m, in.rule.reads)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := rest & -rest
		w.order.Acquire(lane, w.multiplying.Release(lane))
	}
	if in.rule.reads {
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.in.multiply.move != nil })
	}
}

// followTensorAlloc accounts for the address that tcgen05.alloc stores, and forgets what
// was known of the columns, whose contents are anybody's.
func followTensorAlloc(w *warp, in *inst, m uint32, from *order.Lanes) {
	sides, two := w.sides(in, in.multiply.pair)
	var free [2][tensorColumns / tensorPiece]uint8
	for h, side := range sides[:two] {
		free[h] = side.memory.owner
	}
	lane, addr := bits.TrailingZeros32(m), *w.addresses(in)
	w.keepOld(in, lane, addr[lane], 4)
	in.rule.exec(w, in, m)
	w.followStore(in, lane, in.mem.space, addr[lane], 4, from)
	for h, side := range sides[:two] {
		for piece, owner := range side.memory.owner {
			if owner == free[h][piece] {
				continue
			}
			for lane := range tensorLanes {
				for column := piece * tensorPiece; column < (piece+1)*tensorPiece; column++ {
					side.memory.shadow.Specify(4*uint64(lane*tensorColumns+column), 4, order.Assumed)
				}
			}
		}
	}
}

// copies are what lay in the tensor memory of both sides before an operation.
func copies(sides []tensorSide) (before [2][]uint32) {
	for h, side := range sides {
		before[h] = slices.Clone(side.memory.cells)
	}
	return before
}

// followTensorCopy accounts for tcgen05.cp.
func followTensorCopy(w *warp, in *inst, m uint32, from *order.Lanes) {
	t := in.multiply.copy
	sides, two := w.sides(in, t.pair)
	before := copies(sides[:two])
	in.rule.exec(w, in, m)
	after := order.Pipelines{}
	if t.rows == 4 {
		after.Some[0] = order.TensorShift
	}
	for thread := range lanesOf(m) {
		w.tensoring.Issue(thread, order.TensorCopy, after)
		matrix := w.tensorMatrix(in, wide(w.slot(t.source))[thread], false)
		base, column := w.tensorAt(in, &t.address, 1<<thread)
		for h, side := range sides[:two] {
			for row := range t.rows {
				w.followRow(in, side, &matrix, thread, row, t.bytes, from)
			}
			for lane, step := t.lanes(base); lane < tensorLanes; lane += step {
				for c := range t.bytes / 4 {
					cell := side.memory.cell(w, in, lane, column+c)
					w.storeCell(in, side.memory, thread, cell, before[h][cell], from)
				}
			}
		}
	}
}

// followTensorShift accounts for tcgen05.shift: each cell for itself.
func followTensorShift(w *warp, in *inst, m uint32, from *order.Lanes) {
	t := in.multiply.shift
	sides, two := w.sides(in, t.pair)
	before := copies(sides[:two])
	in.rule.exec(w, in, m)
	for thread := range lanesOf(m) {
		w.tensoring.Issue(thread, order.TensorShift, order.Pipelines{Products: true})
		base, column := w.tensorAt(in, &t.address, 1<<thread)
		for h, side := range sides[:two] {
			for lane := base; lane < base+lanes.Width-1; lane++ {
				for c := column; c < column+shiftColumns; c++ {
					cell, own := side.memory.cell(w, in, lane, c), *from
					w.loadCell(in, side.memory, thread, cell+tensorColumns, &own)
					w.storeCell(in, side.memory, thread, cell, before[h][cell], &own)
				}
			}
		}
	}
}

// followRow accounts for bytes of a row in shared memory.
func (w *warp) followRow(in *inst, side tensorSide, matrix *descriptor.Matrix, thread, row, bytes int, from *order.Lanes) {
	for o := 0; o < bytes; o += 4 {
		w.followPiece(in, side, thread, matrix.At(row, o), 4, from)
	}
}

// followPiece accounts for bytes of a matrix in shared memory.
func (w *warp) followPiece(in *inst, side tensorSide, thread int, at uint32, n uint64, from *order.Lanes) {
	op := in.rule.op
	op.Writes = false
	w.followLoadBy(&w.tensoring, in, &op, thread, isa.Shared, side.window+uint64(at), n, from)
}

// followTensorCommit accounts for tcgen05.commit: one arrival at an object, or at those of
// several CTAs, when all is done that the thread has begun, which tells of that and of what
// the thread knew when it began it.
func followTensorCommit(w *warp, in *inst, m uint32, from *order.Lanes) {
	addr, object := *w.addresses(in), in.mem.object
	for thread := range lanesOf(m) {
		told := order.Join(w.tensoring.Track(thread), w.tensoring.Told(thread))
		arrive := func(at uint64) {
			w.keepOld(in, thread, at, 8)
			w.updateObject(in, thread, at, int64(w.slot(in.b)[thread]))
			stored := *from
			w.followLate(in, &lateArrival{by: &w.tensoring, lane: thread, addr: at, told: told}, &stored)
		}
		if !object.multicast {
			arrive(addr[thread])
			continue
		}
		for ctas := w.slot(object.ctas)[thread]; ctas != 0; ctas &= ctas - 1 {
			arrive(w.inCTA(in, thread, bits.TrailingZeros32(ctas), in.mem.space, addr[thread]))
		}
	}
}
