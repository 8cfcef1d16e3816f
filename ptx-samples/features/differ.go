package features

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Judging a run. Bits decide. A tolerance counts only where the manual allows an
// approximation an error, and a NaN, an infinity or a wrong sign is never within
// it.

// Differences compares what a run left in a buffer with its expected contents:
// a line for each element that is neither them nor within the tolerance.
func (s *Sample) Differences(b *Buffer, data []byte) (wrong []string) {
	if len(data) < size(b.Out) {
		return []string{fmt.Sprintf("%s has %d bytes, want %d", b.Name, len(data), size(b.Out))}
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
func near(got uint64, want Value, tol Tolerance) bool {
	x, ok := Float(got, want.Type)
	y, _ := Float(want.Bits, want.Type)
	if !ok || tol == (Tolerance{}) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.Signbit(x) != math.Signbit(y) {
		return false
	}
	return math.Abs(x-y) <= max(tol.Relative*math.Abs(y), tol.Absolute)
}
