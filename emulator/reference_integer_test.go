package emulator

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// references are the references of operations on registers, by opcode.
var references map[isa.Op]warpReference

func init() {
	references = map[isa.Op]warpReference{}
	for _, family := range []map[isa.Op]laneReference{integerReferences, bitReferences, floatReferences, compareReferences, moveReferences, videoReferences, textureReferences, compressReferences} {
		for op, f := range family {
			if references[op] == nil {
				references[op] = perLane(f)
			}
		}
	}
	for op, f := range warpReferences {
		references[op] = f
	}
	for _, family := range []map[isa.Op]memoryReference{memoryReferences, surfaceReferences} {
		for op, f := range family {
			references[op] = perThread(f)
		}
	}
}

// formatOf returns the format of a floating-point type, nil for others.
func formatOf(t isa.Type) *softfloat.Format {
	switch t {
	case isa.F16:
		return &softfloat.F16
	case isa.BF16:
		return &softfloat.BF16
	case isa.F32:
		return &softfloat.F32
	case isa.F64:
		return &softfloat.F64
	}
	return nil
}

// draw returns the bits of an operand, in a register of so many bits: special
// values of its type, or random ones.
func (p *proof) draw(t isa.Type, width int) uint64 {
	var v uint64
	switch f := formatOf(t.Elem()); {
	case t == isa.Pred:
		return p.r.Uint64() & 1
	case p.guards && p.r.IntN(2) == 0:
		return low(special(p.r, t, f), width)
	case f != nil && p.r.IntN(4) == 0:
		v = p.nearInteger(f)
	case f != nil:
		v = f.Operand(p.r)
	default:
		v = drawInteger(p.r, max(t.Bits(), 8))
	}
	if f := formatOf(t.Elem()); f != nil && t.Lanes() == 2 {
		v |= f.Operand(p.r) << f.Bits()
	}
	if f := formatOf(t.Elem()); f == nil && p.r.IntN(4) == 0 { // what a wider register holds beside the value
		v |= p.r.Uint64() << (t.Bits() & 63)
	}
	return low(v, width)
}

// special returns a value of those that instructions treat apart: zeros, ones, the ends of ranges,
// subnormals, infinities, NaN; of each element of a packed one by itself.
func special(r *rand.Rand, t isa.Type, f *softfloat.Format) (v uint64) {
	n := t.Elem().Bits()
	for i := range max(t.Lanes(), 1) {
		var one uint64
		if f == nil {
			all := ^uint64(0)
			list := [...]uint64{0, 1, 2, all, all - 1, 1 << (n - 1), 1<<(n-1) - 1, 1<<(n-1) + 1, 1 << (n / 2), 1<<(n/2) - 1, uint64(n), uint64(n - 1)}
			one = list[r.IntN(len(list))]
		} else {
			man := uint64(1)<<f.Man - 1
			list := [...]uint64{0, 1, man, man + 1, man + 2, f.InfBits() - 1, f.InfBits(), f.InfBits() + 1, f.InfBits() | 1<<(f.Man-1), f.One(), f.One() - 1, f.One() + 1, r.Uint64() & man}
			one = r.Uint64()&f.SignBit() | list[r.IntN(len(list))]
		}
		v |= low(one, n) << (i * n)
	}
	return v
}

// drawInteger returns special bits, bits within the range of a shift, or random
// ones of random length.
func drawInteger(r *rand.Rand, n int) uint64 {
	special := []uint64{0, 1, 2, ^uint64(0), ^uint64(1), 1 << (n - 1), 1<<(n-1) - 1, 1<<(n-1) + 1, 1<<(n/2) - 1, 1 << (n / 2), 0x80, 0x7f80ff01}
	switch r.IntN(4) {
	case 0:
		return special[r.IntN(len(special))]
	case 1:
		return uint64(r.IntN(70))
	case 2:
		return -uint64(r.IntN(70))
	}
	return r.Uint64() >> r.IntN(64)
}

// nearIntegers are a few thousand values of nearInteger, by format.
var nearIntegers sync.Map // of *softfloat.Format: []uint64

// nearInteger is nearInteger; long programs take the values again that others had.
func (p *proof) nearInteger(f *softfloat.Format) uint64 {
	if !p.guards {
		return nearInteger(p.r, f)
	}
	known, ok := nearIntegers.Load(f)
	if !ok {
		values := make([]uint64, 1<<12)
		for i := range values {
			values[i] = nearInteger(p.r, f)
		}
		known, _ = nearIntegers.LoadOrStore(f, values)
	}
	values := known.([]uint64)
	return values[p.r.IntN(len(values))]
}

// nearInteger returns a value about an integer, or a half, or one ulp beside it.
func nearInteger(r *rand.Rand, f *softfloat.Format) uint64 {
	x := big.NewRat(int64(drawInteger(r, 1+r.IntN(40))<<1>>1), 2)
	if r.IntN(3) == 0 {
		x = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(r.IntN(66))))
	}
	if x.Sign() == 0 {
		return f.Zero(r.IntN(2) == 0)
	}
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	v := f.Round(x, isa.RN)
	if v&^f.SignBit() < f.InfBits() {
		v += uint64(r.IntN(3)) - 1
	}
	return v
}

func low(v uint64, n int) uint64 {
	if n >= 64 {
		return v
	}
	return v & (1<<n - 1)
}

// number returns the integer that bits are in a type.
func number(t isa.Type, b uint64) *big.Int {
	n := t.Bits()
	x := new(big.Int).SetUint64(low(b, n))
	if t.IsSigned() && b>>(n-1)&1 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return x
}

// cut returns the low n bits of an integer.
func cut(x *big.Int, n int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return new(big.Int).Mod(x, m).Uint64()
}

// clamped returns the integer of a type that is nearest to x.
func clamped(t isa.Type, x *big.Int) *big.Int {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	if t.IsSigned() {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	if x.Cmp(lo) < 0 {
		return lo
	}
	if x.Cmp(hi) > 0 {
		return hi
	}
	return x
}

// integers lifts an operation on integers to the type's packing; it sees the
// numbers and returns one, cut to the type, or with .sat clamped to it.
func integers(f func(x *isa.Inst, t isa.Type, n []*big.Int) *big.Int) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		t := x.Type()
		if t.IsFloat() {
			return nil
		}
		elem, n := t.Elem(), t.Elem().Bits()
		var d uint64
		for k := range t.Lanes() {
			args := make([]*big.Int, len(in))
			for i, v := range in {
				args[i] = number(elem, v>>(k*n))
			}
			if x.Mul == isa.WIDE && len(in) == 3 {
				wide := map[isa.Type]isa.Type{isa.U16: isa.U32, isa.S16: isa.S32, isa.U32: isa.U64, isa.S32: isa.S64}[t]
				args = append(args, number(wide, in[2]))
			}
			r := f(x, elem, args)
			if r == nil {
				return anything
			}
			if x.Has(isa.ModSat) {
				r = clamped(elem, r)
			}
			width := n
			if x.Mul == isa.WIDE {
				width = 2 * n
			}
			d |= cut(r, width) << (k * n)
		}
		return is(d)
	}
}

func binary2(f func(z, x, y *big.Int) *big.Int) laneReference {
	return integers(func(_ *isa.Inst, _ isa.Type, n []*big.Int) *big.Int { return f(new(big.Int), n[0], n[1]) })
}

// productPart is what .lo, .hi and .wide take of a product (9.7.1.3).
func productPart(x *isa.Inst, t isa.Type, p *big.Int) *big.Int {
	if x.Mul == isa.HI_ {
		return new(big.Int).Rsh(p, uint(t.Bits()))
	}
	return p
}

// product24 multiplies 24 bits: .lo is bits 31..0 of the result, .hi 47..16
// (9.7.1.6).
func product24(x *isa.Inst, t isa.Type, n []*big.Int) *big.Int {
	factor := func(v *big.Int) *big.Int {
		b := cut(v, 24)
		if t.IsSigned() && b>>23 != 0 {
			return big.NewInt(int64(b) - 1<<24)
		}
		return big.NewInt(int64(b))
	}
	p := new(big.Int).Mul(factor(n[0]), factor(n[1]))
	if x.Mul == isa.HI_ {
		return number(t, cut(p.Rsh(p, 16), 32))
	}
	return number(t, cut(p, 32))
}

func relu(x *isa.Inst, v *big.Int) *big.Int {
	if x.Has(isa.ModRelu) && v.Sign() < 0 {
		return new(big.Int)
	}
	return v
}

// integerReferences are arithmetic on integers (PTX ISA 9.7.1 and 9.7.2).
var integerReferences = map[isa.Op]laneReference{
	isa.OpAdd:  either(withCarry(binary2((*big.Int).Add), 1), sumReference(1)),
	isa.OpSub:  either(withCarry(binary2((*big.Int).Sub), -1), sumReference(-1)),
	isa.OpAddc: withCarry(nil, 1), isa.OpSubc: withCarry(nil, -1), isa.OpMadc: madCarry,
	isa.OpMul: either(integers(func(x *isa.Inst, t isa.Type, n []*big.Int) *big.Int {
		return productPart(x, t, new(big.Int).Mul(n[0], n[1]))
	}), productReference),
	isa.OpMad: either(func(x *isa.Inst, in []uint64) []outcome {
		if x.WritesCC() {
			return madCarry(x, in)
		}
		return integers(madReference)(x, in)
	}, fmaReference),
	isa.OpMul24: integers(product24),
	isa.OpMad24: integers(func(x *isa.Inst, t isa.Type, n []*big.Int) *big.Int {
		return new(big.Int).Add(product24(x, t, n), n[2])
	}),
	isa.OpSad: integers(func(_ *isa.Inst, _ isa.Type, n []*big.Int) *big.Int {
		d := new(big.Int).Sub(n[0], n[1])
		return d.Add(d.Abs(d), n[2])
	}),
	isa.OpDiv: either(integers(func(_ *isa.Inst, _ isa.Type, n []*big.Int) *big.Int {
		if n[1].Sign() == 0 {
			return nil // "an unspecified, machine-specific value"
		}
		return new(big.Int).Quo(n[0], n[1])
	}), quotientReference),
	isa.OpRem: integers(func(_ *isa.Inst, _ isa.Type, n []*big.Int) *big.Int {
		if n[1].Sign() == 0 {
			return nil
		}
		return new(big.Int).Rem(n[0], n[1])
	}),
	isa.OpAbs: either(integers(func(_ *isa.Inst, _ isa.Type, n []*big.Int) *big.Int { return new(big.Int).Abs(n[0]) }), signReference),
	isa.OpNeg: either(integers(func(_ *isa.Inst, _ isa.Type, n []*big.Int) *big.Int { return new(big.Int).Neg(n[0]) }), signReference),
	isa.OpMin: either(integers(func(x *isa.Inst, _ isa.Type, n []*big.Int) *big.Int {
		if n[0].Cmp(n[1]) < 0 {
			return relu(x, n[0])
		}
		return relu(x, n[1])
	}), extremumReference(-1)),
	isa.OpMax: either(integers(func(x *isa.Inst, _ isa.Type, n []*big.Int) *big.Int {
		if n[0].Cmp(n[1]) > 0 {
			return relu(x, n[0])
		}
		return relu(x, n[1])
	}), extremumReference(1)),
}

// either asks references in turn, the integers' first.
func either(list ...laneReference) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		for _, f := range list {
			if o := f(x, in); o != nil {
				return o
			}
		}
		return nil
	}
}

// madReference is mad (9.7.1.4); its .hi.sat clamps the sum.
func madReference(x *isa.Inst, t isa.Type, n []*big.Int) *big.Int {
	c := n[2]
	if x.Mul == isa.WIDE {
		c = n[3] // of twice the width
	}
	p := productPart(x, t, new(big.Int).Mul(n[0], n[1]))
	return p.Add(p, c)
}

// withCarry is add, sub and their forms with the carry flag (9.7.2): what it
// holds comes last and goes last. Without .cc it keeps what it had.
func withCarry(plain laneReference, sign int) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		if !x.ReadsCC() && !x.WritesCC() {
			return plain(x, in)
		}
		n := x.Type().Bits()
		a, b := low(in[0], n), low(in[1], n)
		carry := in[2]
		var sum, out uint64
		used := uint64(0)
		if x.ReadsCC() {
			used = carry
		}
		if sign > 0 {
			sum, out = bits.Add64(a, b, used)
			if n == 32 {
				out = sum >> 32 & 1
			}
		} else {
			sum, out = bits.Sub64(a, b, used)
		}
		if !x.WritesCC() {
			out = carry
		}
		return []outcome{{bits: low(sum, n)}, {bits: out}}
	}
}

// madCarry is mad.cc and madc (9.7.2.5, .6): the carry out of the addition of the
// half of the product.
func madCarry(x *isa.Inst, in []uint64) []outcome {
	t := x.Type()
	n := t.Bits()
	p := new(big.Int).Mul(number(t, in[0]), number(t, in[1]))
	half := cut(productPart(x, t, p), n)
	sum := new(big.Int).SetUint64(half)
	sum.Add(sum, new(big.Int).SetUint64(low(in[2], n)))
	if x.ReadsCC() {
		sum.Add(sum, new(big.Int).SetUint64(in[3]))
	}
	out := sum.Bit(n)
	if !x.WritesCC() {
		out = uint(in[3])
	}
	return []outcome{{bits: cut(sum, n)}, {bits: uint64(out)}}
}
