package lanes

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// intOperand draws n bits: special values, small ones and random ones.
func intOperand(r *rand.Rand, n int) uint64 {
	mask := ^uint64(0) >> (64 - n)
	switch r.IntN(4) {
	case 0:
		special := []uint64{0, 1, 2, mask, mask - 1, mask >> 1, mask>>1 + 1, mask>>1 + 2, uint64(n), uint64(n - 1)}
		return special[r.IntN(len(special))]
	case 1:
		return uint64(r.IntN(300)) & mask
	}
	return r.Uint64() & mask >> r.IntN(n)
}

// value reads bits as an integer of the type.
func value(t isa.Type, b uint64) *big.Int {
	x := new(big.Int).SetUint64(b)
	if t.IsSigned() && b>>(t.Bits()-1)&1 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	}
	return x
}

// low returns the low n bits of x in two's complement.
func low(x *big.Int, n int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return new(big.Int).Mod(x, m).Uint64()
}

func shr(x *big.Int, n int) *big.Int { return new(big.Int).Rsh(x, uint(n)) }
func times(x, y *big.Int) *big.Int   { return new(big.Int).Mul(x, y) }
func plus(x, y *big.Int) *big.Int    { return new(big.Int).Add(x, y) }
func minus(x, y *big.Int) *big.Int   { return new(big.Int).Sub(x, y) }
func clampTo(x, lo, hi *big.Int) *big.Int {
	if x.Cmp(lo) < 0 {
		return lo
	}
	if x.Cmp(hi) > 0 {
		return hi
	}
	return x
}

func limits(t isa.Type) (lo, hi *big.Int) {
	n := uint(t.Bits())
	one := big.NewInt(1)
	if t.IsSigned() {
		return new(big.Int).Neg(new(big.Int).Lsh(one, n-1)), minus(new(big.Int).Lsh(one, n-1), one)
	}
	return new(big.Int), minus(new(big.Int).Lsh(one, n), one)
}

// intOp is an integer operation and its definition over the integers.
type intOp struct {
	name  string
	make  func(Variant) Fn
	v     Variant
	wide  bool // the result, and c, have twice the width
	types []isa.Type
	ref   func(a, b, c *big.Int, n int) *big.Int
}

var (
	allInts    = []isa.Type{isa.U16, isa.S16, isa.U32, isa.S32, isa.U64, isa.S64}
	wideInts   = []isa.Type{isa.U16, isa.S16, isa.U32, isa.S32}
	signedInts = []isa.Type{isa.S16, isa.S32, isa.S64}
	onlyS32    = []isa.Type{isa.S32}
)

var intOps = []intOp{
	{"add", Add, Variant{}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int { return plus(a, b) }},
	{"sub", Sub, Variant{}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int { return minus(a, b) }},
	{"add.sat", Add, Variant{Sat: true}, false, onlyS32, func(a, b, _ *big.Int, _ int) *big.Int {
		lo, hi := limits(isa.S32)
		return clampTo(plus(a, b), lo, hi)
	}},
	{"sub.sat", Sub, Variant{Sat: true}, false, onlyS32, func(a, b, _ *big.Int, _ int) *big.Int {
		lo, hi := limits(isa.S32)
		return clampTo(minus(a, b), lo, hi)
	}},
	{"mul.lo", Mul, Variant{Mul: isa.LO_}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int { return times(a, b) }},
	{"mul.hi", Mul, Variant{Mul: isa.HI_}, false, allInts, func(a, b, _ *big.Int, n int) *big.Int { return shr(times(a, b), n) }},
	{"mul.wide", Mul, Variant{Mul: isa.WIDE}, true, wideInts, func(a, b, _ *big.Int, _ int) *big.Int { return times(a, b) }},
	{"mad.lo", Mad, Variant{Mul: isa.LO_}, false, allInts, func(a, b, c *big.Int, _ int) *big.Int { return plus(times(a, b), c) }},
	{"mad.hi", Mad, Variant{Mul: isa.HI_}, false, allInts, func(a, b, c *big.Int, n int) *big.Int { return plus(shr(times(a, b), n), c) }},
	{"mad.wide", Mad, Variant{Mul: isa.WIDE}, true, wideInts, func(a, b, c *big.Int, _ int) *big.Int { return plus(times(a, b), c) }},
	{"mad.hi.sat", Mad, Variant{Mul: isa.HI_, Sat: true}, false, onlyS32, func(a, b, c *big.Int, n int) *big.Int {
		lo, hi := limits(isa.S32)
		return clampTo(plus(shr(times(a, b), n), c), lo, hi)
	}},
	{"sad", Sad, Variant{}, false, allInts, func(a, b, c *big.Int, _ int) *big.Int {
		return plus(c, new(big.Int).Abs(minus(a, b)))
	}},
	{"div", Div, Variant{}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int {
		if b.Sign() == 0 {
			return big.NewInt(-1)
		}
		return new(big.Int).Quo(a, b)
	}},
	{"rem", Rem, Variant{}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int {
		if b.Sign() == 0 {
			return a
		}
		return new(big.Int).Rem(a, b)
	}},
	{"min", Min, Variant{}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int { return clampTo(a, a, b) }},
	{"max", Max, Variant{}, false, allInts, func(a, b, _ *big.Int, _ int) *big.Int {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	}},
	{"max.relu", Max, Variant{Relu: true}, false, onlyS32, func(a, b, _ *big.Int, _ int) *big.Int {
		r := new(big.Int)
		for _, x := range []*big.Int{a, b} {
			if x.Cmp(r) > 0 {
				r = x
			}
		}
		return r
	}},
	{"abs", Abs, Variant{}, false, signedInts, func(a, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Abs(a) }},
	{"neg", Neg, Variant{}, false, signedInts, func(a, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Neg(a) }},
}

// TestIntegers compares integer arithmetic with its definition over math/big.
func TestIntegers(t *testing.T) {
	for _, op := range intOps {
		for _, ty := range op.types {
			t.Run(op.name+ty.String(), func(t *testing.T) { checkInteger(t, op, ty) })
		}
	}
}

func checkInteger(t *testing.T, op intOp, ty isa.Type) {
	v := op.v
	v.Type = ty
	fn := op.make(v)
	if fn == nil {
		t.Fatal("no such lane function")
	}
	n := ty.Bits()
	dst, cType := ty, ty
	if op.wide {
		dst = map[isa.Type]isa.Type{isa.U16: isa.U32, isa.S16: isa.S32, isa.U32: isa.U64, isa.S32: isa.S64}[ty]
		cType = dst
	}
	r := rand.New(rand.NewPCG(3, uint64(ty)))
	var regs registers
	for range rounds(200) {
		for lane := range Width {
			regs.set(ty, 1, lane, intOperand(r, n))
			regs.set(ty, 2, lane, intOperand(r, n))
			regs.set(cType, 3, lane, intOperand(r, cType.Bits()))
		}
		fn(regs.at(0), regs.at(1), regs.at(2), regs.at(3))
		for lane := range Width {
			a, b, c := regs.get(ty, 1, lane), regs.get(ty, 2, lane), regs.get(cType, 3, lane)
			want := low(op.ref(value(ty, a), value(ty, b), value(cType, c), n), dst.Bits())
			if op.name == "min" && value(ty, a).Cmp(value(ty, b)) > 0 {
				want = b
			}
			if got := regs.get(dst, 0, lane); got != want {
				t.Fatalf("%s%v(%#x, %#x, %#x) = %#x, want %#x", op.name, ty, a, b, c, got, want)
			}
		}
	}
}

// TestCarry adds and subtracts with carries over math/big.
func TestCarry(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, ty := range []isa.Type{isa.U32, isa.S32, isa.U64, isa.S64} {
		n := ty.Bits()
		u := isa.U32
		if n == 64 {
			u = isa.U64
		}
		add, sub := AddCarry(Variant{Type: ty}), SubCarry(Variant{Type: ty})
		hi, lo := MadCarry(Variant{Type: ty, Mul: isa.HI_}), MadCarry(Variant{Type: ty, Mul: isa.LO_})
		var regs registers
		for range rounds(200) {
			for lane := range Width {
				for i := 1; i <= 3; i++ {
					regs.set(ty, i, lane, intOperand(r, n))
				}
			}
			in := r.Uint32()
			check := func(name string, f CarryFn, exact func(a, b, c, carry *big.Int) *big.Int) {
				out := f(regs.at(0), regs.at(1), regs.at(2), regs.at(3), in)
				for lane := range Width {
					a, b, c := regs.get(ty, 1, lane), regs.get(ty, 2, lane), regs.get(ty, 3, lane)
					x := exact(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b), value(u, c), big.NewInt(int64(in>>lane&1)))
					carry := x.Sign() < 0 || x.BitLen() > n
					if regs.get(ty, 0, lane) != low(x, n) || out>>lane&1 != uint32(bit(carry)) {
						t.Fatalf("%s%v(%#x, %#x, %#x, CF %d) = %#x, CF %d; want %#x, CF %v", name, ty, a, b, c,
							in>>lane&1, regs.get(ty, 0, lane), out>>lane&1, low(x, n), carry)
					}
				}
			}
			check("addc", add, func(a, b, _, cf *big.Int) *big.Int { return plus(plus(a, b), cf) })
			check("subc", sub, func(a, b, _, cf *big.Int) *big.Int { return minus(minus(a, b), cf) })
			half := func(a, b *big.Int, up bool) *big.Int {
				p := times(value(ty, a.Uint64()), value(ty, b.Uint64()))
				if up {
					p = shr(p, n)
				}
				return new(big.Int).SetUint64(low(p, n))
			}
			check("madc.lo", lo, func(a, b, c, cf *big.Int) *big.Int { return plus(plus(half(a, b, false), c), cf) })
			check("madc.hi", hi, func(a, b, c, cf *big.Int) *big.Int { return plus(plus(half(a, b, true), c), cf) })
		}
	}
}
