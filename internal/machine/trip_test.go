package machine

import (
	"fmt"
	"maps"
	"testing"

	"hyptx/internal/fold"
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
)

// TestTrips counts the rounds of loops: how often the test is made that ends
// them.
func TestTrips(t *testing.T) {
	const (
		bottom = "mov.u32 %r1, START; L: st.shared.u32 [sh], %r1; STEP; setp.CMP %p1, %r1, END; @%p1 bra L;"
		middle = "mov.u32 %r1, START; bra E; L: st.shared.u32 [sh], %r1; E: STEP; setp.CMP %p1, %r1, END; @%p1 bra L;"
		leave  = "mov.u32 %r1, START; L: st.shared.u32 [sh], %r1; STEP; setp.CMP %p1, %r1, END; @%p1 bra X; bra L; X:"
	)
	for _, c := range []struct {
		shape, start, step, cmp, end string
		tests                        int // 0: unknown
	}{
		{bottom, "0", "add.s32 %r1, %r1, 1", "lt.s32", "10", 10},
		{bottom, "0", "add.s32 %r1, %r1, 3", "lt.s32", "10", 4},
		{bottom, "0", "add.s32 %r1, %r1, 3", "ne.s32", "9", 3},
		{bottom, "10", "add.s32 %r1, %r1, -1", "gt.s32", "0", 10},
		{bottom, "10", "sub.s32 %r1, %r1, 1", "ge.s32", "0", 11},
		{bottom, "-5", "add.s32 %r1, %r1, 1", "lt.s32", "5", 10},
		{bottom, "-5", "add.s32 %r1, %r1, 1", "lt.u32", "5", 1}, // 4294967292 is not below 5
		{bottom, "1", "shl.b32 %r1, %r1, 1", "lt.s32", "100", 7},
		{bottom, "64", "shr.u32 %r1, %r1, 1", "ne.s32", "0", 7},
		{middle, "-1", "add.s32 %r1, %r1, 1", "lt.s32", "3", 4},
		{leave, "0", "add.s32 %r1, %r1, 196", "eq.s32", "50176", 256},
		{bottom, "0", "add.s32 %r1, %r1, 1", "lt.s32", "%rn", 0},
		{bottom, "0", "add.s32 %r1, %r1, %rn", "lt.s32", "10", 0},
		{bottom, "0", "add.s32 %r1, %r1, 1", "lt.s32", "5000", 0}, // more than maxTrips
		{bottom, "0", "add.s32 %r1, %r1, 2", "ne.s32", "9", 0},    // never
	} {
		body := replace(c.shape, "START", c.start, "STEP", c.step, "CMP", c.cmp, "END", c.end)
		f := parseKernel(t, "test.ptx", []byte(kernel(70, body)))
		got := 0
		if tr := newCounter(nil, ssa.Build(f)).count(f.Loops()[0]); tr != nil {
			got = tr.tests
		}
		if got != c.tests {
			t.Errorf("%s: %d tests, by hand %d", body, got, c.tests)
		}
	}
}

// TestTripRanges bounds the phis of a counted loop: the counter by its values,
// and nothing that is not followed to the end, here a quotient that in the
// fourth round has no value.
func TestTripRanges(t *testing.T) {
	f := parseKernel(t, "test.ptx", []byte(kernel(70, `mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r4, 7;
L: st.shared.u32 [sh], %r2; st.shared.u32 [sh+4], %r4; sub.u32 %r3, 3, %r1; div.u32 %r2, 6, %r3; mul.lo.u32 %r4, %r1, 5;
add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 10; @%p1 bra L;`)))
	s := ssa.Build(f)
	tr := newCounter(nil, s).count(f.Loops()[0])
	if tr == nil || tr.tests != 10 {
		t.Fatalf("%+v, want 10 tests", tr)
	}
	want := map[string]value.Interval{"%r1": value.Between(0, 9), "%r4": value.Between(0, 40)}
	got := map[string]value.Interval{}
	for phi, r := range tr.ranges {
		got[f.Regs[s.Values[phi].Reg].Name] = r
	}
	if !maps.Equal(got, want) {
		t.Errorf("ranges %v, by hand %v", got, want)
	}
}

// checkFold holds fold against the constants that package ir finds.
func checkFold(t *testing.T, f *ir.Func) {
	t.Helper()
	var overlays []*ssa.Form
	for _, g := range f.Closure() {
		overlays = append(overlays, ssa.Build(g))
	}
	s := overlays[0]
	folded := fold.Propagate(f, overlays, &fold.Consts{}).Of(f)
	c := newCounter(nil, s)
	for v := 1; v < s.Len(); v++ {
		mine, ok1 := c.value(ssa.ValueID(v), 0)
		theirs, ok2 := folded.Const(ssa.ValueID(v))
		if ok1 && ok2 && mine != theirs {
			t.Errorf("%s: %s is %#x, package ir says %#x", f.Module.File, fmt.Sprint(f.Text(s.Values[v].PC)), mine, theirs)
		}
	}
}
