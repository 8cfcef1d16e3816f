package texel

import (
	"math"
	"testing"
)

// The emulator's tests hold every fetch and access against references
// (emulator/reference_texture_test.go, reference_surface_test.go). Here is what they do
// not draw: published values, and places at the ends.

// TestFormats: values of the guide (0xff reads as 1) and of IEC 61966-2-1, to single
// precision.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		f     Format
		bytes []byte
		want  [4]float64
	}{
		{Format{Kind: Unsigned, Bits: 8, Channels: 1, Normalized: true}, []byte{0xff}, [4]float64{1, 0, 0, 1}},
		{Format{Kind: Signed, Bits: 16, Channels: 2, Normalized: true}, []byte{0, 0x80, 0xff, 0x7f}, [4]float64{-1, 1, 0, 1}},
		{Format{Kind: Float, Bits: 16, Channels: 2}, []byte{0, 0x3c, 1, 0}, [4]float64{1, 0x1p-24, 0, 1}},
		// 128/255 and 10/255 (below the linear part's end) in linear light.
		{Format{Kind: Unsigned, Bits: 8, Channels: 4, Normalized: true, SRGB: true}, []byte{128, 10, 255, 51}, [4]float64{0.21586050, 0.0030352698, 1, 0.2}},
	} {
		v := c.f.Decode(c.bytes)
		for i, want := range c.want {
			if got := float64(math.Float32frombits(v[i])); math.Abs(got-want) > 1e-7 {
				t.Errorf("%v of % x: channel %d is %.9g, want %.9g", c.f, c.bytes, i, got, want)
			}
		}
	}
}

// TestLayout: levels follow each other, each with all layers; rows of a pitch end with
// their elements in the last one.
func TestLayout(t *testing.T) {
	chain := &Texture{Format: Format{Bits: 16, Channels: 2}, Dims: 2, Size: [3]int64{6, 4, 1}, Layers: 3, Levels: 3, Samples: 1}
	if n := chain.offset(2, 1, [3]int64{0, 0, 0}); n != 4*(6*4*3+3*2*3+1) {
		t.Errorf("layer 1 of level 2 is at %d", n)
	}
	if n := chain.Bytes(); n != 4*3*(6*4+3*2+1*1) {
		t.Errorf("%d bytes", n)
	}
	rows := &Texture{Format: Format{Bits: 8, Channels: 1}, Dims: 2, Size: [3]int64{5, 3, 1}, Layers: 1, Levels: 1, Samples: 1, Pitch: 8}
	if n := rows.Bytes(); n != 8+8+5 {
		t.Errorf("%d bytes with a pitch", n)
	}
}

// TestSurfaceOfCube: a cube is a surface of its faces, of level 0.
func TestSurfaceOfCube(t *testing.T) {
	sky := &Texture{Format: Format{Bits: 32, Channels: 1}, Dims: 2, Size: [3]int64{2, 2, 1}, Layers: 6, Levels: 2, Samples: 1, Cube: true}
	for _, c := range []struct {
		x, y    int64
		layer   uint32
		offset  int64
		outside bool
	}{
		{4, 1, 5, 4 * (5*4 + 3), false}, {8, 1, 5, 4 * (5*4 + 3), true}, {0, -1, 2, 4 * 2 * 4, true}, {0, 0, 6, 4 * 5 * 4, true}, {0, 0, math.MaxUint32, 4 * 5 * 4, true},
	} {
		if at, outside := sky.Surface(c.x, [3]int64{0, c.y, 0}, c.layer, 4); at != c.offset || outside != c.outside {
			t.Errorf("(%d, %d) of face %d is at %d, outside %v; want %d, %v", c.x, c.y, c.layer, at, outside, c.offset, c.outside)
		}
	}
}

// TestFarCoordinates: infinities, NaNs and numbers beyond all integers are within the
// texture, or its border.
func TestFarCoordinates(t *testing.T) {
	x := &Texture{Format: Format{Kind: Float, Bits: 32, Channels: 1}, Dims: 3, Size: [3]int64{5, 4, 3}, Layers: 1, Levels: 1, Samples: 1}
	for mode := Wrap; mode <= ClampToBorder; mode++ {
		for _, filter := range []bool{false, true} {
			for _, normalized := range []bool{false, true} {
				s := &Sampler{Address: [3]Address{mode, mode, mode}, Filter: filter, Normalized: normalized}
				for _, at := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32, 0x1p62} {
					var taps Taps
					x.Taps(s, &Request{At: [3]float64{at, 1, at}}, &taps)
					for i, n := range taps.At[:taps.N] {
						if n < -1 || n >= x.Bytes() || !(taps.Weight[i] >= 0 && taps.Weight[i] <= 1) {
							t.Errorf("mode %d, %v: element at %d with weight %v", mode, at, n, taps.Weight[i])
						}
					}
				}
			}
		}
	}
	for _, lod := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if level, _ := x.Nearest(lod); level != 0 {
			t.Errorf("lod %v means level %d of one", lod, level)
		}
	}
}

// Bytes is how much memory it takes. The last row of one with a pitch ends with its
// elements.
func (t *Texture) Bytes() (n int64) {
	for level := range t.Levels {
		n += t.layer(level) * t.Layers
	}
	if t.Pitch > 0 {
		n -= t.Pitch - t.Size[0]*t.element()
	}
	return n
}
