package ssa

import "testing"

// TestAbsorbs: which additions may absorb which multiplications. Each addition
// names in d the products that it may absorb: f1 and f2.
func TestAbsorbs(t *testing.T) {
	for _, c := range []struct {
		name, body   string
		first, other bool
	}{
		{"first operand", "mul.f32 f1, a, b; add.f32 d, f1, c;", true, false},
		{"second operand", "mul.f32 f1, a, b; sub.f32 d, c, f1;", false, true},
		{"both", "mul.f32 f1, a, b; mul.f32 f2, b, c; add.f32 d, f1, f2;", true, true},
		{"through a move", "mul.f32 f1, a, b; mov.f32 f2, f1; add.f32 d, f2, c;", true, false},
		{"add rounds itself", "mul.f32 f1, a, b; add.rn.f32 d, f1, c;", false, false},
		{"mul rounds itself", "mul.rn.f32 f1, a, b; add.f32 d, f1, c;", false, false},
		{"saturated product", "mul.sat.f32 f1, a, b; add.f32 d, f1, c;", false, false},
		{"saturated sum", "mul.f32 f1, a, b; add.sat.f32 d, f1, c;", true, false},
		{"other .ftz", "mul.ftz.f32 f1, a, b; add.f32 d, f1, c;", false, false},
		{"same .ftz", "mul.ftz.f32 f1, a, b; add.ftz.f32 d, f1, c;", true, false},
		{"guarded product", "mov.f32 f1, c; @p mul.f32 f1, a, b; add.f32 d, f1, c;", false, false},
		{"overwritten", "mul.f32 f1, a, b; mov.f32 f1, c; add.f32 d, f1, c;", false, false},
		{"another instruction", "mul.f32 f1, a, b; neg.f32 f2, f1; add.f32 d, f2, c;", false, false},
		{"of a round before", "mul.f32 f1, a, b; L: add.f32 d, f1, c; mul.f32 f1, d, b; @p bra L;", false, false},
	} {
		mod := lower(t, ".entry k() { .reg .pred p; .reg .f32 a, b, c, d, f1, f2;\n"+c.body+"\nret; }\n")
		form := Build(mod.Funcs[0])
		var got [2]bool
		for i := range mod.Instrs {
			for n, mul := range form.Absorbs(&mod.Instrs[i]) {
				got[n] = got[n] || mul != nil
			}
		}
		if got != [2]bool{c.first, c.other} {
			t.Errorf("%s: %v, want %v, %v", c.name, got, c.first, c.other)
		}
	}
}
