package emulator

import (
	"fmt"
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
	m, n, k          int
	d, a, b          isa.Type
	neg, transposed  [2]bool
	saturate, adds   bool
	inTensor         bool
	vec              int
	scale            isa.Type
	id               [2]int
	shrink           int
	left, right      [256][64]uint64 // codes; of B by column
	scales           [2][256][4]uint64
	base             int // lane at which D, and A, begin
	off              [4]uint32
	zeros            uint64 // the descriptor of zero columns
	hasOff, hasZeros bool
	program          tensorProgram
	dAt, aAt         int // columns
	sAt              [2]int
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
	case "mxf4", "mxf4nvf4":
		return map[isa.Type]uint32{isa.E2M1: 1}
	}
	return map[isa.Type]uint32{isa.E4M3: 0, isa.E5M2: 1, isa.E2M3: 3, isa.E3M2: 4, isa.E2M1: 5}
}

func oneAmong[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func newProductCase(x *isa.Inst, r *rand.Rand) *productCase {
	c := &productCase{x: x, r: r, ws: x.Op == isa.OpTcgen05MmaWs, scaled: has(x, "block_scale")}
	for _, kind := range []string{"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"} {
		if has(x, "kind::"+kind) {
			c.kind = kind
		}
	}
	var types []isa.Type
	for _, t := range []isa.Type{isa.F16, isa.BF16, isa.TF32, isa.U8, isa.S8, isa.E4M3, isa.E5M2, isa.E2M3, isa.E3M2, isa.E2M1} {
		if _, ok := kindTypes(c.kind)[t]; ok {
			types = append(types, t)
		}
	}
	c.k = map[string]int{"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}[c.kind]
	if c.k == 0 {
		c.k = 32
	}
	c.a, c.b, c.d = oneAmong(r, types...), oneAmong(r, types...), isa.F32
	switch {
	case c.kind == "i8":
		c.d, c.saturate = isa.S32, r.IntN(2) == 0
	case c.kind == "f8f6f4" || c.kind == "f16" && c.a == isa.F16 && c.b == isa.F16:
		c.d = oneAmong(r, isa.F16, isa.F32)
	}
	switch {
	case c.ws:
		c.m, c.n = oneAmong(r, 32, 64, 128), oneAmong(r, 64, 128, 256)
	case c.scaled:
		c.m, c.n = 128, 8+8*r.IntN(32)
	default:
		c.m, c.n = oneAmong(r, 64, 128), oneAmong(r, 8, 16, 24, 32, 48, 96, 256)
	}
	c.inTensor = r.IntN(3) == 0 && (c.m == 128 || !c.ws) && (c.a.Bits() >= 8 || c.k == 64)
	c.adds = r.IntN(4) > 0
	for i, t := range []isa.Type{c.a, c.b} {
		c.neg[i] = c.kind != "i8" && r.IntN(3) == 0
		c.transposed[i] = (t.Bits() == 8 || t.Bits() == 16) && r.IntN(2) == 0 && (i == 1 || !c.inTensor)
	}
	if c.m == 64 && !c.ws {
		c.base = oneAmong(r, 0, 16)
	}
	if c.hasOff = strings.Contains(x.Form.Syntax, "lanes:") && r.IntN(2) == 0; c.hasOff {
		for i := range c.off {
			c.off[i] = r.Uint32()
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

// drawScales draws what kinds with scales have.
func (c *productCase) drawScales() {
	if !c.scaled {
		return
	}
	c.scale = isa.UE8M0
	switch {
	case has(c.x, "scale_vec::1X"):
		c.vec = 1
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
	if c.k == 64 {
		return 4
	}
	return max(8, t.Bits())
}

// code draws an element.
func (c *productCase) code(t isa.Type) uint64 {
	switch {
	case t.Bits() < 8 || t == isa.S8 || t == isa.U8:
		return low(c.r.Uint64(), t.Bits())
	}
	return fragment(t).bits(big.NewInt(int64(c.r.IntN(7) - 3)))
}

func (c *productCase) number(t isa.Type, code uint64) float64 {
	s := narrowShape{container: t.Bits()}
	return s.number(t, code)
}

// draw draws the matrices, and lays them out.
func (c *productCase) draw() {
	for i := range c.left {
		for k := range c.k {
			c.left[i][k], c.right[i][k] = c.code(c.a), c.code(c.b)
		}
	}
	image := &groupCase{r: c.r, transposed: c.transposed}
	for i, t := range []isa.Type{c.a, c.b} {
		rows, codes := c.m, &c.left
		if i == 1 {
			rows, codes = c.n, &c.right
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
		image.lay(i, rows, c.k, element)
		c.descriptors[i] = tensorDescriptor(image.descriptors[i])
	}
	c.program = tensorProgram{image: image.image, ptx: 904, target: "sm_100a", declare: ".reg .b64 da, db, mask; .reg .b32 idesc, o<4>; .reg .pred adds;"}
	c.dAt = c.r.IntN(3)
	c.aAt = c.dAt + c.n
	c.sAt = [2]int{c.aAt + 8, c.aAt + 12}
	c.program.columns = c.aAt + 20
	c.program.cells = randomCells(c.r, c.program.columns)
	c.fill()
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
		if c.inTensor {
			lane, _ := c.place(i, 0)
			per := 32 / c.bits(c.a)
			for k := 0; k < c.k; k += per {
				word := uint64(0)
				for e := range per {
					word |= c.left[i][k+e] << (e * c.bits(c.a))
				}
				*c.cell(lane, c.aAt+k/per) = uint32(word)
			}
		}
	}
	for i, rows := range [2]int{c.m, c.n} {
		for row := range rows {
			for block := range c.vec {
				for warp := range 4 {
					w, at := c.cell(warp*32+row%32, c.sAt[i]+row/32), 8*(c.id[i]+block)
					*w = *w&^(0xff<<at) | uint32(c.scales[i][row][block])<<at
				}
			}
		}
	}
}

// place is where row i and column j of D lie (layouts D to G).
func (c *productCase) place(i, j int) (lane, column int) {
	lane, column = i, j
	switch {
	case c.m == 64 && !c.ws: // of each warp's lanes 16
		lane = i + i/16*16
	case c.m == 64: // the right half of the columns below
		lane, column = i+j/(c.n/2)*64, j%(c.n/2)
	case c.m == 32:
		lane, column = i+j/(c.n/4)*32, j%(c.n/4)
	}
	return lane + c.base, column + c.dAt
}

// instruction is the descriptor.
func (c *productCase) instruction() (bits uint32) {
	types := kindTypes(c.kind)
	truthy := func(b bool) uint32 { return uint32(truth(b)) }
	bits = types[c.a]<<7 | types[c.b]<<10 | truthy(c.neg[0])<<13 | truthy(c.neg[1])<<14 | truthy(c.transposed[0])<<15 | truthy(c.transposed[1])<<16 | uint32(c.n/8)<<17
	if c.scaled {
		return bits | uint32(c.id[1])<<4 | truthy(c.scale == isa.UE8M0)<<23 | uint32(c.m/128)<<27 | uint32(c.id[0])<<29
	}
	return bits | truthy(c.saturate)<<3 | map[isa.Type]uint32{isa.F16: 0, isa.F32: 1, isa.S32: 2}[c.d]<<4 | uint32(c.m/16)<<24
}

// text is the instruction and what it is given.
func (c *productCase) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "mov.b64 da, %#x; mov.b64 db, %#x; mov.b32 idesc, %#x; mov.b64 mask, %#x; setp.eq.u32 adds, %d, 1;\n",
		c.descriptors[0], c.descriptors[1], c.instruction(), c.zeros, truth(c.adds))
	for i, o := range c.off {
		fmt.Fprintf(&s, "mov.b32 o%d, %#x;\n", i, o)
	}
	a := "da"
	if c.inTensor {
		a = fmt.Sprintf("[base+%d]", c.aAt+c.base<<16)
	}
	operands := []string{fmt.Sprintf("[base+%d]", c.dAt+c.base<<16), a, "db", "idesc"}
	if c.scaled {
		operands = append(operands, fmt.Sprintf("[base+%d]", c.sAt[0]), fmt.Sprintf("[base+%d]", c.sAt[1]))
	}
	if c.hasOff {
		operands = append(operands, "{o0, o1, o2, o3}")
	}
	operands = append(operands, "adds")
	if c.shrink > 0 {
		operands = append(operands, fmt.Sprint(c.shrink))
	}
	if c.hasZeros {
		operands = append(operands, "mask")
	}
	fmt.Fprintf(&s, "@one %s %s;\n", c.x.Opcode, strings.Join(operands, ", "))
	return s.String()
}

// nothing reports whether column j of D gets nothing of B: by its mask, written out.
func (c *productCase) nothing(j int) bool {
	if !c.hasZeros || c.zeros>>39&1 == 0 {
		return false
	}
	parts := 128 / c.m
	which, at := j/(c.n/parts), j%(c.n/parts)
	bit := c.zeros>>(32+which)&1 != 0
	var mask []bool
	for len(mask) < 512 {
		run := int(c.zeros>>48&0xff) + 1 // "use"
		if bit {
			run = int(c.zeros>>40&0xff) + 1
		}
		for range run {
			mask = append(mask, bit)
		}
		bit = !bit
	}
	return mask[int(c.zeros>>(8*which)&0xff)+at]
}

// want returns an element of D afterwards.
func (c *productCase) want(i, j int, was uint32) uint32 {
	e := fragment(c.d)
	sum := 0.0
	for k := range c.k {
		if c.nothing(j) {
			break
		}
		u, v := c.number(c.a, c.left[i][k]), c.number(c.b, c.right[j][k])
		if c.scaled {
			block := k / (c.k / c.vec)
			u *= c.number(c.scale, c.scales[0][i][block])
			v *= c.number(c.scale, c.scales[1][j][block])
		}
		sum += u * v
	}
	if c.neg[0] != c.neg[1] {
		sum = -sum
	}
	if c.adds {
		sum += float64(e.value(uint64(was), 0)) / float64(int(1)<<c.shrink)
	}
	exact := new(big.Rat).SetFloat64(sum)
	f := e.format()
	switch {
	case f == nil && c.saturate:
		return uint32(cut(clamped(isa.S32, exact.Num()), 32))
	case f == nil:
		return uint32(cut(exact.Num(), 32))
	case sum == 0:
		return 0
	}
	return uint32(f.Round(exact, isa.RN))
}
