package value

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

var foldTypes = []isa.Type{isa.U16, isa.S16, isa.U32, isa.S32, isa.U64, isa.S64}

// foldOperands are half special values, half random.
func foldOperand(r *rand.Rand) uint64 {
	special := []uint64{0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(1)}
	if r.IntN(2) == 0 {
		return special[r.IntN(len(special))]
	}
	return r.Uint64() >> r.IntN(64)
}

// number is the mathematical value of the low bits of x read as type t.
func number(x uint64, t isa.Type) *big.Int {
	n := new(big.Int).SetUint64(x)
	n.Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	if t.IsSigned() && n.Bit(t.Bits()-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	}
	return n
}

// bitsOf is a mathematical value modulo 2^n.
func bitsOf(x *big.Int, n int) uint64 {
	return new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(n))).Uint64()
}

// TestFoldArithmetic holds the folder against integers without end (math/big)
// and the manual's definitions (PTX ISA 9.7.1).
func TestFoldArithmetic(t *testing.T) {
	ops := map[string]struct {
		fold foldFunc
		want func(d, a, b, c *big.Int) *big.Int // nil: not defined
	}{
		"add": {foldAdd, func(d, a, b, _ *big.Int) *big.Int { return d.Add(a, b) }},
		"sub": {foldSub, func(d, a, b, _ *big.Int) *big.Int { return d.Sub(a, b) }},
		"neg": {foldNeg, func(d, a, _, _ *big.Int) *big.Int { return d.Neg(a) }},
		"abs": {foldAbs, func(d, a, _, _ *big.Int) *big.Int { return d.Abs(a) }},
		"div": {foldDiv, func(d, a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return nil
			}
			return d.Quo(a, b)
		}},
		"rem": {foldRem, func(d, a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return nil
			}
			if d.Rem(a, b); d.Sign()*b.Sign() < 0 {
				return nil // a quotient rounded towards minus infinity leaves d + b
			}
			return d
		}},
		"min": {foldMin, func(_, a, b, _ *big.Int) *big.Int {
			if a.Cmp(b) < 0 {
				return a
			}
			return b
		}},
		"max": {foldMax, func(_, a, b, _ *big.Int) *big.Int {
			if a.Cmp(b) > 0 {
				return a
			}
			return b
		}},
	}
	r := rand.New(rand.NewPCG(3, 4))
	for name, op := range ops {
		for range 3000 {
			typ := foldTypes[r.IntN(len(foldTypes))]
			if name == "abs" && !typ.IsSigned() {
				continue // abs has signed types only
			}
			a, b := foldOperand(r), foldOperand(r)
			inst := &isa.Inst{Types: [5]isa.Type{typ}}
			got, ok := op.fold(inst, [4]uint64{Extend(a, typ), Extend(b, typ)})
			want := op.want(new(big.Int), number(a, typ), number(b, typ), nil)
			if ok != (want != nil) || ok && Truncate(got, typ.Bits()) != bitsOf(want, typ.Bits()) {
				t.Fatalf("%s%s %#x, %#x = %#x, %v; want %v", name, typ, a, b, got, ok, want)
			}
		}
	}
}

// TestFoldMul: low, high and whole product (PTX ISA 9.7.1.3, 9.7.1.4).
func TestFoldMul(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		typ := foldTypes[r.IntN(len(foldTypes))]
		n := typ.Bits()
		a, b, c := foldOperand(r), foldOperand(r), foldOperand(r)
		inst := &isa.Inst{Types: [5]isa.Type{typ}, Mul: []isa.MulMode{isa.LO_, isa.HI_, isa.WIDE}[r.IntN(3)]}
		bits := n
		product := new(big.Int).Mul(number(a, typ), number(b, typ))
		switch inst.Mul {
		case isa.HI_:
			product.Rsh(product, uint(n)) // towards minus infinity: the upper half
		case isa.WIDE:
			if n == 64 {
				continue
			}
			bits = 2 * n
		}
		s := [4]uint64{Extend(a, typ), Extend(b, typ), c}
		got, _ := foldMul(inst, s)
		if Truncate(got, bits) != bitsOf(product, bits) {
			t.Fatalf("mul %v %s %#x, %#x = %#x, want %#x", inst.Mul, typ, a, b, Truncate(got, bits), bitsOf(product, bits))
		}
		got, _ = foldMad(inst, s)
		sum := product.Add(product, new(big.Int).SetUint64(c))
		if Truncate(got, bits) != bitsOf(sum, bits) {
			t.Fatalf("mad %v %s %#x, %#x, %#x = %#x, want %#x", inst.Mul, typ, a, b, c, got, bitsOf(sum, bits))
		}
	}
}

// TestFoldBits transcribes the manual's loops over bits (PTX ISA 9.7.1.15 to
// 9.7.1.20, 9.7.8).
func TestFoldBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	bit := func(x, i uint64) uint64 { return x >> i & 1 }
	for range 20000 {
		typ := []isa.Type{isa.U32, isa.S32, isa.U64, isa.S64}[r.IntN(4)]
		n := uint64(typ.Bits())
		a, b, pos, length := foldOperand(r), foldOperand(r), foldOperand(r)&0xff, foldOperand(r)&0xff
		inst := &isa.Inst{Types: [5]isa.Type{typ}}
		check := func(what string, fold foldFunc, want uint64, s ...uint64) {
			var src [4]uint64
			copy(src[:], s)
			src[0] = Extend(src[0], typ)
			if got, _ := fold(inst, src); Truncate(got, int(n)) != want {
				t.Fatalf("%s%s %#x = %#x, want %#x", what, typ, s, Truncate(got, int(n)), want)
			}
		}
		var bfe, bfi, brev, shl, shr, popc, clz uint64
		sign := uint64(0)
		if typ.IsSigned() && length > 0 {
			sign = bit(a, min(pos+length-1, n-1))
		}
		for i := range n {
			from := sign
			if i < length && pos+i < n {
				from = bit(a, pos+i)
			}
			bfe |= from << i
			from = bit(b, i)
			if i >= pos && i < pos+length {
				from = bit(a, i-pos)
			}
			bfi |= from << i
			brev |= bit(a, n-1-i) << i
			if i >= pos {
				shl |= bit(a, i-pos) << i
			}
			switch {
			case i+pos < n:
				shr |= bit(a, i+pos) << i
			case typ.IsSigned():
				shr |= bit(a, n-1) << i
			}
			popc += bit(a, i)
		}
		for clz < n && bit(a, n-1-clz) == 0 {
			clz++
		}
		check("bfe", foldBfe, bfe, a, pos, length)
		check("bfi", foldBfi, bfi, a, b, pos, length)
		check("brev", foldBrev, brev, a)
		check("shl", foldShl, shl, a, pos)
		check("shr", foldShr, shr, a, pos)
		check("popc", foldPopc, popc, a)
		check("clz", foldClz, clz, a)
	}
}

// TestFoldLop3: the table of (a&b)^c is 0x6a, of a|b|c 0xfe: the manual's way
// to make it is the expression over a = 0xf0, b = 0xcc, c = 0xaa.
func TestFoldLop3(t *testing.T) {
	a, b, c := uint64(0x0123456789abcdef), uint64(0xfedcba9876543210), uint64(0x00ff00ff0f0f0f0f)
	for _, test := range []struct{ table, want uint64 }{
		{(0xf0 & 0xcc) ^ 0xaa, (a & b) ^ c},
		{0xf0 | 0xcc | 0xaa, a | b | c},
		{0xff &^ 0xf0, ^a},
		{0xf0 & (0xff &^ 0xcc), a &^ b},
	} {
		if got, _ := foldLop3(&isa.Inst{}, [4]uint64{a, b, c, test.table}); got != test.want {
			t.Errorf("lop3 %#x = %#x, want %#x", test.table, got, test.want)
		}
	}
}

// TestFoldCvt: the value modulo 2^n, or clamped with .sat (PTX ISA 9.7.9.21).
func TestFoldCvt(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	types := append([]isa.Type{isa.U8, isa.S8}, foldTypes...)
	for range 20000 {
		to, from := types[r.IntN(len(types))], types[r.IntN(len(types))]
		x := foldOperand(r)
		v := number(x, from)
		if got, ok := foldCvt(&isa.Inst{Types: [5]isa.Type{to, from}}, [4]uint64{Extend(x, from)}); !ok || Truncate(got, to.Bits()) != bitsOf(v, to.Bits()) {
			t.Fatalf("cvt%s%s %#x = %#x", to, from, x, got)
		}
		low, high := big.NewInt(0), new(big.Int).SetUint64(Truncate(^uint64(0), to.Bits()))
		if to.IsSigned() {
			high.Rsh(high, 1)
			low.Not(high)
		}
		if v.Cmp(low) < 0 {
			v = low
		} else if v.Cmp(high) > 0 {
			v = high
		}
		if got := saturate(Extend(x, from), from.IsSigned(), to); Truncate(got, to.Bits()) != bitsOf(v, to.Bits()) {
			t.Fatalf("cvt.sat%s%s %#x = %#x, want %v", to, from, x, got, v)
		}
	}
}
