package value

import (
	"math/bits"

	"hyptx/ir/isa"
)

// Interval says of a value that its bits are those of an integer from Low to
// High, modulo 2^width; the zero Interval says nothing. Sums and products of
// intervals so hold without a thought for wrap-around, which only reading them
// as a signed or unsigned number has to take (see [Interval.As]).
type Interval struct {
	Low, High int64
	Known     bool
}

// maxBound keeps the arithmetic on bounds from overflowing: sums of two bounds
// fit by far, products are checked.
const maxBound = 1 << 47

// Between returns the interval from low to high, the unknown one if a bound is
// too large.
func Between(low, high int64) Interval {
	if low < -maxBound || high > maxBound || low > high {
		return Interval{}
	}
	return Interval{low, high, true}
}

// Of returns the interval that holds the number alone that bits are when read
// as type t.
func Of(bits uint64, t isa.Type) Interval {
	v := int64(Extend(bits, t))
	if t.Bits() == 64 && !t.IsSigned() && v < 0 {
		return Interval{}
	}
	return Between(v, v)
}

// All returns the interval of all numbers of an integer type, the unknown one
// for more than 32 bits.
func All(t isa.Type) Interval {
	n := t.Bits()
	switch {
	case t.IsFloat() || n == 0 || n > 32:
		return Interval{}
	case t.IsSigned():
		return Between(-1<<(n-1), 1<<(n-1)-1)
	}
	return Between(0, 1<<n-1)
}

// As returns the interval of the number that the value is when read as type t:
// unknown if it may wrap around there.
func (a Interval) As(t isa.Type) Interval {
	n := t.Bits()
	if !a.Known || t.IsFloat() || n == 0 || n > 64 {
		return Interval{}
	}
	return a.read(n, t.IsSigned())
}

// Signed returns the interval of the number that the value is when width bits
// are read as a signed integer: unknown if it may wrap around there.
func (a Interval) Signed(width int) Interval {
	if !a.Known {
		return a
	}
	return a.read(width, true)
}

// read takes full turns of 2^n off, as a register of n bits does, so that the
// lower bound is a number of the type; if the upper one is not, values on both
// sides of the type's end are possible and nothing is known.
func (a Interval) read(n int, signed bool) Interval {
	least, most := int64(0), int64(maxBound)
	switch {
	case signed && n < 64:
		least, most = -1<<(n-1), 1<<(n-1)-1
	case signed:
		return a
	case n < 64:
		most = 1<<n - 1
	}
	if n < 64 {
		turns := floorDiv(a.Low-least, 1<<n) // full turns to take off
		a.Low, a.High = a.Low-turns<<n, a.High-turns<<n
	}
	if a.Low < least || a.High > most {
		return Interval{}
	}
	return a
}

// floorDiv divides by a positive number, rounding down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Natural reports whether no number of the interval is negative.
func (a Interval) Natural() bool { return a.Known && a.Low >= 0 }

// Single reports whether the interval holds one number.
func (a Interval) Single() bool { return a.Known && a.Low == a.High }

// Hull returns the smallest interval that holds both.
func (a Interval) Hull(b Interval) Interval {
	if !a.Known || !b.Known {
		return Interval{}
	}
	return Between(min(a.Low, b.Low), max(a.High, b.High))
}

// Plus returns the interval of sums.
func (a Interval) Plus(b Interval) Interval {
	if !a.Known || !b.Known {
		return Interval{}
	}
	return Between(a.Low+b.Low, a.High+b.High)
}

// Times returns the interval of products.
func (a Interval) Times(b Interval) Interval {
	if !a.Known || !b.Known {
		return Interval{}
	}
	low, high := int64(maxBound)+1, int64(-maxBound)-1
	for _, x := range [2]int64{a.Low, a.High} {
		for _, y := range [2]int64{b.Low, b.High} {
			upper, lower := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
			if upper != 0 || lower > maxBound {
				return Interval{}
			}
			low, high = min(low, x*y), max(high, x*y)
		}
	}
	return Between(low, high)
}
