package emulator

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// multiplied is mma (PTX ISA 9.7.16.5.14) but for m8n8k4 on f16, whose fragments
// are others: d = a*b + c, summed as integers. Elements of floating point are
// drawn so small (see matrixWord) that every order of additions gives the same.
func multiplied(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
	if strings.Contains(x.Form.Syntax, ".kind::") {
		return multipliedNarrow(x, in, nil)
	}
	m, k := matrixShape(x)
	regs := func(name string) (first, n int) {
		at := 0
		for i := range x.Form.Operands {
			switch s := &x.Form.Operands[i]; {
			case s.Name == name:
				return at, s.Vector
			case !s.Write:
				at += s.Vector
			}
		}
		return -1, 0
	}
	a, b := fragment(x.Types[1]), fragment(x.Types[2])
	var left, right [256][256]int64
	firstA, countA := regs("a")
	firstB, countB := regs("b")
	for lane := range in {
		for j := range countA {
			for i := range a.perRegister {
				row, group := lane/4+8*(j%2), j/2
				if m == 8 {
					row, group = lane/4, j
				}
				left[row][a.along(lane, i, group)] = a.value(in[lane][firstA+j], i)
			}
		}
		for j := range countB {
			for i := range b.perRegister {
				right[b.along(lane, i, j)][lane/4] = b.value(in[lane][firstB+j], i)
			}
		}
	}
	product := func(row, col int) *big.Int {
		sum := int64(0)
		for i := range k {
			u, v := left[row][i], right[i][col]
			switch {
			case x.Types[1] != isa.B1:
				sum += u * v
			case x.Sub.String() == "and":
				sum += int64(bits.OnesCount64(uint64(u & v)))
			default:
				sum += int64(bits.OnesCount64(uint64(u ^ v)))
			}
		}
		return big.NewInt(sum)
	}
	firstC, _ := regs("c")
	c, d := fragment(x.Types[3]), fragment(x.Types[0])
	return each(in, func(lane int) (out []outcome) {
		for e := 0; e < m*8/32; e += d.perRegister {
			var word uint64
			for i := range d.perRegister {
				n := e + i
				sum := product(lane/4+n/2*8, lane%4*2+n&1)
				sum.Add(sum, big.NewInt(c.value(in[lane][firstC+n/c.perRegister], n%c.perRegister)))
				if x.Has(isa.ModSatfinite) {
					sum = clamped(isa.S32, sum)
				}
				word |= d.bits(sum) << (i * d.width)
			}
			o := outcome{bits: word}
			if x.Rnd == isa.RM && word == 0 { // then the order of additions decides about the sign
				o.allows = func(got uint64) bool { return got&^softfloat.F64.SignBit() == 0 }
			}
			out = append(out, o)
		}
		return out
	})
}

// matrixShape returns M and K of "m16n8k16".
func matrixShape(x *isa.Inst) (m, k int) {
	for _, mod := range x.Mods {
		if rest, ok := strings.CutPrefix(mod.String(), "m"); ok {
			if rows, depth, ok := strings.Cut(rest, "n8k"); ok {
				m, _ = strconv.Atoi(rows)
				k, _ = strconv.Atoi(depth)
			}
		}
	}
	return m, k
}

// elements is how the elements of a type stand in registers.
type elements struct {
	typ         isa.Type
	width       int // in bits
	perRegister int
}

func fragment(t isa.Type) elements {
	e := elements{typ: t, width: t.Bits(), perRegister: 1}
	if e.width < 32 {
		e.perRegister = 32 / e.width
	}
	return e
}

// along is the place of element i of a register in a row of a, or a column of b:
// four lanes share it, register after register.
func (e elements) along(lane, i, group int) int {
	return lane%4*e.perRegister + i + group*4*e.perRegister
}

func (e elements) value(word uint64, i int) int64 {
	v := low(word>>(i*e.width), e.width)
	f := e.format()
	if f == nil {
		return number(e.typ, v).Int64()
	}
	if f.IsZero(v) {
		return 0
	}
	return f.Rat(v).Num().Int64()
}

func (e elements) bits(v *big.Int) uint64 {
	f := e.format()
	switch {
	case f == nil:
		return cut(v, e.width)
	case v.Sign() == 0:
		return 0
	}
	round := func() uint64 { return f.Round(new(big.Rat).SetInt(v), isa.RN) }
	if !v.IsInt64() {
		return round()
	}
	key := roundedKey{e.typ, v.Int64()}
	if known, ok := rounded.Load(key); ok {
		return known.(uint64)
	}
	b := round()
	rounded.Store(key, b)
	return b
}

// rounded are the bits of integers that have been rounded before: products have many elements,
// and few numbers.
var rounded sync.Map

type roundedKey struct {
	typ isa.Type
	v   int64
}

// format is that of a floating-point type; tf32 stands in an f32, whose upper
// bits it has.
func (e elements) format() *softfloat.Format {
	switch e.typ {
	case isa.TF32:
		return &softfloat.F32
	case isa.E4M3, isa.E5M2:
		f, _ := byteFormat(e.typ)
		return &f
	}
	return formatOf(e.typ)
}

// matrixWord draws a register of a fragment: any bits of integers, small numbers
// of floating point.
func (p *proof) matrixWord(x *isa.Inst, name string) uint64 {
	t := x.Matrices()[strings.Index("dabc", name)]
	if t.Bits() < 8 {
		return p.r.Uint64()
	}
	e := fragment(t)
	if e.format() == nil {
		return p.r.Uint64()
	}
	var word uint64
	for i := range e.perRegister {
		word |= e.bits(big.NewInt(int64(p.r.IntN(7)-3))) << (i * e.width)
	}
	return word
}
