package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// A conversion is taken apart into three steps, each chosen when the program
// is decoded: a lane of the source register is read and extended to 64 bits
// (loadBits), converted as bits from one type to the other (converter), and
// written, cut to its type and extended to the width of the destination
// register (storeBits). Floating-point types are described by their format,
// so that one function serves f16, bf16, f32 and f64.
//
// Rounding happens once: from an integer by packing its bits into the format,
// from a wider float by rounding the double that holds it exactly.
//
// So cvt.s16.s8 reads 0x80 as -128, which needs no conversion, and stores it as
// 0xff80 in a register of 16 bits, as 0xffffff80 in one of 32.
//
// Conversions between words that only copy, cut or extend, and those between
// f32 and s32 or f16, make up nearly all that programs do and have loops of
// their own (cvtFast).

// Cvt converts between integers and floating-point types (PTX ISA 9.7.10.24).
// The destination register may be wider than the type: signed integers are
// then sign-extended, everything else zero-extended (table 28); narrower
// sources are chopped off wider registers.
func Cvt(v Variant) Fn {
	if f := cvtFast(v); f != nil {
		return f
	}
	to, from := v.Type, v.From
	switch {
	case to.Lanes() > 1 || from.Lanes() > 1 || to == isa.TF32:
		return cvtPacked(v)
	case to == from && from == isa.F32 && !integral(v.Rnd) && !v.Sat && v.DstBits <= 32:
		return modifyF32(func(d, a, _, _ *Slot) { *d = *a; canonF32(d) }, v)
	}
	load, store := loadBits(from), storeBits(v)
	convert := converter(v)
	if convert == nil || load == nil {
		return nil
	}
	return func(d, a, _, _ *Slot) {
		for i := range Width {
			store(d, i, convert(load(a, i)))
		}
	}
}

// convert32 converts between words as Go does, which for integers to f32 is
// rounding to nearest even and for shorter integers cutting.
func convert32[D, A word](d, a, _, _ *Slot) {
	x, p := view[D](d), view[A](a)
	for i := 0; i < Width; i += 4 {
		x[i] = D(p[i])
		x[i+1] = D(p[i+1])
		x[i+2] = D(p[i+2])
		x[i+3] = D(p[i+3])
	}
}

// f32ToS32 rounds to an integer and clamps; NaN gives 0.
func f32ToS32(rnd isa.Rounding) Fn {
	return func(d, a, _, _ *Slot) {
		p := view[float32](a)
		for i := range d {
			x := float64(p[i])
			if rnd != isa.RZI { // the conversion truncates
				x = roundIntegral(x, rnd)
			}
			switch {
			case x > -1<<31 && x < 1<<31:
				d[i] = uint32(int32(x))
			case x != x:
				d[i] = 0
			case x > 0:
				d[i] = 1<<31 - 1
			default:
				d[i] = 1 << 31
			}
		}
	}
}

// copy32 serves conversions between 32-bit types that leave the bits alone.
func copy32(d, a, _, _ *Slot) { *d = *a }

// zeroExtend32 and signExtend32 make double words of words, of which addresses
// are made: the loops are written out, for a call of a generic function costs
// a tenth of them.
func zeroExtend32(d, a, _, _ *Slot) {
	x := Wide(d)
	for i := 0; i < Width; i += 4 {
		x[i] = uint64(a[i])
		x[i+1] = uint64(a[i+1])
		x[i+2] = uint64(a[i+2])
		x[i+3] = uint64(a[i+3])
	}
}

func signExtend32(d, a, _, _ *Slot) {
	x := view[int64](d)
	for i := 0; i < Width; i += 4 {
		x[i] = int64(int32(a[i]))
		x[i+1] = int64(int32(a[i+1]))
		x[i+2] = int64(int32(a[i+2]))
		x[i+3] = int64(int32(a[i+3]))
	}
}

// loadBits reads a lane of a register: integers extended to 64 bits by their
// sign, floating-point values as their bits.
func loadBits(t isa.Type) func(s *Slot, i int) uint64 {
	n := t.Bits()
	switch {
	case n == 64:
		return func(s *Slot, i int) uint64 { return Wide(s)[i] }
	case t.IsSigned():
		return func(s *Slot, i int) uint64 { return uint64(int64(s[i]) << (64 - n) >> (64 - n)) }
	case n > 0 && n <= 32:
		return func(s *Slot, i int) uint64 { return uint64(s[i]) << (64 - n) >> (64 - n) }
	}
	return nil
}

// storeBits writes a lane of the destination register, extended to its width.
func storeBits(v Variant) func(s *Slot, i int, b uint64) {
	n, reg := v.Type.Bits(), v.DstBits
	if reg == 0 {
		reg = max(n, 16)
	}
	chop := 64 - n
	if v.Type.IsSigned() {
		if reg == 64 {
			return func(s *Slot, i int, b uint64) { Wide(s)[i] = uint64(int64(b) << chop >> chop) }
		}
		return func(s *Slot, i int, b uint64) { s[i] = uint32(int64(b)<<chop>>chop) & (1<<reg - 1) }
	}
	if reg == 64 {
		return func(s *Slot, i int, b uint64) { Wide(s)[i] = b << chop >> chop }
	}
	return func(s *Slot, i int, b uint64) { s[i] = uint32(b << chop >> chop) }
}

// integral reports a rounding to integral values.
func integral(rnd isa.Rounding) bool { return rnd >= isa.RNI && rnd <= isa.RPI }

// converter returns the conversion of one value, given and returned as bits.
func converter(v Variant) func(uint64) uint64 {
	toFloat, fromFloat := formatOf(v.Type), formatOf(v.From)
	switch {
	case toFloat == nil && fromFloat == nil:
		return intToInt(v)
	case toFloat == nil:
		return floatToInt(v, fromFloat)
	case fromFloat == nil:
		return intToFloat(v, toFloat)
	}
	return floatToFloat(v, fromFloat, toFloat)
}

// formatOf returns the format of a floating-point type, nil for others.
func formatOf(t isa.Type) *format {
	switch t {
	case isa.F16:
		return formatF16
	case isa.BF16:
		return formatBF16
	case isa.F32:
		return formatF32
	case isa.F64:
		return formatF64
	}
	return nil
}

// intToInt clamps to the range of the narrower type with .sat; without it the
// bits above are cut off where the result is written.
func intToInt(v Variant) func(uint64) uint64 {
	if !v.Sat {
		return func(b uint64) uint64 { return b } // storing chops
	}
	to, from := v.Type, v.From
	top := uint64(1)<<(to.Bits()-1) - 1 // largest value of a signed type
	if !to.IsSigned() {
		top = top<<1 | 1
	}
	return func(b uint64) uint64 {
		if from.IsSigned() && int64(b) < 0 {
			if !to.IsSigned() {
				return 0
			}
			return uint64(max(int64(b), -1-int64(top)))
		}
		return min(b, top)
	}
}

// intToFloat rounds once. .sat clamps to [0, 1].
func intToFloat(v Variant, f *format) func(uint64) uint64 {
	signed := v.From.IsSigned()
	return func(b uint64) uint64 {
		neg := signed && int64(b) < 0
		if neg {
			b = -b
		}
		if v.Sat {
			if neg {
				b = 0
			}
			neg, b = false, min(b, 1)
		}
		return f.pack(neg, b, 0, false, v.Rnd)
	}
}

// toF64 widens the bits of a value; exact. The NaN of a narrower format
// becomes some NaN.
func (f *format) toF64(b uint64) float64 {
	switch f {
	case formatF16:
		return f16ToF64(uint32(b))
	case formatBF16:
		return bf16ToF64(uint32(b))
	case formatF32:
		return float64(math.Float32frombits(uint32(b)))
	}
	return math.Float64frombits(b)
}

// flush replaces a subnormal f32 by a zero of its sign.
func (f *format) flush(b uint64) uint64 {
	if f == formatF32 && b&f.inf() == 0 {
		return b & f.sign()
	}
	return b
}

// floatToInt rounds to an integral value and clamps to the type's range. NaN
// gives 0, but the least (or 2^63, 2^31...) value if either side has 64 bits:
// the manual's "Integer Notes".
func floatToInt(v Variant, f *format) func(uint64) uint64 {
	n, signed := v.Type.Bits(), v.Type.IsSigned()
	nan := uint64(0)
	if f == formatF64 || n == 64 {
		nan = 1 << (n - 1)
	}
	lo, top := 0.0, math.Ldexp(1, n) // results lie in [lo, top)
	largest := ^uint64(0) >> (64 - n)
	if signed {
		lo, top = -math.Ldexp(1, n-1), math.Ldexp(1, n-1)
		largest >>= 1
	}
	return func(b uint64) uint64 {
		if v.FTZ {
			b = f.flush(b)
		}
		x := f.toF64(b)
		if x != x {
			return nan
		}
		x = roundIntegral(x, v.Rnd)
		switch {
		case x <= lo:
			return uint64(int64(lo))
		case x >= top:
			return largest
		case x < 0:
			return uint64(int64(x))
		}
		return uint64(x)
	}
}

// roundIntegral rounds to an integral value; .rzi is what is left.
func roundIntegral(x float64, rnd isa.Rounding) float64 {
	switch rnd {
	case isa.RNI:
		return math.RoundToEven(x)
	case isa.RMI:
		return math.Floor(x)
	case isa.RPI:
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

// floatToFloat goes by way of double, which holds a value of every format
// exactly. The order of the steps is the manual's: operands are flushed,
// rounded to an integral value or saturated, then rounded to the format, and
// last come .relu and .satfinite.
func floatToFloat(v Variant, from, to *format) func(uint64) uint64 {
	return func(b uint64) uint64 {
		if v.FTZ {
			b = from.flush(b)
		}
		x := from.toF64(b)
		if x != x {
			return to.convertNaN(v, from, b)
		}
		if integral(v.Rnd) {
			x = roundIntegral(x, v.Rnd)
		}
		if v.Sat {
			x = math.Max(0, math.Min(x, 1)) // Max(0, -0) is +0
		}
		r := to.round(x, v.Rnd)
		if v.FTZ {
			r = to.flush(r)
		}
		return to.clampFinite(v, r)
	}
}

// convertNaN is the result of converting a NaN: canonical, but f64 keeps sign
// and payload, made quiet (IEEE 754 6.2.3).
func (f *format) convertNaN(v Variant, from *format, b uint64) uint64 {
	switch {
	case v.Sat:
		return 0
	case f == formatF64:
		payload := b & (1<<from.manBits - 1) << (f.manBits - from.manBits)
		sign := b >> (from.expBits + from.manBits) & 1
		return sign<<63 | f.inf() | 1<<51 | payload
	}
	return f.nan
}

// clampFinite applies .satfinite, .relu and .pzo to a result that is no NaN. Of .pzo
// there is but the name to go by, positive zero output: -0 becomes +0.
func (f *format) clampFinite(v Variant, r uint64) uint64 {
	if v.SatFinite && r&^f.sign() == f.inf() {
		r--
	}
	if v.Relu && r&f.sign() != 0 || v.PZO && r == f.sign() {
		return 0
	}
	return r
}
