package texel

import (
	"encoding/binary"
	"math"

	"hyptx/internal/fp16"
)

// Kind is what the numbers of a format are.
type Kind uint8

// The kinds.
const (
	Unsigned Kind = iota
	Signed
	Float
)

// Format is what an element consists of.
type Format struct {
	Kind     Kind
	Bits     int // of a channel: 8, 16 or 32
	Channels int // 1, 2 or 4
	// Normalized: integers are read as numbers from 0 to 1, or from -1 to 1; SRGB: three
	// channels of them by the curve of sRGB.
	Normalized, SRGB bool
}

// Bytes is the size of an element.
func (f *Format) Bytes() int { return f.Bits / 8 * f.Channels }

// Real reports whether a fetch returns numbers of 32-bit floating point.
func (f *Format) Real() bool { return f.Kind == Float || f.Normalized }

// Value is what a fetch returns: four channels, as integers or as the bits of numbers.
type Value [4]uint32

// absent is what channels that an element does not have read as: no colour, and an
// opaque one. The manual does not say; this is OpenCL's rule for the channel orders
// which the manual has from there (5.3.3).
func (f *Format) absent() (v Value) {
	v[3] = 1
	if f.Real() {
		v[3] = math.Float32bits(1)
	}
	return v
}

// border is what lies beyond the edges where the addressing mode is border: zeros
// (CUDA: cudaAddressModeBorder), in the channels that there are.
func (f *Format) border() Value {
	v := f.absent()
	clear(v[:f.Channels])
	return v
}

// Decode reads an element.
func (f *Format) Decode(b []byte) Value {
	v := f.absent()
	for c := range f.Channels {
		v[c] = f.channel(b[c*f.Bits/8:], c)
	}
	return v
}

func (f *Format) channel(b []byte, c int) uint32 {
	var raw uint32
	switch f.Bits {
	case 8:
		raw = uint32(b[0])
	case 16:
		raw = uint32(binary.LittleEndian.Uint16(b))
	default:
		raw = binary.LittleEndian.Uint32(b)
	}
	signed := int32(raw<<(32-f.Bits)) >> (32 - f.Bits)
	switch {
	case f.Kind == Float && f.Bits == 16:
		return math.Float32bits(fp16.F16ToF32(uint16(raw)))
	case f.Kind == Float:
		return raw
	case f.SRGB && c < 3:
		return math.Float32bits(float32(linear(float64(raw) / 255)))
	case f.Normalized && f.Kind == Unsigned:
		return math.Float32bits(float32(float64(raw) / float64(uint32(1)<<f.Bits-1)))
	case f.Normalized: // the least number and the one above it are both -1
		return math.Float32bits(float32(max(float64(signed)/float64(int32(1)<<(f.Bits-1)-1), -1)))
	case f.Kind == Signed:
		return uint32(signed)
	}
	return raw
}

// linear is the transfer function of sRGB (IEC 61966-2-1).
func linear(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// The numbers that queries give for channels are OpenCL's, the only ones that the manual
// has (5.3.3).
const (
	snormInt8    = 0x10d0
	unormInt8    = 0x10d2
	signedInt8   = 0x10d7
	unsignedInt8 = 0x10da
	halfFloat    = 0x10dd
	orderR       = 0x10b0
	orderRG      = 0x10b2
	orderRGBA    = 0x10b5
)

// DataType is the answer to the query channel_data_type.
func (f *Format) DataType() uint32 {
	step := uint32(map[int]int{8: 0, 16: 1, 32: 2}[f.Bits])
	switch {
	case f.Kind == Float:
		return halfFloat + step - 1
	case f.Normalized && f.Kind == Signed:
		return snormInt8 + step
	case f.Normalized:
		return unormInt8 + step
	case f.Kind == Signed:
		return signedInt8 + step
	}
	return unsignedInt8 + step
}

// Order is the answer to the query channel_order.
func (f *Format) Order() uint32 {
	return map[int]uint32{1: orderR, 2: orderRG, 4: orderRGBA}[f.Channels]
}
