package value

import (
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// TestBound takes random intervals and values within them: the exact result
// must lie in the interval that comes out, modulo the width, and a comparison
// that intervals decide must come out so.
func TestBound(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	ops := []struct {
		op isa.Op
		n  int
	}{
		{isa.OpAdd, 2}, {isa.OpSub, 2}, {isa.OpMul, 2}, {isa.OpMad, 3}, {isa.OpShl, 2}, {isa.OpShr, 2}, {isa.OpAnd, 2},
		{isa.OpOr, 2}, {isa.OpXor, 2}, {isa.OpDiv, 2}, {isa.OpRem, 2}, {isa.OpMin, 2}, {isa.OpMax, 2},
	}
	known, decided := 0, 0
	for range 200000 {
		op := ops[r.IntN(len(ops))]
		typ := foldTypes[r.IntN(len(foldTypes))]
		n := typ.Bits()
		inst := &isa.Inst{Op: op.op, Types: [5]isa.Type{typ}, Mul: isa.LO_, Cmp: isa.EQ + isa.Cmp(r.IntN(10))}
		var in []Interval
		var s [4]uint64
		for i := range op.n {
			ty := typ
			if i == 1 && (op.op == isa.OpShl || op.op == isa.OpShr) {
				ty = isa.U32
			}
			a, x := randomInterval(r, ty)
			in = append(in, a.As(ty))
			s[i] = Extend(x, ty)
		}
		if got := Bound(inst, in); got.Known {
			if want, ok := Fold(inst, s); ok {
				known++
				if Truncate(want-uint64(got.Low), n) > uint64(got.High-got.Low) {
					t.Fatalf("op %d%s of %x in %v: %#x is not in %v", op.op, typ, s, in, Truncate(want, n), got)
				}
			}
		}
		if op.op == isa.OpShl || op.op == isa.OpShr {
			continue
		}
		if got, ok := Decide(inst.Cmp, in[0], in[1]); ok {
			decided++
			if want, ok := Compare(inst.Cmp, s[0], s[1], typ.IsSigned()); ok && want != got {
				t.Fatalf("compare %d%s of %x in %v: %v", inst.Cmp, typ, s, in, got)
			}
		}
	}
	if known < 20000 || decided < 10000 {
		t.Errorf("only %d results and %d comparisons known: the test shows little", known, decided)
	}
}

// randomInterval returns an interval, often of one number, and a value of type
// t in it; seldom all values of t.
func randomInterval(r *rand.Rand, t isa.Type) (Interval, uint64) {
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		x := Truncate(uint64(r.IntN(100)), t.Bits())
		return Of(x, t), x
	case 4:
		return All(t), Truncate(r.Uint64(), t.Bits())
	}
	low := int64(foldOperand(r)) >> (17 + r.IntN(40))
	high := low + int64(r.Uint64()>>(18+r.IntN(46)))
	return Between(low, high), uint64(low + r.Int64N(high-low+1))
}
