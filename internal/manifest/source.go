package manifest

import (
	"fmt"
	"math"
)

// Contents are made when somebody reads them. A control profile of a network of
// 500 MB touches a few pages of it; filling all buffers first would take longer
// than the profile. So every way to give contents is a function of the place:
// element i of a distribution comes from counter i and not from element i-1, and
// files are entered in the middle. Pages are filled by several goroutines in any
// order and are the same as if one had filled them from the start.

// Source gives the contents of a buffer, piece by piece, in any order and from
// several goroutines at once.
type Source interface {
	// Fill writes the bytes from offset on into dst.
	Fill(dst []byte, offset int64) error
}

// zeroSource is all zeros.
type zeroSource struct{}

func (zeroSource) Fill(dst []byte, _ int64) error {
	clear(dst)
	return nil
}

// bytesSource is data in memory.
type bytesSource []byte

func (s bytesSource) Fill(dst []byte, offset int64) error {
	if offset < 0 || offset+int64(len(dst)) > int64(len(s)) {
		return fmt.Errorf("bytes %d to %d lie outside the %d given", offset, offset+int64(len(dst)), len(s))
	}
	copy(dst, s[offset:])
	return nil
}

// elementSource makes elements from their index.
type elementSource struct {
	size int
	// put writes len(dst)/size elements, the first of which has index i.
	put func(dst []byte, i uint64)
}

func (s elementSource) Fill(dst []byte, offset int64) error {
	if offset < 0 {
		return fmt.Errorf("offset %d is negative", offset)
	}
	i, size := uint64(offset)/uint64(s.size), s.size
	if skip := int(offset % int64(size)); skip != 0 {
		dst = dst[s.part(dst, skip, i):]
		i++
	}
	whole := len(dst) - len(dst)%size
	if whole > 0 {
		s.put(dst[:whole], i)
	}
	if whole < len(dst) {
		s.part(dst[whole:], 0, i+uint64(whole/size))
	}
	return nil
}

// part writes what fits into dst of element i from its byte skip on: a caller may
// ask for bytes 3 to 7 of a buffer of doubles.
func (s elementSource) part(dst []byte, skip int, i uint64) int {
	var element [8]byte
	s.put(element[:s.size], i)
	return copy(dst, element[skip:s.size])
}

// fillSource repeats one element.
func fillSource(size int, bits uint64) Source {
	return elementSource{size, func(dst []byte, _ uint64) { repeatBits(dst, size, bits) }}
}

// repeatBits fills dst, a whole number of elements, with one element.
func repeatBits(dst []byte, size int, bits uint64) {
	putBits(dst, size, bits)
	for n := size; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// intIota is start + i*step modulo 2^bits.
func intIota(size int, start, step uint64) Source {
	return elementSource{size, func(dst []byte, i uint64) {
		for ; len(dst) > 0; dst, i = dst[size:], i+1 {
			putBits(dst, size, start+i*step)
		}
	}}
}

// floatIota is start + i*step in double, each operation rounded, then rounded
// to the type.
func floatIota(t Type, start, step float64) Source {
	return elementSource{t.Size(), func(dst []byte, i uint64) {
		for ; len(dst) > 0; dst, i = dst[t.Size():], i+1 {
			putBits(dst, t.Size(), floatBits(t, start+float64(step*float64(i))))
		}
	}}
}

// toInteger converts a double to an integer type, towards minus infinity, and
// stops at the ends of the type's range. Where every machine's conversion
// agrees it never matters; where they differ it makes them agree.
func toInteger(t Type, x float64) uint64 {
	x = math.Floor(x)
	bits := 8 * t.Size()
	if t.IsSigned() || t.IsBits() && x < 0 {
		limit := float64(uint64(1) << (bits - 1))
		switch {
		case x < -limit:
			return 1 << (bits - 1)
		case x >= limit:
			return 1<<(bits-1) - 1
		}
		return uint64(int64(x))
	}
	switch {
	case x < 0:
		return 0
	case x >= 2*float64(uint64(1)<<(bits-1)):
		return math.MaxUint64
	}
	return uint64(x)
}
