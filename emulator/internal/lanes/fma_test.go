package lanes

import (
	"math"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// TestFmaTies builds sums that lie so near a tie that a double cannot tell:
// c is a float, and a*b is half a unit of c, more or less by 2^-46 of itself.
// Subnormal results have their ties elsewhere.
func TestFmaTies(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 19))
	for _, rnd := range roundings {
		fn := Fma(Variant{Type: isa.F32, Rnd: rnd})
		var d, a, b, c Slot
		for range rounds(500) {
			for i := range d {
				c[i] = uint32(r.IntN(254<<23)) | r.Uint32()&(1<<31)
				if r.IntN(2) == 0 {
					c[i] = uint32(r.IntN(1<<23)) | r.Uint32()&(1<<31)
				}
				unit := max(int(c[i]>>23&255), 1) - 150 // of the last place of c
				x, y := float32(1+0x1p-23), float32(1-0x1p-23)
				if r.IntN(4) == 0 {
					x, y = 1, 1 // the tie itself
				}
				e := (unit - 1) / 2
				a[i] = math.Float32bits(x * float32(math.Ldexp(1, e)))
				b[i] = math.Float32bits(y*float32(math.Ldexp(1, unit-1-e))) | r.Uint32()&(1<<31)
			}
			fn(&d, &a, &b, &c)
			for i := range d {
				want := softfloat.F32.FMA(uint64(a[i]), uint64(b[i]), uint64(c[i]), rnd)
				if uint64(d[i]) != want {
					t.Fatalf("fma%d(%#x, %#x, %#x) = %#x, want %#x", rnd, a[i], b[i], c[i], d[i], want)
				}
			}
		}
	}
}

// TestFmaKnown has the case that shows rounding twice: 5377 * 4907 - 5.7e-13.
// 5377*4907 = 26384939 lies half way between the floats 26384938 and 26384940.
func TestFmaKnown(t *testing.T) {
	var d, a, b, c Slot
	a[0], b[0], c[0] = math.Float32bits(5377), math.Float32bits(4907), math.Float32bits(-5.7e-13)
	Fma(Variant{Type: isa.F32, Rnd: isa.RN})(&d, &a, &b, &c)
	if got := math.Float32frombits(d[0]); got != 26384938 {
		t.Errorf("got %.1f, want 26384938", got)
	}
}
