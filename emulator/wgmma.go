package emulator

import (
	mathbits "math/bits"
	"slices"

	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// wgmma multiplies 64 rows of A with N columns of B for a warpgroup: four warps from a
// multiple of four on (PTX ISA 9.7.17). Warp i of them has rows 16i to 16i+15, of A in
// registers, of D, and of the metadata of a sparse A; the others' registers it never
// needs, so that each warp computes its own share: of every 8 columns a product as mma
// has it, in the same places of the registers.
//
// What is in shared memory each warp reads when it issues its wgmma, which is one of the
// moments that the manual allows. A program may give memory free when one of the warps
// has waited for the product, which belongs to all four; so at wgmma.wait_group they
// meet, as at a barrier: then all have issued what any of them waits for.

// The warps of a warpgroup, and how many warpgroups a CTA of 1024 threads has.
const (
	groupWarps = 4
	numGroups  = 1024 / (groupWarps * lanes.Width)
)

// groupProduct is a wgmma: d, a, b, metadata and its selector, whether d is added, the
// signs of a and b, and how they lie in shared memory.
type groupProduct struct {
	fn         lanes.MatrixFn
	d, a       []operand // a: nothing, if it has a descriptor
	descA      operand
	descB      operand
	meta       operand // off is -1 without
	add        int32   // the predicate
	addFlip    uint32
	negA, negB uint32 // the bits of the signs in a word
	mnA, mnB   bool
	per        int // registers of d for 8 columns
	bits       int // of an element
	bytesA     int // of a row of a, and of a column of b
	bytesB     int
}

// groupSpace is room for the fragments of one product of a warp: a, b, zeros, what is
// copied to d where lanes are off.
type groupSpace struct {
	a, b, t [4]lanes.Slot
	zero    lanes.Slot
	list    [5][]*lanes.Slot
}

// groupSpace returns the worker's.
func (wk *worker) groupSpace() *groupSpace {
	if wk.group == nil {
		wk.group = new(groupSpace)
	}
	return wk.group
}

// buildGroupProduct decodes wgmma.mma_async and .sp: d, a, b{, sp, select}, scaleD{,
// scaleA, scaleB}{, transA}{, transB}. Of one number at the end, which goes with a in
// registers, the table says transB, of two that the first is.
func buildGroupProduct(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	m, _ := matrixOf(x)
	m.M, m.C = 16, m.D
	p := &groupProduct{bits: m.A.Bits(), per: 4, meta: operand{off: -1}}
	if m.SubByte != 0 {
		p.bits = m.SubByte
	}
	if m.D == isa.F16 {
		p.per = 2
	}
	p.bytesB = m.K * p.bits / 8
	p.bytesA = p.bytesB
	named := map[string]*ir.Operand{}
	for n := range in.Ops() {
		if in.Ops()[n].Kind != ir.NoOperand {
			named[x.Form.Operands[n].Name] = &in.Ops()[n]
		}
	}
	if m.Sparse = x.Op == isa.OpWgmmaMmaAsyncSp; m.Sparse {
		p.bytesA /= 2
		m.Selector, p.meta = int(named["select"].Imm), c.place(in, named["sp"])
	}
	p.d, p.descB = c.results(named["d"]), c.place(in, named["b"])
	inRegisters := named["a"].Kind == ir.OperandVec
	if inRegisters {
		p.a = c.elements(in, named["a"])
	} else {
		p.descA = c.place(in, named["a"])
	}
	p.add, p.addFlip = c.predicate(in, named["scaleD"])
	p.negA, p.negB = turnedSigns(named["scaleA"], p.bits), turnedSigns(named["scaleB"], p.bits)
	transA, transB := named["transB"], named["transA"]
	if inRegisters {
		transA, transB = transB, transA
	}
	p.mnA, p.mnB = transA != nil && transA.Imm != 0, transB != nil && transB.Imm != 0
	if p.fn = lanes.MMA(m); m.Sparse {
		p.fn = lanes.MMANarrow(m)
	}
	switch wide := c.elementBits(named["a"]) == 64; {
	case p.fn == nil:
		return c.unsupported(in, "this shape with these types")
	case wide == inRegisters:
		return c.unsupported(in, "a is four registers of 32 bits, or a descriptor of 64")
	case named["transB"] != nil && (transB == nil || inRegisters && transA != nil):
		return c.unsupported(in, "of a and b those with a descriptor may be transposed, each has a number that says so")
	case m.Selector > 1 || m.Selector > 0 && p.bits < 16:
		return c.unsupported(in, "the manual leaves this selector of metadata undefined")
	case !oneOf(named["scaleA"], 1, -1) || !oneOf(named["scaleB"], 1, -1) || !oneOf(transA, 0, 1) || !oneOf(transB, 0, 1):
		return c.unsupported(in, "scales are 1 or -1, transpositions 0 or 1")
	}
	i.multiply, i.exec = &multiply{group: p}, execGroupProduct
	if m.Sparse {
		i.multiply.meta, i.multiply.open = p.meta, lanes.MetadataRule(m, false)
	}
	return nil
}

// oneOf reports whether a number, where there is one, is among some.
func oneOf(op *ir.Operand, list ...int32) bool {
	return op == nil || slices.Contains(list, int32(op.Imm))
}

// turnedSigns are the signs of the elements in a word that a scale of -1 turns.
func turnedSigns(scale *ir.Operand, width int) (signs uint32) {
	if scale == nil || int32(scale.Imm) != -1 {
		return 0
	}
	for at := width - 1; at < 32; at += width {
		signs |= 1 << at
	}
	return signs
}

// execGroupProduct computes a warp's share of a wgmma.
func execGroupProduct(w *warp, in *inst, m uint32) {
	p, s := in.multiply.group, w.worker.groupSpace()
	a := w.groupA(in, m)
	more := s.list[4][:0]
	if p.meta.off >= 0 {
		more = append(more, w.slot(p.meta))
	}
	s.list[4] = more
	adds := w.pred(p.add, p.addFlip) & m
	if adds != 0 && adds != m {
		w.fail(in, adds, "scale-d differs between threads of a warp")
	}
	matrix := descriptor.Warpgroup(w.uniformWide(in, p.descB, m), p.mnB)
	for n := 0; n*p.per < len(p.d); n++ {
		w.gatherMatrix(in, &matrix, 8*n, p.bytesB, 1, p.bits, &s.b)
		b, c, d := s.list[1][:0], s.list[2][:0], s.list[3][:0]
		for k := range p.bytesB / 16 {
			negate(&s.b[k], p.negB)
			b = append(b, &s.b[k])
		}
		part := p.d[n*p.per:][:p.per]
		for k, o := range part {
			if c, d = append(c, &s.zero), append(d, &s.t[k]); adds != 0 && o.off >= 0 {
				c[k] = w.slot(o)
			}
		}
		p.fn(d, a, b, c, more)
		for k, o := range part {
			if o.off >= 0 {
				lanes.Commit32(w.slot(o), d[k], m)
			}
		}
		s.list[1], s.list[2], s.list[3] = b, c, d
	}
}

// groupA returns the fragment of a warp's rows of a.
func (w *warp) groupA(in *inst, m uint32) []*lanes.Slot {
	p, s := in.multiply.group, w.worker.groupSpace()
	if len(p.a) == 0 {
		matrix := descriptor.Warpgroup(w.uniformWide(in, p.descA, m), p.mnA)
		w.gatherMatrix(in, &matrix, w.number%groupWarps*16, p.bytesA, 2, p.bits, &s.a)
	}
	a := s.list[0][:0]
	for n := range s.a {
		if n < len(p.a) {
			s.a[n] = *w.slot(p.a[n])
		}
		negate(&s.a[n], p.negA)
		a = append(a, &s.a[n])
	}
	s.list[0] = a
	return a
}

// negate turns the signs of a register's elements.
func negate(s *lanes.Slot, signs uint32) {
	for lane := range s {
		s[lane] ^= signs
	}
}

// gatherMatrix fills the registers of a fragment, as mma has it, from a matrix in shared
// memory: a lane has 4 bytes of a row of A, or of a column of B, 16 bytes further in
// the next register, but of A the row 8 further comes before. first is the first row.
func (w *warp) gatherMatrix(in *inst, matrix *descriptor.Matrix, first, bytes, rows, bits int, to *[4]lanes.Slot) {
	w.checkLine(in, matrix, bytes)
	for r := range bytes / 16 * rows {
		for lane := range lanes.Width {
			line, offset := first+lane/4+r%rows*8, r/rows*16+lane%4*4
			to[r][lane] = w.sharedWord(in, matrix, line, offset, bits)
		}
	}
}

// sharedWord reads 4 bytes of a row of A, or of a column of B.
func (w *warp) sharedWord(in *inst, matrix *descriptor.Matrix, line, offset, bits int) (word uint32) {
	if !matrix.Transposed() {
		return uint32(words.Get(w.bytesAt(in, 0, isa.Shared, uint64(matrix.At(line, offset)), 4, false)))
	}
	size := bits / 8 // lines run along rows, and the elements are apart
	for n := range 4 / size {
		at := matrix.At(offset/size+n, line*size)
		word |= uint32(words.Get(w.bytesAt(in, 0, isa.Shared, uint64(at), size, false))) << (n * bits)
	}
	return word
}

// uniformWide is uniform for descriptors.
func (w *warp) uniformWide(in *inst, o operand, m uint32) uint64 {
	s := wide(w.slot(o))
	first := s[mathbits.TrailingZeros32(m)]
	for lane := range lanesOf(m) {
		if s[lane] != first {
			w.fail(in, 1<<lane, "the descriptor of a matrix differs between threads of a warp: %#x and %#x", first, s[lane])
		}
	}
	return first
}

// fillGroupWait decodes wgmma.wait_group.
func (c *compiler) fillGroupWait(s *segment, in *ir.Instr) {
	s.bar = &barrierInfo{group: true, aligned: true, src: noPred, divergent: c.counter(1)}
	s.bar.follow = c.origins != nil && c.origins.Run.Has(in.PC)
	s.in.width = uint8(min(in.Ops()[0].Imm, 255))
}

// meetsAt reports whether a warp is one of those for which barrier id is.
func (w *warp) meetsAt(id int) bool {
	return id < numBarriers || w.number/groupWarps == id-numBarriers
}
