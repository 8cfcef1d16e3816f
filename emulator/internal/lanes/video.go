package lanes

import (
	"math/bits"

	"hyptx/ir/isa"
)

// Video instructions take parts of registers, compute with them as integers that
// have room for any result, clamp that if asked to, and then combine it with a third
// operand or put it into a part of that (PTX ISA 9.7.20). The manual gives each stage
// as pseudo-code with types: extracted values are of 33 bits, results of 34, and what
// comes out of the saturation of 33 again, whether it was asked for or not. The lanes
// follow those types. They matter where nothing is clamped and .min or .max compares
// what does not fit the destination's type, and where a shift leaves 34 bits behind;
// there the text, by which the sign of a result depends on the destination, can be
// read in other ways, too.

// VideoFn is the first operation of a video instruction, on extracted values.
type VideoFn func(a, b int64) int64

// Parts are the parts of registers that a video instruction selects, the lowest
// element's first, of Bits bits each: of the second source's register those from
// 32/Bits on, where two sources are selected from. The zero value is a whole register.
type Parts struct {
	At   []int
	Bits int
}

// Video is what of a video instruction picks its lane function besides the operation.
type Video struct {
	// D, A and B are the types of the operands.
	D, A, B isa.Type
	// To is the part of d, or a packed instruction's mask; OfA and OfB are the parts of
	// the sources.
	To, OfA, OfB Parts
	Sat          bool
	// Then is what the result is combined with c by.
	Then Second
	// Negative and NegativeC say that vmad negates the product or c; One that it adds
	// one (.po), Scale by how many bits it shifts.
	Negative, NegativeC, One bool
	Scale                    int
}

// Second is the second operation of a video instruction.
type Second uint8

// The second operations.
const (
	NoSecond Second = iota
	SecondAdd
	SecondMin
	SecondMax
)

// The first operations. Those with a Variant look at its Cmp or Wrap.

func VideoAdd(Variant) VideoFn { return func(a, b int64) int64 { return a + b } }
func VideoSub(Variant) VideoFn { return func(a, b int64) int64 { return a - b } }
func VideoMin(Variant) VideoFn { return func(a, b int64) int64 { return min(a, b) } }
func VideoMax(Variant) VideoFn { return func(a, b int64) int64 { return max(a, b) } }

// VideoAbsDiff is |a - b|.
func VideoAbsDiff(Variant) VideoFn { return func(a, b int64) int64 { return max(a-b, b-a) } }

// VideoAverage rounds halves up, below zero too: (s+1)>>1 of sums that are not
// negative and s>>1 of others (PTX ISA 9.7.20.2.1).
func VideoAverage(Variant) VideoFn {
	return func(a, b int64) int64 {
		s := a + b
		if s >= 0 {
			s++
		}
		return s >> 1
	}
}

// VideoSet is 1 where the comparison holds, else 0.
func VideoSet(v Variant) VideoFn {
	holds := map[isa.Cmp]func(a, b int64) bool{
		isa.EQ: func(a, b int64) bool { return a == b }, isa.NE: func(a, b int64) bool { return a != b },
		isa.LT: func(a, b int64) bool { return a < b }, isa.LE: func(a, b int64) bool { return a <= b },
		isa.GT: func(a, b int64) bool { return a > b }, isa.GE: func(a, b int64) bool { return a >= b },
	}[v.Cmp]
	if holds == nil {
		return nil
	}
	return func(a, b int64) int64 {
		if holds(a, b) {
			return 1
		}
		return 0
	}
}

// VideoShl and VideoShr shift by at most 32, or by b's low five bits.
func VideoShl(v Variant) VideoFn {
	return func(a, b int64) int64 { return a << videoShift(v, b) }
}

func VideoShr(v Variant) VideoFn {
	return func(a, b int64) int64 { return a >> videoShift(v, b) }
}

func videoShift(v Variant, b int64) int64 {
	if v.Wrap {
		return b & 0x1f
	}
	return min(b, 32)
}

// ScalarVideo returns the function of a scalar video instruction.
func ScalarVideo(f VideoFn, v Video) Fn {
	if f == nil {
		return nil
	}
	a, b, finish := v.extractor(v.OfA, v.A, 0), v.extractor(v.OfB, v.B, 0), v.finish()
	return func(d, x, y, z *Slot) {
		z = orSame(z, x)
		for i := range d {
			d[i] = finish(f(a(x[i], 0), b(y[i], 0)), z[i])
		}
	}
}

// extractor returns what takes element n of a selection from two registers and
// extends it by its type.
func (v *Video) extractor(p Parts, t isa.Type, n int) func(x, y uint32) int64 {
	width, at := 32, 0
	if p.Bits != 0 {
		width, at = p.Bits, p.At[n]*p.Bits
	}
	signed := t.IsSigned()
	return func(x, y uint32) int64 {
		return takeBits(uint64(x)|uint64(y)<<32, at, width, signed)
	}
}

// takeBits takes width bits of w from bit at on, as a number.
func takeBits(w uint64, at, width int, signed bool) int64 {
	w = w << (64 - width - at)
	if signed {
		return int64(w) >> (64 - width)
	}
	return int64(w >> (64 - width))
}

// limiter returns what clamps to the numbers of width bits.
func limiter(width int, signed bool) func(int64) int64 {
	lo, hi := int64(0), int64(1)<<width-1
	if signed {
		lo, hi = -1<<(width-1), 1<<(width-1)-1
	}
	return func(t int64) int64 { return max(lo, min(hi, t)) }
}

// finish returns the stages behind the first operation: saturation, and what is done
// with c.
func (v *Video) finish() func(t int64, c uint32) uint32 {
	width, at, signed := 32, 0, v.D.IsSigned()
	if v.To.Bits != 0 {
		width, at = v.To.Bits, v.To.At[0]*v.To.Bits
	}
	clamp := func(t int64) int64 { return t << 31 >> 31 } // 33 bits
	if v.Sat {
		clamp = limiter(width, signed)
	}
	part := (uint32(1)<<width - 1) << at // all bits of 32: the shift leaves none
	return func(t int64, c uint32) uint32 {
		t = clamp(t << 30 >> 30) // 34 bits
		switch wide := takeBits(uint64(c), 0, 32, signed); v.Then {
		case SecondAdd:
			return uint32(t + wide)
		case SecondMin:
			return uint32(min(t, wide))
		case SecondMax:
			return uint32(max(t, wide))
		}
		return uint32(t)<<at&part | c&^part
	}
}

// PackedVideo returns the function of a video instruction on two halves or four bytes.
// Results that are added to c are added as they are, not cut to the size of an element:
// so does the pseudo-code of PTX ISA 9.7.20.2.
func PackedVideo(f VideoFn, v Video) Fn {
	if f == nil {
		return nil
	}
	width := v.OfA.Bits
	n := 32 / width
	a, b := make([]func(x, y uint32) int64, n), make([]func(x, y uint32) int64, n)
	for i := range n {
		a[i], b[i] = v.extractor(v.OfA, v.A, i), v.extractor(v.OfB, v.B, i)
	}
	clamp := func(t int64) int64 { return t }
	if v.Sat {
		clamp = limiter(width, v.D.IsSigned())
	}
	element := uint32(1)<<width - 1
	return lift3(func(x, y, c uint32) uint32 {
		for _, i := range v.To.At {
			t := uint32(clamp(f(a[i](x, y), b[i](x, y))))
			if v.Then == SecondAdd {
				c += t
				continue
			}
			at := i * width
			c = c&^(element<<at) | t&element<<at
		}
		return c
	})
}

// VideoMad is vmad: the product with c and perhaps one added, of 128 bits, shifted and
// clamped to 32 (PTX ISA 9.7.20.1.3). A negated c is its 32-bit complement, extended as
// the pseudo-code has it: by the sign of the result, which a negation makes signed, so
// that an unsigned c from 2^31 on is taken for one from -2^31 on, although the text has
// c unsigned there. Without .sat and a shift that makes no difference. The type of d says
// nothing: whether the result is signed follows from the sources and the negations.
func VideoMad(v Video) Fn {
	a, b := v.extractor(v.OfA, v.A, 0), v.extractor(v.OfB, v.B, 0)
	signed := v.A.IsSigned() || v.B.IsSigned() || v.Negative || v.NegativeC
	return lift3(func(x, y, c uint32) uint32 {
		hi, lo := product66(a(x, 0), b(y, 0))
		one := v.One
		switch {
		case v.Negative:
			hi, lo, one = ^hi, ^lo, true
		case v.NegativeC:
			c, one = ^c, true
		}
		term := uint64(takeBits(uint64(c), 0, 32, signed))
		hi, lo = add128(hi, lo, uint64(int64(term)>>63), term)
		if one {
			hi, lo = add128(hi, lo, 0, 1)
		}
		if v.Scale != 0 {
			hi, lo = uint64(int64(hi)>>v.Scale), lo>>v.Scale|hi<<(64-v.Scale)
		}
		if v.Sat {
			return clamp128(hi, lo, signed)
		}
		return uint32(lo)
	})
}

// product66 is that of two numbers of 33 bits, in two's complement.
func product66(a, b int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if a < 0 != (b < 0) {
		return add128(^hi, ^lo, 0, 1)
	}
	return hi, lo
}

func add128(hi, lo, hi2, lo2 uint64) (uint64, uint64) {
	sum, carry := bits.Add64(lo, lo2, 0)
	high, _ := bits.Add64(hi, hi2, carry)
	return high, sum
}

// clamp128 clamps to the numbers of 32 bits.
func clamp128(hi, lo uint64, signed bool) uint32 {
	least, most := int64(0), int64(1<<32-1)
	if signed {
		least, most = -1<<31, 1<<31-1
	}
	switch {
	case int64(hi) < 0 && (hi != 1<<64-1 || lo < uint64(least)):
		return uint32(least)
	case int64(hi) >= 0 && (hi != 0 || lo > uint64(most)):
		return uint32(most)
	}
	return uint32(lo)
}
