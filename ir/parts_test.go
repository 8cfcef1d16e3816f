package ir

import (
	"strings"
	"testing"

	"hyptx/parser"
)

// TestParts: a long body, which is read in parts, means what it means as a whole: labels
// are known everywhere, declared once, and a call may name a prototype that stands
// behind it.
func TestParts(t *testing.T) {
	const header = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p; .reg .b32 %r; .reg .b64 %rd;\n"
	long := strings.Repeat("add.u32 %r, %r, 1;\n", 5000)
	for _, c := range []struct{ body, want string }{
		{"A: bra Z;\n" + long + "@%p bra A;\n" + long + "ts: .branchtargets A, Z;\n" + long + "brx.idx %r, ts;\nZ: ret;\n}", ""},
		{"call (), %rd, (), pr;\n" + long + "pr: .callprototype _ ();\nret;\n}", ""},
		{"A: ret;\n" + long + "A: ret;\nB: B: ret;\n}", "k.ptx:5008:1: label A is already declared at 7:1\nk.ptx:5009:4: label B is already declared at 5009:1"},
		{"mov.u32 %x, 1;\n" + long + "mov.u32 %r;\n" + long + "mov.u32 ) 1;\nbra Q;\n}",
			"k.ptx:7:9: undeclared register or variable %x\nk.ptx:5008:1: mov.u32: 1 operand where mov.type d, a is expected (PTX ISA 9.7.10.3)\n" +
				"k.ptx:10009:9: unexpected ); expected a name, a number or a constant expression"},
	} {
		tree, err := parser.Open("k.ptx", []byte(header+c.body), 1)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		m, err := Lower(tree)
		if err != nil {
			got = err.Error()
		} else if err := m.sanity(); err != nil {
			t.Error(err)
		}
		if got != c.want {
			t.Errorf("%.30q:\n got %s\nwant %s", c.body, got, c.want)
		}
	}
}
