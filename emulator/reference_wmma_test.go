package emulator

import (
	"encoding/binary"
	"math/big"
	"math/bits"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// wmma (PTX ISA 9.7.16.4): the matrices in memory are the manual's, which lane holds
// what is this machine's own (lanes.Tile says it in words): byte after byte of the
// matrix in the order of memory, in pieces of so many bytes that each lane gets one, or
// of 16; of c and d in the order of .row.

// dealt is a matrix of wmma and its fragment.
type dealt struct {
	rows, cols int
	col        bool // the fragment has columns one after the other
	elements
	bytes, piece int // of all, of a piece
}

func newDealt(rows, cols int, t isa.Type, col bool) *dealt {
	d := &dealt{rows: rows, cols: cols, col: col, elements: fragment(t)}
	d.bytes = rows * cols * d.width / 8
	d.piece = min(16, d.bytes/32)
	return d
}

// matricesOf returns those of an instruction, by name.
func matricesOf(x *isa.Inst) map[string]*dealt {
	m, n, k := x.Shape()
	types := x.Matrices()
	var cols []bool
	for _, mod := range x.Mods {
		if mod == isa.ModRow || mod == isa.ModCol {
			cols = append(cols, mod == isa.ModCol)
		}
	}
	cols = append(cols, false)
	return map[string]*dealt{
		"a": newDealt(m, k, types[1], cols[0]), "b": newDealt(k, n, types[2], cols[1]),
		"c": newDealt(m, n, types[3], false), "d": newDealt(m, n, types[0], false),
	}
}

// held returns the place in the matrix of element i of a lane's register.
func (d *dealt) held(lane, register, i int) (row, col int) {
	size := max(4, d.width/8)
	at := register * size % (d.bytes / 32) // in what the lane has of its own
	at = (at/d.piece*32+lane)*d.piece + at%d.piece
	n := at*8/d.width + i
	if d.col {
		return n % d.rows, n / d.rows
	}
	return n / d.cols, n % d.cols
}

// multipliedDealt is wmma.mma.
func multipliedDealt(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
	all := matricesOf(x)
	_, _, depth := x.Shape()
	values := map[string]map[[2]int]int64{}
	first := 0
	for i := range x.Form.Operands {
		s := &x.Form.Operands[i]
		if s.Write {
			continue
		}
		m, held := all[s.Name], map[[2]int]int64{}
		for lane := range in {
			for r := s.Vector - 1; r >= 0; r-- { // the first of equals counts
				for e := range m.perRegister {
					row, col := m.held(lane, r, e)
					held[[2]int{row, col}] = m.value(in[lane][first+r], e)
				}
			}
		}
		values[s.Name] = held
		first += s.Vector
	}
	d := all["d"]
	return each(in, func(lane int) (out []outcome) {
		for r := range x.Form.Operands[0].Vector {
			var word uint64
			for e := range d.perRegister {
				row, col := d.held(lane, r, e)
				sum := values["c"][[2]int{row, col}]
				for k := range depth {
					u, v := values["a"][[2]int{row, k}], values["b"][[2]int{k, col}]
					switch {
					case x.Types[1] != isa.B1:
						sum += u * v
					case x.Has(isa.ModXor):
						sum += int64(bits.OnesCount64(uint64(u ^ v)))
					default:
						sum += int64(bits.OnesCount64(uint64(u & v)))
					}
				}
				total := big.NewInt(sum)
				if x.Has(isa.ModSatfinite) && d.format() == nil {
					total = clamped(isa.S32, total)
				}
				word |= d.elements.bits(total) << (e * d.width)
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

// movedDealt is wmma.load and wmma.store: the whole warp has one piece of memory.
func movedDealt(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome {
	m, n, k := x.Shape()
	rows, cols := m, n
	switch x.Mods[0].String() {
	case "a":
		cols = k
	case "b":
		rows = k
	}
	col := x.Has(isa.ModCol)
	name := x.Mods[0].String()
	d := newDealt(rows, cols, x.Type(), col && (name == "a" || name == "b"))
	registers, stride := 0, cols
	if col {
		stride = rows
	}
	for i := range x.Form.Operands {
		if v := x.Form.Operands[i].Vector; v > 0 {
			registers = v
		}
	}
	given := 0
	if x.IsStore() {
		given = registers
	}
	if len(in[0]) > given {
		stride = int(in[0][given])
	}
	where := func(row, column int) (byteAt, shift int) {
		at := (row*stride + column) * d.width
		if col {
			at = (column*stride + row) * d.width
		}
		return at / 8, at % 8
	}
	var flat []byte
	for _, part := range mem {
		flat = append(flat, part...)
	}
	out := each(in, func(lane int) (list []outcome) {
		for r := range registers {
			var word uint64
			for e := range d.perRegister {
				at, shift := where(d.held(lane, r, e))
				if x.IsStore() {
					store(flat[at:], low(in[lane][r]>>(e*d.width), d.width), d.width)
					continue
				}
				var b [8]byte
				copy(b[:], flat[at:])
				word |= low(binary.LittleEndian.Uint64(b[:])>>shift, d.width) << (e * d.width)
			}
			if !x.IsStore() {
				list = append(list, outcome{bits: word})
			}
		}
		return list
	})
	for lane := range mem {
		copy(mem[lane], flat[lane*areaBytes:])
	}
	return out
}

// store writes the bytes of an element.
func store(b []byte, v uint64, width int) {
	for i := range width / 8 {
		b[i] = byte(v >> (8 * i))
	}
}

// strideOf is the distance of lines that a proof of wmma.load or .store gives: the
// least that is allowed, or some 16 bytes more.
func (p *proof) strideOf(x *isa.Inst) uint64 {
	t := tileOf(x)
	return uint64(t.DefaultStride() + len(p.cases)%3*128/t.Bits)
}
