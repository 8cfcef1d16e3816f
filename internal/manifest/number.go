package manifest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"hyptx/internal/fp16"
	"hyptx/internal/strictjson"
)

// The bits that "nan" means: a quiet NaN without payload, as NumPy writes it.
const (
	nanF16, nanBF16 = 0x7e00, 0x7fc0
	nanF32          = 0x7fc00000
	nanF64          = 0x7ff8000000000000
)

// A number of a manifest may be 1, 0.1, 1e-3, "0x3f800000", "nan" or "-inf"; hex and
// the words are strings, which JSON has no numbers for. It is kept as text: 0.1 is
// another number as f16, f32 and f64, and 18446744073709551615 is none that a
// double can hold. When the type is known the text is rounded to it once; to go
// through a double first would round twice, and for one decimal in some millions
// give the other neighbour.

// Number is a number as it was written. What its bits are depends on the type,
// which may be known only later: a value's type may be its parameter's.
type Number struct{ text string }

// Int returns the Number of an integer.
func Int(v int64) Number { return Number{strconv.FormatInt(v, 10)} }

var numberSyntax = regexp.MustCompile(`^(?:[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,4})?|0[xX][0-9a-fA-F]+|inf)|nan)$`)

// ParseNumber reads a number: decimal, hexadecimal with 0x, nan, inf or -inf.
func ParseNumber(text string) (Number, error) {
	if len(text) > MaxNumberChars {
		return Number{}, fmt.Errorf("a number of more than %d characters", MaxNumberChars)
	}
	if !numberSyntax.MatchString(text) {
		return Number{}, fmt.Errorf("%s is no number; write it in decimal, as 0x..., nan, inf or -inf", strictjson.Quoted(text))
	}
	return Number{text}, nil
}

// String returns the number as it was written.
func (n Number) String() string { return n.text }

func (n Number) isHex() bool {
	return len(n.text) > 1 && strings.ContainsAny(n.text[:min(3, len(n.text))], "xX")
}

// Bits returns the number in type t, in the low bits. It is rounded once, to
// nearest even. A number that the type cannot hold is an error; hexadecimal is
// the bits of an integer type and is refused for a floating-point one, where
// it might mean the value or the bits.
func (n Number) Bits(t Type) (uint64, error) {
	if t == NoType {
		return 0, fmt.Errorf("%s needs a type", n)
	}
	if t.IsFloat() {
		return n.floatBits(t)
	}
	return n.intBits(t)
}

// Float returns the number as a double, which must be finite.
func (n Number) Float() (float64, error) {
	bits, err := n.Bits(F64)
	x := math.Float64frombits(bits)
	if err == nil && (math.IsInf(x, 0) || x != x) {
		return 0, fmt.Errorf("%s must be finite", n)
	}
	return x, err
}

func (n Number) intBits(t Type) (uint64, error) {
	v, ok := n.integer()
	if !ok {
		return 0, fmt.Errorf("%s is no whole number that fits %s", n, t)
	}
	low, high := t.integerRange()
	if n.isHex() && v.Sign() >= 0 { // bits: 0xffffffff is -1 as s32
		high = new(big.Int).SetUint64(math.MaxUint64 >> (64 - 8*t.Size()))
	}
	if v.Cmp(low) < 0 || v.Cmp(high) > 0 {
		return 0, fmt.Errorf("%s does not fit %s", n, t)
	}
	// Two's complement: v mod 2^bits.
	mask := new(big.Int).SetUint64(math.MaxUint64 >> (64 - 8*t.Size()))
	return new(big.Int).And(v, mask).Uint64(), nil
}

// integerRange returns the values that an integer type takes in a manifest.
// Untyped bits take those of the signed and of the unsigned type.
func (t Type) integerRange() (low, high *big.Int) {
	bits := uint(8 * t.Size())
	one := big.NewInt(1)
	low, high = new(big.Int), new(big.Int).Lsh(one, bits)
	if t.IsSigned() || t.IsBits() {
		low.Neg(new(big.Int).Lsh(one, bits-1))
	}
	if t.IsSigned() {
		high.Lsh(one, bits-1)
	}
	return low, high.Sub(high, one)
}

// integer returns the exact value if it is whole.
func (n Number) integer() (*big.Int, bool) {
	if n.isHex() {
		return new(big.Int).SetString(strings.TrimPrefix(n.text, "+"), 0)
	}
	if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
		return big.NewInt(v), true
	}
	r, ok := n.exact()
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// exact returns the exact value of a decimal number whose exponent is within
// what any type can hold; exponents are capped because the result is as long
// as they are large.
func (n Number) exact() (*big.Rat, bool) {
	if i := strings.IndexAny(n.text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(n.text[i+1:]); err != nil || e > 400 || e < -500 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(n.text)
}

func (n Number) floatBits(t Type) (uint64, error) {
	switch strings.TrimPrefix(n.text, "+") {
	case "nan":
		return [...]uint64{nanF16, nanBF16, nanF32, nanF64}[t-F16], nil
	case "inf":
		return floatBits(t, math.Inf(1)), nil
	case "-inf":
		return floatBits(t, math.Inf(-1)), nil
	}
	if n.isHex() {
		return 0, fmt.Errorf("hexadecimal %s is ambiguous for %s; give the bits with type b%d", n, t, 8*t.Size())
	}
	width := 64
	if t == F32 {
		width = 32 // one rounding from the decimal
	}
	x, err := strconv.ParseFloat(n.text, width)
	bits := floatBits(t, x)
	if t.Size() == 2 && err == nil {
		bits = n.halfBits(t, x)
	}
	if err != nil || isInf(t, bits) {
		return 0, fmt.Errorf("%s is too large for %s; write \"inf\" if that is meant", n, t)
	}
	return bits, nil
}

// halfBits rounds the decimal, whose nearest double is x, to a 16-bit type. If
// x lies on a tie, the decimal may lie to either side of it.
func (n Number) halfBits(t Type, x float64) uint64 {
	below, above := floatBits(t, math.Nextafter(x, math.Inf(-1))), floatBits(t, math.Nextafter(x, math.Inf(1)))
	if below == above || x == 0 {
		return floatBits(t, x)
	}
	r, ok := n.exact()
	if !ok {
		return floatBits(t, x)
	}
	switch r.Cmp(new(big.Rat).SetFloat64(x)) {
	case -1:
		return below
	case 1:
		return above
	}
	return floatBits(t, x)
}

// floatBits rounds a double to a floating-point type, nearest even.
func floatBits(t Type, x float64) uint64 {
	switch t {
	case F16:
		return uint64(fp16.F64ToF16(x))
	case BF16:
		return uint64(fp16.F64ToBF16(x))
	case F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func isInf(t Type, bits uint64) bool {
	return bits == floatBits(t, math.Inf(1)) || bits == floatBits(t, math.Inf(-1))
}

// putBits writes the low size bytes of bits, little-endian.
func putBits(dst []byte, size int, bits uint64) {
	switch size {
	case 1:
		dst[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(dst, bits)
	}
}
