package observe

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyptx/internal/fp16"
	"hyptx/ir/isa"
)

// Value is what a register holds of one thread, or a word of memory.
type Value struct {
	// Name is the register's; "" for a constant.
	Name string
	Reg  int32 // its number in the function, -1 for none
	Type isa.Type
	// Bits are those of the type, the low ones of 128.
	Bits [2]uint64
	// Points is where in which buffer or variable the value would be an address, "" if it
	// is none.
	Points string
}

// String is the value as text: decimal numbers, floating point with as many digits as tell
// it from others, bits in hexadecimal, a predicate as true or false.
func (v *Value) String() string {
	if v.Points != "" {
		return fmt.Sprintf("0x%x (%s)", v.Bits[0], v.Points)
	}
	return Text(v.Type, v.Bits)
}

// Text is the text of a value of a type.
func Text(t isa.Type, bits [2]uint64) string {
	n := t.Bits()
	switch {
	case t == isa.Pred:
		return strconv.FormatBool(bits[0]&1 != 0)
	case t.Lanes() > 1 && t.Elem().Bits() >= 8 && n <= 64:
		var parts []string
		for _, e := range elements(t, bits[0]) {
			parts = append(parts, Text(t.Elem(), [2]uint64{e}))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case t.IsFloat() && hasNumbers(t):
		return floatText(t, bits[0])
	case t.Kind() == isa.Signed:
		return strconv.FormatInt(int64(bits[0])<<(64-n)>>(64-n), 10)
	case t.Kind() == isa.Unsigned:
		return strconv.FormatUint(bits[0]&low(n), 10)
	case n > 64:
		return fmt.Sprintf("0x%x%016x", bits[1], bits[0])
	}
	return fmt.Sprintf("0x%0*x", max(n/4, 1), bits[0]&low(max(n, 1)))
}

// elements are the bits of the elements of a packed value, the lowest first.
func elements(t isa.Type, bits uint64) []uint64 {
	n := t.Elem().Bits()
	list := make([]uint64, max(t.Lanes(), 1))
	for i := range list {
		list[i] = bits >> (i * n) & low(n)
	}
	return list
}

// low is a mask of the n lowest bits.
func low(n int) uint64 { return ^uint64(0) >> (64 - min(n, 64)) }

// hasNumbers reports whether values of a type of floating point are shown as numbers, and
// looked at for NaN: formats of fewer than 8 bits, which have none, and scales are not.
func hasNumbers(t isa.Type) bool {
	switch t.Elem() {
	case isa.F16, isa.BF16, isa.F32, isa.F64, isa.TF32, isa.E4M3, isa.E5M2:
		return true
	}
	return false
}

// number is an element of floating point as a number.
func number(t isa.Type, bits uint64) float64 {
	switch t {
	case isa.F16:
		return float64(fp16.F16ToF32(uint16(bits)))
	case isa.BF16:
		return float64(fp16.BF16ToF32(uint16(bits)))
	case isa.F64:
		return math.Float64frombits(bits)
	case isa.E5M2: // the upper half of an f16
		return float64(fp16.F16ToF32(uint16(bits) << 8))
	case isa.E4M3:
		return e4m3(uint8(bits))
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// e4m3 is a number of 8 bits: a sign, an exponent of 4 bits, biased by 7, and a mantissa of 3; all ones are a NaN,
// and no code is an infinity (PTX ISA 5.2.3).
func e4m3(bits uint8) float64 {
	exponent, mantissa := int(bits>>3&15), float64(bits&7)
	var x float64
	switch {
	case bits&0x7f == 0x7f:
		return math.NaN()
	case exponent == 0:
		x = math.Ldexp(mantissa, -6-3)
	default:
		x = math.Ldexp(8+mantissa, exponent-7-3)
	}
	return math.Copysign(x, float64(int8(bits))+0.5)
}

func floatText(t isa.Type, bits uint64) string {
	x := number(t, bits)
	switch {
	case math.IsNaN(x):
		return fmt.Sprintf("NaN (0x%0*x)", t.Bits()/4, bits&low(t.Bits()))
	case math.IsInf(x, 0):
		return strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)) // +inf, -inf
	case t == isa.F64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case t == isa.F16 || t == isa.BF16:
		return shortest(t, x)
	}
	return strconv.FormatFloat(x, 'g', -1, 32)
}

// shortest is a number of 16 bits with as few digits as round to it.
func shortest(t isa.Type, x float64) string {
	back := fp16.F64ToF16
	if t == isa.BF16 {
		back = fp16.F64ToBF16
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	for digits := 1; digits < 9; digits++ {
		s := strconv.FormatFloat(x, 'g', digits, 64)
		if y, err := strconv.ParseFloat(s, 64); err == nil && back(y) == back(x) {
			return s
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 32)
}

// Word is a value in memory.
func Word(t isa.Type, name string, data []byte) Value {
	return Value{Name: name, Reg: -1, Type: t, Bits: wordsOf(data)}
}

// wordsOf reads up to 16 bytes of memory.
func wordsOf(data []byte) (bits [2]uint64) {
	var b [16]byte
	copy(b[:], data)
	return [2]uint64{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
}
