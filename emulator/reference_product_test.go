package emulator

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"hyptx/ir/isa"
)

// tcgen05.mma (PTX ISA 9.7.18.10), spelling by spelling, with sizes, types, layouts and
// places that are drawn. Numbers are so small that sums are exact in double; they are
// rounded as exact fractions.

// productCase is a product.
type productCase struct {
	x                *isa.Inst
	r                *rand.Rand
	kind             string
	ws, scaled       bool
	pair, sparse     bool
	shifted          bool
	table            bool // B is looked up
	deep             bool // k is 64 where it is 32 as a rule
	m, n, k          int  // k as it is without sparsity
	d, a, b          isa.Type
	neg, transposed  [2]bool
	saturate, adds   bool
	inTensor         bool
	vec              int
	scale            isa.Type
	id               [2]int
	shrink           int
	left, right      [256][128]uint64     // codes; of B by column
	numbers          [2][256][128]float64 // what left and right stand for
	where            [256][64]int         // columns of the codes of A that are there
	scales           [2][256][4]uint64
	base             int // lane at which D, and A, begin
	off              []uint32
	selector         int
	zeros            uint64 // the descriptor of zero columns
	hasZeros         bool
	program          tensorProgram
	dAt, aAt, metaAt int // columns
	sAt              [2]int
	tableAt          int
	tables           [32][8]uint64 // of eight columns of B
	indices          [256][48]byte // of a column of B
	upper            bool          // the upper half of the indices is used
	descriptors      [2]uint64
}

func has(x *isa.Inst, word string) bool {
	return strings.Contains(x.Opcode+".", "."+word+".")
}

// kindTypes are the numbers in the descriptor of the types that a kind may have.
func kindTypes(kind string) map[isa.Type]uint32 {
	switch kind {
	case "f16":
		return map[isa.Type]uint32{isa.F16: 0, isa.BF16: 1}
	case "tf32":
		return map[isa.Type]uint32{isa.TF32: 2}
	case "i8":
		return map[isa.Type]uint32{isa.U8: 0, isa.S8: 1}
	case "ti16": // .s1z4m11
		return map[isa.Type]uint32{isa.S16: 3}
	case "mxf4", "mxf4nvf4":
		return map[isa.Type]uint32{isa.E2M1: 1}
	}
	return map[isa.Type]uint32{isa.E4M3: 0, isa.E5M2: 1, isa.E2M3: 3, isa.E3M2: 4, isa.E2M1: 5}
}

func oneAmong[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func newProductCase(x *isa.Inst, r *rand.Rand) *productCase {
	c := &productCase{x: x, r: r, ws: has(x, "ws"), sparse: has(x, "sp"), scaled: has(x, "block_scale"), pair: has(x, "cta_group::2"), shifted: has(x, "ashift"), table: has(x, "decompress::lut::b")}
	for _, kind := range []string{"f16", "tf32", "f8f6f4", "i8", "ti16", "mxf8f6f4", "mxf4", "mxf4nvf4"} {
		if has(x, "kind::"+kind) {
			c.kind = kind
		}
	}
	var types []isa.Type
	for _, t := range []isa.Type{isa.F16, isa.BF16, isa.TF32, isa.U8, isa.S8, isa.S16, isa.E4M3, isa.E5M2, isa.E2M3, isa.E3M2, isa.E2M1} {
		if _, ok := kindTypes(c.kind)[t]; ok {
			types = append(types, t)
		}
	}
	c.k = map[string]int{"f16": 16, "ti16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}[c.kind]
	if c.k == 0 {
		c.k = 32
	}
	c.a, c.b, c.d = oneAmong(r, types...), oneAmong(r, types...), isa.F32
	switch {
	case c.kind == "i8":
		c.d, c.saturate = isa.S32, r.IntN(2) == 0
	case c.kind == "ti16":
		c.d = isa.S32
	case c.kind == "f8f6f4" || c.kind == "f16" && c.a == isa.F16 && c.b == isa.F16:
		c.d = oneAmong(r, isa.F16, isa.F32)
	}
	c.drawSize()
	c.deepen()
	c.adds = r.IntN(4) > 0
	for i, t := range []isa.Type{c.a, c.b} {
		c.neg[i] = c.kind != "i8" && r.IntN(3) == 0
		c.transposed[i] = (t.Bits() == 8 || t.Bits() == 16) && r.IntN(2) == 0 && (i == 1 && !c.table || i == 0 && !c.inTensor) && c.kind != "ti16"
	}
	if c.half() {
		c.base = oneAmong(r, 0, 16)
	}
	if strings.Contains(x.Form.Syntax, "lanes:") && r.IntN(2) == 0 {
		for range 4 * c.sides() {
			c.off = append(c.off, r.Uint32())
		}
	}
	if strings.Contains(x.Form.Syntax, "scale:imm") && (c.kind == "f16" || c.kind == "tf32") {
		c.shrink = r.IntN(4)
	}
	if c.hasZeros = c.ws && r.IntN(2) == 0; c.hasZeros {
		c.zeros = r.Uint64()&0xf_0303_0303 | uint64(r.IntN(2))<<39 | uint64(r.IntN(9))<<40 | uint64(r.IntN(9))<<48
	}
	c.drawScales()
	c.draw()
	return c
}

// deepen draws whether a product of bytes is twice as deep as others, as sm_107 has it. One whose B
// is looked up is if A is not sparse.
func (c *productCase) deepen() {
	switch bytes := c.a.Bits() == 8 && c.b.Bits() == 8; {
	case c.kind != "f8f6f4" && c.kind != "mxf8f6f4":
	case c.table:
		c.m, c.a, c.b, c.deep = 128*c.sides(), oneAmong(c.r, isa.E4M3, isa.E5M2), isa.E4M3, !c.sparse
	case has(c.x, "scale_vec::1X") || !c.sparse && bytes:
		c.deep = !c.sparse && bytes && c.r.IntN(2) == 0
	}
	if c.deep {
		c.k = 64
		if c.n = (c.n + 15) &^ 15; !c.ws {
			c.m = 128 * c.sides()
		}
	}
}

// drawSize draws M and N of those that the kind has, and where A lies.
func (c *productCase) drawSize() {
	r := c.r
	switch {
	case c.ws:
		c.m, c.n = oneAmong(r, 32, 64, 128), oneAmong(r, 64, 128, 256)
		if c.sparse {
			c.n = oneAmong(r, 64, 128)
		}
	case c.pair:
		c.m, c.n = oneAmong(r, 128, 256), oneAmong(r, 32, 64, 96, 256)
	case c.scaled:
		c.m, c.n = 128, 8+8*r.IntN(32)
	default:
		c.m, c.n = oneAmong(r, 64, 128), oneAmong(r, 8, 16, 24, 32, 48, 96, 256)
	}
	if c.inTensor = c.shifted || r.IntN(3) == 0; c.shifted || c.pair && c.scaled && c.sparse {
		c.m = 128 * c.sides()
	}
	if c.kind == "ti16" && c.m == 128 { // its columns go by 16 then
		c.n = (c.n + 15) &^ 15
	}
}

func (c *productCase) sides() int {
	if c.pair {
		return 2
	}
	return 1
}

// rows are those of a CTA; half: they lie in 16 lanes of each warp's; parts: of the columns,
// below each other.
func (c *productCase) rows() int { return c.m / c.sides() }

func (c *productCase) half() bool { return c.rows() == 64 && !c.ws && c.pair == (c.pair && c.sparse) }

func (c *productCase) parts() int {
	if c.half() {
		return 1
	}
	return 128 / c.rows()
}

// drawScales draws what kinds with scales have.
func (c *productCase) drawScales() {
	if !c.scaled {
		return
	}
	c.scale = isa.UE8M0
	switch {
	case has(c.x, "scale_vec::1X"): // .block32 by another name
		c.vec = c.k / 32
	case has(c.x, "scale_vec::2X"):
		c.vec = 2
	case has(c.x, "scale_vec::4X") || has(c.x, "block16"):
		c.vec = 4
	default:
		c.vec = c.k / 32
	}
	if c.vec == 4 {
		c.scale = oneAmong(c.r, isa.UE8M0, isa.UE4M3)
	}
	for i := range c.id {
		c.id[i] = c.r.IntN(4) / c.vec * c.vec
		for row := range c.scales[i] {
			for block := range c.vec {
				if c.scales[i][row][block] = uint64(125 + c.r.IntN(5)); c.scale == isa.UE4M3 {
					c.scales[i][row][block] = uint64(0x30 + c.r.IntN(0x10))
				}
			}
		}
	}
}

// bits are those of an element in memory, where those of a kind of bytes have 8.
func (c *productCase) bits(t isa.Type) int {
	if c.kind == "mxf4" || c.kind == "mxf4nvf4" {
		return 4
	}
	return max(8, t.Bits())
}

// code draws an element.
func (c *productCase) code(t isa.Type) uint64 {
	switch {
	case t.Bits() < 8 || t == isa.S8 || t == isa.U8:
		return low(c.r.Uint64(), t.Bits())
	case t == isa.S16: // a sign and eleven bits
		return c.r.Uint64() & 0x87ff
	}
	return fragment(t).bits(big.NewInt(int64(c.r.IntN(7) - 3)))
}

func (c *productCase) number(t isa.Type, code uint64) float64 {
	if t == isa.S16 {
		return float64(int64(code&0x7ff) * (1 - 2*int64(code>>15)))
	}
	s := narrowShape{container: t.Bits()}
	return s.number(t, code)
}

// draw draws the matrices, and lays them out.
func (c *productCase) draw() {
	depth := c.k
	if c.sparse {
		depth *= 2
	}
	for i := range c.left {
		for k := range c.k {
			c.left[i][k], c.where[i][k] = c.code(c.a), k
		}
		for k := range depth {
			c.right[i][k] = c.code(c.b)
		}
	}
	target := "sm_100a"
	if c.deep || c.table || c.kind == "ti16" || strings.Contains(c.x.Opcode, "collector::b::") {
		target = "sm_107a"
	}
	if c.table {
		c.drawTable()
	}
	c.program = tensorProgram{ptx: 904, target: target, pair: c.pair, declare: ".reg .b64 da, db, mask; .reg .b32 idesc, o<8>; .reg .pred adds;"}
	c.program.image = c.image(0, depth)
	if c.pair {
		c.program.second, c.program.issuer = c.image(1, depth), c.r.IntN(2)
	}
	c.dAt = c.r.IntN(3)
	c.aAt = c.dAt + c.n
	c.sAt = [2]int{c.aAt + 16, c.aAt + 20}
	c.metaAt = c.aAt + 28
	c.tableAt = (c.metaAt + 5) &^ 1
	c.program.columns = c.tableAt + 2
	c.program.cells = randomCells(c.r, c.sides()*c.program.columns)
	c.fill()
}

// drawTable draws eight numbers for eight columns, and which of them stand in these.
func (c *productCase) drawTable() {
	c.upper = c.r.IntN(2) == 0
	for i := range c.tables {
		for e := range c.tables[i] {
			c.tables[i][e] = c.code(c.b)
		}
	}
	per := c.n / c.sides()
	for j := range c.n {
		var digits big.Int // the first index is the last digit to the base 8
		for k := 127; k >= 0; k-- {
			index := c.r.IntN(8)
			if k/64 == int(truth(c.upper)) {
				c.right[j][k%64] = c.tables[j/per*16+j%per/8][index]
			}
			digits.Or(digits.Lsh(&digits, 3), big.NewInt(int64(index)))
		}
		bytes := digits.FillBytes(make([]byte, 48))
		for i, b := range bytes {
			c.indices[j][47-i] = b
		}
	}
}

// image lays out what a CTA has in shared memory: its rows of A and its part of B's columns,
// in the same places as the other.
func (c *productCase) image(side, depth int) []byte {
	image := &groupCase{r: rand.New(rand.NewPCG(uint64(c.m*c.n), uint64(c.dAt))), transposed: c.transposed}
	for i, t := range []isa.Type{c.a, c.b} {
		rows, k, codes := c.rows(), c.k, c.left[side*c.rows():]
		if i == 1 {
			rows, k = c.n/c.sides(), depth
			codes = c.right[side*rows:]
		}
		if i == 1 && c.table {
			image.width = 8
			image.lay(i, rows, 48, func(row, k int) uint64 { return uint64(c.indices[side*rows+row][k]) })
			c.descriptors[i] = tensorDescriptor(image.descriptors[i]) | truth(c.upper)<<53
			continue
		}
		image.width = c.bits(t)
		element := func(row, k int) uint64 { return codes[row][k] }
		if t.Bits() < image.width { // 16 to 16 bytes, side by side
			element = func(row, k int) uint64 {
				bit, byt := 0, uint64(0)
				for n := range 8 {
					if bit = k%16*8 + n; bit/t.Bits() < 16 {
						byt |= codes[row][k/16*16+bit/t.Bits()] >> (bit % t.Bits()) & 1 << n
					}
				}
				return byt
			}
		}
		image.lay(i, rows, k, element)
		c.descriptors[i] = tensorDescriptor(image.descriptors[i])
	}
	return image.image
}

// cell is the place of a lane and column among the words of the program.
func (c *productCase) cell(lane, column int) *uint32 {
	return &c.program.cells[lane*c.program.columns+column]
}

// fill puts into tensor memory what of the product lies there.
func (c *productCase) fill() {
	for i := range c.m {
		for j := range c.n {
			lane, column := c.place(i, j)
			v := uint64(c.r.Uint32())
			if e := fragment(c.d); e.format() != nil {
				v = e.bits(big.NewInt(8 * int64(c.r.IntN(7)-3)))
			} else if c.r.IntN(4) == 0 {
				v = uint64(oneAmong(c.r, uint32(math.MaxInt32), 1<<31))
			}
			*c.cell(lane, column) = uint32(v)
		}
		for part := range c.parts() {
			c.fillA(i, part)
		}
	}
	c.fillMetadata()
	c.fillScales()
	for side := range c.sides() {
		for i := range 32 * int(truth(c.table)) {
			for e, code := range c.tables[min(side*16+i, 31)] {
				w, bit := c.cell(128*side+i, c.tableAt+e/4), e%4*8
				*w = *w&^(0xff<<bit) | uint32(code)<<bit
			}
		}
	}
}

// fillA puts a row of A where it lies in tensor memory, once for each part of the columns.
func (c *productCase) fillA(i, part int) {
	if !c.inTensor {
		return
	}
	lane, _ := c.place(i, part*c.n/c.parts())
	per, below := 32/c.bits(c.a), 0
	if c.a.Bits() == 4 && per == 4 { // in the middle of a byte
		below = 2
	}
	for k := 0; k < c.k; k += per {
		word := uint64(0)
		for e := range per {
			word |= c.left[i][k+e] << (e*c.bits(c.a) + below)
		}
		*c.cell(lane, c.aAt+k/per) = uint32(word)
	}
}
