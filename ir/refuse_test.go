package ir

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hyptx/parser"
)

// TestRefused: what is wrong within a body costs that function, what calls it, and
// its aliases; the others are as if it were not there.
func TestRefused(t *testing.T) {
	const good = ".entry good(.param .u64 p) { .reg .b64 %d; ld.param.u64 %d, [p]; call fine; ret; }\n.func fine() { ret; }\n"
	const bad = `.func broken() { foo.u32; bar.u32; ret; }
.func typo() { .reg .b32 %r; mov.u32 %r, ; baz; ret; }
.func also(); .alias also, broken;
.entry unknown() { .reg .b32 %x<9>; mov.u32 %x1, %y; ret; }
.entry direct() { call broken; ret; }
.entry throughAlias() { call also; ret; }
.func far() { call near; ret; }
.func near() { call typo; ret; }
.entry listed() { .reg .b64 %d; T: .calltargets fine, broken; call %d, T; ret; }
`
	src, err := parser.Parse("test.ptx", []byte(prologue+bad+good))
	if err == nil || src.Unusable {
		t.Fatalf("%v, unusable: %v", err, src.Unusable)
	}
	m, err := Lower(src)
	if m == nil {
		t.Fatal(err)
	}
	if err := m.sanity(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string][]string{
		"broken":  {`2:18: unknown opcode "foo"`, "2:27: bar.u32 needs .red"},
		"typo":    {"3:42: unexpected end", `3:44: unknown opcode "baz"`},
		"also":    {`2:18: unknown opcode "foo"`, "2:27: bar.u32 needs .red"},
		"unknown": {"5:50: undeclared register or variable %y"}, "direct": {`6:19: call: broken is refused: test.ptx:2:18: unknown opcode "foo"`},
		"throughAlias": {"call: broken is refused"}, "far": {"8:15: call: near is refused: test.ptx:3:42: unexpected end"}, "near": {"9:16: call: typo is refused: test.ptx:3:42: "},
		"listed": {"call: broken is refused"}, "good": nil, "fine": nil,
	} {
		f := m.Func(name)
		if f.Defined == (want != nil) || len(f.Refused) != len(want) {
			t.Errorf("%s is defined: %v, refused: %v", name, f.Defined, f.Refused)
			continue
		}
		for i, e := range f.Refused {
			if !strings.Contains(e.Error(), want[i]) {
				t.Errorf("%s is refused by %q, want %q", name, e, want[i])
			}
		}
	}
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) != 10 || len(m.Kernels()) != 5 {
		t.Errorf("%d errors, %d kernels:\n%v", len(list), len(m.Kernels()), err)
	}
	alone, err := lowerSource(prologue + good)
	if err != nil {
		t.Fatal(err)
	}
	if g, h := m.Func("good"), alone.Func("good"); fmt.Sprint(texts(g)) != fmt.Sprint(texts(h)) || len(g.Blocks) != len(h.Blocks) {
		t.Errorf("good is %v beside the others, alone %v", texts(g), texts(h))
	}
}

// TestManyRefused: a kernel that is wrong all over hides no other.
func TestManyRefused(t *testing.T) {
	kernel := ".entry k%d() { " + strings.Repeat("foo; ", 80) + "}\n"
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, kernel, i)
	}
	m, err := lowerSource(prologue + b.String() + ".entry last() { ret; }")
	var list parser.ErrorList
	if m == nil || !errors.As(err, &list) || len(list) != maxErrors+1 || list[maxErrors].Msg != "more errors than 50" {
		t.Fatalf("%d errors", len(list))
	}
	if f := m.Func("last"); !f.Defined || len(m.Func("k0").Refused) != maxErrors || len(m.Func("k99").Refused) != 1 {
		t.Errorf("last: %v, k0: %d errors, k99: %d errors", f.Refused, len(m.Func("k0").Refused), len(m.Func("k99").Refused))
	}
}

func texts(f *Func) (all []string) {
	for i := range f.Instrs() {
		all = append(all, f.Text(f.First+PC(i)))
	}
	return all
}

// TestOneAddress: brackets of memory hold one address. What stands behind a comma was left out
// once, and the load was from elsewhere than meant.
func TestOneAddress(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ld.global.u32 %r1, [%rd1, 4];", "operand a of ld.global.u32: one address in [ ] is expected"},
		{"st.global.u32 [%rd1, %r1], 7;", "operand a of st.global.u32: one address"},
		{"atom.global.add.u32 %r1, [%rd1,{%r1}], 1;", "operand a of atom.global.add.u32: one address"},
		{"ld.shared.v2.u32 {%r1, %r2}, [s, 4];", "one address"}, {"prefetch.global.L1 [%rd1, 4];", "one address"},
		{"cp.async.ca.shared.global [%r1], [%rd1, 2], 16;", "one address"}, {"ld.global.u32 %r1, [%rd1+4];", ""},
		{"tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1}];", ""},
	} {
		_, err := lowerSource(body(".shared .b32 s[4]; " + c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
	var list parser.ErrorList
	_, err := lowerSource(prologue + ".entry k() {\n.reg .b32 %r; .reg .b64 %d;\nld.global.u32 %r, [%d, 4];\n}")
	if !errors.As(err, &list) || len(list) != 1 || list[0].Pos.Col != 24 {
		t.Errorf("not at what stands behind the comma: %v", err)
	}
}

// TestManyRanges: ranges whose names differ in digits are so many at most, of others more.
func TestManyRanges(t *testing.T) {
	ranges := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ".reg .b32 "+form+"<3>; ", i)
		}
		return b.String()
	}
	if _, err := lowerSource(body(ranges(maxRanges, "q%d"))); err != nil {
		t.Error(err)
	}
	if _, err := lowerSource(body(ranges(maxRanges+1, "q%d_"))); err != nil {
		t.Error(err)
	}
	if _, err := lowerSource(body(ranges(maxRanges+1, "q%d"))); err == nil || !strings.Contains(err.Error(), "q10000<3> is one range of registers too many") {
		t.Errorf("%.200v", err)
	}
}
