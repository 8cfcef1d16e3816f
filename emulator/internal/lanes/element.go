package lanes

import "hyptx/ir/isa"

// What tcgen05 computes with, number by number: its matrices lie in no registers.

// Element returns how the code of an element, in the lower bits of a word, becomes a
// number; nil for a type that no matrix has.
func Element(t isa.Type) func(uint32) float64 {
	switch {
	case t == isa.S8 || t == isa.U8:
		return integerLoader(8, t)
	case t == isa.S16:
		return signMagnitude
	case t.Bits() >= 8:
		return elementLoader(t)
	}
	return looked(t, 0)
}

// MagnitudeGap are the bits of a number of .s1z4m11, for which S16 stands, that are zero: below
// them are 11 bits of magnitude, above them the sign (PTX ISA 9.7.18.4.2, table 51).
const MagnitudeGap = 0x7800

func signMagnitude(w uint32) float64 {
	if w&0x8000 != 0 {
		return -float64(w & 0x7ff)
	}
	return float64(w & 0x7ff)
}

// Scale is Element for the scales of blocks.
func Scale(t isa.Type) func(uint32) float64 { return scaleLoader(t) }

// Accumulator returns how an element of D becomes a number, and a sum an element:
// rounded once to nearest, or wrapped, or clamped.
func Accumulator(t isa.Type, saturate bool) (load func(uint32) float64, store func(float64) uint32) {
	return accumulatorLoader(t), accumulatorStorer(t, saturate && t == isa.S32)
}
