package lanes

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

var cvtTypes = []isa.Type{isa.U8, isa.S8, isa.U16, isa.S16, isa.U32, isa.S32, isa.U64, isa.S64,
	isa.F16, isa.BF16, isa.F32, isa.F64}

func refOf(t isa.Type) (softfloat.Format, bool) {
	switch t {
	case isa.F16:
		return softfloat.F16, true
	case isa.BF16:
		return softfloat.BF16, true
	case isa.F32:
		return softfloat.F32, true
	case isa.F64:
		return softfloat.F64, true
	}
	return softfloat.Format{}, false
}

// TestCvt converts between all basic types in all roundings, checked with
// exact rationals.
func TestCvt(t *testing.T) {
	for _, to := range cvtTypes {
		for _, from := range cvtTypes {
			_, toF := refOf(to)
			_, fromF := refOf(from)
			rnds := []isa.Rounding{isa.NoRnd}
			switch {
			case toF && (!fromF || to.Bits() < from.Bits() || to != from && to.Bits() == from.Bits()):
				rnds = roundings
			case fromF && !toF:
				rnds = []isa.Rounding{isa.RNI, isa.RZI, isa.RMI, isa.RPI}
			case toF && to == from:
				rnds = []isa.Rounding{isa.NoRnd, isa.RNI, isa.RZI, isa.RMI, isa.RPI}
			}
			for _, rnd := range rnds {
				for mods := range 4 {
					v := Variant{Type: to, From: from, Rnd: rnd, Sat: mods&1 != 0, FTZ: mods&2 != 0}
					if v.FTZ && to != isa.F32 && from != isa.F32 {
						continue
					}
					t.Run(fmt.Sprintf("%v%v/%v/%d", to, from, rnd, mods), func(t *testing.T) {
						t.Parallel()
						checkCvt(t, v)
					})
				}
			}
		}
	}
}

func checkCvt(t *testing.T, v Variant) {
	fn := Cvt(v)
	if fn == nil {
		t.Fatal("no such conversion")
	}
	r := rand.New(rand.NewPCG(8, uint64(v.Type)<<8|uint64(v.From)))
	f, isFloat := refOf(v.From)
	var regs registers
	for range rounds(12) {
		for lane := range Width {
			b := intOperand(r, v.From.Bits())
			if isFloat {
				b = cvtOperand(r, f)
			}
			regs.set(v.From, 1, lane, b)
		}
		fn(regs.at(0), regs.at(1), nil, nil)
		for lane := range Width {
			a := regs.get(v.From, 1, lane)
			want := cvtRef(v, a)
			if got := regs.get(v.Type, 0, lane); got != want {
				t.Fatalf("cvt(%#x) = %#x, want %#x", a, got, want)
			}
		}
	}
}

// cvtOperand draws half of its values from the range of integers, halves and
// bounds of integer types among them.
func cvtOperand(r *rand.Rand, f softfloat.Format) uint64 {
	if r.IntN(2) == 0 {
		return f.Operand(r)
	}
	x := new(big.Rat).SetInt64(int64(intOperand(r, 64)))
	x.Mul(x, softfloat.Pow2(-r.IntN(66)))
	if r.IntN(2) == 0 {
		x = softfloat.Pow2(r.IntN(66))
		x.Add(x, big.NewRat(int64(r.IntN(5)-2), 2))
	}
	if x.Sign() == 0 {
		return 0
	}
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	return f.Round(x, isa.RZ)
}

// cvtRef is cvt by the manual's rules (9.7.10.24).
func cvtRef(v Variant, a uint64) uint64 {
	to, toF := refOf(v.Type)
	from, fromF := refOf(v.From)
	n := v.Type.Bits()
	if v.FTZ && v.From == isa.F32 {
		a = softfloat.F32.Flush(a)
	}
	switch {
	case !fromF && !toF:
		x := value(v.From, a)
		if v.Sat {
			lo, hi := limits(v.Type)
			x = clampTo(x, lo, hi)
		}
		return extendTo(v.Type, low(x, n))
	case !fromF:
		x := value(v.From, a)
		if v.Sat {
			x = clampTo(x, new(big.Int), big.NewInt(1))
		}
		if x.Sign() == 0 {
			return 0
		}
		return to.Round(new(big.Rat).SetInt(x), v.Rnd)
	case !toF:
		return cvtToInt(v, from, a)
	}
	return cvtFloats(v, from, to, a)
}

// extendTo: 8-bit values sit in 16-bit registers, signed ones extended.
func extendTo(t isa.Type, b uint64) uint64 {
	if t == isa.S8 && b&0x80 != 0 {
		return b | 0xff00
	}
	return b
}

func cvtToInt(v Variant, from softfloat.Format, a uint64) uint64 {
	n := v.Type.Bits()
	lo, hi := limits(v.Type)
	switch {
	case from.IsNaN(a):
		if v.From != isa.F64 && n != 64 {
			return 0
		}
		return extendTo(v.Type, 1<<(n-1))
	case from.IsInf(a) && from.Negative(a):
		return extendTo(v.Type, low(lo, n))
	case from.IsInf(a):
		return low(hi, n)
	}
	return extendTo(v.Type, low(clampTo(toIntegral(from.Rat(a), v.Rnd), lo, hi), n))
}

// toIntegral rounds a rational to an integer.
func toIntegral(x *big.Rat, rnd isa.Rounding) *big.Int {
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: down, as the denominator is positive
	frac := new(big.Rat).Sub(x, new(big.Rat).SetInt(floor))
	up := false
	switch half := frac.Cmp(big.NewRat(1, 2)); rnd {
	case isa.RNI:
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case isa.RPI:
		up = frac.Sign() > 0
	case isa.RZI:
		up = x.Sign() < 0 && frac.Sign() > 0
	}
	if up {
		return plus(floor, big.NewInt(1))
	}
	return floor
}

func cvtFloats(v Variant, from, to softfloat.Format, a uint64) uint64 {
	neg := from.Negative(a)
	var r uint64
	switch {
	case from.IsNaN(a) && v.Sat:
		return 0
	case from.IsNaN(a) && to == softfloat.F64:
		payload := a & (1<<from.Man - 1) << (52 - from.Man)
		return to.Zero(neg) | to.InfBits() | 1<<51 | payload
	case from.IsNaN(a) && to == softfloat.F32:
		return 0x7fffffff
	case from.IsNaN(a):
		return 0x7fff
	case from.IsInf(a):
		r = to.Inf(neg)
	case from.IsZero(a):
		r = to.Zero(neg)
	default:
		x := from.Rat(a)
		if integral(v.Rnd) {
			x = new(big.Rat).SetInt(toIntegral(x, v.Rnd))
		}
		r = to.Zero(neg)
		if x.Sign() != 0 {
			r = to.Round(x, v.Rnd)
		}
	}
	if v.FTZ && to == softfloat.F32 {
		r = to.Flush(r)
	}
	if v.Sat {
		r = to.Saturate(r)
	}
	return r
}

// TestCvtWider: signed integers are extended to a wider register, others
// zero-extended (table 28).
func TestCvtWider(t *testing.T) {
	tests := []struct {
		to, from isa.Type
		bits     int
		a, want  uint64
	}{
		{isa.S8, isa.S32, 16, 0x80, 0xff80},
		{isa.S8, isa.S32, 32, 0x80, 0xffffff80},
		{isa.S8, isa.S32, 64, 0x80, 0xffffffffffffff80},
		{isa.U8, isa.S32, 32, 0x180, 0x80},
		{isa.S16, isa.U32, 32, 0x18000, 0xffff8000},
		{isa.U16, isa.U32, 64, 0x18000, 0x8000},
		{isa.S32, isa.S16, 64, 0xffff, 0xffffffffffffffff},
		{isa.U32, isa.S16, 64, 0xffff, 0xffffffff},
	}
	for _, test := range tests {
		var regs registers
		wide := isa.BitsType(test.bits)
		regs.set(test.from, 1, 9, test.a)
		Cvt(Variant{Type: test.to, From: test.from, DstBits: test.bits})(regs.at(0), regs.at(1), nil, nil)
		if got := regs.get(wide, 0, 9); got != test.want {
			t.Errorf("cvt%v%v(%#x) to %d bits = %#x, want %#x", test.to, test.from, test.a, test.bits, got, test.want)
		}
	}
}

// TestCvtPacked rounds f32 to packed halves and tf32.
func TestCvtPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	tests := []struct {
		t   isa.Type
		f   softfloat.Format
		rnd []isa.Rounding
	}{{isa.F16x2, softfloat.F16, []isa.Rounding{isa.RN, isa.RZ}}, {isa.BF16x2, softfloat.BF16, []isa.Rounding{isa.RN, isa.RZ}},
		{isa.TF32, softfloat.TF32, []isa.Rounding{isa.RN, isa.RZ, isa.RNA}}}
	for _, test := range tests {
		for _, rnd := range test.rnd {
			for mods := range 4 {
				v := Variant{Type: test.t, From: isa.F32, Rnd: rnd, Relu: mods&1 != 0, SatFinite: mods&2 != 0}
				fn := Cvt(v)
				var regs registers
				for range rounds(200) {
					for lane := range Width {
						regs.set(isa.F32, 1, lane, softfloat.F32.Operand(r))
						regs.set(isa.F32, 2, lane, softfloat.F32.Operand(r))
					}
					fn(regs.at(0), regs.at(1), regs.at(2), nil)
					for lane := range Width {
						a, b := regs.get(isa.F32, 1, lane), regs.get(isa.F32, 2, lane)
						want := narrowRef(v, test.f, a)<<16 | narrowRef(v, test.f, b)
						if test.t == isa.TF32 {
							want = narrowRef(v, test.f, a)
						}
						if got := regs.get(isa.F32, 0, lane); got != want {
							t.Fatalf("%v%v relu %v satfinite %v (%#x, %#x) = %#x, want %#x", test.t, rnd, v.Relu, v.SatFinite, a, b, got, want)
						}
					}
				}
			}
		}
	}
}

// narrowRef converts an f32 to a half or, in the upper bits of a word, tf32.
func narrowRef(v Variant, f softfloat.Format, a uint64) uint64 {
	neg := softfloat.F32.Negative(a)
	var r uint64
	switch {
	case softfloat.F32.IsNaN(a) && f == softfloat.TF32:
		return 0x7fffffff
	case softfloat.F32.IsNaN(a):
		return 0x7fff
	case softfloat.F32.IsInf(a):
		r = f.Inf(neg)
	case softfloat.F32.IsZero(a):
		r = f.Zero(neg)
	default:
		r = f.Round(softfloat.F32.Rat(a), v.Rnd)
	}
	if v.SatFinite && f.IsInf(r) {
		r--
	}
	if v.Relu && neg {
		r = 0
	}
	if f == softfloat.TF32 {
		return r << 13
	}
	return r
}

// TestCvtPack packs clamped integers (9.7.10.25).
func TestCvtPack(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for _, bits := range []int{2, 4, 8, 16} {
		for _, signed := range []bool{false, true} {
			lo, hi := int64(0), int64(1)<<bits-1
			if signed {
				lo, hi = -1<<(bits-1), 1<<(bits-1)-1
			}
			fn := CvtPack(bits, signed)
			var d, a, b, c Slot
			for range rounds(100) {
				for i := range d {
					a[i], b[i], c[i] = uint32(intOperand(r, 32)), uint32(intOperand(r, 32)), r.Uint32()
				}
				fn(&d, &a, &b, &c)
				for i := range d {
					x, y := max(lo, min(hi, int64(int32(a[i])))), max(lo, min(hi, int64(int32(b[i]))))
					var want uint32
					for k := range 32 {
						var bit uint32
						switch {
						case k < bits:
							bit = uint32(y>>k) & 1
						case k < 2*bits:
							bit = uint32(x>>(k-bits)) & 1
						default:
							bit = c[i] >> (k - 2*bits) & 1
						}
						want |= bit << k
					}
					if d[i] != want {
						t.Fatalf("%d bits, signed %v: (%#x, %#x, %#x) = %#x, want %#x", bits, signed, a[i], b[i], c[i], d[i], want)
					}
				}
			}
		}
	}
}
