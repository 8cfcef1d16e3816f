package compare

import (
	"math"
	"testing"

	"hyptx/internal/vary"
)

// span returns the lowest and the highest value of element i in the runs Up and
// Down.
func span(t *testing.T, open Opener, i int) (low, high float64) {
	t.Helper()
	return outputs(t, open, &vary.Variation{Signs: vary.Down})[0].Float(i), outputs(t, open, &vary.Variation{Signs: vary.Up})[0].Float(i)
}

// TestHalves: packed and scalar results of 16 bits, each element for itself.
func TestHalves(t *testing.T) {
	for _, c := range []struct {
		typ, op string
		x       string // two elements
		exact   [2]float64
		error   func(x float64) float64
	}{
		{"f16", "ex2.approx.f16x2", "0x38003e00", [2]float64{math.Exp2(1.5), math.Sqrt2}, func(x float64) float64 { return x * math.Exp2(-9.9) }},
		{"f16", "tanh.approx.f16x2", "0x38003e00", [2]float64{math.Tanh(1.5), math.Tanh(0.5)}, func(float64) float64 { return math.Exp2(-10.987) }},
		{"bf16", "tanh.approx.bf16x2", "0x3f003fc0", [2]float64{math.Tanh(1.5), math.Tanh(0.5)}, func(float64) float64 { return 0x1p-8 }},
		{"bf16", "ex2.approx.ftz.bf16x2", "0x3f003fc0", [2]float64{math.Exp2(1.5), math.Sqrt2}, func(x float64) float64 { return x * 0x1p-7 }},
	} {
		open := program{in: "b32", out: c.typ, x: []any{c.x}, elements: 2, threads: 1,
			body: "ld.global.b32 %r2, [%rd1]; " + c.op + " %r2, %r2; st.global.b32 [%rd2], %r2;"}.opener(t)
		format := map[string]vary.Format{"f16": vary.F16, "bf16": vary.BF16}[c.typ]
		for i, exact := range c.exact {
			low, high := span(t, open, i)
			wantLow, wantHigh := format.Value(format.Above(exact-c.error(exact))), format.Value(format.Below(exact+c.error(exact)))
			if low != wantLow || high != wantHigh {
				t.Errorf("%s [%d]: %g to %g, want %g to %g", c.op, i, low, high, wantLow, wantHigh)
			}
		}
	}
}

// TestMatrix: a sum of eight products may be off by eight additions' errors and
// a rounding, unless it needs none in any order.
func TestMatrix(t *testing.T) {
	body := "ld.global.b32 %r2, [%rd1]; mov.f32 %f1, 0f00000000;\n" +
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r2, %r2}, {%r2}, {%f1, %f1, %f1, %f1};\n" +
		"st.global.f32 [%rd2], %f4;"
	for _, c := range []struct {
		x    string // two halves
		sum  float64
		want map[int]Verdict // by ulp
	}{
		{"0x3c003c00", 8, map[int]Verdict{1: Differs, -1: Differs}},
		// 1365/4096 and 1025/2^18, four squares of each: 9 * 2^-23 of the sum, whose ulp is 2^-25, are 15.99 ulp.
		{"0x35551c01", 4 * (math.Pow(1365.0/4096, 2) + math.Pow(1025.0/0x1p18, 2)), map[int]Verdict{15: Within, 16: Differs, -15: Within, -16: Differs}},
	} {
		x := make([]any, 32)
		for i := range x {
			x[i] = c.x
		}
		open := program{in: "b32", out: "f32", x: x, body: body}.opener(t)
		ours := outputs(t, open, nil)
		if ours[0].Bits(5) != f32(c.sum) {
			t.Fatalf("the test is wrong: %g, %g", ours[0].Float(5), c.sum)
		}
		for ulp, want := range c.want {
			r := compared(t, open, with(ours, 5, vary.F32.Step(ours[0].Bits(5), ulp)))
			if r.Verdict != want || r.Outputs[0].Exact {
				t.Errorf("%s, %d ulp: %s, want %s", c.x, ulp, r.Verdict, want)
			}
		}
	}
}

// TestContractedTypes: f64 and packed halves become one fma, too.
func TestContractedTypes(t *testing.T) {
	x := 1 + 0x1p-30
	open := program{in: "f64", out: "f64", x: []any{x}, body: "ld.global.f64 %fd1, [%rd1]; mul.f64 %fd2, %fd1, %fd1; sub.f64 %fd2, %fd2, 0d3FF0000000000000; st.global.f64 [%rd2], %fd2;"}.opener(t)
	if low, high := span(t, open, 0); low != x*x-1 || high != math.FMA(x, x, -1) || low == high {
		t.Errorf("f64: %g to %g", low, high)
	}
	// (1 + 3*2^-10)^2 is 1 + 6*2^-10 + 9*2^-20, of which f16 keeps the first two.
	open = program{in: "b32", out: "f16", x: []any{"0x3c033c00"}, elements: 2, threads: 1,
		body: "ld.global.b32 %r2, [%rd1]; mul.f16x2 %r3, %r2, %r2; mov.b32 %r4, 0xbc00bc00; add.f16x2 %r3, %r3, %r4; st.global.b32 [%rd2], %r3;"}.opener(t)
	if low, high := span(t, open, 1); low != 0x1.8p-8 || high != 0x1.8p-8+0x1p-17 {
		t.Errorf("f16x2: %g to %g", low, high)
	}
	if low, high := span(t, open, 0); low != 0 || high != 0 {
		t.Errorf("f16x2, a product without a rest: %g to %g", low, high)
	}
}

// TestAtomicPlaces: sums in shared memory are each CTA's own, those of vectors
// and packed halves each element's.
func TestAtomicPlaces(t *testing.T) {
	third := float32(1) / 3
	for _, c := range []struct {
		name string
		p    program
		open bool
	}{
		{"shared, three terms", program{in: "f32", out: "f32", x: []any{third, third, third}, elements: 1, ctas: 1,
			body: ".shared .f32 s; ld.param.u64 %rd2, [y]; ld.global.f32 %f1, [%rd1]; bar.sync 0; red.shared.add.f32 [s], %f1; bar.sync 0; ld.shared.f32 %f1, [s]; st.global.f32 [%rd2], %f1;"}, true},
		{"shared, two terms in each of four CTAs", program{in: "f32", out: "f32", x: []any{third, third}, elements: 1, ctas: 4,
			body: ".shared .f32 s; ld.param.u64 %rd2, [y]; ld.global.f32 %f1, [%rd1]; red.shared.add.f32 [s], %f1; bar.sync 0; ld.shared.f32 %f1, [s]; st.global.f32 [%rd2], %f1;"}, false},
		{"vector", program{in: "f32", out: "f32", x: []any{third, third, third}, elements: 2,
			body: "ld.param.u64 %rd2, [y]; ld.global.f32 %f1, [%rd1]; mov.f32 %f2, 0f00000000; red.global.add.v2.f32 [%rd2], {%f2, %f1};"}, true},
		{"generic", program{in: "f32", out: "f32", x: []any{third, third, third}, elements: 1,
			body: "ld.param.u64 %rd2, [y]; ld.global.f32 %f1, [%rd1]; atom.add.f32 %f2, [%rd2], %f1;"}, true},
		{"halves", program{in: "b32", out: "f16", x: []any{"0x35550000", "0x35550000", "0x35550000"}, elements: 2,
			body: "ld.param.u64 %rd2, [y]; ld.global.b32 %r2, [%rd1]; red.global.add.noftz.f16x2 [%rd2], %r2;"}, true},
	} {
		open := c.p.opener(t)
		ours := outputs(t, open, nil)
		last := ours[0].Len() - 1
		want := Differs
		if c.open {
			want = Within
		}
		if r := compared(t, open, with(ours, last, ours[0].Bits(last)+1)); r.Verdict != want {
			t.Errorf("%s: one ulp off: %s, want %s", c.name, r.Verdict, want)
		}
		if last > 0 { // the first element adds zeros
			if r := compared(t, open, with(ours, 0, 1)); r.Verdict != Differs {
				t.Errorf("%s: a sum of zeros: %s", c.name, r.Verdict)
			}
		}
	}
}

// TestDivision: full is off by two ulp for all divisors, approx has no bound for
// subnormal ones and gives a zero for the largest.
func TestDivision(t *testing.T) {
	body := func(op string) string {
		return "ld.global.f32 %f1, [%rd1]; mov.f32 %f2, 0f3F800000; " + op + " %f1, %f2, %f1; st.global.f32 [%rd2], %f1;"
	}
	for _, c := range []struct {
		op   string
		x    any
		ulp  int
		want Verdict
	}{
		{"div.full.f32", 3, 2, Within}, {"div.full.f32", 3, 3, Differs}, {"div.approx.f32", 3, -2, Within}, {"div.approx.f32", 3, 3, Differs},
		{"div.approx.f32", "0x7f000001", 1, Differs}, {"div.approx.f32", "0x00600000", 1, Unbounded}, {"div.approx.ftz.f32", "0x00600000", -1, Differs},
	} {
		in := "f32"
		if _, bits := c.x.(string); bits {
			in = "b32"
		}
		open := program{in: in, out: "f32", x: []any{c.x}, body: body(c.op)}.opener(t)
		ours := outputs(t, open, nil)
		if r := compared(t, open, with(ours, 0, vary.F32.Step(ours[0].Bits(0), c.ulp))); r.Verdict != c.want {
			t.Errorf("%s by %v, %d ulp: %s, want %s", c.op, c.x, c.ulp, r.Verdict, c.want)
		}
	}
}
