package isa

import (
	"fmt"
	"hyptx/internal/sparse"
	"slices"
	"strings"
)

// length says how many elements a vector operand has where the modifiers decide.
type length func(i *Inst) int

// anyNumber is the length of an operand that the modifiers leave open.
const anyNumber = -1

// lengths are the words for lengths in rows.
var lengths = map[string]length{
	"any": func(*Inst) int { return anyNumber }, "geometry": geometry, "coordinates": coordinates, "strides": strides, "im2col": im2colInfo,
	"lanes": disabledLanes, "tmem": tensorMemory, "wgmma": accumulators, "matrices": matrices,
	"spmeta": func(i *Inst) int { s := sparse.Of(i.Opcode); return s.Registers(s.Index * s.Kept) },
	"spkept": func(i *Inst) int { s := sparse.Of(i.Opcode); return s.Registers(s.Element * s.Kept) },
	"spdata": func(i *Inst) int { s := sparse.Of(i.Opcode); return s.Registers(s.Element * s.Of) },
}

// Elements returns how many elements the operand at s has in braces: 0 where it is
// no vector, or one that mov packs, and -1 for any number.
func (i *Inst) Elements(s *OperandSpec) int {
	switch {
	case s.length != nil:
		return s.length(i)
	case s.Vector == 0 && s.Kind == Value && i.Vec > 1:
		return int(i.Vec)
	}
	return s.Vector
}

// geometryPad is the number of coordinates that any geometry may be given: those that
// are too many say nothing (PTX ISA 9.7.12.3, for compatibility with older PTX).
const geometryPad = 4

// MayPad reports whether the operand may have n elements although fewer are meant.
func (s *OperandSpec) MayPad(n int) bool { return s.pads && n == geometryPad }

// firstOf returns the number that stands for the first modifier which has one.
func (i *Inst) firstOf(numbers map[string]int) int {
	for word := range strings.SplitSeq(i.Opcode, ".") {
		if n, ok := numbers[word]; ok {
			return n
		}
	}
	return anyNumber
}

// geometry is the length of the place in a texture or surface: arrays have their
// index first, and three numbers are padded to four (PTX ISA 9.7.12.3, 9.7.13).
func geometry(i *Inst) int {
	return i.firstOf(map[string]int{"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4})
}

// coordinates is the number of those in a tensor: one for each dimension; gathering
// and scattering take a column and four rows (PTX ISA 9.7.10.28.5).
func coordinates(i *Inst) int {
	if n := i.firstOf(map[string]int{"tile::gather4": 5, "tile::scatter4": 5}); n > 0 {
		return n
	}
	return i.firstOf(map[string]int{"1d": 1, "2d": 2, "3d": 3, "4d": 4, "5d": 5})
}

// strides is the number of those that a tensor may be given for its map's: of all dimensions
// but the innermost, which has none (PTX ISA 9.7.10.28.5.2).
func strides(i *Inst) int { return coordinates(i) - 1 }

// im2colInfo is the number of offsets of im2col: one for each dimension but two; with
// .w and .w::128 a halo and an offset (PTX ISA 9.7.10.28.5.3).
func im2colInfo(i *Inst) int {
	switch n := i.firstOf(map[string]int{"im2col": 0, "im2col::w": 2, "im2col::w::128": 2}); {
	case n == 0:
		return max(coordinates(i)-2, 1)
	default:
		return n
	}
}

// tensorMemory is the number of registers that tcgen05.ld and .st move: the words of
// a lane in each repetition of the shape (PTX ISA 9.7.18.8, table of register counts).
func tensorMemory(i *Inst) int {
	words := i.firstOf(map[string]int{"16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1, "16x32bx2": 1})
	times := i.firstOf(map[string]int{"x1": 1, "x2": 2, "x4": 4, "x8": 8, "x16": 16, "x32": 32, "x64": 64, "x128": 128})
	return words * times
}

// disabledLanes is the number of words that say which lanes of the result stay: one for each 32
// of 128 lanes, of one CTA or of two (PTX ISA 9.7.18.10.10.1).
func disabledLanes(i *Inst) int {
	return i.firstOf(map[string]int{"cta_group::1": 4, "cta_group::2": 8})
}

// matrices is the number of registers that ldmatrix fills from matrices of bytes: one
// for each of 8 rows, two for each of 16 (PTX ISA 9.7.16.5.15).
func matrices(i *Inst) int {
	return i.firstOf(map[string]int{"x1": 1, "x2": 2, "x4": 4}) * i.firstOf(map[string]int{"m8n16": 1, "m16n16": 2})
}

// accumulators is the number of registers of a thread that hold the result of wgmma:
// a warpgroup of 128 threads shares 64 x N numbers, half-precision ones in pairs (PTX
// ISA 9.7.17.5.1).
func accumulators(i *Inst) int {
	for word := range strings.SplitSeq(i.Opcode, ".") {
		var n, k int
		if read, _ := fmt.Sscanf(word, "m64n%dk%d", &n, &k); read == 2 {
			return n * 64 / 128 * min(i.Type().Bits(), 32) / 32
		}
	}
	return anyNumber
}

// selector says which parts of a register the words after its name can select.
type selector uint8

const (
	nothing   selector = iota
	onePart            // .b0 to .b3, .h0, .h1 (PTX ISA 9.7.20.1)
	twoHalves          // .h10: each of 0 to 3, of two registers
	fourBytes          // .b3210: each of 0 to 7
	halfMask           // .h0 .h1 .h10
	byteMask           // .b0 to .b3210, descending
)

// selectors are the words for selectors in rows.
var selectors = map[string]selector{"sel": onePart, "sel2": twoHalves, "sel4": fourBytes, "mask2": halfMask, "mask4": byteMask}

// Selects reports whether word, as in a.word, selects parts of the operand.
func (s *OperandSpec) Selects(word string) bool {
	letter, digits, most := byte('h'), len(word)-1, byte('3')
	switch s.selects {
	case onePart:
		return slices.Contains([]string{"b0", "b1", "b2", "b3", "h0", "h1"}, word)
	case twoHalves:
		if digits != 2 {
			return false
		}
	case fourBytes:
		if letter, most = 'b', '7'; digits != 4 {
			return false
		}
	case halfMask, byteMask:
		if most = '1'; s.selects == byteMask {
			letter, most = 'b', '3'
		}
		for i := 2; i < len(word); i++ {
			if word[i] >= word[i-1] {
				return false
			}
		}
	default:
		return false
	}
	if digits < 1 || word[0] != letter {
		return false
	}
	for _, d := range []byte(word[1:]) {
		if d < '0' || d > most {
			return false
		}
	}
	return true
}
