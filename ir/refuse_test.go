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
