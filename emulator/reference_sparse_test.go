package emulator

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"

	"hyptx/ir/isa"
)

// Products of sparse matrices and of narrow elements with scales (PTX ISA 9.7.16.3,
// 9.7.16.5, 9.7.16.6), element by element after the manual's formulas for rows and
// columns, as a list of terms for each row and column; sums are exact.

// narrowShape is what the reference knows of an instruction.
type narrowShape struct {
	x         *isa.Inst
	k, stored int // columns of a, and those with registers
	container int // bits of an element in a register
	wide      bool
	sparse    bool
}

func newNarrowShape(x *isa.Inst) *narrowShape {
	_, _, k := x.Shape()
	s := &narrowShape{x: x, k: k, stored: k, container: x.Types[1].Bits()}
	if strings.Contains(x.Form.Syntax, "f8f6f4") {
		s.container = 8
	}
	if s.sparse = strings.HasPrefix(x.Form.Syntax, "mma.sp"); s.sparse {
		s.stored = k / 2
	}
	s.wide = s.container >= 16
	return s
}

// threads is how many lanes of a group of four have metadata for it.
func (s *narrowShape) threads() int {
	var bits int // of two rows: four for every four columns, or two, or eight
	switch {
	case s.container == 32:
		bits = 2 * s.k / 2 * 4
	case s.container == 4:
		bits = 2 * s.k / 8 * 4
	default:
		bits = 2 * s.k / 4 * 4
	}
	return bits / 32
}

// selectors is how many values the selector of mma.sp may have.
func selectors(x *isa.Inst) int { return 4 / newNarrowShape(x).threads() }

// number is the value of an element; those of 8 bits and fewer are found once for all.
func (s *narrowShape) number(t isa.Type, bits uint64) float64 {
	if t.Bits() > 8 || bits > 0xff {
		return s.find(t, bits)
	}
	at := &narrowNumbers[t][s.container%9]
	known := at.Load()
	if known == nil {
		known = new([256]float64)
		for code := range known {
			known[code] = s.find(t, uint64(code))
		}
		at.Store(known)
	}
	return known[bits]
}

// narrowNumbers are the values of all codes of a type, by the bits of what holds them.
var narrowNumbers [256][9]atomic.Pointer[[256]float64]

// find works out the value of an element.
func (s *narrowShape) find(t isa.Type, bits uint64) float64 {
	sign := 1.0
	split := func(exponent, mantissa, bias int) float64 {
		if bits>>(exponent+mantissa)&1 != 0 {
			sign = -1
		}
		e, m := int(bits>>mantissa)&(1<<exponent-1), float64(int(bits)&(1<<mantissa-1))/float64(int(1)<<mantissa)
		if e == 0 {
			return sign * m * math.Pow(2, float64(1-bias))
		}
		return sign * (1 + m) * math.Pow(2, float64(e-bias))
	}
	switch t.String() {
	case ".e2m1":
		if s.container == 8 {
			bits >>= 2
		}
		return split(2, 1, 1)
	case ".e2m3":
		return split(2, 3, 1)
	case ".e3m2":
		return split(3, 2, 3)
	case ".ue4m3":
		bits &= 0x7f
		return split(4, 3, 7)
	case ".ue8m0":
		return math.Pow(2, float64(bits)-127)
	}
	e := elements{typ: t, width: t.Bits(), perRegister: 1}
	if f := e.format(); f != nil {
		if f.IsZero(bits) {
			return 0
		}
		v, _ := f.Rat(bits).Float64()
		return v
	}
	return float64(e.value(bits, 0))
}

// place returns the row and the column that stored element i of a lane has, among the
// stored ones: rows g and g+8 take turns, register after register.
func (s *narrowShape) place(lane, register, i int) (row, col int) {
	per := 32 / s.container
	return lane/4 + 8*(register%2), register/2*4*per + lane%4*per + i
}

// belongs returns the column of a that stored column n of a row is, by the metadata of
// the group of four lanes.
func (s *narrowShape) belongs(row, n int, meta []uint64, selector int) int {
	if !s.sparse {
		return n
	}
	elements, columns := 2, 4
	switch s.container {
	case 32:
		elements, columns = 1, 2
	case 4:
		elements, columns = 4, 8
	}
	chunk, which := n/elements, n%elements
	var nibble uint64
	first := selector * s.threads()
	if s.wide { // four chunks of row g and of row g+8 to a lane
		nibble = meta[first+chunk/4] >> (16*(row/8) + 4*(chunk%4))
	} else { // eight chunks of a row to a lane
		nibble = meta[first+chunk/8*2+row/8] >> (4 * (chunk % 8))
	}
	switch s.container {
	case 32:
		return chunk*2 + map[uint64]int{0b0100: 0, 0b1110: 1}[nibble&15]
	case 4:
		return chunk*8 + 2*int(nibble>>(2*(which/2))&3) + which%2
	}
	return chunk*columns + int(nibble>>(2*which)&3)
}

// multipliedNarrow is mma.sp, and mma with .kind.
func multipliedNarrow(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
	s := newNarrowShape(x)
	at, next := map[string]int{}, 0
	for i := range x.Form.Operands {
		if o := &x.Form.Operands[i]; !o.Write {
			at[o.Name] = next
			next += max(o.Vector, 1)
		}
	}
	per := 32 / s.container
	element := func(lane, first, register, i int) uint64 {
		return low(in[lane][first+register]>>(i*s.container), s.container)
	}
	scale := func(string, int, int) float64 { return 1 }
	if x.Types[4] != isa.NoType {
		scale = func(of string, row, col int) float64 {
			vec, lane := s.scales(), 0
			data, selected := at["scale"+of], at["select"+of]
			byteID, thread := int(in[0][selected]), int(in[0][selected+1])
			if of == "A" {
				lane = row%8*4 + 2*thread + row/8
			} else {
				lane = row*4 + thread
			}
			return s.number(x.Types[4], low(in[lane][data]>>(8*(byteID+col/(s.k/vec))), 8))
		}
	}
	var left [16][128]float64
	var right [128][8]float64
	for lane := range in {
		for r := range s.stored * 16 / 32 / per {
			for i := range per {
				row, n := s.place(lane, r, i)
				var meta []uint64
				selector := 0
				if s.sparse {
					for t := range 4 {
						meta = append(meta, in[lane/4*4+t][at["e"]])
					}
					selector = int(in[lane][at["f"]])
				}
				col := s.belongs(row, n, meta, selector)
				left[row][col] = s.number(x.Types[1], element(lane, at["a"], r, i)) * scale("A", row, col)
			}
		}
		for r := range s.k * 8 / 32 / per {
			for i := range per {
				row := r*4*per + lane%4*per + i
				right[row][lane/4] = s.number(x.Types[2], element(lane, at["b"], r, i)) * scale("B", lane/4, row)
			}
		}
	}
	c, d := fragment(x.Types[3]), fragment(x.Types[0])
	return each(in, func(lane int) (out []outcome) {
		for e := 0; e < 4; e += d.perRegister {
			var word uint64
			for i := range d.perRegister {
				n := e + i
				row, col := lane/4+n/2*8, lane%4*2+n&1
				sum := float64(c.value(in[lane][at["c"]+n/c.perRegister], n%c.perRegister))
				for k := range s.k {
					sum += left[row][k] * right[k][col] // in numbers of few bits: exact
				}
				word |= s.result(d, new(big.Rat).SetFloat64(sum)) << (i * d.width)
			}
			out = append(out, outcome{bits: word})
		}
		return out
	})
}

// result rounds a sum to the type of d.
func (s *narrowShape) result(d elements, sum *big.Rat) uint64 {
	f := d.format()
	switch {
	case f == nil && s.x.Has(isa.ModSatfinite):
		return cut(clamped(isa.S32, sum.Num()), 32)
	case f == nil:
		return cut(sum.Num(), 32)
	case sum.Sign() == 0:
		return 0
	}
	return f.Round(sum, isa.RN)
}

// scales is how many scales a row has.
func (s *narrowShape) scales() int {
	switch {
	case slices.ContainsFunc(s.x.Mods, func(m isa.Mod) bool { return m.String() == "scale_vec::4X" }):
		return 4
	case s.container == 8:
		return 1
	}
	return 2
}

// besideMatrix draws what a product has beside its matrices: metadata, scales, and which
// of them count. All lanes select alike, as the manual asks.
func (p *proof) besideMatrix(x *isa.Inst, name string) uint64 {
	s := newNarrowShape(x)
	switch name {
	case "e":
		valid := []uint64{0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110}
		if x.Op == isa.OpMmaSp {
			valid = append(valid, 0b0001, 0b0010, 0b0110, 0b0011, 0b0111, 0b1011)
		}
		if s.container == 32 {
			valid = []uint64{0b0100, 0b1110}
		}
		var word uint64
		for range 8 {
			word = word<<4 | valid[p.r.IntN(len(valid))]
		}
		return word
	case "selectA", "selectB":
		return p.selection(s)
	}
	var word uint64
	for range 4 {
		b := uint64(126 + p.r.IntN(4))
		if x.Types[4].String() == ".ue4m3" {
			b = uint64(0x30 + p.r.IntN(0x10))
		}
		word = word<<8 | b
	}
	return word
}

// selection is a byte or a thread: of both what is allowed for all lanes.
func (p *proof) selection(s *narrowShape) uint64 {
	p.selected++
	n := uint64(p.selected / p.threads()) // the same for all threads of an operand
	if n%2 == 1 {
		return n / 2 % 2 // the thread
	}
	return []uint64{n / 2 % 4, n / 2 % 2 * 2, 0}[map[int]int{1: 0, 2: 1, 4: 2}[s.scales()]]
}
