package machine

import (
	"testing"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
)

// uniformOf returns how many instructions of a kernel's block 1 the uniform
// datapath runs, and the lanes' integer instructions there.
func uniformOf(t *testing.T, sm int, body string) (uniform, integer int64) {
	t.Helper()
	c := codeOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(sm, body)))), nil, sm)
	for _, ch := range c.Charges {
		switch {
		case ch.Left: // as it stands, not unrolled
		case c.Func.Module.Instrs[ch.Issue].Block != 1:
		case ch.Kind == pipe.Uniform:
			uniform += ch.Num
		case ch.Class.String() == "integer":
			integer += ch.Num
		}
	}
	return uniform, integer
}

// TestUniform holds what goes to the uniform datapath: a pointer that is the same
// in all lanes, in a loop that all of them leave together.
func TestUniform(t *testing.T) {
	const pointer = `mov.u32 %i, %tid.x; mov.f32 %f2, 0f00000000; mov.u32 %r1, 0; mov.u64 %rd1, %rda;
L:	ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1; add.s64 %rd1, %rd1, 4;
	add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, BOUND; @%p1 bra L;
	st.shared.f32 [sh], %f2;`
	for _, c := range []struct {
		what             string
		sm               int
		bound            string
		uniform, integer int64
	}{
		{"the pointer's two halves; the lanes count the rounds", 75, "%rn", 2, 2},
		{"Volta has no such datapath", 70, "%rn", 0, 4},
		{"lanes leave one by one", 75, "%i", 0, 4},
	} {
		if u, n := uniformOf(t, c.sm, replace(pointer, "BOUND", c.bound)); u != c.uniform || n != c.integer {
			t.Errorf("%s: %d uniform and %d integer instructions a round, by hand %d and %d", c.what, u, n, c.uniform, c.integer)
		}
	}
}
