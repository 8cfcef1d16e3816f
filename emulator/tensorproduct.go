package emulator

import (
	"math"

	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// tcgen05.mma multiplies into tensor memory, for a single thread that issues it (PTX ISA
// 9.7.18.10): D = A*B + D with B in shared memory, A there or in tensor memory. As in mma
// products are added by ascending k, D last, and the sum is rounded once.

// tensorProduct is what the text of a tcgen05.mma says.
type tensorProduct struct {
	productKind
	d, a           location // a in tensor memory
	aInTensor      bool
	descA, descB   operand
	idesc          operand
	off            []operand // lanes of D that stay
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
	b       [256 * 64]float64
	factorA [128 * 4]float64
	factorB [4][256 * 4]float64 // by the quarter of the lanes
	zero    [256]bool
}

// buildTensorProduct decodes tcgen05.mma and .ws.
func buildTensorProduct(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	p := &tensorProduct{productKind: productKind{ws: x.Op == isa.OpTcgen05MmaWs, scaled: hasWord(x, "block_scale")}}
	for _, name := range []string{"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"} {
		if hasWord(x, "kind::"+name) {
			p.name = name
		}
	}
	for word, vec := range map[string]int{"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4, "block16": 4} {
		if hasWord(x, word) {
			p.vec = vec
		}
	}
	if hasWord(x, "block32") {
		p.vec = map[bool]int{true: 1, false: 2}[p.name == "mxf8f6f4"]
	}
	for n := range in.Ops {
		op := &in.Ops[n]
		if op.Kind == ir.NoOperand {
			continue
		}
		switch x.Form.Operands[n].Name {
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
	switch {
	case p.shrink > 0 && (p.name != "f16" && p.name != "tf32" || p.shrink > 15):
		return c.unsupported(in, "D is scaled by 0 to 15, in the kinds f16 and tf32 alone")
	case len(p.off) > 0 && len(p.off) != 4:
		return c.unsupported(in, "the lanes of D that stay are four words")
	}
	i.multiply, i.exec = &multiply{product: p}, execTensorProduct
	return nil
}

func execTensorProduct(w *warp, in *inst, m uint32) {
	w.worker.stores++
	for thread := range lanesOf(m) {
		w.multiplyTensor(in, thread)
	}
}

// multiplyTensor is one product, of a thread.
func (w *warp) multiplyTensor(in *inst, thread int) {
	p, sp, memory := in.multiply.product, w.productSpace(), w.tensor()
	s, why := p.shapeOf(w.slot(p.idesc)[thread])
	if why != "" {
		w.fail(in, 1<<thread, "%s", why)
	}
	w.readA(in, &s, thread)
	shift := w.zeroColumns(in, &s, thread)
	b := w.tensorMatrix(in, wide(w.slot(p.descB))[thread], s.mnB)
	w.readTensorRows(in, &b, shift, s.n, &s, s.b, s.bitsB, s.negB, sp.b[:])
	if p.scaled {
		w.readScales(in, &s, thread)
	}
	load, store := lanes.Accumulator(s.d, s.saturate)
	adds := w.pred(p.add, p.addFlip)>>thread&1 != 0
	base, column := w.tensorAt(in, &p.d, 1<<thread)
	w.checkBase(in, &s, base)
	for i := range s.m {
		for j := range s.n {
			lane, col := p.place(&s, i, j)
			lane += base
			cell := w.tensorCell(in, lane, column+col)
			if p.stays(w, lane, thread) {
				continue
			}
			sum := 0.0
			if !sp.zero[j] {
				sum = sp.dot(&s, i, j)
			}
			if adds {
				sum += math.Ldexp(load(memory.cells[cell]), -p.shrink)
			}
			memory.cells[cell] = store(sum)
		}
	}
}

// dot is an element of the product of A and B.
func (sp *productSpace) dot(s *productShape, i, j int) (sum float64) {
	x, y := sp.a[i*s.k:][:s.k], sp.b[j*s.k:][:s.k]
	if s.vec == 0 {
		for k, v := range x {
			sum += v * y[k]
		}
		return sum
	}
	lane := i / 32
	block := s.k / s.vec
	for k, v := range x {
		sum += v * sp.factorA[i*4+k/block] * (y[k] * sp.factorB[lane][j*4+k/block])
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
	if lane != 0 && (lane != 16 || s.m != 64 || in.multiply.product.ws) {
		w.fail(in, 1, "a matrix of %d rows cannot begin at lane %d of tensor memory", s.m, lane)
	}
}

// readA reads A, from shared or from tensor memory.
func (w *warp) readA(in *inst, s *productShape, thread int) {
	p, sp := in.multiply.product, w.productSpace()
	if !p.aInTensor {
		a := w.tensorMatrix(in, wide(w.slot(p.descA))[thread], s.mnA)
		w.readTensorRows(in, &a, 0, s.m, s, s.a, s.bitsA, s.negA, sp.a[:])
		return
	}
	if s.m != 128 && p.ws || s.a.Bits() < 8 && s.bitsA == 8 || s.mnA {
		w.fail(in, 1<<thread, "A of %d rows of %s in tensor memory: where its elements lie the manual shows in figures alone", s.m, s.a)
	}
	value := signed(lanes.Element(s.a), s.negA)
	base, column := w.tensorAt(in, &p.a, 1<<thread)
	w.checkBase(in, s, base)
	per := 32 / s.bitsA
	for i := range s.m {
		lane, _ := p.place(s, i, 0)
		for k := range s.k {
			word := w.tensor().cells[w.tensorCell(in, base+lane, column+k/per)]
			sp.a[i*s.k+k] = value(word >> (k % per * s.bitsA) & (1<<s.bitsA - 1))
		}
	}
}

// signed negates what a function makes of a code, if asked to.
func signed(value func(uint32) float64, negate bool) func(uint32) float64 {
	if !negate {
		return value
	}
	return func(code uint32) float64 { return -value(code) }
}

// readTensorRows reads n rows of A, or columns of B, from shared memory: each of 32 bytes
// of elements, of which those of fewer than 8 bits that are to be bytes are packed.
func (w *warp) readTensorRows(in *inst, matrix *descriptor.Matrix, first, n int, s *productShape, t isa.Type, bits int, negate bool, to []float64) {
	value := signed(lanes.Element(t), negate)
	mask := uint32(1<<bits - 1)
	if matrix.Transposed() {
		size := bits / 8
		for i := range n {
			for k := range s.k {
				at := matrix.At(k, (first+i)*size)
				to[i*s.k+k] = value(uint32(words.Get(w.bytesAt(in, 0, isa.Shared, uint64(at), size, false))) & mask)
			}
		}
		return
	}
	packed := 0
	if t.Bits() < bits {
		packed = t.Bits()
	}
	w.checkLine(in, matrix, 2*exchange.RowBytes)
	per := exchange.RowBytes * 8 / bits
	for i := range n {
		for unit := range s.k / per {
			row := w.tensorRow(in, matrix, first+i, unit*exchange.RowBytes, packed)
			halves := [2]uint64{words.Get(row[:8]), words.Get(row[8:])}
			for e := range per {
				at := e * bits
				to[i*s.k+unit*per+e] = value(uint32(halves[at/64]>>(at%64)) & mask)
			}
		}
	}
}

// readScales reads the scales of the rows of A and of the columns of B: of number n in
// lane n%32, of each warp, and in column n/32 (PTX ISA 9.7.18.10.7).
func (w *warp) readScales(in *inst, s *productShape, thread int) {
	p, sp := in.multiply.product, w.productSpace()
	value := lanes.Scale(s.scale)
	read := func(l *location, quarter, n, id, block int) float64 {
		base, column := w.tensorAt(in, l, 1<<thread)
		if base != 0 {
			w.fail(in, 1<<thread, "scales cannot begin at lane %d of tensor memory", base)
		}
		word := w.tensor().cells[w.tensorCell(in, quarter*32+n%32, column+n/32)]
		return value(word >> (8 * (id + block)) & 0xff)
	}
	for block := range s.vec {
		for i := range s.m {
			sp.factorA[i*4+block] = read(&p.scaleA, i/32, i, s.scaleA, block)
		}
		for quarter := range sp.factorB {
			for j := range s.n {
				sp.factorB[quarter][j*4+block] = read(&p.scaleB, quarter, j, s.scaleB, block)
			}
		}
	}
}

// zeroColumns reads the zero-column mask descriptor (PTX ISA 9.7.18.4.3): which columns
// of D get nothing of B, and how far B's are shifted. A mask is for a part of the columns
// and goes on in runs of zeros and of ones, as long as "use" and "skip" say plus one; it
// begins with the kind that the first span names, of which a number of bits is left out.
func (w *warp) zeroColumns(in *inst, s *productShape, thread int) (shift int) {
	p, sp := in.multiply.product, w.productSpace()
	clear(sp.zero[:])
	if !p.masked {
		return 0
	}
	bits := wide(w.slot(p.columns))[thread]
	if bits>>39&1 != 0 {
		runs := [2]int{int(bits>>48&0xff) + 1, int(bits>>40&0xff) + 1} // of zeros, of ones
		part := s.n * s.m / 128
		for j := range s.n {
			which := j / part
			at := j%part + int(bits>>(8*which)&0xff)
			zeros := runs[0]
			if bits>>(32+which)&1 != 0 { // ones first
				at += runs[0]
			}
			sp.zero[j] = at%(runs[0]+runs[1]) >= zeros
		}
	}
	return int(bits >> 56 & 0x3f)
}
