package emulator

import (
	"math/big"
	"slices"
	"strings"

	"hyptx/ir/isa"
)

// videoReferences are the pseudo-code of PTX ISA 9.7.20 on numbers without bounds,
// which is where the widths that it gives its values are no matter; where they are,
// what each reading of it gives is allowed.
var videoReferences = func() map[isa.Op]laneReference {
	all := map[isa.Op]laneReference{isa.OpVmad: videoMad}
	for _, r := range []struct {
		ops []isa.Op
		f   videoOperation
	}{
		{[]isa.Op{isa.OpVadd, isa.OpVadd2, isa.OpVadd4}, func(_ *isa.Inst, a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }},
		{[]isa.Op{isa.OpVsub, isa.OpVsub2, isa.OpVsub4}, func(_ *isa.Inst, a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }},
		{[]isa.Op{isa.OpVabsdiff, isa.OpVabsdiff2, isa.OpVabsdiff4}, func(_ *isa.Inst, a, b *big.Int) *big.Int {
			d := new(big.Int).Sub(a, b)
			return d.Abs(d)
		}},
		{[]isa.Op{isa.OpVmin, isa.OpVmin2, isa.OpVmin4}, func(_ *isa.Inst, a, b *big.Int) *big.Int { return slices.MinFunc([]*big.Int{a, b}, (*big.Int).Cmp) }},
		{[]isa.Op{isa.OpVmax, isa.OpVmax2, isa.OpVmax4}, func(_ *isa.Inst, a, b *big.Int) *big.Int { return slices.MaxFunc([]*big.Int{a, b}, (*big.Int).Cmp) }},
		{[]isa.Op{isa.OpVavrg2, isa.OpVavrg4}, func(_ *isa.Inst, a, b *big.Int) *big.Int {
			s := new(big.Int).Add(a, b)
			if s.Sign() >= 0 {
				s.Add(s, big.NewInt(1))
			}
			return s.Rsh(s, 1)
		}},
		{[]isa.Op{isa.OpVshl}, func(x *isa.Inst, a, b *big.Int) *big.Int { return new(big.Int).Lsh(a, shiftAmount(x, b)) }},
		{[]isa.Op{isa.OpVshr}, func(x *isa.Inst, a, b *big.Int) *big.Int { return new(big.Int).Rsh(a, shiftAmount(x, b)) }},
		{[]isa.Op{isa.OpVset, isa.OpVset2, isa.OpVset4}, func(x *isa.Inst, a, b *big.Int) *big.Int {
			c := a.Cmp(b)
			held := map[isa.Cmp]bool{isa.EQ: c == 0, isa.NE: c != 0, isa.LT: c < 0, isa.LE: c <= 0, isa.GT: c > 0, isa.GE: c >= 0}
			return new(big.Int).SetUint64(truth(held[x.Cmp]))
		}},
	} {
		for _, op := range r.ops {
			if name := op.String(); strings.ContainsAny(name, "24") {
				all[op] = packedReference(r.f)
			} else {
				all[op] = scalarReference(r.f)
			}
		}
	}
	return all
}()

// videoOperation is the first operation, on extended parts.
type videoOperation func(x *isa.Inst, a, b *big.Int) *big.Int

func shiftAmount(x *isa.Inst, b *big.Int) uint {
	if x.Has(isa.ModWrap) {
		return uint(b.Uint64() & 31)
	}
	return uint(min(b.Uint64(), 32))
}

// videoTypes are those of d, a and b: comparisons make what is unsigned.
func videoTypes(x *isa.Inst) (d, a, b isa.Type) {
	if x.Types[2] == isa.NoType {
		return isa.U32, x.Types[0], x.Types[1]
	}
	return x.Types[0], x.Types[1], x.Types[2]
}

// bitsOf is a number of so many bits from bit at on.
func bitsOf(v uint64, at, n int, signed bool) *big.Int {
	r := new(big.Int).SetUint64(low(v>>at, n))
	if signed && r.Bit(n-1) != 0 {
		r.Sub(r, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return r
}

// selected is the part of a register that a word of partWords names.
func selected(v, word uint64, t isa.Type) *big.Int {
	digits, n := partsOf(word)
	if n == 0 {
		return bitsOf(v, 0, 32, t.IsSigned())
	}
	return bitsOf(v, digits[0]*n, n, t.IsSigned())
}

// within clamps to n bits.
func within(r *big.Int, n int, signed bool) *big.Int {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(n))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	switch {
	case r.Cmp(lo) < 0:
		return lo
	case r.Cmp(hi) > 0:
		return hi
	}
	return r
}

// scalarReference is 9.7.20.1: the parts of d, a and b stand behind their values, that of
// d, which is not read, first where d has any.
func scalarReference(f videoOperation) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		typeD, typeA, typeB := videoTypes(x)
		var to uint64
		if selects(&x.Form.Operands[0]) {
			to, in = in[0], in[1:]
		}
		digits, n := partsOf(to)
		at := 0
		if n == 0 {
			n = 32
		} else {
			at = digits[0] * n
		}
		exact := f(x, selected(in[0], in[1], typeA), selected(in[2], in[3], typeB))
		// A shift may leave more than the 34 bits that the text speaks of.
		readings := []*big.Int{exact, bitsOf(cut(exact, 34), 0, 34, true)}
		var results []uint64
		for _, t := range readings {
			if x.Has(isa.ModSat) {
				t = within(t, n, typeD.IsSigned())
			}
			if len(in) < 5 {
				results = append(results, cut(t, 32))
				continue
			}
			c := bitsOf(in[4], 0, 32, typeD.IsSigned())
			switch second := secondOf(x.Opcode); {
			case second == "add":
				results = append(results, cut(new(big.Int).Add(t, c), 32))
			case second == "":
				field := low(^uint64(0), n) << at
				results = append(results, low(cut(t, 32)<<at&field|in[4]&^field, 32))
			case within(t, 32, typeD.IsSigned()).Cmp(t) != 0:
				// It depends on the width and the sign of what is compared.
				results = append(results, cut(t, 32), low(in[4], 32))
			case second == "min":
				results = append(results, cut(slices.MinFunc([]*big.Int{t, c}, (*big.Int).Cmp), 32))
			default:
				results = append(results, cut(slices.MaxFunc([]*big.Int{t, c}, (*big.Int).Cmp), 32))
			}
		}
		return []outcome{{bits: results[0], allows: func(got uint64) bool { return slices.Contains(results, got) }}}
	}
}

// secondOf is the second operation of an opcode, "" without one.
func secondOf(opcode string) string {
	for _, op := range []string{"add", "min", "max"} {
		if modifierIn(opcode, op) {
			return op
		}
	}
	return ""
}

// packedReference is 9.7.20.2, on elements of so many bits.
func packedReference(f videoOperation) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		typeD, typeA, typeB := videoTypes(x)
		n := 8
		if x.Form.Operands[1].Selects("h00") {
			n = 16
		}
		var own, other, all []int
		for i := range 32 / n {
			own, other, all = append(own, i), append(other, 32/n+i), append(all, i)
		}
		or := func(word uint64, otherwise []int) []int {
			if digits, bits := partsOf(word); bits != 0 {
				return digits
			}
			return otherwise
		}
		mask, fromA, fromB := or(in[0], all), or(in[2], own), or(in[4], other)
		both, c := in[1]|in[3]<<32, in[5]
		d := c
		for i := range 32 / n {
			if !slices.Contains(mask, i) {
				continue
			}
			t := f(x, bitsOf(both, fromA[i]*n, n, typeA.IsSigned()), bitsOf(both, fromB[i]*n, n, typeB.IsSigned()))
			if x.Has(isa.ModSat) {
				t = within(t, n, typeD.IsSigned())
			}
			if secondOf(x.Opcode) == "add" {
				d += cut(t, 32)
				continue
			}
			field := low(^uint64(0), n) << (i * n)
			d = d&^field | cut(t, n)<<(i*n)
		}
		return is(low(d, 32))
	}
}

// videoMad is 9.7.20.1.3.
func videoMad(x *isa.Inst, in []uint64) []outcome {
	var negA, negB, negC bool
	a, b := selected(in[0], in[1], x.Types[1]), new(big.Int)
	var word uint64
	if x.Form.Operands[1].MayNeg {
		negA, b, negB = in[2] != 0, selected(in[3], in[4], x.Types[2]), in[5] != 0
		word, negC = in[6], in[7] != 0
	} else {
		b, word = selected(in[2], in[3], x.Types[2]), in[4]
	}
	signed := x.Types[1].IsSigned() || x.Types[2].IsSigned() || negA != negB || negC
	t := new(big.Int).Mul(a, b)
	if negA != negB {
		t.Neg(t) // ~t + 1
	}
	c := bitsOf(word, 0, 32, signed)
	if negC {
		c = bitsOf(low(^word, 32), 0, 32, signed)
		c.Add(c, big.NewInt(1))
	}
	t.Add(t, c)
	if modifierIn(x.Opcode, "po") {
		t.Add(t, big.NewInt(1))
	}
	switch {
	case modifierIn(x.Opcode, "shr7"):
		t.Rsh(t, 7)
	case modifierIn(x.Opcode, "shr15"):
		t.Rsh(t, 15)
	}
	if x.Has(isa.ModSat) {
		t = within(t, 32, signed)
	}
	return is(cut(t, 32))
}

// modifierIn reports whether an opcode has a modifier.
func modifierIn(opcode, modifier string) bool {
	return slices.Contains(strings.Split(opcode, ".")[1:], modifier)
}
