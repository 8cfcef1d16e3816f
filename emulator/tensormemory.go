package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/words"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Tensor memory (PTX ISA 9.7.18.1): of each CTA 128 lanes of 512 columns of 32 bits, of 576
// on sm_107. Only tcgen05 reads and writes it, at addresses of a lane, in the upper half, and
// a column. Columns are allocated in pieces of 32; the CTA gets the first that are free, for it
// has all columns to itself. So an exclusive allocation, which no other may live beside, asks
// only for what the CTA has itself. What lies in columns at first nobody has specified.
//
// The operations are asynchronous in PTX; here each is done when it is issued, and who
// waits for them never has to (see wgmma.go).

const (
	tensorLanes   = 128
	tensorColumns = 576 // that there may be
	tensorPiece   = 32  // columns
	// usualColumns are those of an allocation that is not exclusive, at most, and those of a
	// CTA but on sm_107 (PTX ISA table 58).
	usualColumns = 512
)

// tensorMemory is that of a CTA.
type tensorMemory struct {
	cells []uint32 // lane after lane
	// owner of a piece is the first piece of its allocation, counted from 1.
	owner [tensorColumns / tensorPiece]uint8
	// given are allocations that the CTA's peer has made for both and that the CTA has
	// not come to yet.
	given []int
	// relinquished: the CTA may allocate no more. exclusive: what it has allocated is
	// exclusively so.
	relinquished, exclusive bool
	// shadow says who did what to it, when origins are followed.
	shadow *order.Shadow
	// seen says so of a program that is checked.
	seen *tensorCells
}

// tensorSide is a CTA whose tensor memory an operation works on, and from where on its
// shared memory lies.
type tensorSide struct {
	memory *tensorMemory
	window uint64
}

// sides returns the CTAs that an operation works on: the warp's own or, with
// .cta_group::2, the two of its pair, the even one first (PTX ISA 9.7.18.5.1).
func (w *warp) sides(in *inst, pair bool) (s [2]tensorSide, n int) {
	if !pair {
		return [2]tensorSide{{memory: w.tensor()}}, 1
	}
	ranks := w.cta.cluster.ranks
	even := int(w.cta.rankIn(w.worker.launch)) &^ 1
	if even+1 >= len(ranks) {
		w.fail(in, 1, "the CTA has no peer: .cta_group::2 needs a cluster of an even number of CTAs")
	}
	for h := range s {
		c := ranks[even+h]
		if c == nil {
			c = w.worker.absentCTA()
		}
		s[h] = tensorSide{w.tensorOf(c), address.OfRank(even + h)}
	}
	return s, 2
}

// paired reports whether an instruction works on a pair of CTAs.
func paired(x *isa.Inst) bool { return hasWord(x, "cta_group::2") }

// tensor returns the tensor memory of a warp's CTA, made when first asked for.
func (w *warp) tensor() *tensorMemory { return w.tensorOf(w.cta) }

// tensorOf returns the tensor memory of a CTA.
func (w *warp) tensorOf(c *cta) *tensorMemory {
	if c.tensor == nil {
		w.worker.hold(4 * tensorLanes * tensorColumns)
		c.tensor = &tensorMemory{cells: make([]uint32, tensorLanes*tensorColumns)}
	}
	if t := c.tensor; w.worker.prog.decisions > 0 && t.shadow == nil {
		t.shadow = order.NewShadow(4*int64(len(t.cells)), order.Assumed, w.worker.hold)
		t.shadow.Private = w.worker.launch.shape.size == 1
	}
	return c.tensor
}

// reset makes the tensor memory of a CTA as new for another.
func (t *tensorMemory) reset() {
	if t == nil {
		return
	}
	clear(t.cells)
	t.owner, t.relinquished, t.exclusive, t.given = [tensorColumns / tensorPiece]uint8{}, false, false, t.given[:0]
	if t.shadow != nil {
		t.shadow.Reset(order.Assumed)
	}
	if t.seen != nil {
		t.seen.clocks = nil
	}
}

// cell returns a cell's number; it is a fault if nobody has allocated it.
func (t *tensorMemory) cell(w *warp, in *inst, lane, column int) int {
	if lane < 0 || lane >= tensorLanes || column < 0 || column >= tensorColumns || t.owner[column/tensorPiece] == 0 {
		w.fail(in, 1, "tensor memory: lane %d, column %d is not allocated", lane, column)
	}
	return lane*tensorColumns + column
}

// buildTensorAlloc decodes tcgen05.alloc [dst], columns (PTX ISA 9.7.18.7.1).
func buildTensorAlloc(c *compiler, in *ir.Instr, i *inst) error {
	e := &access{}
	c.access(in, e, &in.Ops()[0])
	i.mem, i.width, i.vec, i.b, i.exec = e, 4, 1, c.source(in, 1), execTensorAlloc
	i.multiply = &multiply{pair: paired(in.Inst), columns: c.allocates(in.Inst)}
	return nil
}

// columnsOf says what an allocation may have: how many columns, and whether it is exclusive; most
// are the columns that the machine has.
type columnsOf struct {
	exclusive bool
	most      int
}

func (c *compiler) allocates(x *isa.Inst) columnsOf {
	most := usualColumns
	if c.mod.Target.SM == 107 {
		most = tensorColumns
	}
	return columnsOf{exclusive: hasWord(x, "exclusive"), most: most}
}

func execTensorAlloc(w *warp, in *inst, m uint32) {
	n, t := w.pieces32(in, in.b, m), w.tensor()
	if t.relinquished {
		w.fail(in, m, "the CTA has relinquished its right to allocate tensor memory")
	}
	var first int
	if given := t.given; in.multiply.pair && len(given) > 0 {
		if first = given[0]; n != t.pieces(first) {
			w.fail(in, m, "the CTA's peer has allocated %d columns of tensor memory for both, not %d", t.pieces(first)*tensorPiece, n*tensorPiece)
		}
		t.given = given[1:]
	} else {
		first = w.allocate(in, m, n)
	}
	w.worker.stores++
	lane := bits.TrailingZeros32(m) // one store, of the warp
	words.Put(w.bytesAt(in, lane, in.mem.space, w.addresses(in)[lane], 4, true), uint64(first*tensorPiece))
}

// allocate gives the first n pieces that are free side by side, in both CTAs of a pair,
// of which the one that comes first allocates for the other, too.
func (w *warp) allocate(in *inst, m uint32, n int) (first int) {
	sides, two := w.sides(in, in.multiply.pair)
	taken := func() bool {
		for _, s := range sides[:two] {
			if slices.ContainsFunc(s.memory.owner[first:first+n], func(o uint8) bool { return o != 0 }) {
				return true
			}
		}
		return false
	}
	most := in.multiply.columns.most / tensorPiece
	for first+n <= most && taken() {
		first++
	}
	for _, s := range sides[:two] {
		if s.memory.owner != [tensorColumns / tensorPiece]uint8{} && (s.memory.exclusive || in.multiply.columns.exclusive) {
			w.fail(in, m, "an exclusive allocation of tensor memory waits for all others to end: the CTA would wait for itself for ever")
		}
	}
	if first+n > most {
		w.fail(in, m, "the CTA has no %d columns of tensor memory side by side left: it would wait for ever", n*tensorPiece)
	}
	for _, s := range sides[:two] {
		s.memory.exclusive = in.multiply.columns.exclusive
		for i := range n {
			s.memory.owner[first+i] = uint8(first + 1)
		}
		if s.memory != w.tensor() {
			s.memory.given = append(s.memory.given, first)
		}
	}
	return first
}

// pieces returns how many pieces an allocation has.
func (t *tensorMemory) pieces(first int) (n int) {
	for _, o := range t.owner {
		if o == uint8(first+1) {
			n++
		}
	}
	return n
}

// pieces32 reads a number of columns, the same in all lanes: a power of two of 32 to 512 or,
// of an exclusive allocation, a multiple of 32.
func (w *warp) pieces32(in *inst, o operand, m uint32) int {
	n, c := w.uniform(in, o, m, "number of columns"), in.multiply.columns
	switch {
	case c.exclusive && (n < tensorPiece || n > uint32(c.most) || n%tensorPiece != 0):
		w.fail(in, m, "%d columns: a multiple of %d up to %d is expected", n, tensorPiece, c.most)
	case !c.exclusive && (n < tensorPiece || n > usualColumns || n&(n-1) != 0):
		w.fail(in, m, "%d columns: a power of two from %d to %d is expected", n, tensorPiece, usualColumns)
	}
	return int(n / tensorPiece)
}

// buildTensorDealloc decodes tcgen05.dealloc taddr, columns.
func buildTensorDealloc(c *compiler, in *ir.Instr, i *inst) error {
	i.a, i.b, i.exec = c.source(in, 0), c.source(in, 1), execTensorDealloc
	i.multiply = &multiply{columns: c.allocates(in.Inst)}
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
	if t.exclusive != in.multiply.columns.exclusive {
		w.fail(in, m, "tensor memory is deallocated with .exclusive exactly where it was allocated so")
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
