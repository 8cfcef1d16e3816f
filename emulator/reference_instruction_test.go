package emulator

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"hyptx/ir/isa"
)

// place is where row i and column j of D lie (layouts A to G), in lanes of which a second CTA
// has those from 128 on.
func (c *productCase) place(i, j int) (lane, column int) {
	side, row, width := i/c.rows(), i%c.rows(), c.n/c.parts()
	lane = row + j/width*c.rows()
	if c.half() { // of each warp's lanes 16
		lane = row + row/16*16
	}
	return lane + c.base + 128*side, j%width + c.dAt
}

// instruction is the descriptor.
func (c *productCase) instruction() (bits uint32) {
	types := kindTypes(c.kind)
	truthy := func(b bool) uint32 { return uint32(truth(b)) }
	bits = types[c.a]<<7 | types[c.b]<<10 | truthy(c.neg[0])<<13 | truthy(c.neg[1])<<14 | truthy(c.transposed[0])<<15 | truthy(c.transposed[1])<<16 | uint32(c.n/8)<<17
	bits |= truthy(c.sparse) << 2
	if c.scaled {
		return bits | uint32(c.id[1])<<4 | truthy(c.scale == isa.UE8M0)<<23 | truthy(c.deep)<<31 | uint32(c.m/128)<<27 | uint32(c.id[0])<<29
	}
	return bits | truthy(c.deep)<<29 | uint32(c.selector) | truthy(c.saturate)<<3 | map[isa.Type]uint32{isa.F16: 0, isa.F32: 1, isa.S32: 2}[c.d]<<4 | uint32(c.m/16)<<24
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
	operands := []string{fmt.Sprintf("[base+%d]", c.dAt+c.base<<16), a, "db"}
	if c.table {
		operands = append(operands, fmt.Sprintf("[base+%d]", c.tableAt))
	}
	if c.sparse {
		operands = append(operands, fmt.Sprintf("[base+%d]", c.metaAt+c.base<<16))
	}
	operands = append(operands, "idesc")
	if c.scaled {
		operands = append(operands, fmt.Sprintf("[base+%d]", c.sAt[0]), fmt.Sprintf("[base+%d]", c.sAt[1]))
	}
	if len(c.off) > 0 {
		operands = append(operands, map[int]string{4: "{o0, o1, o2, o3}", 8: "{o0, o1, o2, o3, o4, o5, o6, o7}"}[len(c.off)])
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
	sum, row, depth := 0.0, i, c.k
	if c.sparse {
		depth *= 2
	}
	if c.shifted && i%c.rows() != c.rows()-1 {
		row = i + 1
	}
	for k := range c.k {
		if c.nothing(j) {
			break
		}
		at := c.where[row][k]
		u, v := c.numbers[0][row][k], c.numbers[1][j][at]
		if c.scaled {
			block := at / (depth / c.vec)
			u *= c.number(c.scale, c.scales[0][i][block])
			v *= c.number(c.scale, c.scales[1][j][block])
		}
		sum += u * v
	}
	if c.neg[0] != c.neg[1] {
		sum = -sum
	}
	if c.adds && c.d == isa.F32 {
		sum += float64(math.Float32frombits(was)) / float64(int(1)<<c.shrink)
	} else if c.adds {
		sum += float64(e.value(uint64(was), 0)) / float64(int(1)<<c.shrink)
	}
	if c.d == isa.F32 && sum != 0 { // Go's own rounding to the nearest
		return math.Float32bits(float32(sum))
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
