package lanes

import "hyptx/ir/isa"

// Some instructions are no operations of their own, but another one with its operands
// brought into shape first: those that mix precisions, and those on pairs of floats.
// They are made of the f32 function, so that there is one place where f32 rounds.

// mixed is add, sub or fma of type f32 whose first operands are halves (PTX
// ISA 9.7.5): they are converted, exactly, and op does the rest. both says that
// b is a half too, as in fma.
func mixed(v Variant, op func(Variant) Fn, both bool) Fn {
	widen := f16ToF32
	switch {
	case v.Type == isa.F32x2:
		return widenedPairs(v, op)
	case v.From == isa.F32x2:
		return narrowedPairs(v, op)
	case v.Type != isa.F32 || v.From != isa.F16 && v.From != isa.BF16:
		return nil
	case v.From == isa.BF16:
		widen = bf16ToF32
	}
	v.From = isa.NoType
	f := op(v)
	return func(d, a, b, c *Slot) {
		var x, y Slot
		toSingle(&x, a, widen)
		if both {
			toSingle(&y, b, widen)
			b = &y
		}
		f(d, &x, b, c)
	}
}

// toSingle widens the low halves of a register, exactly.
func toSingle(d, a *Slot, widen func(uint32) float32) {
	x := view[float32](d)
	for i := range x {
		x[i] = widen(a[i] & 0xffff)
	}
}

// pairs runs an f32 operation on the halves of f32x2 registers.
func pairs(op func(Variant) Fn, v Variant) Fn {
	v.Type = isa.F32
	f := op(v)
	return func(d, a, b, c *Slot) {
		lo, hi := halvesOf(f, a, b, c, splitWide)
		joinWide(d, &lo, &hi)
	}
}

// splitWide and splitF16, splitBF16 take a pair apart, to words that are f32.
func splitWide(lo, hi, s *Slot) {
	for i, w := range Wide(s) {
		lo[i], hi[i] = uint32(w), uint32(w>>32)
	}
}

func splitF16(lo, hi, s *Slot) {
	x, y := view[float32](lo), view[float32](hi)
	for i, w := range s {
		x[i], y[i] = f16ToF32(w&0xffff), f16ToF32(w>>16)
	}
}

func splitBF16(lo, hi, s *Slot) {
	for i, w := range s {
		lo[i], hi[i] = w<<16, w&0xffff0000
	}
}

// joinWide puts words side by side.
func joinWide(d, lo, hi *Slot) {
	for i, w := range lo {
		Wide(d)[i] = uint64(w) | uint64(hi[i])<<32
	}
}

// halvesOf runs f on the lower and on the upper elements of its operands, of which split
// takes the first apart; the others are f32x2.
func halvesOf(f Fn, a, b, c *Slot, split func(lo, hi, s *Slot)) (low, high Slot) {
	var lo, hi [3]Slot
	var l, h [3]*Slot
	for i, s := range [3]*Slot{a, b, c} {
		if s == nil {
			continue
		}
		l[i], h[i] = &lo[i], &hi[i]
		if i > 0 {
			splitWide(&lo[i], &hi[i], s)
		} else {
			split(&lo[i], &hi[i], s)
		}
	}
	f(&low, l[0], l[1], l[2])
	f(&high, h[0], h[1], h[2])
	return low, high
}

// widenedPairs is add, sub or fma of f32x2 whose first operand is a pair of halves
// (PTX ISA 9.7.5).
func widenedPairs(v Variant, op func(Variant) Fn) Fn {
	split := splitF16
	switch v.From {
	case isa.BF16x2:
		split = splitBF16
	case isa.F16x2:
	default:
		return nil
	}
	f := op(Variant{Type: isa.F32, Rnd: v.Rnd})
	return func(d, a, b, c *Slot) {
		lo, hi := halvesOf(f, a, b, c, split)
		joinWide(d, &lo, &hi)
	}
}

// narrowedPairs is add, sub or mul of f32x2 whose results become a pair of halves, toward
// zero (PTX ISA 9.7.5): then rounding to f32 on the way is no matter. .ftz, of which the
// manual says nothing there, flushes what is subnormal as it does elsewhere: operands
// that are, as f32, and results, as f16.
func narrowedPairs(v Variant, op func(Variant) Fn) Fn {
	to := formatF16
	switch {
	case v.Type == isa.BF16x2:
		to = formatBF16
	case v.Type != isa.F16x2 || v.From != isa.F32x2:
		return nil
	}
	f := op(Variant{Type: isa.F32, Rnd: v.Rnd, FTZ: v.FTZ})
	narrow := floatToFloat(Variant{Rnd: v.Rnd}, formatF32, to)
	one := func(w uint32) uint32 {
		r := uint32(narrow(uint64(w)))
		if v.FTZ {
			r = flushF16(r)
		}
		return r
	}
	return func(d, a, b, c *Slot) {
		lo, hi := halvesOf(f, a, b, c, splitWide)
		for i := range d {
			d[i] = one(hi[i])<<16 | one(lo[i])
		}
	}
}

// mixedHalves is mul of pairs of halves of two formats, in that of the first (PTX ISA
// 9.7.5.4). The manual at hand has the second converted; its values are taken as they
// are, and the product, which is exact in double, is rounded once.
func mixedHalves(v Variant) Fn {
	a, b := elementLoader(v.Type.Elem()), elementLoader(v.From2.Elem())
	to := formatOf(v.Type.Elem())
	one := func(x, y uint32) uint32 { return uint32(to.round(a(x&0xffff)*b(y&0xffff), isa.RN)) }
	return lift2(func(x, y uint32) uint32 { return one(x>>16, y>>16)<<16 | one(x, y) })
}

// four reports whether an operation is one of fours.
func four(v Variant) bool { return v.Type == isa.E4M3x4 || v.Type == isa.E5M2x4 }

// fours is arithmetic on four numbers of 8 bits or fewer (PTX ISA 9.7.6): operands of any
// narrow format, exact, with one rounding to e4m3 or e5m2. The types are those of the
// operands; f's result is exact or rounded to odd.
func fours(v Variant, types [3]isa.Type, f func(a, b, c float64) float64) Fn {
	to := narrows[v.Type.Elem()]
	if to == nil {
		return nil
	}
	var from [3]*narrow
	var width [3]int
	for i, t := range types {
		if from[i], width[i] = narrows[t.Elem()], elementBits(t); from[i] == nil {
			return nil
		}
	}
	return func(d, a, b, c *Slot) {
		b, c = orSame(b, a), orSame(c, a)
		for i := range d {
			var w uint32
			for k := range 4 {
				x := f(from[0].value(a[i]>>(k*width[0])), from[1].value(b[i]>>(k*width[1])), from[2].value(c[i]>>(k*width[2])))
				w |= to.code(&v, x, direction{rnd: isa.RN}) << (8 * k)
			}
			d[i] = w
		}
	}
}
