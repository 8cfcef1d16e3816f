package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// Conversions from and to pairs and fours of narrow numbers (PTX ISA 9.7.10.24). The
// first source, or the upper half of a packed one, makes the upper element. A scale is
// one ue8m0 for each element, or one for both: what is made narrow is divided by it, and
// what was narrow is multiplied, exactly, before the one rounding.

// cvtNarrow is cvt between a pair of narrow numbers and two f32, or a pair of halves.
func cvtNarrow(v Variant) Fn {
	to, from := narrows[v.Type.Elem()], narrows[v.From.Elem()]
	r := direction{rnd: v.Rnd}
	if r.rnd == isa.NoRnd {
		r.rnd = isa.RN
	}
	down := to != nil && to.bits <= 8 && v.Type.Lanes() == 2
	width := elementBits(v.Type)
	one := func(x float64, scale uint32) uint32 {
		return to.code(&v, scaled(&v, x, scale, down), r)
	}
	switch {
	case down && v.From == isa.F32:
		return func(d, a, b, c *Slot) {
			x, y := view[float32](a), view[float32](b)
			for i := range d {
				hi, lo := scales(&v, c, i)
				d[i] = one(float64(x[i]), hi)<<width | one(float64(y[i]), lo)
			}
		}
	case to == nil || from == nil || v.Type.Lanes() != 2 || v.From.Lanes() != 2:
		return nil
	}
	part := elementBits(v.From)
	if v.Scales == 0 && from.bits <= 8 {
		var codes [256]uint32 // of all that an element may hold
		for w := range codes {
			codes[w] = one(from.value(uint32(w)), unscaled)
		}
		mask := uint32(1)<<part - 1
		return lift1(func(a uint32) uint32 { return codes[a>>part&mask]<<width | codes[a&mask] })
	}
	return func(d, a, b, _ *Slot) {
		for i := range d {
			hi, lo := scales(&v, b, i)
			w := a[i]
			d[i] = one(from.value(w>>part), hi)<<width | one(from.value(w), lo)
		}
	}
}

// elementBits is the room of an element of a packed type.
func elementBits(t isa.Type) int { return t.Bits() / max(t.Lanes(), 1) }

// unscaled is the ue8m0 of one.
const unscaled = 0x7f

// scales returns the scales of a lane's upper and lower element.
func scales(v *Variant, s *Slot, i int) (hi, lo uint32) {
	switch v.Scales {
	case 1:
		return s[i] & 0xff, s[i] & 0xff
	case 2:
		return s[i] >> 8 & 0xff, s[i] & 0xff
	}
	return unscaled, unscaled
}

// scaled divides by a scale, or multiplies. The scale that is NaN makes a NaN.
func scaled(v *Variant, x float64, scale uint32, down bool) float64 {
	switch {
	case v.Scales == 0:
		return x
	case scale == 0xff:
		return math.NaN()
	case down:
		return math.Ldexp(x, unscaled-int(scale))
	}
	return math.Ldexp(x, int(scale)-unscaled)
}

// cvtRandom is cvt.rs of two f32 to halves: the upper 16 bits of c round a, the lower
// ones b, of which f16, which cuts off 13 bits, takes 13.
func cvtRandom(v Variant) Fn {
	to, n := narrows[v.Type.Elem()], 16
	if v.Type == isa.F16x2 {
		n = 13
	}
	if v.From != isa.F32 || v.Type != isa.F16x2 && v.Type != isa.BF16x2 {
		return nil
	}
	return func(d, a, b, c *Slot) {
		x, y := view[float32](a), view[float32](b)
		for i, r := range c {
			hi := to.code(&v, float64(x[i]), direction{isa.RS, r >> 16 & (1<<n - 1), n})
			d[i] = hi<<16 | to.code(&v, float64(y[i]), direction{isa.RS, r & (1<<n - 1), n})
		}
	}
}

// CvtFour is cvt.rs of four f32, from, to the elements of d from the upper one on. The
// upper 16 bits of random serve the first two, the lower ones the others; both of two
// get the same bits where the manual does not part them. Of e2m1 it does: the upper
// bytes of both halves are for the first two, the lower for the others, and which of
// the two has which byte is left open; the first has the upper half's.
func CvtFour(v Variant) func(d *Slot, from [4]*Slot, random *Slot) {
	to := narrows[v.Type.Elem()]
	if to == nil || v.Type.Lanes() != 4 || v.From != isa.F32 {
		return nil
	}
	width := elementBits(v.Type)
	shifts, n := [4]int{16, 16, 0, 0}, 16
	if v.Type == isa.E2M1x4 {
		shifts, n = [4]int{24, 8, 16, 0}, 8
	}
	return func(d *Slot, from [4]*Slot, random *Slot) {
		var out Slot
		for k, s := range from {
			for i, w := range s {
				r := direction{isa.RS, random[i] >> shifts[k] & (1<<n - 1), n}
				out[i] = out[i]<<width | to.code(&v, float64(math.Float32frombits(w)), r)
			}
		}
		*d = out
	}
}
