package observe

import (
	"testing"

	"hyptx/ir/isa"
)

// TestText: values of each type as they are written. Bits are those of IEEE 754, worked out
// by hand.
func TestText(t *testing.T) {
	for _, c := range []struct {
		typ  isa.Type
		bits [2]uint64
		want string
	}{
		{isa.S32, [2]uint64{0xffffffff}, "-1"},
		{isa.U32, [2]uint64{0xffffffff}, "4294967295"},
		{isa.S8, [2]uint64{0x80}, "-128"},
		{isa.U16, [2]uint64{0x1ffff}, "65535"},
		{isa.S64, [2]uint64{1 << 63}, "-9223372036854775808"},
		{isa.B32, [2]uint64{0xbeef}, "0x0000beef"},
		{isa.B128, [2]uint64{1, 2}, "0x20000000000000001"},
		{isa.Pred, [2]uint64{1}, "true"},
		{isa.F32, [2]uint64{0x3fc00000}, "1.5"},
		{isa.F32, [2]uint64{0x3dcccccd}, "0.1"},
		{isa.F32, [2]uint64{0xff800000}, "-inf"},
		{isa.F32, [2]uint64{0x7fc00001}, "NaN (0x7fc00001)"},
		{isa.F64, [2]uint64{0x3fb999999999999a}, "0.1"},
		{isa.F16, [2]uint64{0x2e66}, "0.1"},
		{isa.F16, [2]uint64{0x7bff}, "65504"},
		{isa.BF16, [2]uint64{0x3dcd}, "0.1"},
		{isa.F16x2, [2]uint64{0xfc003c00}, "{1, -inf}"},
		{isa.F32x2, [2]uint64{0x400000003f800000}, "{1, 2}"},
		{isa.E4M3x2, [2]uint64{0x7f38}, "{1, NaN (0x7f)}"},
		{isa.E4M3x4, [2]uint64{0x7e0180b8}, "{-1, -0, 0.001953125, 448}"},
		{isa.E5M2x4, [2]uint64{0x7bfc7d01}, "{1.5258789e-05, NaN (0x7d), -inf, 57344}"},
		{isa.E2M1x4, [2]uint64{0x4321}, "0x4321"},
	} {
		if got := Text(c.typ, c.bits); got != c.want {
			t.Errorf("%s of %#x is %q, want %q", c.typ, c.bits, got, c.want)
		}
	}
}

// TestVariableNames: steps name variables as the source does, those of a function without it.
func TestVariableNames(t *testing.T) {
	for _, c := range []struct {
		access Access
		want   string
	}{
		{Access{Type: isa.F32, Space: isa.Shared, Object: "_ZZ3sumPfE4tile", Offset: 8}, "tile[2]"},
		{Access{Type: isa.F32, Space: isa.Shared, Object: "_ZZN4math3sumEPfE4tile", Offset: 2}, "tile+2 bytes"},
		{Access{Type: isa.F32, Space: isa.Global, Object: "x", Offset: 4}, "x[1]"},
		{Access{Type: isa.F32, Space: isa.Shared, Address: 16}, "shared 0x10"},
	} {
		if got := c.access.Name(); got != c.want {
			t.Errorf("%s is %q, want %q", c.access.Object, got, c.want)
		}
	}
}

// TestFloats: an infinity is made of a NaN by nobody, the first that is made ends what is
// looked for, and what is met counts before that alone.
func TestFloats(t *testing.T) {
	var got []string
	f := &Floats{}
	f.Found = func(e *Event) {
		how := "met "
		if e.Made {
			how = "made "
		}
		got = append(got, how+e.Class.String())
	}
	nan, inf, both, none := Classes{true, false}, Classes{false, true}, Classes{true, true}, Classes{}
	for _, x := range [][2]Classes{{nan, nan}, {nan, nan}, {inf, nan}, {both, inf}, {nan, nan}, {inf, inf}, {inf, none}, {inf, none}} {
		if f.News(x[0], x[1]) {
			f.Look(&Step{}, x[0], x[1])
		}
	}
	want := []string{"met NaN", "met infinity", "made NaN", "made infinity"}
	if len(got) != len(want) || !f.Done() {
		t.Fatal(got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestSpecs: names with colons and brackets, linear indices and others.
func TestSpecs(t *testing.T) {
	s, err := ParseThread("ns::gemm<int>@0-3:3,1:17")
	if err != nil || s.Kernel != "ns::gemm<int>" || s.Launches != "0-3" || s.CTA != (Index{At: [3]int64{3, 1, 0}}) || s.Thread != (Index{At: [3]int64{17}, Linear: true}) {
		t.Error(s, err)
	}
	if at, ok := s.CTA.In([3]uint32{4, 2, 1}); at != 7 || !ok {
		t.Error(at, ok)
	}
	if _, ok := s.CTA.In([3]uint32{3, 9, 9}); ok {
		t.Error("3 is outside of 3")
	}
	if at, ok := s.Thread.In([3]uint32{4, 4, 2}); at != 17 || !ok {
		t.Error(at, ok)
	}
	e, err := ParseElements("a[0][3:7]")
	if err != nil || e.Name != "a[0]" || e.From != 3 || e.To != 7 || e.Whole {
		t.Error(e, err)
	}
	if e, err = ParseElements("a"); err != nil || !e.Whole {
		t.Error(e, err)
	}
}
