package manifest

import (
	"encoding/binary"
	"math"
)

// Random contents are part of what a manifest says: two people who run it, on any
// machine and in any version, get the same bytes, or their counts could not be
// compared. So the generator is not Go's but is spelled out in the format's
// description: element i of seed s is splitmix64(s * golden + i), of which 24 bits
// are kept, as many as an f32 in [0, 1) has. f16 and f32 buffers of one seed hold
// the same numbers, but for their rounding. The tests work all of it out a second
// time, from the description, in integers without end.

// golden is 2^64 over the golden ratio: the step of splitmix64's counter and,
// times the seed, the offset of a stream.
const golden = 0x9E3779B97F4A7C15

// mix is the output function of Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators" (2014), with Vigna's constants: splitmix64 of a
// state x is mix(x + golden).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// unit is the weight of the 24 bits that a draw keeps: u = (z >> 40) * 2^-24.
const unit = 1.0 / (1 << 24)

// uniformSource draws element i from counter i: low + (high-low)*u rounded to
// the type, for integers floor(low + (high-low+1)*u). Every operation is
// rounded by itself: the conversions keep the compiler from fusing.
func uniformSource(t Type, seed uint64, low, high float64) Source {
	span := high - low
	if !t.IsFloat() {
		span = float64(span) + 1
	}
	first := seed*golden + golden
	if t == F32 {
		return elementSource{4, func(dst []byte, i uint64) { uniformF32(dst, first+i, low, span) }}
	}
	size := t.Size()
	return elementSource{size, func(dst []byte, i uint64) {
		for x := first + i; len(dst) >= size; dst, x = dst[size:], x+1 {
			u := float64(mix(x)>>40) * unit
			putBits(dst, size, randomBits(t, low+float64(span*u)))
		}
	}}
}

// uniformF32 is the loop in which networks' weights are made.
func uniformF32(dst []byte, x uint64, low, span float64) {
	for ; len(dst) >= 4; dst = dst[4:] {
		u := float64(int64(mix(x)>>40)) * unit
		binary.LittleEndian.PutUint32(dst, math.Float32bits(float32(low+float64(span*u))))
		x++
	}
}

func randomBits(t Type, x float64) uint64 {
	if t.IsFloat() {
		return floatBits(t, x)
	}
	return toInteger(t, x)
}

// normalSource draws element i from the counters 12i to 12i+11: mean + stddev
// times the sum of the twelve draws less 6 (variance 12 * 1/12). The sum is
// exact, so it is made of the draws' integers. Integer types take the nearest
// whole number, ties to even.
func normalSource(t Type, seed uint64, mean, stddev float64) Source {
	first, size := seed*golden+golden, t.Size()
	return elementSource{size, func(dst []byte, i uint64) {
		for ; len(dst) >= size; dst, i = dst[size:], i+1 {
			var sum uint64
			for k := range uint64(12) {
				sum += mix(first+12*i+k) >> 40
			}
			x := mean + float64(stddev*(float64(sum)*unit-6))
			if !t.IsFloat() {
				x = math.RoundToEven(x)
			}
			putBits(dst, size, randomBits(t, x))
		}
	}}
}
