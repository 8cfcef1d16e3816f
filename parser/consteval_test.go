package parser

import (
	"math"
	"strings"
	"testing"
)

// eval evaluates text with the names N = 7 and U = 7U.
func eval(tb testing.TB, text string) (Value, error) {
	tb.Helper()
	in := one[*Instruction](tb, "mov {("+text+")}, a;")
	o := in.Operands[0].Elems[0]
	x := o.X
	if o.Neg {
		x = &Expr{Kind: ExprUnary, Op: "-", X: x}
	}
	if o.Not {
		x = &Expr{Kind: ExprUnary, Op: "!", X: x}
	}
	return EvalExpr(x, func(name string) (Value, bool) {
		switch name {
		case "N":
			return Int64(7), true
		case "U":
			return Uint64(7), true
		}
		return Value{}, false
	})
}

// The values follow from PTX ISA 4.5.5, table 5, by hand.
func TestEvalIntegers(t *testing.T) {
	const minus1 = math.MaxUint64
	for _, c := range []struct {
		text     string
		bits     uint64
		unsigned bool
	}{
		{"42", 42, false}, {"42U", 42, true}, {"0xffffffffffffffff", minus1, true},
		{"WARP_SZ", 32, false}, {"N", 7, false}, {"U", 7, true}, {"-N", minus1 - 6, false}, {"!N", 0, false},
		{"+5", 5, false}, {"-5", minus1 - 4, false}, {"-5U", minus1 - 4, true},
		{"!5", 0, false}, {"!0U", 1, false}, {"~0", minus1, true},
		{"(.u64)-1", minus1, true}, {"(.s64)0xffffffffffffffff", minus1, false},
		{"2+3", 5, false}, {"2+3U", 5, true}, {"2-3", minus1, false}, {"2U-3", minus1, true},
		{"0x7fffffffffffffff+1", 1 << 63, false},
		{"6*7", 42, false}, {"0x4000000000000000*4", 0, false},
		{"-7/2", minus1 - 2, false}, {"-7/2U", (minus1 - 6) / 2, true}, {"7U/2", 3, true},
		{"(-0x7fffffffffffffff-1)/-1", 1 << 63, false},
		{"7%4", 3, false}, {"7U%4", 3, false}, {"-5%3", 2, false}, // 2^64-5 = 3 * 6148914691236517203 + 2
		{"1<<4", 16, false}, {"1U<<4", 16, true}, {"1<<63", 1 << 63, false}, {"1<<64", 0, false}, {"1<<-1", 0, false},
		{"-8>>1", minus1 - 3, false}, {"-8>>1U", minus1 - 3, false}, {"-1>>64", minus1, false},
		{"0xffffffffffffffff>>60", 15, true}, {"0xffffffffffffffff>>64", 0, true},
		{"-1<0", 1, false}, {"-1<0U", 0, false}, {"-1>0U", 1, false}, {"2<=2", 1, false}, {"2>=3", 0, false},
		{"1==1U", 1, false}, {"1!=1", 0, false}, {"-1==0xffffffffffffffff", 1, false},
		{"12&10", 8, false}, {"12^10U", 6, true}, {"12|10", 14, false},
		{"1&&2", 1, false}, {"1&&0", 0, false}, {"0||2U", 1, false}, {"0||0", 0, false},
		{"1?2:3", 2, false}, {"0?2:3", 3, false}, {"1?2:3U", 2, true}, {"N?1?4:5:6", 4, false},
		{"WARP_SZ%5*2+N % 4", 7, false},
		{"1.5<2.5", 1, false}, {"1.5==1.5", 1, false}, {"1.5!=1.5", 0, false}, {"1.5>2.5", 0, false},
		{"0.0||0.5", 1, false}, {"0.0&&1.5", 0, false}, {"!0.5", 0, false}, {"!-0.0", 1, false},
	} {
		v, err := eval(t, c.text)
		if err != nil || v != (Value{Kind: ValueInt, Unsigned: c.unsigned, Bits: c.bits}) {
			t.Errorf("%s is %+v, %v; want %d, unsigned %v", c.text, v, err, c.bits, c.unsigned)
		}
	}
}

func TestEvalFloats(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"1.5", 1.5}, {"-1.5", -1.5}, {"+1.5", 1.5}, {"1.5+2.25", 3.75}, {"1.5-2.25", -0.75}, {"1.5*2.0", 3},
		{"1.0/4.0", 0.25}, {"1.0/0.0", math.Inf(1)}, {"1?1.5:2.5", 1.5}, {"0?1.5:2.5", 2.5},
		{"0d3FF8000000000000*2.0", 3}, {"1e308*10.0", math.Inf(1)},
	} {
		v, err := eval(t, c.text)
		if err != nil || v != Float64(c.want) {
			t.Errorf("%s is %v, %v; want %v", c.text, v.Float(), err, c.want)
		}
	}
	v, err := eval(t, "0f7FA00001") // a signalling NaN keeps its bits
	if err != nil || v != (Value{Kind: ValueF32, Bits: 0x7FA00001}) {
		t.Errorf("%+v, %v", v, err)
	}
	if v := (Value{Kind: ValueF32, Bits: 0x40400000}); v.Float() != 3 || v.IsZero() {
		t.Errorf("0f40400000 is %v", v.Float())
	}
}

func TestEvalErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1/0", "division by zero"}, {"1%0", "division by zero"}, {"1U/(2-2)", "division by zero"},
		{"x+1", "x is no constant"}, {"1+x", "x is no constant"}, {"-x", "x is no constant"},
		{"x?1:2", "x is no constant"}, {"1?x:2", "x is no constant"}, {"1?2:x", "x is no constant"},
		{"1+1.5", "an integer and a float"}, {"~1.5", "applies to integers"}, {"(.s64)1.5", "applies to integers"},
		{"1.5%2.5", "applies to integers"}, {"1.5&2.5", "applies to integers"}, {"1.5<<2.5", "applies to integers"},
		{"-0f3F800000", "takes no operator"}, {"0f3F800000+0f3F800000", "takes no operator"},
		{"1.5?1:2", "expected an integer"}, {"1?1:2.5", "differ in type"},
		{"generic(x)", "generic() is no constant"},
	} {
		_, err := eval(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := EvalExpr(&Expr{Kind: ExprName, Name: "x"}, nil); err == nil {
		t.Error("a name without lookup has a value")
	}
	if v, err := EvalExpr(&Expr{Kind: ExprName, Name: "WARP_SZ"}, nil); err != nil || v != Int64(32) {
		t.Errorf("WARP_SZ is %v, %v", v, err)
	}
}
