package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Work on tensor memory (tcgen05) of a program that is checked, as the detector has it (origintensor.go):
// products, copies and shifts go on by themselves until an object says that what a tcgen05.commit tracks is
// done, loads and stores until tcgen05.wait. So they have numbers of their own in cells, beside the warp's,
// and times: how many commits, or waits, of the warp came before. Who has seen that the object's phase is
// over knows the one, a warp that has waited the other, and tells others.
//
// Of what one thread begins some is in order though nobody has waited (order.Pipelines). A warp
// whose threads issue such work in turns is left to the detector.

// tensorCells are the cells of a CTA's tensor memory, one for 16 lanes of a column: fewer are accessed
// only by copies of 4 rows. An access of a part of them is taken for one of all, by which the filter knows of
// less order than there is, never of more.
type tensorCells struct {
	sharedCells
	pipeline []uint16 // of the last write
}

const (
	tensorCellLanes = 16
	tensorCellRows  = tensorLanes / tensorCellLanes
	tensorCellBytes = 3*8 + 2
)

// begunTensor is what a warp has begun: the thread that issues products, copies and shifts, counted from 1, and
// how many waits for loads and for stores there were.
type begunTensor struct {
	issuer int
	waits  [2]uint64
}

// checkTensor makes instructions look that work on tensor memory.
func (c *compiler) checkTensor(in *ir.Instr, i *inst) {
	c.prog.apart, c.prog.tensors = true, true
	exec, look := i.exec, (func(w *warp, in *inst, m uint32))(nil)
	switch m := i.multiply; {
	case in.Inst.Op == isa.OpTcgen05WaitLd, in.Inst.Op == isa.OpTcgen05WaitSt:
		loads := in.Inst.Op == isa.OpTcgen05WaitLd
		i.exec = func(w *warp, in *inst, m uint32) { w.waitTensor(in, m, loads) }
		return
	case in.Inst.Op == isa.OpTcgen05Alloc:
		i.mem.checked = &checkedAccess{exec: exec, bytes: 4, look: lookGeneric, global: lookGlobalWrite, shared: lookSharedWrite, local: lookLocalWrite}
		if i.mem.space == isa.Shared {
			i.mem.checked.look = lookSharedWrite
		}
		i.exec = execAllocChecked
		return
	case m == nil: // a fence, or a permission
		return
	case m.move != nil && m.move.sparse == nil:
		if c.fn.ir != c.prog.Kernel {
			c.prog.unfiltered = true // its registers may be handed on
		}
		look = lookTensorMove
	case m.copy != nil:
		look = lookTensorCopy
	case m.shift != nil:
		look = lookTensorShift
	case m.product != nil:
		look = lookTensorProduct
	case in.Inst.Op == isa.OpTcgen05Dealloc:
		return
	default:
		c.prog.unfiltered = true
		return
	}
	i.exec = func(w *warp, in *inst, m uint32) { // which sees first that all is allocated
		exec(w, in, m)
		look(w, in, m)
	}
}

// seen returns the cells of a tensor memory, as of its CTA.
func (w *warp) seen(t *tensorMemory) *tensorCells {
	clocks := w.beginApart().clocks
	if t.seen == nil {
		n := tensorCellRows * tensorColumns
		w.worker.hold(int64(n) * tensorCellBytes)
		t.seen = &tensorCells{pipeline: make([]uint16, n)}
		t.seen.write, t.seen.read, t.seen.readers = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	}
	if s := t.seen; s.clocks != clocks {
		clear(s.write)
		clear(s.read)
		s.clocks, s.apart = clocks, true
	}
	return t.seen
}

// execAllocChecked looks at the address that is stored, and forgets what was known of the columns.
func execAllocChecked(w *warp, in *inst, m uint32) {
	in.mem.checked.look(w, in, m&-m, w.addresses(in), in.mem.checked.bytes)
	sides, two := w.sides(in, in.multiply.pair)
	var before [2][tensorColumns / tensorPiece]uint8
	for h, side := range sides[:two] {
		before[h] = side.memory.owner
	}
	in.mem.checked.exec(w, in, m)
	for h, side := range sides[:two] {
		s := w.seen(side.memory)
		for piece, owner := range side.memory.owner {
			if owner != before[h][piece] {
				at := piece * tensorPiece * tensorCellRows
				clear(s.write[at:][:tensorPiece*tensorCellRows])
				clear(s.read[at:][:tensorPiece*tensorCellRows])
			}
		}
	}
}

// tensorLook is what looks at an operation: who it is, as cells have it, what that knows, and what it is in
// order with besides.
type tensorLook struct {
	w        *warp
	in       *inst
	lane     int
	row      warpTimes
	self     uint64
	pipeline uint16
	after    order.Pipelines
}

// touch looks at a cell that it reads or writes. What it does both to it writes it.
func (l *tensorLook) touch(s *tensorCells, lane, column int, writes bool) {
	const thread = cellThread + 1 // none: what a thread has begun it does not know to be done
	k := uint64(column*tensorCellRows + lane/tensorCellLanes)
	written := s.write[k]
	ordered := written == 0 || s.before(l.row, written, thread)
	if !ordered && written&cellThread == l.self&cellThread { // begun by the same thread
		ordered = l.after.Has(s.pipeline[k])
	}
	if !ordered || writes && s.read[k] != 0 && !s.readBefore(l.row, k, thread) {
		l.w.suspect(l.in)
	}
	if !writes {
		s.reads(l.row, 0, k, l.self)
		return
	}
	s.write[k], s.read[k], s.pipeline[k] = l.self, 0, l.pipeline
}

// lookTensorMove looks at a load of tensor memory, or a store.
func lookTensorMove(w *warp, in *inst, m uint32) {
	t, s := in.multiply.move, w.seen(w.tensor())
	if m != w.alive {
		w.unfiltered(in.pc)
	}
	stores := 0
	if t.stores {
		stores = 1
	}
	number := s.clocks.number(tensorLoads+stores, w.clockNumber())
	l := tensorLook{w: w, in: in, row: w.cta.cells.row(w), self: (streamTimes+w.begunTensor.waits[stores]+1)<<cellTime | uint64(number)<<5}
	last := -1
	w.cellsOf(in, m, func(_, _, cell int) {
		lane, column := cell/tensorColumns, cell%tensorColumns
		if k := column*tensorCellRows + lane/tensorCellLanes; k != last { // threads side by side have the same
			l.touch(s, lane, column, t.stores)
			last = k
		}
		if t.packed {
			l.touch(s, lane, column+1, t.stores)
		}
	})
	if !t.stores {
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.frame == w.frame && p.in == in })
		w.products = append(w.products, pendingProduct{w.frame, in, 0})
	}
}

// waitTensor ends the loads of a warp, or the stores.
func (w *warp) waitTensor(in *inst, m uint32, loads bool) {
	if m != w.alive {
		w.unfiltered(in.pc)
	}
	work, waits := tensorStores, &w.begunTensor.waits[1]
	if loads {
		work, waits = tensorLoads, &w.begunTensor.waits[0]
		w.products = slices.DeleteFunc(w.products, func(p pendingProduct) bool { return p.in.multiply.move != nil })
	}
	s := w.beginApart()
	clear(s.clocks.room)
	*waits++
	s.clocks.room[s.clocks.number(work, w.clockNumber())] = uint32(streamTimes + *waits)
	s.learn(w, m, s.clocks.room)
}

// issue begins work of a lane on tensor memory, other than loads and stores.
func (w *warp) issue(in *inst, lane int, pipeline uint16, after order.Pipelines) tensorLook {
	s := w.beginApart()
	if of := &w.begunTensor.issuer; *of == 0 {
		*of = lane + 1
	} else if *of != lane+1 {
		w.unfiltered(in.pc)
	}
	c, n := s.clocks, w.clockNumber()
	row := s.rowOf(w, 1<<lane)
	copy(c.begun[n], row)
	for v := s.first; v < s.first+s.warps; v++ { // what all of the CTA know, for other CTAs
		c.begun[n][v] = max(c.begun[n][v], s.now-1)
	}
	return tensorLook{
		w: w, in: in, lane: lane, row: row, pipeline: pipeline, after: after,
		self: (streamTimes+w.groups+1)<<cellTime | uint64(c.number(productWork, n))<<5,
	}
}

// lookTensorCopy looks at tcgen05.cp.
func lookTensorCopy(w *warp, in *inst, m uint32) {
	t := in.multiply.copy
	sides, two := w.sides(in, t.pair)
	after := order.Pipelines{}
	if t.rows == 4 {
		after.Some[0] = order.TensorShift
	}
	for thread := range lanesOf(m) {
		l := w.issue(in, thread, order.TensorCopy, after)
		matrix := w.tensorMatrix(in, wide(w.slot(t.source))[thread], false)
		base, column := w.tensorAt(in, &t.address, 1<<thread)
		for _, side := range sides[:two] {
			p := l.pieces(side)
			for row := range t.rows {
				for o := 0; o < t.bytes; o += exchange.RowBytes {
					p.look(matrix.At(row, o), exchange.RowBytes)
				}
			}
			s := w.seen(side.memory)
			_, step := t.lanes(base)
			for lane := base; lane < tensorLanes; lane += max(step, tensorCellLanes) {
				for c := range t.bytes / 4 {
					l.touch(s, lane, column+c, true)
				}
			}
		}
	}
}

// lookTensorShift looks at tcgen05.shift, which reads what it writes and a lane more.
func lookTensorShift(w *warp, in *inst, m uint32) {
	t := in.multiply.shift
	sides, two := w.sides(in, t.pair)
	for thread := range lanesOf(m) {
		l := w.issue(in, thread, order.TensorShift, order.Pipelines{Products: true})
		base, column := w.tensorAt(in, &t.address, 1<<thread)
		for _, side := range sides[:two] {
			s := w.seen(side.memory)
			for lane := base; lane < base+lanes.Width; lane += tensorCellLanes {
				for c := column; c < column+shiftColumns; c++ {
					l.touch(s, lane, c, true)
				}
			}
		}
	}
}

// lookTensorProduct looks at tcgen05.mma.
func lookTensorProduct(w *warp, in *inst, m uint32) {
	p := in.multiply.product
	sides, two := w.sides(in, p.pair)
	for thread := range lanesOf(m) {
		shape, _ := p.shapeOf(w.slot(p.idesc)[thread])
		l := w.issue(in, thread, w.pipeline(in, &shape, thread), order.Pipelines{Some: [3]uint16{order.TensorCopy, order.TensorShift}})
		for _, side := range sides[:two] {
			s, pieces := w.seen(side.memory), l.pieces(side)
			w.factors(in, &shape, thread, shape.n/two, pieces.look, func(lane, column int) { l.touch(s, lane, column, false) })
		}
		l.after.Some[2] = l.pipeline
		base, column := w.tensorAt(in, &p.d, 1<<thread)
		for _, side := range sides[:two] {
			s := w.seen(side.memory)
			for part := range p.parts(&shape) {
				rows := uint(0) // of cells
				for i := range shape.rows {
					rows |= 1 << ((base + p.lane(&shape, i, part)) / tensorCellLanes)
				}
				for ; rows != 0; rows &= rows - 1 {
					for j := range shape.n / p.parts(&shape) {
						l.touch(s, bits.TrailingZeros(rows)*tensorCellLanes, column+j, true)
					}
				}
			}
		}
	}
}

// pieces returns what looks at the shared memory of a side that the work reads.
func (l *tensorLook) pieces(side tensorSide) pieceLook {
	w := l.w
	p := pieceLook{w: w, in: l.in, lane: l.lane, s: w.cta.cells, row: l.row, thread: uint64(w.clockNumber()*lanes.Width + l.lane), self: l.self}
	if side.window != 0 {
		if p.s, _ = w.far(l.in, l.lane, side.window, true); p.s == nil {
			w.unfiltered(l.in.pc)
		}
	}
	return p
}

// execCommitChecked looks at tcgen05.commit: an arrival at an object, or at those of several CTAs, that tells of
// all that the thread has begun and of what it knew when it did.
func execCommitChecked(w *warp, in *inst, m uint32) {
	addr, object, s := *w.addresses(in), in.mem.object, w.beginApart()
	c, n := s.clocks, w.clockNumber()
	w.worker.stores++
	for lane := range lanesOf(m) {
		if of := w.begunTensor.issuer; of != 0 && of != lane+1 {
			w.unfiltered(in.pc)
		}
		told := uint32(streamTimes + w.groups + 1)
		w.groups++
		arrive := func(at uint64) {
			p, ok := w.clockOf(in, lane, in.mem.space, at)
			if !ok {
				w.updateObject(in, lane, at, 1)
				return
			}
			w.touchObject(in, lane, &p)
			p.touchLate()
			p.alike(w, in, 1)
			p.comesLate(w, in, -1, c.begun[n])
			p.open.join(c.begun[n])
			p.open[c.number(productWork, n)] = told
			p.changes(func() { w.updateObject(in, lane, at, 1) })
		}
		if !object.multicast {
			arrive(addr[lane])
			continue
		}
		for ctas := w.slot(object.ctas)[lane]; ctas != 0; ctas &= ctas - 1 {
			arrive(w.inCTA(in, lane, bits.TrailingZeros32(ctas), in.mem.space, addr[lane]))
		}
	}
}
