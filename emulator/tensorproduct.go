package emulator

import (
	"math"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tcgen05.mma multiplies into tensor memory, for a single thread that issues it (PTX ISA
// 9.7.18.10): D = A*B + D with B in shared memory, A there or in tensor memory. As in mma
// products are added by ascending k, D last, and the sum is rounded once.
//
// Shapes, types and what is transposed do not stand in the text but in an instruction
// descriptor, so that all is found when it is executed (tensorshape.go). First both matrices are
// read as numbers into the worker's room, B once and A part by part: from shared memory by a
// descriptor, whose swizzles package descriptor knows, from tensor memory lane by lane. Then
// each element of D is a dot product of two rows of that room, which costs no look at formats
// any more. A pair of CTAs does this for both its sides: B's columns come from both, rows
// of A and D stay with their own.

// tensorProduct is what the text of a tcgen05.mma says.
type tensorProduct struct {
	productKind
	d, a           location // a in tensor memory
	aInTensor      bool
	descA, descB   operand
	idesc          operand
	off            []operand // lanes of D that stay
	meta           location  // of a sparse A
	lookup         location  // the table of B
	shifted        bool      // a lane has the next one's row of A
	scaleA, scaleB location
	add            int32 // the predicate
	addFlip        uint32
	shrink         int // D is divided by 2 to this
	columns        operand
	masked         bool // columns is given
}

// productSpace is room for the elements of a product, and what is known of it.
type productSpace struct {
	a       [128 * 64]float64
	b       [256 * 128]float64
	column  [128 * 64]uint8 // of an element of a sparse A
	factorA [128 * 4]float64
	factorB [4][256 * 4]float64 // by the quarter of the lanes
	zero    [256]bool
	invalid bool // metadata, or numbers, that the manual does not allow
}

// buildTensorProduct decodes tcgen05.mma, .sp, .ws and .ws.sp.
func buildTensorProduct(c *compiler, in *ir.Instr, i *inst) error {
	p := &tensorProduct{productKind: productKindOf(in.Inst), shifted: hasWord(in.Inst, "ashift")}
	for n := range in.Ops() {
		if in.Ops()[n].Kind != ir.NoOperand {
			p.operand(c, in, n)
		}
	}
	if p.shrink > 0 && (p.name != "f16" && p.name != "tf32" || p.shrink > 15) {
		return c.unsupported(in, "D is scaled by 0 to 15, in the kinds f16 and tf32 alone")
	}
	i.multiply, i.exec = &multiply{product: p}, execTensorProduct
	return nil
}

// operand decodes one of the operands.
func (p *tensorProduct) operand(c *compiler, in *ir.Instr, n int) {
	switch op := &in.Ops()[n]; in.Inst.Form.Operands[n].Name {
	case "d":
		p.d = c.tensorAddress(in, op)
	case "a":
		if p.aInTensor = op.Kind == ir.OperandBrackets; p.aInTensor {
			p.a = c.tensorAddress(in, op)
		} else {
			p.descA = c.place(in, op)
		}
	case "b":
		p.descB = c.place(in, op)
	case "metaB":
		p.lookup = c.tensorAddress(in, op)
	case "meta":
		if p.table && !p.sparse {
			p.lookup = c.tensorAddress(in, op)
		} else {
			p.meta = c.tensorAddress(in, op)
		}
	case "idesc":
		p.idesc = c.place(in, op)
	case "lanes":
		p.off = c.elements(in, op)
	case "scaleA":
		p.scaleA = c.tensorAddress(in, op)
	case "scaleB":
		p.scaleB = c.tensorAddress(in, op)
	case "enable":
		p.add, p.addFlip = c.predicate(in, op)
	case "scale":
		p.shrink = int(op.Imm)
	case "columns":
		p.columns, p.masked = c.place(in, op), true
	}
}

// execTensorProduct multiplies for each lane that executes it, as each issues a product of its
// own; nearly always that is one, elected.
func execTensorProduct(w *warp, in *inst, m uint32) {
	w.worker.stores++
	w.productSpace().invalid = false
	for thread := range lanesOf(m) {
		w.multiplyTensor(in, thread)
	}
}

// multiplyTensor is one product, of a thread. Of a pair each CTA has half of the rows of A
// and of D, and half of the columns of B.
func (w *warp) multiplyTensor(in *inst, thread int) {
	p, sp := in.multiply.product, w.productSpace()
	s, why := p.shapeOf(w.slot(p.idesc)[thread])
	words := 4
	if p.pair {
		words = 8
	}
	switch {
	case why != "":
	case p.shifted && (s.m < 128 || !p.aInTensor):
		why = ".ashift is for an A of 128 or 256 rows in tensor memory"
	case len(p.off) > 0 && len(p.off) != words:
		why = "the lanes of D that stay are four words, eight of a pair of CTAs"
	}
	if why != "" {
		w.fail(in, 1<<thread, "%s", why)
	}
	// All of B is read before anything of D is written.
	sides, two := w.sides(in, p.pair)
	shift, each := w.zeroColumns(in, &s, thread), s.n/two
	for h, side := range sides[:two] {
		bits := wide(w.slot(p.descB))[thread]
		b := w.tensorMatrix(in, bits, s.mnB)
		if p.table {
			w.lookUpB(in, side, &b, &s, thread, each, int(bits>>53&1), sp.b[h*each*s.k:])
			continue
		}
		rows := tensorRows{first: shift, n: each, k: s.k, typ: s.b, bits: s.bitsB, negate: s.negB}
		w.readTensorRows(in, side, &b, rows, sp.b[h*each*s.k:])
	}
	for h, side := range sides[:two] {
		for part := range p.parts(&s) {
			w.readA(in, side, &s, thread, part)
			if p.sparse {
				w.readMetadata(in, side, &s, thread, part)
			}
			if p.scaled {
				w.readScales(in, side, &s, thread, part)
			}
			w.multiplyPart(in, side, &s, thread, h, part)
		}
	}
}

// multiplyPart writes a part of the columns of what a CTA has of D.
func (w *warp) multiplyPart(in *inst, side tensorSide, s *productShape, thread, h, part int) {
	p, sp, cells := in.multiply.product, w.worker.product, side.memory.cells
	load, store := lanes.Accumulator(s.d, s.saturate)
	adds := w.pred(p.add, p.addFlip)>>thread&1 != 0
	base, column := w.tensorAt(in, &p.d, 1<<thread)
	w.checkBase(in, s, base)
	width := s.n / p.parts(s)
	for i := range s.rows {
		lane := base + p.lane(s, i, part)
		if p.stays(w, h*tensorLanes+lane, thread) {
			continue
		}
		for j := range width {
			cell := side.memory.cell(w, in, lane, column+j)
			old, sum := cells[cell], 0.0
			if !sp.zero[part*width+j] {
				sum = sp.dot(s, i, part*width+j, lane/32)
			}
			if adds {
				sum += math.Ldexp(load(old), -p.shrink)
			}
			cells[cell] = store(sum)
			if watch := w.worker.watched; watch != nil {
				watch.look(w, s, thread, lane, i, part*width+j, old, cells[cell], adds)
			}
		}
	}
}

// dot is an element of the product of A and B, in a quarter of the lanes.
func (sp *productSpace) dot(s *productShape, i, j, quarter int) (sum float64) {
	x, y := sp.a[i*s.stored:][:s.stored], sp.b[j*s.k:][:s.k]
	if s.vec == 0 && s.stored == s.k { // dense, without factors: nearly all
		for k, v := range x {
			sum += v * y[k]
		}
		return sum
	}
	// A factor belongs to a block of k, on both sides. Of a sparse A only what is not zero is
	// stored, and its metadata name the columns: these choose the element of B, and the block.
	block := s.k
	if s.vec > 0 {
		block = s.k / s.vec
	}
	for n, v := range x {
		k := n
		if s.stored != s.k {
			k = int(sp.column[i*s.stored+n])
		}
		u := y[k]
		if s.vec > 0 {
			v *= sp.factorA[i*4+k/block]
			u *= sp.factorB[quarter][j*4+k/block]
		}
		sum += v * u
	}
	return sum
}

// productSpace returns the worker's room for products, made when first asked for.
func (w *warp) productSpace() *productSpace {
	if w.worker.product == nil {
		w.worker.product = &productSpace{}
	}
	return w.worker.product
}

// stays reports whether a lane of D is not to be written.
func (p *tensorProduct) stays(w *warp, lane, thread int) bool {
	return len(p.off) > 0 && w.slot(p.off[lane/32])[thread]>>(lane%32)&1 != 0
}

// checkBase fails where D or A does not begin at a lane where it may: at 0, or, with 16
// lanes of each warp, at 16.
func (w *warp) checkBase(in *inst, s *productShape, lane int) {
	if lane != 0 && (lane != 16 || !in.multiply.product.half(s)) {
		w.fail(in, 1, "a matrix of %d rows cannot begin at lane %d of tensor memory", s.m, lane)
	}
}

// readA reads a CTA's rows of A, from shared or from tensor memory.
func (w *warp) readA(in *inst, side tensorSide, s *productShape, thread, part int) {
	p, sp := in.multiply.product, w.worker.product
	if !p.aInTensor {
		if part == 0 {
			a := w.tensorMatrix(in, wide(w.slot(p.descA))[thread], s.mnA)
			w.readTensorRows(in, side, &a, tensorRows{0, s.rows, s.stored, s.a, s.bitsA, s.negA}, sp.a[:])
		}
		return
	}
	if s.mnA {
		w.fail(in, 1<<thread, "A in tensor memory is not transposed")
	}
	value, below := w.element(s.a, s.negA), 0
	if s.a.Bits() == 4 && s.bitsA == 8 { // as tcgen05.cp leaves it
		below = 2
	}
	base, column := w.tensorAt(in, &p.a, 1<<thread)
	w.checkBase(in, s, base)
	per := 32 / s.bitsA
	for i := range s.rows {
		lane := base + p.lane(s, i, part)
		if p.shifted && lane+1 < tensorLanes {
			lane++
		}
		for k := range s.stored {
			word := side.memory.cells[side.memory.cell(w, in, lane, column+k/per)]
			sp.a[i*s.stored+k] = value(word >> (k % per * s.bitsA) & (1<<s.bitsA - 1) >> below)
		}
	}
}

// element returns how a code becomes a number. One that the manual does not allow is noted.
func (w *warp) element(t isa.Type, negate bool) func(uint32) float64 {
	value := signed(lanes.Element(t), negate)
	if t != isa.S16 {
		return value
	}
	sp := w.productSpace()
	return func(code uint32) float64 {
		sp.invalid = sp.invalid || code&lanes.MagnitudeGap != 0
		return value(code)
	}
}

// signed negates what a function makes of a code, if asked to.
func signed(value func(uint32) float64, negate bool) func(uint32) float64 {
	if !negate {
		return value
	}
	return func(code uint32) float64 { return -value(code) }
}
