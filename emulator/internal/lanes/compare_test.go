package lanes

import (
	"math"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// order compares two operands: -1, 0, 1, or 2 when one is NaN.
func order(t isa.Type, ftz bool, a, b uint64) int {
	f, isFloat := refOf(t)
	if !isFloat {
		return value(t, a).Cmp(value(t, b))
	}
	if f.IsNaN(a) || f.IsNaN(b) {
		return 2
	}
	if ftz {
		a, b = f.Flush(a), f.Flush(b)
	}
	return order64(f, a, b)
}

// holds is the manual's definition of the comparisons (9.3.1).
func holds(c isa.Cmp, o int) bool {
	switch c {
	case isa.EQ:
		return o == 0
	case isa.NE:
		return o == -1 || o == 1
	case isa.LT, isa.LO:
		return o == -1
	case isa.LE, isa.LS:
		return o == -1 || o == 0
	case isa.GT, isa.HI:
		return o == 1
	case isa.GE, isa.HS:
		return o == 1 || o == 0
	case isa.EQU:
		return o == 0 || o == 2
	case isa.NEU:
		return o != 0
	case isa.LTU:
		return o == -1 || o == 2
	case isa.LEU:
		return o != 1
	case isa.GTU:
		return o == 1 || o == 2
	case isa.GEU:
		return o != -1
	case isa.NUM:
		return o != 2
	}
	return o == 2 // NAN
}

// comparisons lists those that a type has.
func comparisons(t isa.Type) []isa.Cmp {
	c := []isa.Cmp{isa.EQ, isa.NE}
	if t.Kind() == isa.Bit {
		return c
	}
	c = append(c, isa.LT, isa.LE, isa.GT, isa.GE)
	switch {
	case t.IsFloat():
		return append(c, isa.EQU, isa.NEU, isa.LTU, isa.LEU, isa.GTU, isa.GEU, isa.NUM, isa.NAN)
	case t.IsSigned():
		return c
	}
	return append(c, isa.LO, isa.LS, isa.HI, isa.HS)
}

// comparand draws operands that are equal, or nearly, in half of the lanes.
func comparand(r *rand.Rand, t isa.Type) (a, b uint64) {
	draw := func() uint64 { return intOperand(r, t.Bits()) }
	mask := ^uint64(0) >> (64 - t.Bits())
	if f, ok := refOf(t); ok {
		draw = func() uint64 { return f.Operand(r) }
	}
	a = draw()
	switch r.IntN(4) {
	case 0:
		return a, a
	case 1:
		return a, (a + 1) & mask
	case 2:
		return a, a ^ (1 << (t.Bits() - 1))
	}
	return a, draw()
}

// TestSetp checks every comparison of every type.
func TestSetp(t *testing.T) {
	types := append([]isa.Type{isa.B16, isa.B32, isa.B64, isa.F16, isa.BF16, isa.F32, isa.F64}, allInts...)
	for _, ty := range types {
		for _, c := range comparisons(ty) {
			for _, ftz := range []bool{false, ty == isa.F32 || ty == isa.F16} {
				fn := Setp(Variant{Type: ty, Cmp: c, FTZ: ftz})
				if fn == nil {
					t.Fatalf("no setp %d%v", c, ty)
				}
				r := rand.New(rand.NewPCG(11, uint64(ty)))
				var regs registers
				for range rounds(50) {
					for lane := range Width {
						a, b := comparand(r, ty)
						regs.set(ty, 1, lane, a)
						regs.set(ty, 2, lane, b)
					}
					got := fn(regs.at(1), regs.at(2))
					for lane := range Width {
						a, b := regs.get(ty, 1, lane), regs.get(ty, 2, lane)
						if want := holds(c, order(ty, ftz, a, b)); got>>lane&1 != bit(want) {
							t.Fatalf("setp %d%v ftz %v (%#x, %#x): want %v", c, ty, ftz, a, b, want)
						}
					}
				}
			}
		}
	}
}

// TestSetp2 compares packed halves: p from the low ones, q from the high.
func TestSetp2(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for packed, ty := range map[isa.Type]isa.Type{isa.F16x2: isa.F16, isa.BF16x2: isa.BF16} {
		for _, c := range comparisons(ty) {
			fn := Setp2(Variant{Type: packed, Cmp: c})
			var x, y Slot
			for range rounds(50) {
				for lane := range Width {
					a, b := comparand(r, ty)
					e, f := comparand(r, ty)
					x[lane], y[lane] = uint32(a|e<<16), uint32(b|f<<16)
				}
				lo, hi := fn(&x, &y)
				for lane := range Width {
					low := holds(c, order(ty, false, uint64(x[lane]&0xffff), uint64(y[lane]&0xffff)))
					high := holds(c, order(ty, false, uint64(x[lane]>>16), uint64(y[lane]>>16)))
					if lo>>lane&1 != bit(low) || hi>>lane&1 != bit(high) {
						t.Fatalf("setp %d%v (%#x, %#x): want %v, %v", c, packed, x[lane], y[lane], low, high)
					}
				}
			}
		}
	}
}

// minMaxRef is the manual's min_num, min_nan and modifiers (9.7.3.11, .12).
func minMaxRef(v Variant, f softfloat.Format, least bool, a, b, nan uint64) uint64 {
	xor := (a ^ b) & f.SignBit()
	if v.FTZ {
		a, b = f.Flush(a), f.Flush(b)
	}
	if v.Abs {
		a, b = a&^f.SignBit(), b&^f.SignBit()
	}
	var z uint64
	switch {
	case f.IsNaN(a) && f.IsNaN(b), v.NaN && (f.IsNaN(a) || f.IsNaN(b)):
		return nan
	case f.IsNaN(a):
		z = b
	case f.IsNaN(b):
		z = a
	default:
		less := order64(f, a, b) < 0 || order64(f, a, b) == 0 && f.Negative(a)
		z = b
		if less == least {
			z = a
		}
	}
	if v.XorSign {
		z = z&^f.SignBit() | xor
	}
	return z
}

func order64(f softfloat.Format, a, b uint64) int {
	x, y := orderKey(f, a), orderKey(f, b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// key is monotonic in the value of bits that are no NaN.
func orderKey(f softfloat.Format, x uint64) int64 {
	if f.Negative(x) {
		return -int64(x &^ f.SignBit())
	}
	return int64(x)
}

// TestMinMax checks min and max of floating-point types.
func TestMinMax(t *testing.T) {
	nans := map[isa.Type]uint64{isa.F32: 0x7fffffff, isa.F16: 0x7fff, isa.BF16: 0x7fff}
	for _, ty := range []isa.Type{isa.F32, isa.F16, isa.BF16, isa.F64} {
		f, _ := refOf(ty)
		for mods := range 16 {
			v := Variant{Type: ty, FTZ: mods&1 != 0, NaN: mods&2 != 0, Abs: mods&4 != 0, XorSign: mods&4 != 0}
			least := mods&8 != 0
			if ty == isa.F64 && mods&7 != 0 || ty == isa.BF16 && v.FTZ {
				continue
			}
			fn := Max(v)
			if least {
				fn = Min(v)
			}
			r := rand.New(rand.NewPCG(13, uint64(ty)))
			var regs registers
			for range rounds(100) {
				for lane := range Width {
					a, b := comparand(r, ty)
					regs.set(ty, 1, lane, a)
					regs.set(ty, 2, lane, b)
				}
				fn(regs.at(0), regs.at(1), regs.at(2), nil)
				for lane := range Width {
					a, b := regs.get(ty, 1, lane), regs.get(ty, 2, lane)
					nan := nans[ty]
					if ty == isa.F64 {
						nan = a | 1<<51
					}
					want := minMaxRef(v, f, least, a, b, nan)
					if got := regs.get(ty, 0, lane); got != want {
						t.Fatalf("min %v%v %+v (%#x, %#x) = %#x, want %#x", least, ty, v, a, b, got, want)
					}
				}
			}
		}
	}
}

// TestMinMax3 is the form with three operands: min(min(a, b), c).
func TestMinMax3(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	for mods := range 4 {
		v := Variant{Type: isa.F32, NaN: mods&1 != 0, Abs: mods&2 != 0, Three: true}
		var d, a, b, c Slot
		for range rounds(100) {
			for i := range d {
				x, y := comparand(r, isa.F32)
				a[i], b[i], c[i] = uint32(x), uint32(y), uint32(softfloat.F32.Operand(r))
			}
			Min(v)(&d, &a, &b, &c)
			for i := range d {
				want := minMaxRef(v, softfloat.F32, true, uint64(a[i]), uint64(b[i]), 0x7fffffff)
				want = minMaxRef(v, softfloat.F32, true, want, uint64(c[i]), 0x7fffffff)
				if uint64(d[i]) != want {
					t.Fatalf("%+v (%#x, %#x, %#x) = %#x, want %#x", v, a[i], b[i], c[i], d[i], want)
				}
			}
		}
	}
}

// TestTestp: the manual counts zeros as normal (9.7.3.1).
func TestTestp(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		test Property
		want string // of 0, -0, subnormal, least normal, -1, inf, -inf, NaN
	}{
		{Finite, "11111000"}, {Infinite, "00000110"}, {Number, "11111110"},
		{NotANumber, "00000001"}, {Normal, "11011000"}, {Subnormal, "00100000"},
	}
	for _, test := range tests {
		var regs registers
		for i, x := range []float64{0, math.Copysign(0, -1), 0x1p-127, 0x1p-126, -1, inf, -inf, nan} {
			regs.at(1)[i] = math.Float32bits(float32(x))
			Wide(regs.at(2))[i] = math.Float64bits(x)
		}
		Wide(regs.at(2))[2], Wide(regs.at(2))[3] = 1<<52-1, 1<<52
		single := Testp(Variant{Type: isa.F32, Test: test.test})(regs.at(1), nil)
		double := Testp(Variant{Type: isa.F64, Test: test.test})(regs.at(2), nil)
		for i, want := range test.want {
			if single>>i&1 != uint32(want-'0') || double>>i&1 != uint32(want-'0') {
				t.Errorf("property %d of operand %d: %d, %d, want %c", test.test, i, single>>i&1, double>>i&1, want)
			}
		}
	}
}
