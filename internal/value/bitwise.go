package value

import (
	"math/bits"

	"hyptx/ir/isa"
)

// foldShl: amounts above the width give 0 (PTX ISA 9.7.9.8).
func foldShl(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	amount := Truncate(s[1], 32)
	if amount >= uint64(inst.Type().Bits()) {
		return 0, true
	}
	return s[0] << amount, true
}

// foldShr: a signed type fills with its sign; amounts clamp to the width (PTX
// ISA 9.7.9.9).
func foldShr(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	amount := Truncate(s[1], 32)
	if inst.Type().IsSigned() {
		return uint64(int64(s[0]) >> min(amount, 63)), true
	}
	if amount >= uint64(inst.Type().Bits()) {
		return 0, true
	}
	return Truncate(s[0], inst.Type().Bits()) >> amount, true
}

// foldShf: the funnel shift of b:a by c, wrapped or clamped to 32 (PTX ISA
// 9.7.9.7).
func foldShf(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	n := Truncate(s[2], 32)
	switch {
	case inst.Has(isa.ModWrap):
		n &= 31
	case inst.Has(isa.ModClamp):
		n = min(n, 32)
	default:
		return 0, false
	}
	both := Truncate(s[1], 32)<<32 | Truncate(s[0], 32)
	if inst.Has(isa.ModR) {
		return both >> n, true
	}
	return both << n >> 32, inst.Has(isa.ModL)
}

// foldLop3: bit i of the table is the result for a, b, c = the bits of i (PTX
// ISA 9.7.9.6). The form with a predicate is left to the emulator.
func foldLop3(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if inst.Bool != isa.NoBool {
		return 0, false
	}
	d := uint64(0)
	for i := range 8 {
		if s[3]>>i&1 == 0 {
			continue
		}
		term := ^uint64(0)
		for j, x := range s[:3] { // a is bit 2 of the index, c bit 0
			if i>>(2-j)&1 == 0 {
				x = ^x
			}
			term &= x
		}
		d |= term
	}
	return d, true
}

// foldPopc, foldClz and foldBrev look at the type's width alone: how many ones,
// how many zeros above the highest one, the bits in the other order (PTX ISA
// 9.7.1.15 to 9.7.1.19).
func foldPopc(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	return uint64(bits.OnesCount64(Truncate(s[0], inst.Type().Bits()))), true
}

func foldClz(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	n := inst.Type().Bits()
	return uint64(bits.LeadingZeros64(Truncate(s[0], n)) - (64 - n)), true
}

func foldBrev(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	return bits.Reverse64(s[0]) >> (64 - inst.Type().Bits()), true
}

// foldBfe: position and length are the low bytes; a signed field is filled
// with the sign at its highest bit, or at the source's highest bit where it
// sticks out (PTX ISA 9.7.1.20).
func foldBfe(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	width := uint64(inst.Type().Bits())
	pos, length := s[1]&0xff, s[2]&0xff
	a := Truncate(s[0], int(width))
	field := uint64(0)
	if pos < width {
		field = Truncate(a>>pos, int(min(length, 64)))
	}
	if !inst.Type().IsSigned() || length == 0 {
		return field, true
	}
	if a>>min(pos+length-1, width-1)&1 != 0 {
		end := min(length, max(width, pos)-pos) // above the field, or the source's end in it
		field |= ^uint64(0) << end
	}
	return field, true
}

// foldBfi: inserts the low bits of a into b (PTX ISA 9.7.1.21).
func foldBfi(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	width := uint64(inst.Type().Bits())
	pos, length := s[2]&0xff, s[3]&0xff
	if length == 0 || pos >= width {
		return s[1], true
	}
	mask := Truncate(^uint64(0), int(min(length, 64))) << pos
	return s[1]&^mask | s[0]<<pos&mask, true
}

// foldCvt: between integers; .sat clamps to the destination's range (PTX ISA
// 9.7.10.24). A narrower destination drops bits.
func foldCvt(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	to, from := inst.Types[0], inst.Types[1]
	if to.IsFloat() || from.IsFloat() || from == isa.NoType || to.Lanes() != 1 || from.Lanes() != 1 {
		return 0, false
	}
	if inst.Has(isa.ModSat) {
		return saturate(s[0], from.IsSigned(), to), true
	}
	return s[0], true
}

// saturate clamps x to the range of type to.
func saturate(x uint64, signed bool, to isa.Type) uint64 {
	n := to.Bits()
	high := Truncate(^uint64(0), n)
	low := uint64(0)
	if to.IsSigned() {
		high >>= 1
		low = ^high
	}
	switch {
	case signed && int64(x) < 0:
		if !to.IsSigned() {
			return 0
		}
		return uint64(max(int64(x), int64(low)))
	default:
		return min(x, high)
	}
}
