package compare

import (
	"context"
	"math"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/vary"
)

// unary is y = op(x) for f32.
func unary(op string, x ...any) program {
	return program{in: "f32", out: "f32", x: x, body: "ld.global.f32 %f1, [%rd1]; " + op + " %f2, %f1; st.global.f32 [%rd2], %f2;"}
}

// TestDirect: where the output is the instruction's own result, exactly the
// documented bound is allowed, no more.
func TestDirect(t *testing.T) {
	for _, c := range []struct {
		op       string
		x        float64
		low, top uint64 // the outermost results that are allowed
	}{
		{"ex2.approx.f32", 0.5, f32(math.Sqrt2) - 2, f32(math.Sqrt2) + 2},
		{"ex2.approx.ftz.f32", 3, f32(8) - 2, f32(8) + 2},
		{"rcp.approx.f32", 3, f32(1.0/3) - 1, f32(1.0/3) + 1},
		{"sqrt.approx.f32", 4, f32(2) - 2, f32(2) + 1}, // 2^-23 relative: half as wide above a power of two
		{"rsqrt.approx.f32", 4, f32(0.5) - 2, f32(0.5) + 1},
		{"lg2.approx.f32", 10, vary.F32.Above(math.Log2(10) * (1 - 0x1p-22)), vary.F32.Below(math.Log2(10) * (1 + 0x1p-22))},
		{"sin.approx.f32", 1.5, vary.F32.Above(math.Sin(1.5) - math.Exp2(-20.5)), vary.F32.Below(math.Sin(1.5) + math.Exp2(-20.5))},
		{"cos.approx.f32", 100, vary.F32.Above(math.Cos(100) - math.Exp2(-14.7)), vary.F32.Below(math.Cos(100) + math.Exp2(-14.7))},
		{"tanh.approx.f32", 1, vary.F32.Above(math.Tanh(1) * (1 - 0x1p-11)), vary.F32.Below(math.Tanh(1) * (1 + 0x1p-11))},
		{"ex2.approx.f32", 0, f32(1), f32(1)}, // a table of special values gives it
	} {
		open := unary(c.op, c.x, 0.75).opener(t)
		ours := outputs(t, open, nil)
		for _, b := range []struct {
			bits uint64
			want Verdict
		}{{c.low, Within}, {c.top, Within}, {vary.F32.Step(c.low, -1), Differs}, {vary.F32.Step(c.top, 1), Differs}} {
			want := b.want
			if b.bits == ours[0].Bits(0) {
				want = Equal
			}
			r := compared(t, open, with(ours, 0, b.bits))
			if r.Verdict != want || want != Equal && !r.Outputs[0].Spanned && r.Outputs[0].MaxULP > 0 && c.low != c.top {
				t.Errorf("%s(%g) = %#x for %#x: %s, want %s", c.op, c.x, b.bits, ours[0].Bits(0), r.Verdict, want)
			}
		}
	}
}

// TestClosed: what is defined has to be equal in every bit.
func TestClosed(t *testing.T) {
	for _, op := range []string{"sqrt.rn.f32", "rcp.rn.f32", "mov.f32"} {
		open := unary(op, 2, 3).opener(t)
		ours := outputs(t, open, nil)
		if r := compared(t, open, ours); r.Verdict != Equal || len(r.Runs) != 0 {
			t.Errorf("%s: %+v", op, r)
		}
		r := compared(t, open, with(ours, 1, ours[0].Bits(1)+1))
		b := r.Outputs[0]
		if r.Verdict != Differs || len(r.Open) != 0 || b.Differs != 1 || b.Equal != 1 || b.First == nil || b.First.Index != 1 || b.MaxULP != 1 {
			t.Errorf("%s, one ulp off: %+v", op, r)
		}
	}
}

// TestContracted: a product and a sum give the same bits, or those of one fma,
// and nothing else; with a rounding modifier they have one result.
func TestContracted(t *testing.T) {
	// 1/3 * 3 - 1: rounded the product is 1, fused the rest of 1/3 remains.
	body := "ld.global.f32 %f1, [%rd1]; mov.f32 %f3, 0f40400000; mul.f32 %f2, %f1, %f3; mov.f32 %f1, 0f3F800000; sub.f32 %f2, %f2, %f1; st.global.f32 [%rd2], %f2;"
	p := program{in: "f32", out: "f32", x: []any{float32(1.0 / 3), 2}, body: body}
	open := p.opener(t)
	ours := outputs(t, open, nil)
	third := float64(float32(1.0 / 3))
	fused := f32(third*3 - 1)
	if ours[0].Bits(0) != 0 || fused == 0 {
		t.Fatalf("the test is wrong: %#x, %#x", ours[0].Bits(0), fused)
	}
	for bits, want := range map[uint64]Verdict{fused: Within, fused - 1: Within, fused + 1: Differs, f32(-1e-9): Differs} {
		if r := compared(t, open, with(ours, 0, bits)); r.Verdict != want {
			t.Errorf("%#x: %s, want %s", bits, r.Verdict, want)
		}
	}
	p.body = strings.ReplaceAll(body, "sub.f32", "sub.rn.f32")
	open = p.opener(t)
	if r := compared(t, open, with(ours, 0, fused)); r.Verdict != Differs {
		t.Errorf("sub.rn: %s", r.Verdict)
	}
}

// TestContractedForms: each variation's result is the sum or the fused one, for
// all places of the product, against arithmetic in double.
func TestContractedForms(t *testing.T) {
	x := 1 + 0x1p-12
	for _, c := range []struct {
		op    string
		fused float64
	}{
		{"mul.f32 %f2, %f1, %f1; add.f32 %f2, %f2, %f3;", x*x - 1},
		{"mul.f32 %f2, %f1, %f1; add.f32 %f2, %f3, %f2;", x*x - 1},
		{"mul.f32 %f2, %f1, %f1; neg.f32 %f4, %f3; sub.f32 %f2, %f2, %f4;", x*x - 1},
		{"mul.f32 %f2, %f1, %f1; sub.f32 %f2, %f3, %f2;", -1 - x*x},
		{"mul.f32 %f2, %f1, %f1; mov.f32 %f5, %f2; mov.f32 %f1, 0f00000000; sub.f32 %f2, %f5, 0f3F800000;", x*x - 1},
	} {
		open := program{in: "f32", out: "f32", x: []any{x}, body: "ld.global.f32 %f1, [%rd1]; mov.f32 %f3, 0fBF800000; " + c.op + " st.global.f32 [%rd2], %f2;"}.opener(t)
		if got := outputs(t, open, &vary.Variation{Fused: true})[0].Float(0); float32(got) != float32(c.fused) {
			t.Errorf("%s: %g, want %g", c.op, got, c.fused)
		}
		plain, up, down := outputs(t, open, nil)[0].Float(0), outputs(t, open, &vary.Variation{Signs: vary.Up})[0].Float(0), outputs(t, open, &vary.Variation{Signs: vary.Down})[0].Float(0)
		fused := float64(float32(c.fused))
		if up != max(plain, fused) || down != min(plain, fused) {
			t.Errorf("%s: up %g, down %g of %g and %g", c.op, up, down, plain, fused)
		}
	}
}

// TestAtomicSum: another order of many additions is within the bound; more
// than it is not, and two terms have one sum.
func TestAtomicSum(t *testing.T) {
	var x []any
	var forward, backward float32
	for i := range 64 {
		x = append(x, float32(1)/float32(i*i+3))
	}
	for i := range x {
		forward += x[i].(float32)
		backward += x[len(x)-1-i].(float32)
	}
	p := program{in: "f32", out: "f32", x: x, elements: 1, body: "ld.param.u64 %rd2, [y]; ld.global.f32 %f1, [%rd1]; red.global.add.f32 [%rd2], %f1;"}
	open := p.opener(t)
	ours := outputs(t, open, nil)
	if ours[0].Bits(0) != f32(float64(forward)) || forward == backward {
		t.Fatalf("the test is wrong: %g, %g, %g", ours[0].Float(0), forward, backward)
	}
	bound := 2 * 63 * 0x1p-24 * float64(forward) // of both orders, in first order
	for value, want := range map[float64]Verdict{float64(backward): Within, float64(forward) + 0.8*bound: Within, float64(forward) + 1.5*bound: Differs} {
		if r := compared(t, open, with(ours, 0, f32(value))); r.Verdict != want {
			t.Errorf("%g for %g: %s, want %s; %+v", value, forward, r.Verdict, want, r.Outputs[0])
		}
	}
	p.x = x[:2]
	open = p.opener(t)
	ours = outputs(t, open, nil)
	if r := compared(t, open, with(ours, 0, ours[0].Bits(0)+1)); r.Verdict != Differs {
		t.Errorf("two terms: %s", r.Verdict)
	}
}

// TestOrder: what the order of the CTAs decides is undecided, or within where a
// variation gave the same value.
func TestOrder(t *testing.T) {
	open := program{in: "u32", out: "u32", x: []any{0}, ctas: 4, body: "mov.u32 %r2, %ctaid.x; mul.lo.u32 %r2, %r2, %r2; atom.global.exch.b32 %r3, [%rd2], %r2; cvt.rn.f32.u32 %f1, %r3; ex2.approx.f32 %f1, %f1; st.global.f32 [%rd1], %f1;"}.opener(t)
	ours := outputs(t, open, nil)
	if ours[0].Bits(0) != 9 {
		t.Fatalf("the last CTA left %d", ours[0].Bits(0))
	}
	for value, want := range map[uint64]Verdict{0: Within, 9: Equal, 4: Undecided} {
		if r := compared(t, open, with(ours, 0, value)); r.Verdict != want {
			t.Errorf("%d: %s, want %s", value, r.Verdict, want)
		}
	}
}

// TestFlip: an integer that hangs on an approximate result.
func TestFlip(t *testing.T) {
	body := "ld.global.f32 %f1, [%rd1]; ex2.approx.f32 %f2, %f1; setp.gt.f32 %p1, %f2, 0f3FB504F3; selp.u32 %r2, 7, 9, %p1; st.global.u32 [%rd2], %r2;"
	open := program{in: "f32", out: "u32", x: []any{0.5, 1}, body: body}.opener(t)
	ours := outputs(t, open, nil)
	for _, c := range []struct {
		i    int
		bits uint64
		want Verdict
	}{{0, 7, Within}, {0, 8, Undecided}, {1, 9, Differs}} {
		r := compared(t, open, with(ours, c.i, c.bits))
		if r.Verdict != c.want {
			t.Errorf("[%d] = %d for %d: %s, want %s", c.i, c.bits, ours[0].Bits(c.i), r.Verdict, c.want)
		}
	}
}

// TestInside: what hangs on a result's last bit is the same at both edges of a
// bound of two ulp; a machine between them is right, too.
func TestInside(t *testing.T) {
	var x []any
	for i := range 64 {
		x = append(x, float64(i)/7+0.1)
	}
	body := "ld.global.f32 %f1, [%rd1]; ex2.approx.f32 %f2, %f1; mov.b32 %r2, %f2; and.b32 %r2, %r2, 1; cvt.rn.f32.u32 %f2, %r2; st.global.f32 [%rd2], %f2;"
	open := program{in: "f32", out: "f32", x: x, body: body}.opener(t)
	ours := outputs(t, open, nil)
	theirs := ours
	for i := range x {
		theirs = with(theirs, i, f32(1-ours[0].Float(i))) // all off by one ulp
	}
	r := compared(t, open, theirs)
	if b := r.Outputs[0]; r.Verdict != Within || b.Within != 64 || b.Exact {
		t.Errorf("%s: %+v", r.Verdict, b)
	}
	if r := compared(t, open, with(ours, 3, f32(0.5))); r.Outputs[0].Exact {
		t.Errorf("bounds of an output that hangs on open results are called exact: %+v", r.Outputs[0])
	}
}

// TestUnbounded: a result without a documented bound is never within one.
func TestUnbounded(t *testing.T) {
	open := program{in: "f64", out: "f64", x: []any{3, 5}, body: "ld.global.f64 %fd1, [%rd1]; rcp.approx.ftz.f64 %fd2, %fd1; st.global.f64 [%rd2], %fd2;"}.opener(t)
	ours := outputs(t, open, nil)
	r := compared(t, open, with(ours, 0, ours[0].Bits(0)+1<<32))
	if r.Verdict != Unbounded || r.Outputs[0].Unbounded != 1 || r.Agrees() || r.Open[0].Bound != "none documented" {
		t.Errorf("%+v", r)
	}
	open = unary("sin.approx.f32", 400, 1).opener(t) // outside of 100 pi
	ours = outputs(t, open, nil)
	if r := compared(t, open, with(ours, 0, ours[0].Bits(0)+1)); r.Verdict != Unbounded {
		t.Errorf("sin of 400: %s", r.Verdict)
	}
	if r := compared(t, open, with(ours, 1, ours[0].Bits(1)+1)); r.Verdict != Within {
		t.Errorf("sin of 1: %s", r.Verdict)
	}
}

// TestFailingVariations: a moved result may be a wrong address. Such runs are
// named and left out; where the probe fails, nothing that differs is passed.
func TestFailingVariations(t *testing.T) {
	// x[i] is loaded from an address that hangs on the reciprocal of 1: 0 if it is exact.
	body := func(rcp string) string {
		return "mov.f64 %fd1, 0d3FF0000000000000; cvt.rn.f32.f64 %f1, %fd1; " + rcp + "\n" +
			"sub.rn.f32 %f2, %f2, 0f3F800000; mul.rn.f32 %f2, %f2, 0f4F000000; cvt.rni.s32.f32 %r2, %f2; and.b32 %r2, %r2, -4; cvt.s64.s32 %rd4, %r2;\n" +
			"add.u64 %rd1, %rd1, %rd4; ld.global.f32 %f3, [%rd1]; st.global.f32 [%rd2], %f3;"
	}
	open := program{in: "f32", out: "f32", x: []any{5}, body: body("rcp.approx.f32 %f2, %f1;")}.opener(t)
	ours := outputs(t, open, nil)
	r := compared(t, open, with(ours, 0, f32(6)))
	failed := 0
	for _, run := range r.Runs {
		if run.Error != "" {
			failed++
		}
	}
	if r.Verdict != Differs || failed < 2 || failed > 16 {
		t.Errorf("%s, %d runs failed: %+v", r.Verdict, failed, r.Runs)
	}
	open = program{in: "f32", out: "f32", x: []any{5}, body: body("rcp.approx.ftz.f64 %fd1, %fd1; cvt.rn.f32.f64 %f2, %fd1;")}.opener(t)
	if r := compared(t, open, with(outputs(t, open, nil), 0, f32(6))); r.Verdict != Unbounded || r.Runs[len(r.Runs)-1].Error == "" {
		t.Errorf("%s: %+v", r.Verdict, r.Runs)
	}
}

// TestNaN: the payload counts where the manual defines it.
func TestNaN(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     program
		other uint64
		want  Verdict
	}{
		{"f32 is canonical", unary("sqrt.approx.f32", -1), 0x7fc00000, Differs},
		{"neg has any", program{in: "b32", out: "f32", x: []any{"0x7fffffff"}, body: "ld.global.f32 %f1, [%rd1]; neg.f32 %f1, %f1; st.global.f32 [%rd2], %f1;"}, 0x7fc00000, Within},
		{"f64 has any", program{in: "f64", out: "f64", x: []any{-1}, body: "ld.global.f64 %fd1, [%rd1]; sqrt.rn.f64 %fd1, %fd1; st.global.f64 [%rd2], %fd1;"}, 0x7ff8000000000000, Equal},
		{"a number for a NaN", unary("sqrt.approx.f32", -1), 0x3f800000, Differs},
		{"a NaN for a number", unary("sqrt.approx.f32", 4), 0x7fffffff, Differs},
		{"a zero of the other sign", unary("sqrt.approx.f32", 0), 0x80000000, Differs},
	} {
		open := c.p.opener(t)
		if r := compared(t, open, with(outputs(t, open, nil), 0, c.other)); r.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, r.Verdict, c.want)
		}
	}
}

// TestWidened: an element of several approximate results may be four times as
// far off as the runs are, and a rounding may tip.
func TestWidened(t *testing.T) {
	body := "ld.global.f32 %f1, [%rd1]; ex2.approx.f32 %f2, %f1; rcp.approx.f32 %f3, %f1; sub.rn.f32 %f2, %f2, %f3; st.global.f32 [%rd2], %f2;"
	open := program{in: "f32", out: "f32", x: []any{1.3, 2.7, 3.9, 5.1}, body: body}.opener(t)
	ours := outputs(t, open, nil)
	r := compared(t, open, with(ours, 2, ours[0].Bits(2)+100))
	e := r.Outputs[0].First
	if r.Verdict != Differs || r.Outputs[0].Exact || e == nil || e.Low == nil {
		t.Fatalf("%+v", r.Outputs[0])
	}
	middle := ours[0].Float(2)
	if radius := *e.High - middle; math.Abs((middle-*e.Low)-radius) > 1e-12 || radius < 8*0x1p-20 || radius > 40*0x1p-20 {
		t.Errorf("from %g to %g about %g", *e.Low, *e.High, middle)
	}
	if r := compared(t, open, with(ours, 2, ours[0].Bits(2)+6)); r.Verdict != Within {
		t.Errorf("6 ulp: %s", r.Verdict)
	}
}

// TestMismatch: outputs that cannot be compared are errors.
func TestMismatch(t *testing.T) {
	open := unary("mov.f32", 1, 2).opener(t)
	good := outputs(t, open, nil)[0]
	short, other, renamed := good, good, good
	short.Data, other.Type, renamed.Name = good.Data[:4], manifest.B32, "z"
	for want, theirs := range map[string][]analysis.Output{
		`output "y" has 4 bytes, the emulator's 8`:         {short},
		`output "y" is of type b32, the emulator's of f32`: {other},
		`output "y" is missing; there are z`:               {renamed},
		`output "y": there are no outputs`:                 nil,
	} {
		_, err := Program(context.Background(), open, theirs)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Program(ctx, open, []analysis.Output{good}); err == nil {
		t.Error("an interrupted comparison ended well")
	}
}
