package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// TestCvtFour: whatever random bits meet which of those that are cut off, the result is
// one of the two neighbours, the nearer to zero with random zeros; and as many of all
// random numbers take the other as the number has gone of the way to it, which is what
// stochastic rounding is for.
func TestCvtFour(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, c := range []struct {
		typ     isa.Type
		f       softfloat.Format
		largest uint64
		bits    int
	}{
		{isa.E4M3x4, softfloat.Format{Exp: 4, Man: 3}, 0x7e, 16}, {isa.E5M2x4, softfloat.Format{Exp: 5, Man: 2}, 0x7b, 16},
		{isa.E2M3x4, softfloat.Format{Exp: 2, Man: 3}, 0x1f, 16}, {isa.E3M2x4, softfloat.Format{Exp: 3, Man: 2}, 0x1f, 16},
		{isa.E2M1x4, softfloat.Format{Exp: 2, Man: 1}, 7, 8},
	} {
		fn := CvtFour(Variant{Type: c.typ, From: isa.F32, Rnd: isa.RS, SatFinite: true})
		width := c.typ.Bits() / 4
		for range 6 {
			x := math.Float32frombits(uint32(softfloat.F32.Operand(r)) &^ (1 << 31))
			if x != x || x == 0 || math.IsInf(float64(x), 0) {
				x = 1.2345678
			}
			want := softfloat.F32.Rat(uint64(math.Float32bits(x)))
			below := uint64(0)
			for below < c.largest && c.f.Rat(below+1).Cmp(want) <= 0 {
				below++
			}
			var far big.Rat
			if below < c.largest {
				far.Quo(new(big.Rat).Sub(want, c.f.Rat(below)), new(big.Rat).Sub(c.f.Rat(below+1), c.f.Rat(below)))
			}
			far.Mul(&far, softfloat.Pow2(c.bits))
			times := new(big.Int).Quo(far.Num(), far.Denom()).Uint64()
			for k := range 4 {
				if got := countUp(t, fn, k, width, c.bits, x, below); got != times {
					t.Errorf("%s of %g, element %d: %d of 2^%d random numbers round up, want %d", c.typ, x, k, got, c.bits, times)
				}
			}
		}
	}
}

// countUp counts the random numbers of so many bits by which element k becomes the code
// above below.
func countUp(t *testing.T, fn func(d *Slot, from [4]*Slot, random *Slot), k, width, bits int, x float32, below uint64) (up uint64) {
	var d, random Slot
	var from [4]Slot
	for i := range Width {
		for j := range from {
			from[j][i] = math.Float32bits(x)
		}
	}
	for n := 0; n < 1<<bits; n += Width {
		for i := range Width {
			v := uint32(n + i)
			random[i] = v | v<<16
			if bits == 8 {
				random[i] *= 0x101
			}
		}
		fn(&d, [4]*Slot{&from[0], &from[1], &from[2], &from[3]}, &random)
		for i, w := range d {
			code := uint64(w) >> ((3 - k) * width) & (1<<width - 1)
			if code-below > 1 || code != below && n+i == 0 {
				t.Fatalf("%g with random %#x: element %d is %#x, beside %#x", x, random[i], k, code, below)
			}
			up += code - below
		}
	}
	return up
}

// TestNarrowCodes: every code of every format is the code of its value, in each direction,
// and so is its negative.
func TestNarrowCodes(t *testing.T) {
	for typ, f := range narrows {
		for w := range uint32(1) << f.bits {
			x := f.value(w)
			for _, rnd := range []isa.Rounding{isa.RN, isa.RZ, isa.RM, isa.RP} {
				got := f.code(&Variant{}, x, direction{rnd: rnd})
				if x != x && got == f.canonical || got == w {
					continue
				}
				t.Errorf("%s: %#x is %g, which is %#x", typ, w, x, got)
			}
		}
	}
}
