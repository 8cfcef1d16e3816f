package parser

import (
	"fmt"
	"strings"
	"testing"
)

// TestPrototypes: a prototype without a semicolon ends where an item begins, and what
// is read is what is read with one.
func TestPrototypes(t *testing.T) {
	for _, head := range []string{
		".func f", ".extern .func f", ".func f ()", ".func (.reg .s32 %r) f (.reg .s32 %a, .param .b8 s[4])",
	} {
		for _, next := range []string{".func g () { ret; }", ".entry k () { ret; }", ".visible .entry k () { ret; }", ".extern .func g (.param .b32 a)\n.func h() { ret; }",
			".global .u32 x;", ".const .u32 x[2] = {1, 2};", ".file 1 \"a.cu\"\n.func g () { ret; }"} {
			with, err := Parse("x.ptx", []byte(".version 1.4\n.target sm_10\n"+head+" ;\n"+next))
			if strings.Count(next, ".extern") == 0 && err != nil {
				t.Fatal(err)
			}
			src := ".version 1.4\n.target sm_10\n" + head + "  \n" + next
			without, err2 := Parse("x.ptx", []byte(src))
			if fmt.Sprint(err) != fmt.Sprint(err2) || len(with.Items) != len(without.Items) {
				t.Errorf("%s\n%v, with a semicolon %v", src, err2, err)
			}
			if d := disagreement([]byte(src)); d != "" {
				t.Errorf("%s\n%s", src, d)
			}
		}
	}
	for _, src := range []string{".func f () .pragma \"nounroll\"; { ret; }", ".func f () .noreturn { ret; }", ".func (.reg .u32 r) f (.reg .u32 a) { .reg .u32 b; }"} {
		m, err := Parse("x.ptx", []byte(".version 7.0\n.target sm_70\n"+src))
		if err != nil || len(m.Items) != 1 || m.Items[0].(*Function).Body == nil {
			t.Errorf("%s: %v", src, err)
		}
	}
	if _, err := Parse("x.ptx", []byte(".version 7.0\n.target sm_70\n.entry k ()\n.func f () { ret; }")); err == nil {
		t.Error("a kernel without body or semicolon is taken")
	}
}
