package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/words"
	"hyptx/internal/order"
	"hyptx/ir"
)

// Tensor memory (PTX ISA 9.7.18.1): of each CTA 128 lanes of 512 columns of 32 bits. Only
// tcgen05 reads and writes it, at addresses of a lane, in the upper half, and a column.
// Columns are allocated in pieces of 32; the CTA gets the first that are free, for it has
// all columns to itself. What lies in them at first nobody has specified.
//
// The operations are asynchronous in PTX; here each is done when it is issued, and who
// waits for them never has to (see wgmma.go).

const (
	tensorLanes   = 128
	tensorColumns = 512
	tensorPiece   = 32 // columns
)

// tensorMemory is that of a CTA.
type tensorMemory struct {
	cells []uint32 // lane after lane
	// owner of a piece is the first piece of its allocation, counted from 1.
	owner [tensorColumns / tensorPiece]uint8
	// relinquished: the CTA may allocate no more.
	relinquished bool
	// shadow says who did what to it, when origins are followed.
	shadow *order.Shadow
}

// tensor returns the tensor memory of a warp's CTA, made when first asked for.
func (w *warp) tensor() *tensorMemory {
	c := w.cta
	if c.tensor == nil {
		w.worker.hold(4 * tensorLanes * tensorColumns)
		c.tensor = &tensorMemory{cells: make([]uint32, tensorLanes*tensorColumns)}
	}
	if t := c.tensor; w.worker.prog.decisions > 0 && t.shadow == nil {
		t.shadow = order.NewShadow(4*int64(len(t.cells)), order.Assumed, w.worker.hold)
		t.shadow.Private = true
	}
	return c.tensor
}

// reset makes the tensor memory of a CTA as new for another.
func (t *tensorMemory) reset() {
	if t == nil {
		return
	}
	clear(t.cells)
	t.owner, t.relinquished = [tensorColumns / tensorPiece]uint8{}, false
	if t.shadow != nil {
		t.shadow.Reset(order.Assumed)
	}
}

// tensorCell returns a cell's number; it is a fault if nobody has allocated it.
func (w *warp) tensorCell(in *inst, lane, column int) int {
	t := w.cta.tensor
	if t == nil || lane < 0 || lane >= tensorLanes || column < 0 || column >= tensorColumns || t.owner[column/tensorPiece] == 0 {
		w.fail(in, 1, "tensor memory: lane %d, column %d is not allocated", lane, column)
	}
	return lane*tensorColumns + column
}

// buildTensorAlloc decodes tcgen05.alloc [dst], columns (PTX ISA 9.7.18.7.1).
func buildTensorAlloc(c *compiler, in *ir.Instr, i *inst) error {
	e := &access{}
	c.access(in, e, &in.Ops[0])
	i.mem, i.width, i.vec, i.b, i.exec = e, 4, 1, c.source(in, 1), execTensorAlloc
	return nil
}

func execTensorAlloc(w *warp, in *inst, m uint32) {
	n, t := w.pieces32(in, in.b, m), w.tensor()
	if t.relinquished {
		w.fail(in, m, "the CTA has relinquished its right to allocate tensor memory")
	}
	first := 0
	for first+n <= len(t.owner) && slices.ContainsFunc(t.owner[first:first+n], func(o uint8) bool { return o != 0 }) {
		first++
	}
	if first+n > len(t.owner) {
		w.fail(in, m, "the CTA has no %d columns of tensor memory side by side left: it would wait for ever", n*tensorPiece)
	}
	for i := range n {
		t.owner[first+i] = uint8(first + 1)
	}
	w.worker.stores++
	lane := bits.TrailingZeros32(m) // one store, of the warp
	words.Put(w.bytesAt(in, lane, in.mem.space, w.addresses(in)[lane], 4, true), uint64(first*tensorPiece))
}

// pieces32 reads a number of columns: a power of two of 32 to 512, the same in all lanes.
func (w *warp) pieces32(in *inst, o operand, m uint32) int {
	n := w.uniform(in, o, m, "number of columns")
	if n < tensorPiece || n > tensorColumns || n&(n-1) != 0 {
		w.fail(in, m, "%d columns: a power of two from %d to %d is expected", n, tensorPiece, tensorColumns)
	}
	return int(n / tensorPiece)
}

// buildTensorDealloc decodes tcgen05.dealloc taddr, columns.
func buildTensorDealloc(c *compiler, in *ir.Instr, i *inst) error {
	i.a, i.b, i.exec = c.source(in, 0), c.source(in, 1), execTensorDealloc
	return nil
}

func execTensorDealloc(w *warp, in *inst, m uint32) {
	n, t := w.pieces32(in, in.b, m), w.tensor()
	at := w.uniform(in, in.a, m, "address")
	first := int(at / tensorPiece)
	if at%tensorPiece != 0 || first+n > len(t.owner) {
		w.fail(in, m, "%d columns from %#x on are no allocation of tensor memory", n*tensorPiece, at)
	}
	for i := range t.owner {
		if own := t.owner[i] == uint8(first+1); own != (i >= first && i < first+n) {
			w.fail(in, m, "%d columns from %#x on are no allocation of tensor memory", n*tensorPiece, at)
		}
	}
	clear(t.owner[first : first+n])
}

// buildTensorRelinquish decodes tcgen05.relinquish_alloc_permit.
func buildTensorRelinquish(_ *compiler, _ *ir.Instr, i *inst) error {
	i.exec = func(w *warp, _ *inst, _ uint32) { w.tensor().relinquished = true }
	return nil
}

// tensorAddress decodes [taddr].
func (c *compiler) tensorAddress(in *ir.Instr, op *ir.Operand) location {
	l, _ := c.location(in, &op.Elems()[0])
	return l
}

// tensorAt returns the lane and the column of an address, the same for all lanes of m.
func (w *warp) tensorAt(in *inst, l *location, m uint32) (lane, column int) {
	addr := w.addressesOf(l)
	first := -1
	for i := range lanesOf(m) {
		if at := int(uint32(addr[i])); first < 0 {
			first = at
		} else if at != first {
			w.fail(in, 1<<i, "the address in tensor memory differs between threads of a warp: %#x and %#x", first, at)
		}
	}
	return first >> 16, first & 0xffff
}
