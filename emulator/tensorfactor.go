package emulator

import (
	"hyptx/emulator/internal/descriptor"
	"hyptx/emulator/internal/exchange"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/ir/isa"
)

// What a tcgen05.mma reads beside D: rows in shared memory, metadata and scales in tensor
// memory, and which columns are zero.

// tensorRows are n rows of A, or columns of B, from the first on: each of k elements of a
// type, which take some bits.
type tensorRows struct {
	first, n, k int
	typ         isa.Type
	bits        int
	negate      bool
}

// readTensorRows reads rows from shared memory. Elements of fewer than 8 bits that are to be
// bytes are packed.
func (w *warp) readTensorRows(in *inst, side tensorSide, matrix *descriptor.Matrix, r tensorRows, to []float64) {
	value := w.element(r.typ, r.negate)
	mask := uint32(1<<r.bits - 1)
	if matrix.Transposed() {
		size := r.bits / 8
		for i := range r.n {
			for k := range r.k {
				at := side.window + uint64(matrix.At(k, (r.first+i)*size))
				to[i*r.k+k] = value(uint32(words.Get(w.bytesAt(in, 0, isa.Shared, at, size, false))) & mask)
			}
		}
		return
	}
	packed := 0
	if r.typ.Bits() < r.bits {
		packed = r.typ.Bits()
	}
	w.checkLine(in, matrix, r.k*r.bits/8)
	per := exchange.RowBytes * 8 / r.bits
	for i := range r.n {
		for unit := range r.k / per {
			row := w.tensorRow(in, side, matrix, r.first+i, unit*exchange.RowBytes, packed)
			halves := [2]uint64{words.Get(row[:8]), words.Get(row[8:])}
			for e := range per {
				at := e * r.bits
				to[i*r.k+unit*per+e] = value(uint32(halves[at/64]>>(at%64)) & mask)
			}
		}
	}
}

// lookUpB makes numbers of the indices that stand for columns of B (PTX ISA 9.7.18.4.1 and
// 9.7.18.10.8): a column has 48 bytes, and 64 indices of 3 bits in the first or the second
// half of them. Eight columns have the same eight numbers: two words, in lane n/8 of the
// table. That the lanes follow each other so is a public implementation's reading of the
// manual's figures 279 and 282; the rest is its text.
func (w *warp) lookUpB(in *inst, side tensorSide, matrix *descriptor.Matrix, s *productShape, thread, n, half int, to []float64) {
	value := w.element(s.b, s.negB)
	base, column := w.tensorAt(in, &in.multiply.product.lookup, 1<<thread)
	if base != 0 || column%2 != 0 {
		w.fail(in, 1<<thread, "a table begins at lane 0 and an even column of tensor memory, not at lane %d, column %d", base, column)
	}
	w.checkLine(in, matrix, lookupBytes)
	var indices [lookupBytes]byte
	for j := range n {
		for at := 0; at < lookupBytes; at += exchange.RowBytes {
			row := w.tensorRow(in, side, matrix, j, at, 0)
			copy(indices[at:], row[:])
		}
		var table uint64
		for word := range 2 {
			table |= uint64(side.memory.cells[side.memory.cell(w, in, j/8, column+word)]) << (32 * word)
		}
		for k := range s.k {
			bit := half*lookupBytes*4 + 3*k
			index := (uint(indices[bit/8]) | uint(indices[min(bit/8+1, lookupBytes-1)])<<8) >> (bit % 8) & 7
			to[j*s.k+k] = value(uint32(table >> (8 * index) & 0xff))
		}
	}
}

// lookupBytes are the bytes of indices of 128 rows of a column of B.
const lookupBytes = 48

// metadataAt returns where the four bits of a chunk of row i stand: the lane, the column,
// and the first bit (PTX ISA 9.7.18.10.8.4, whose figures are CUTLASS' layouts tmem_e_frg
// and tmem_e_frg_ws). With elements of 16 bits and tf32 a row has 16 bits in a lane of 8
// whose upper halves are those of the 8 rows that follow, and the other half of its columns
// stands 8 lanes below; with smaller ones a row's lane has all, in two columns.
func (p *productKind) metadataAt(s *productShape, i, chunk, part int) (lane, column, bit int) {
	if s.bitsA < 16 {
		return p.lane(s, i, part), chunk / 8, chunk % 8 * 4
	}
	return p.lane(s, i/16*16+i%8+chunk/4*8, part), s.selector, i/8%2*16 + chunk%4*4
}

// readMetadata reads which columns the elements of a sparse A belong to.
func (w *warp) readMetadata(in *inst, side tensorSide, s *productShape, thread, part int) {
	p, sp := in.multiply.product, w.worker.product
	base, column := w.tensorAt(in, &p.meta, 1<<thread)
	w.checkBase(in, s, base)
	stored, allowed := 2, lanes.OfTensorMMA
	switch s.bitsA {
	case 32:
		stored, allowed = 1, lanes.OneOfTwo
	case 4:
		stored = 4
	}
	for i := range s.rows {
		for n := range s.stored {
			chunk, which := n/stored, n%stored
			lane, col, bit := p.metadataAt(s, i, chunk, part)
			bits := int(side.memory.cells[side.memory.cell(w, in, base+lane, column+col)] >> bit & 15)
			sp.invalid = sp.invalid || !allowed.Holds(uint32(bits))
			k := 4*chunk + bits>>(2*which)&3
			switch stored {
			case 1: // 0100 says the first of two, 1110 the second
				k = 2*chunk + bits>>3
			case 4:
				k = 8*chunk + bits>>(which/2*2)&3*2 + which%2
			}
			sp.column[i*s.stored+n] = uint8(k)
		}
	}
}

// readScales reads the scales of a CTA's rows of A and of the columns of B: of number n in
// lane n%32, of each warp, and in column n/32 (PTX ISA 9.7.18.10.7). Where the columns are
// cut into parts each part's begin anew.
func (w *warp) readScales(in *inst, side tensorSide, s *productShape, thread, part int) {
	p, sp := in.multiply.product, w.worker.product
	value := lanes.Scale(s.scale)
	read := func(l *location, quarter, n, id, block int) float64 {
		base, column := w.tensorAt(in, l, 1<<thread)
		if base != 0 {
			w.fail(in, 1<<thread, "scales cannot begin at lane %d of tensor memory", base)
		}
		word := side.memory.cells[side.memory.cell(w, in, quarter*32+n%32, column+n/32)]
		return value(word >> (8 * (id + block)) & 0xff)
	}
	parts := p.parts(s)
	width, quarters := s.n/parts, 4/parts
	for block := range s.vec {
		for i := range s.rows {
			sp.factorA[i*4+block] = read(&p.scaleA, (part*s.rows+i)/32, i, s.scaleA, block)
		}
		for quarter := part * quarters; quarter < (part+1)*quarters; quarter++ {
			for j := range width {
				sp.factorB[quarter][(part*width+j)*4+block] = read(&p.scaleB, quarter, j, s.scaleB, block)
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

// factors tells what a product reads of a CTA for a thread, beside D: of shared memory, in pieces of up to 16
// bytes of a line, what it has of A and of n columns of B; of tensor memory A, metadata, scales and tables.
func (w *warp) factors(in *inst, s *productShape, thread, n int, shared func(at uint32, bytes uint64), cell func(lane, column int)) {
	p := in.multiply.product
	rows := func(bits uint64, mn bool, first, n, k, size int) {
		matrix := w.tensorMatrix(in, bits, mn)
		for i := first; i < first+n; i++ {
			if !mn {
				for o := 0; o < k*size/8; o += exchange.RowBytes {
					shared(matrix.At(i, o), uint64(min(exchange.RowBytes, k*size/8-o)))
				}
				continue
			}
			for k := range k {
				shared(matrix.At(k, i*size/8), uint64(size/8))
			}
		}
	}
	cells := func(l *location, lanes, columns int, lane func(int) int) {
		base, column := w.tensorAt(in, l, 1<<thread)
		for i := range lanes {
			for c := range columns {
				cell(min(base+lane(i), tensorLanes-1), column+c)
			}
		}
	}
	if !p.aInTensor {
		rows(wide(w.slot(p.descA))[thread], s.mnA, 0, s.rows, s.stored, s.bitsA)
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
		rows(wide(w.slot(p.descB))[thread], false, 0, n, lookupBytes, 8)
		cells(&p.lookup, n/8, 2, func(i int) int { return i })
	} else {
		rows(wide(w.slot(p.descB))[thread], s.mnB, w.zeroColumns(in, s, thread), n, s.k, s.bitsB)
	}
	if p.scaled {
		all := func(i int) int { return i }
		cells(&p.scaleA, tensorLanes, s.rows/32, all)
		cells(&p.scaleB, tensorLanes, (s.n/p.parts(s)+31)/32, all)
	}
}
