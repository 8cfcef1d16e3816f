package texel

import (
	"encoding/binary"
	"math"

	"hyptx/internal/fp16"
)

// Beyond is what an access beyond the edges of a surface does.
type Beyond uint8

// The modes .trap, .clamp and .zero.
const (
	BeyondTraps Beyond = iota
	BeyondClamps
	BeyondZero
)

// Surface returns where n bytes of a surface lie: at byte x of the row, at[1] and at[2],
// in a layer. Outside says that the place lies beyond an edge; offset is then the
// nearest place that does not. Level 0 is meant.
func (t *Texture) Surface(x int64, at [3]int64, layer uint32, n int64) (offset int64, outside bool) {
	row := t.Size[0] * t.element()
	inside := min(max(x, 0), row-n) // the nearest that has all its bytes
	outside = inside != x
	place := int64(layer)
	for d := 1; d < t.Dims; d++ {
		if nearest := min(max(at[d], 0), t.Size[d]-1); nearest != at[d] {
			at[d], outside = nearest, true
		}
	}
	if !t.Layered && !t.Cube { // a cube is a surface of its faces
		place = 0
	} else if place >= t.Layers {
		place, outside = t.Layers-1, true
	}
	at[0] = 0
	for d := t.Dims; d < 3; d++ {
		at[d] = 0
	}
	return t.offset(0, place, at) + inside, outside
}

// Encode writes what a formatted store gives into an element: of each channel 32 bits,
// which are a number or an integer as the format asks (PTX ISA 9.7.13.2). Integers too
// large for a channel become the nearest that it can hold, which is OpenCL's rule:
// the manual has none. Channels that were not given stay zero.
func (f *Format) Encode(b []byte, given []uint32) {
	clear(b)
	for c := range min(f.Channels, len(given)) {
		raw := f.encode(given[c])
		switch to := b[c*f.Bits/8:]; f.Bits {
		case 8:
			to[0] = byte(raw)
		case 16:
			binary.LittleEndian.PutUint16(to, uint16(raw))
		default:
			binary.LittleEndian.PutUint32(to, raw)
		}
	}
}

func (f *Format) encode(v uint32) uint32 {
	switch {
	case f.Kind == Float && f.Bits == 16:
		return uint32(fp16.F32ToF16(math.Float32frombits(v)))
	case f.Kind == Float:
		return v
	case f.Normalized:
		return f.normalize(float64(math.Float32frombits(v)))
	case f.Kind == Signed:
		high := int64(1)<<(f.Bits-1) - 1
		return uint32(min(max(int64(int32(v)), -high-1), high))
	}
	return uint32(min(uint64(v), 1<<f.Bits-1))
}

// normalize is the integer for a number from 0 or -1 to 1.
func (f *Format) normalize(x float64) uint32 {
	if x != x {
		return 0
	}
	if f.Kind == Signed {
		return uint32(int32(math.RoundToEven(min(max(x, -1), 1) * float64(int32(1)<<(f.Bits-1)-1))))
	}
	return uint32(math.RoundToEven(min(max(x, 0), 1) * float64(uint32(1)<<f.Bits-1)))
}
