package atomics

import (
	"testing"

	"hyptx/ir/isa"
)

// The manual's definitions (PTX ISA 9.7.15.5, semantics), at the edges of each.
func TestOperations(t *testing.T) {
	minus := func(n int32) uint64 { return uint64(uint32(-n)) }
	for _, c := range []struct {
		name      string
		t         isa.Type
		flush     bool
		old, b, c uint64
		want      uint64
	}{
		{"exch", isa.B32, false, 1, 2, 0, 2},
		{"cas", isa.B32, false, 1, 1, 7, 7},
		{"cas", isa.B32, false, 1, 2, 7, 1},
		{"inc", isa.U32, false, 4, 5, 0, 5},
		{"inc", isa.U32, false, 5, 5, 0, 0}, // old >= b wraps
		{"dec", isa.U32, false, 5, 5, 0, 4},
		{"dec", isa.U32, false, 0, 5, 0, 5},
		{"dec", isa.U32, false, 6, 5, 0, 5}, // old > b wraps
		{"add", isa.U32, false, 0xffffffff, 1, 0, 0},
		{"add", isa.U64, false, 0xffffffff, 1, 0, 1 << 32},
		{"min", isa.S32, false, minus(1), 1, 0, minus(1)},
		{"min", isa.U32, false, minus(1), 1, 0, 1},
		{"max", isa.S32, false, minus(1), 1, 0, 1},
		{"max", isa.U32, false, minus(1), 1, 0, minus(1)},
		{"max", isa.S64, false, ^uint64(0), 1, 0, 1},
		{"max", isa.U64, false, ^uint64(0), 1, 0, ^uint64(0)},
		// The smallest subnormal, and its negative: .ftz keeps the sign.
		{"add", isa.F32, false, 1, 0, 0, 1},
		{"add", isa.F32, true, 1, 0, 0, 0},
		{"add", isa.F32, true, 0x80000001, 0x80000000, 0, 0x80000000},
		{"add", isa.F32, false, 0x7f800000, 0xff800000, 0, 0x7fffffff}, // inf - inf
		{"add", isa.F16, false, 0x3c00, 0x3c00, 0, 0x4000},             // 1 + 1
		{"min", isa.F16, false, 0x7e00, 0x3c00, 0, 0x3c00},             // a NaN gives way
	} {
		if got := Of(c.name, c.t, c.flush)(c.old, c.b, c.c); got != c.want {
			t.Errorf("%s%v flush %v of %#x, %#x, %#x: %#x, not %#x", c.name, c.t, c.flush, c.old, c.b, c.c, got, c.want)
		}
	}
	if Of("mul", isa.U32, false) != nil || Of("add", isa.TF32, false) != nil {
		t.Error("an operation that PTX does not have has a function")
	}
}
