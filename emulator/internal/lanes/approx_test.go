package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

var (
	inf  = float32(math.Inf(1))
	neg0 = float32(math.Copysign(0, -1))
	nan  = float32(math.NaN())
)

// TestApproxSpecial has the manual's tables of special values (9.7.3.13 to
// .22); NaN results are canonical.
func TestApproxSpecial(t *testing.T) {
	sub := math.Float32frombits(1)
	tests := []struct {
		name string
		fn   Fn
		in   []float32
		want []float32
	}{
		{"rcp", Rcp(Variant{Type: isa.F32, Approx: true}), []float32{-inf, neg0, 0, inf, nan}, []float32{neg0, -inf, inf, 0, nan}},
		{"rcp.ftz", Rcp(Variant{Type: isa.F32, Approx: true, FTZ: true}), []float32{-sub, sub, 0x1p127}, []float32{-inf, inf, 0}},
		{"sqrt", Sqrt(Variant{Type: isa.F32, Approx: true}), []float32{-inf, -1, neg0, 0, inf, nan, 4}, []float32{nan, nan, neg0, 0, inf, nan, 2}},
		{"rsqrt", Rsqrt(Variant{Type: isa.F32, Approx: true}), []float32{-inf, -1, neg0, 0, inf, nan, 4}, []float32{nan, nan, -inf, inf, 0, nan, 0.5}},
		{"rsqrt.ftz", Rsqrt(Variant{Type: isa.F32, Approx: true, FTZ: true}), []float32{-sub, sub}, []float32{-inf, inf}},
		{"sin", Sin(Variant{Type: isa.F32}), []float32{-inf, neg0, 0, inf, nan}, []float32{nan, neg0, 0, nan, nan}},
		{"cos", Cos(Variant{Type: isa.F32}), []float32{-inf, neg0, 0, inf, nan}, []float32{nan, 1, 1, nan, nan}},
		{"lg2", Lg2(Variant{Type: isa.F32}), []float32{-inf, -1, neg0, 0, inf, nan, 8}, []float32{nan, nan, -inf, -inf, inf, nan, 3}},
		{"lg2.ftz", Lg2(Variant{Type: isa.F32, FTZ: true}), []float32{-sub, sub}, []float32{-inf, -inf}},
		{"ex2", Ex2(Variant{Type: isa.F32}), []float32{-inf, neg0, 0, inf, nan, 3, -150}, []float32{0, 1, 1, inf, nan, 8, 0}},
		{"ex2.ftz", Ex2(Variant{Type: isa.F32, FTZ: true}), []float32{-127, sub}, []float32{0, 1}},
		{"tanh", Tanh(Variant{Type: isa.F32}), []float32{-inf, neg0, 0, inf, nan, sub}, []float32{-1, neg0, 0, 1, nan, sub}},
	}
	for _, test := range tests {
		var d, a Slot
		for i, x := range test.in {
			a[i] = math.Float32bits(x)
		}
		test.fn(&d, &a, nil, nil)
		for i, x := range test.want {
			want := math.Float32bits(x)
			if x != x {
				want = 0x7fffffff
			}
			if d[i] != want {
				t.Errorf("%s(%g) = %#x, want %#x", test.name, test.in[i], d[i], want)
			}
		}
	}
}

// TestGrossF64 has the tables of 9.7.3.14 and .17.
func TestGrossF64(t *testing.T) {
	in := []uint64{0xfff << 52, 0x8000000000000001, 1 << 63, 0, 1, 0x7ff << 52, 0x7ff8 << 48, 0x4010000000000000, 0x40100000ffffffff}
	tests := map[string]struct {
		fn   Fn
		want []uint64
	}{
		"rcp": {Rcp(Variant{Type: isa.F64, Approx: true, FTZ: true}),
			[]uint64{1 << 63, 0xfff << 52, 0xfff << 52, 0x7ff << 52, 0x7ff << 52, 0, 0x7fffffff << 32, 0x3fd << 52, 0x3fd << 52}},
		"rsqrt": {Rsqrt(Variant{Type: isa.F64, Approx: true, FTZ: true}),
			[]uint64{0x7fffffff << 32, 0xfff << 52, 0xfff << 52, 0x7ff << 52, 0x7ff << 52, 0, 0x7fffffff << 32, 0x3fe << 52, 0x3fe << 52}},
	}
	for name, test := range tests {
		var regs registers
		copy(Wide(regs.at(1))[:], in)
		test.fn(regs.at(0), regs.at(1), nil, nil)
		for i, want := range test.want {
			if got := Wide(regs.at(0))[i]; got != want {
				t.Errorf("%s(%#x) = %#x, want %#x", name, in[i], got, want)
			}
		}
	}
}

// TestDivApprox: 9.7.3.8 defines quotients by more than 2^126.
func TestDivApprox(t *testing.T) {
	in := [][3]float32{{6, 3, 2}, {1, 0, inf}, {1, neg0, -inf}, {0, 0, nan}, {1, 0x1p127, 0}, {-1, 0x1p127, neg0},
		{inf, 0x1p127, nan}, {0x1p127, 0x1p126, 2}, {1, inf, 0}}
	var d, a, b Slot
	for i, x := range in {
		a[i], b[i] = math.Float32bits(x[0]), math.Float32bits(x[1])
	}
	Div(Variant{Type: isa.F32, Approx: true})(&d, &a, &b, nil)
	for i, x := range in {
		want := math.Float32bits(x[2])
		if x[2] != x[2] {
			want = 0x7fffffff
		}
		if d[i] != want {
			t.Errorf("%g / %g = %#x, want %#x", x[0], x[1], d[i], want)
		}
	}
}

// TestApproxBounds holds results against the manual's error bounds, at points
// where math/big or an identity gives the value.
func TestApproxBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	ex2, lg2 := Ex2(Variant{Type: isa.F32}), Lg2(Variant{Type: isa.F32})
	var d, a Slot
	for range rounds(100) {
		for i := range a {
			a[i] = math.Float32bits(float32(r.IntN(1000)-500) / 4)
		}
		ex2(&d, &a, nil, nil)
		for i := range d {
			x := math.Float32frombits(a[i])
			want := quarterPower(int(x * 4))
			if diff := math.Abs(float64(math.Float32frombits(d[i]))/want - 1); want > 0x1p-126 && diff > 0x1p-22 {
				t.Fatalf("ex2(%g) off by %g", x, diff)
			}
		}
		copy(a[:], d[:])
		lg2(&d, &a, nil, nil)
		for i := range d {
			x := math.Float32frombits(a[i])
			y := float64(math.Float32frombits(d[i]))
			// lg2 of a power of a quarter, up to the input's own rounding.
			if e := math.Round(y*4) / 4; x > 0x1p-120 && math.Abs(y-e) > math.Max(1, math.Abs(e))*0x1p-21 {
				t.Fatalf("lg2(%g) = %g", x, y)
			}
		}
	}
}

// quarterPower returns 2^(n/4) by square roots of math/big.
func quarterPower(n int) float64 {
	whole, part := n>>2, n&3
	x := new(big.Float).SetPrec(200).SetInt64(1 << part)
	x.Sqrt(x).Sqrt(x)
	f, _ := x.Float64()
	return math.Ldexp(f, whole)
}
