// Package featuretest judges what a run of a feature program left, for the tests that
// run them, here and on GPUs.
//
// Bits decide. A tolerance counts only where the manual allows an approximation an
// error, and a NaN, an infinity or a wrong sign is never within it.
package featuretest

import (
	"encoding/binary"
	"fmt"
	"math"

	"hyptx/internal/fp16"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// Differences compares what a run left in a buffer with its expected contents:
// a line for each element that is neither them nor within the tolerance.
func Differences(s *features.Sample, b *features.Buffer, data []byte) (wrong []string) {
	if n := len(features.Encode(b.Out)); len(data) < n {
		return []string{fmt.Sprintf("%s has %d bytes, want %d", b.Name, len(data), n)}
	}
	for i, want := range b.Out {
		n := want.Type.Bytes()
		var word [8]byte
		copy(word[:], data[:n])
		data = data[n:]
		got := binary.LittleEndian.Uint64(word[:])
		if want.Any || got == want.Bits || near(got, want, s.Tolerance) {
			continue
		}
		text := ""
		if x, ok := Float(got, want.Type); ok {
			text = fmt.Sprintf(" (%g)", x)
		}
		wrong = append(wrong, fmt.Sprintf("%s[%d] = %#x%s, want %s %s = %#x", b.Name, i, got, text, want.Type, want.Text, want.Bits))
	}
	return wrong
}

// near reports whether an approximation is within its bound; its sign is
// exact. Infinities are left to the comparison of bits: the distance of two of them is
// no number.
func near(got uint64, want features.Value, tol features.Tolerance) bool {
	x, ok := Float(got, want.Type)
	y, _ := Float(want.Bits, want.Type)
	if !ok || tol == (features.Tolerance{}) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.Signbit(x) != math.Signbit(y) {
		return false
	}
	return math.Abs(x-y) <= max(tol.Relative*math.Abs(y), tol.Absolute)
}

// Float returns the number that bits are in a floating-point type; ok is false
// for other types.
func Float(bits uint64, t isa.Type) (x float64, ok bool) {
	switch t {
	case isa.F64:
		return math.Float64frombits(bits), true
	case isa.F32:
		return float64(math.Float32frombits(uint32(bits))), true
	case isa.F16:
		return float64(fp16.F16ToF32(uint16(bits))), true
	case isa.BF16:
		return float64(fp16.BF16ToF32(uint16(bits))), true
	}
	return 0, false
}
