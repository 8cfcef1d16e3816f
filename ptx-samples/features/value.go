package features

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyptx/internal/fp16"
	"hyptx/ir/isa"
)

// Numbers in headers. What a program must leave is written as bits, and so has to
// be what the header says to the last one: a decimal that its type cannot hold is
// an error for the formats of 16 bits, where rounding would hide a mistake, and a
// NaN is the one that operations return unless its bits are written out.

// Value is one number of a buffer.
type Value struct {
	Type isa.Type
	Bits uint64
	// Any: whatever stands there is right ("?").
	Any bool
	// Text is the number as written.
	Text string
}

func size(values []Value) (bytes int) {
	for _, v := range values {
		bytes += v.Type.Bytes()
	}
	return bytes
}

// Encode returns the values as they lie in memory.
func Encode(values []Value) []byte {
	var out []byte
	for _, v := range values {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v.Bits)
		out = append(out, b[:v.Type.Bytes()]...)
	}
	return out
}

// parseValues reads "f32 1.0 0x1p-126 u32 3 0*5 ?": a type is that of all that
// follow it, "*5" repeats, "|" is for the eye.
func parseValues(text string) ([]Value, error) {
	var values []Value
	t := isa.NoType
	for word := range strings.FieldsSeq(text) {
		if word == "|" {
			continue
		}
		if next := isa.ParseType(word); next != isa.NoType {
			if next.Bytes() == 0 || next.Bytes() > 8 {
				return nil, fmt.Errorf("no type of a value: %s", word)
			}
			t = next
			continue
		}
		number, times := word, 1
		if n, count, ok := strings.Cut(word, "*"); ok {
			var err error
			if times, err = strconv.Atoi(count); err != nil || times < 1 {
				return nil, fmt.Errorf("bad repetition %q", word)
			}
			number = n
		}
		if t == isa.NoType {
			return nil, fmt.Errorf("%q has no type before it", word)
		}
		v := Value{Type: t, Any: number == "?", Text: number}
		if !v.Any {
			var err error
			if v.Bits, err = parseNumber(number, t); err != nil {
				return nil, err
			}
		}
		for range times {
			values = append(values, v)
		}
	}
	return values, nil
}

// parseNumber returns the bits of a number in type t. A floating-point number
// must be exact in its type, but for a decimal fraction of f32 and f64, which
// is rounded; "nan" is the canonical NaN; b: before hexadecimal digits gives
// the bits.
func parseNumber(text string, t isa.Type) (uint64, error) {
	bad := fmt.Errorf("%q is no %s", text, t)
	if !t.IsFloat() {
		return parseInteger(text, t, bad)
	}
	if hex, ok := strings.CutPrefix(text, "b:"); ok {
		bits, err := strconv.ParseUint(hex, 16, t.Bits())
		if err != nil {
			return 0, bad
		}
		return bits, nil
	}
	if text == "nan" {
		return canonicalNaN[t], nil
	}
	switch t {
	case isa.F64, isa.F32:
		x, err := strconv.ParseFloat(text, t.Bits())
		if err != nil {
			return 0, bad
		}
		if t == isa.F32 {
			return uint64(math.Float32bits(float32(x))), nil
		}
		return math.Float64bits(x), nil
	case isa.F16:
		return toHalf(text, fp16.F64ToF16, fp16.F16ToF32, bad)
	case isa.BF16:
		return toHalf(text, fp16.F64ToBF16, fp16.BF16ToF32, bad)
	}
	return 0, bad
}

// canonicalNaN is the NaN that operations return (PTX ISA 9.7.3, 9.7.4).
var canonicalNaN = map[isa.Type]uint64{isa.F16: 0x7fff, isa.BF16: 0x7fff, isa.F32: 0x7fffffff, isa.F64: 0x7ff8000000000000}

func parseInteger(text string, t isa.Type, bad error) (uint64, error) {
	if strings.HasPrefix(text, "-") {
		v, err := strconv.ParseInt(text, 0, t.Bits())
		if err != nil {
			return 0, bad
		}
		return uint64(v) & (^uint64(0) >> (64 - t.Bits())), nil
	}
	v, err := strconv.ParseUint(text, 0, t.Bits())
	if err != nil {
		return 0, bad
	}
	return v, nil
}

// toHalf finds the bits of a number that is exact in a format of 16 bits.
func toHalf(text string, round func(float64) uint16, value func(uint16) float32, bad error) (uint64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, bad
	}
	bits := round(x)
	if float64(value(bits)) != x {
		return 0, fmt.Errorf("%w that is exact", bad)
	}
	return uint64(bits), nil
}
