package fp16

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// format lists the finite values of a 16-bit format, by their bits: the
// definition of the format (IEEE 754-2019, 3.4), which knows no rounding. All
// of them, and what lies half way between two, are exact in double precision.
type format struct {
	values []float64 // of bits 0, 1, 2, ...; the last is what infinity stands for
	inf    uint16
}

func newFormat(fraction, low int, inf uint16) *format {
	f := &format{inf: inf}
	for bits := 0; bits <= int(inf); bits++ {
		e, m := bits>>fraction, bits&(1<<fraction-1)
		if e > 0 {
			m |= 1 << fraction
		} else {
			e = 1
		}
		f.values = append(f.values, math.Ldexp(float64(m), e-1+low-fraction))
	}
	return f
}

// round finds the value on whose side of the middle x lies, the even one in the
// middle.
func (f *format) round(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign = 0x8000
	}
	a := math.Abs(x)
	i := sort.SearchFloat64s(f.values, a)
	if i == len(f.values) {
		return sign | f.inf
	}
	if i > 0 {
		tie := (f.values[i-1] + f.values[i]) / 2
		if a < tie || a == tie && i%2 == 1 {
			i--
		}
	}
	return sign | uint16(i)
}

// codecs are the two formats with what is tested of them.
var codecs = map[string]struct {
	*format
	value func(uint16) float32
	of32  func(float32) uint16
	of64  func(float64) uint16
}{
	"f16":  {newFormat(10, -14, 0x7c00), F16ToF32, F32ToF16, F64ToF16},
	"bf16": {newFormat(7, -126, 0x7f80), BF16ToF32, F32ToBF16, F64ToBF16},
}

// TestValues goes through all 65,536 halves: each has the value that its format
// defines, and that value rounds to it.
func TestValues(t *testing.T) {
	for name, c := range codecs {
		for bits := range 1 << 16 {
			h, magnitude := uint16(bits), uint16(bits)&0x7fff
			got := c.value(h)
			if magnitude > c.inf {
				if got == got || c.of32(got) != NaN || c.of64(float64(got)) != NaN {
					t.Fatalf("%s: %#04x is a NaN; read as %g, which becomes %#04x", name, h, got, c.of32(got))
				}
				continue
			}
			want := math.Inf(1)
			if magnitude < c.inf {
				want = c.values[magnitude]
			}
			if math.Abs(float64(got)) != want || math.Signbit(float64(got)) != (h>>15 != 0) {
				t.Fatalf("%s: %#04x = %g, want %g", name, h, got, want)
			}
			if a, b := c.of32(got), c.of64(float64(got)); a != h || b != h {
				t.Fatalf("%s: %g = %#04x, as a double %#04x, want %#04x", name, got, a, b, h)
			}
		}
	}
}

// TestRounding holds both conversions against the definition: at every tie
// between two halves, just beside it, and at random.
func TestRounding(t *testing.T) {
	for name, c := range codecs {
		check := func(x float64) {
			t.Helper()
			if got, want := c.of64(x), c.round(x); got != want {
				t.Errorf("%s of the double %g (%#x) = %#04x, want %#04x", name, x, math.Float64bits(x), got, want)
			}
			f := float32(x)
			if math.IsInf(float64(f), 0) {
				return
			}
			if got, want := c.of32(f), c.round(float64(f)); got != want {
				t.Errorf("%s of the float %g (%#x) = %#04x, want %#04x", name, f, math.Float32bits(f), got, want)
			}
		}
		for i := range int(c.inf) {
			tie := (c.values[i] + c.values[i+1]) / 2
			up, down := math.Nextafter32(float32(tie), math.MaxFloat32), math.Nextafter32(float32(tie), 0)
			for _, x := range []float64{tie, math.Nextafter(tie, 0), math.Nextafter(tie, math.Inf(1)), -tie, float64(up), float64(down)} {
				check(x)
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200_000 {
			check(math.Ldexp(rng.Float64()*2-1, rng.IntN(300)-160))
		}
		for _, x := range []float64{5e-324, -5e-324, math.MaxFloat64, math.MaxFloat32, 65519.99, 65520} {
			check(x)
		}
	}
}
