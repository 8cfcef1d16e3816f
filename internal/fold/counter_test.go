package fold

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

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
		f := lower(t, fmt.Sprintf(`.version 8.0 .target sm_90 .address_size 64
.visible .entry k() {
.reg .pred %%p; .reg .b16 %%h<4>;
mov.b16 %%h1, %d;
L: add%s %%h2, %%h1, %d;
setp.%s%s %%p, %s, %d;
mov.b16 %%h1, %%h2;
@%s%%p bra L;
ret;
}`, start, typ, by, cmp, typ, compared, bound, not))
		s := ssa.Build(f)
		folded := Propagate(f, []*ssa.Form{s}, &Consts{})
		phi := s.Use(1, f.Instrs()[1].Uses()[0])
		within := folded.Funcs[0].cells[phi].within()
		if !within.Known {
			continue
		}
		found++
		at := uint16(start)
		for range 1 << 17 {
			if value.Truncate(uint64(at)-uint64(within.Low), 16) > uint64(within.High-within.Low) {
				t.Fatalf("%d, step %d, %s%s%s %s %d: %d is not in %v", start, by, not, cmp, typ, compared, bound, at, within)
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

// lower returns the kernel k of a source.
func lower(t *testing.T, src string) *ir.Func {
	t.Helper()
	tree, err := parser.Parse("test.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.Lower(tree)
	if err != nil {
		t.Fatal(err)
	}
	return m.Func("k")
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
