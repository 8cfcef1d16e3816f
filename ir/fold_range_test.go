package ir

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// TestRangeOf takes random intervals and values within them: the exact result
// must lie in the interval that comes out, modulo the width, and a comparison
// that intervals decide must come out so.
func TestRangeOf(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	ops := []struct {
		op   isa.Op
		fold foldFunc
		n    int
	}{
		{isa.OpAdd, foldAdd, 2}, {isa.OpSub, foldSub, 2}, {isa.OpMul, foldMul, 2}, {isa.OpMad, foldMad, 3},
		{isa.OpShl, foldShl, 2}, {isa.OpShr, foldShr, 2}, {isa.OpAnd, folds[isa.OpAnd], 2}, {isa.OpOr, folds[isa.OpOr], 2},
		{isa.OpXor, folds[isa.OpXor], 2}, {isa.OpDiv, foldDiv, 2}, {isa.OpRem, foldRem, 2}, {isa.OpMin, foldMin, 2}, {isa.OpMax, foldMax, 2},
	}
	known, decided := 0, 0
	for range 200000 {
		op := ops[r.IntN(len(ops))]
		typ := foldTypes[r.IntN(len(foldTypes))]
		n := typ.Bits()
		inst := &isa.Inst{Op: op.op, Types: [4]isa.Type{typ}, Mul: isa.LO_, Cmp: isa.EQ + isa.Cmp(r.IntN(10))}
		var cells []cell
		var types []isa.Type
		var s [4]uint64
		for i := range op.n {
			ty := typ
			if i == 1 && (op.op == isa.OpShl || op.op == isa.OpShr) {
				ty = isa.U32
			}
			c, x := randomCell(r, ty)
			cells, types = append(cells, c), append(types, ty)
			s[i] = extend(x, ty)
		}
		if got := rangeOf(inst, cells, types); got.within != nil {
			if want, ok := op.fold(inst, s); ok {
				known++
				if truncate(want-uint64(got.within.low), n) > uint64(got.within.high-got.within.low) {
					t.Fatalf("op %d%s of %x in %v: %#x is not in %v", op.op, typ, s, describe(cells), truncate(want, n), *got.within)
				}
			}
		}
		if types[1] != typ {
			continue
		}
		if got := compareRanges(inst, cells[0], cells[1]); got.state == constant {
			decided++
			if want, ok := compare(inst.Cmp, s[0], s[1], typ.IsSigned()); ok && boolBit(want) != got.bits {
				t.Fatalf("compare %d%s of %x in %v: %v", inst.Cmp, typ, s, describe(cells), got.bits)
			}
		}
	}
	if known < 20000 || decided < 10000 {
		t.Errorf("only %d results and %d comparisons known: the test shows little", known, decided)
	}
}

func describe(cells []cell) (text []interval) {
	for _, c := range cells {
		if c.within != nil {
			text = append(text, *c.within)
		}
	}
	return text
}

// randomCell returns a constant or an interval, and a value that it allows.
func randomCell(r *rand.Rand, t isa.Type) (cell, uint64) {
	if r.IntN(3) == 0 {
		x := truncate(uint64(r.IntN(100)), t.Bits())
		return constCell(x), x
	}
	low := int64(foldOperand(r)) >> (17 + r.IntN(40))
	high := low + int64(r.Uint64()>>(18+r.IntN(46)))
	return ranged(low, high), uint64(low + r.Int64N(high-low+1))
}

// TestCounters runs loops of 16-bit counters, which wrap around soon, and
// checks that the counter stays in the interval found for it.
func TestCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	found := 0
	for range 1500 {
		typ := []isa.Type{isa.U16, isa.S16}[r.IntN(2)]
		cmp := []string{"lt", "le", "gt", "ge", "eq", "ne"}[r.IntN(6)]
		start, by, bound := int16(r.IntN(1<<16)>>r.IntN(16)), int16(r.IntN(1<<16)>>(3+r.IntN(13))), int16(r.IntN(1<<16)>>r.IntN(12))
		if r.IntN(2) == 0 {
			by = -by
		}
		compared, not := []string{"%h1", "%h2"}[r.IntN(2)], []string{"", "!"}[r.IntN(2)]
		f := lowerText(t, fmt.Sprintf(`.visible .entry k() {
.reg .pred %%p; .reg .b16 %%h<4>;
mov.b16 %%h1, %d;
L: add%s %%h2, %%h1, %d;
setp.%s%s %%p, %s, %d;
mov.b16 %%h1, %%h2;
@%s%%p bra L;
ret;
}`, start, typ, by, cmp, typ, compared, bound, not)).Func("k")
		s := f.BuildSSA()
		folded := Fold(f, []*SSA{s}, &Consts{})
		phi := s.Use(1, f.Instrs()[1].Uses()[0])
		c := folded.Funcs[0].cells[phi]
		if c.within == nil {
			continue
		}
		found++
		at := uint16(start)
		for range 1 << 17 {
			if truncate(uint64(at)-uint64(c.within.low), 16) > uint64(c.within.high-c.within.low) {
				t.Fatalf("%d, step %d, %s%s%s %s %d: %d is not in %v", start, by, not, cmp, typ, compared, bound, at, *c.within)
			}
			next := at + uint16(by)
			x := at
			if compared == "%h2" {
				x = next
			}
			if holds(cmp, x, uint16(bound), typ) == (not == "!") {
				break
			}
			at = next
		}
	}
	if found < 200 {
		t.Errorf("only %d intervals found: the test shows little", found)
	}
}

func holds(cmp string, a, b uint16, t isa.Type) bool {
	x, y := int(a), int(b)
	if t == isa.S16 {
		x, y = int(int16(a)), int(int16(b))
	}
	switch cmp {
	case "lt":
		return x < y
	case "le":
		return x <= y
	case "gt":
		return x > y
	case "ge":
		return x >= y
	case "eq":
		return x == y
	}
	return x != y
}
