package sass

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hyptx/ir/isa"
)

// list prints instructions shortly: "guard opcode@line".
func list(f *Function) string {
	var words []string
	for _, in := range f.Instructions {
		word := in.Opcode
		if in.Guard != "" {
			word = in.Guard + ":" + word
		}
		if in.Line != 0 {
			word += fmt.Sprintf("@%d", in.Line)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestDisassembly reads samples of the tools' formats, written by hand after
// what they print (CUDA Binary Utilities, cuobjdump and nvdisasm).
func TestDisassembly(t *testing.T) {
	for _, c := range []struct {
		file, source string
		want         map[string]string
		arch         string
	}{
		{"testdata/cuobjdump.txt", "", map[string]string{
			"scale":   "IMAD.MOV.U32 S2R ISETP.GE.AND P0:EXIT !PT:SHFL.IDX !UP0:UIADD3 ERRBAR BRA EXIT",
			"_Z3bigv": "EXIT"}, "sm_80"},
		{"testdata/nvdisasm.txt", "hyptx.ptx", map[string]string{
			"div_rn": "LDC@7 MUFU.RCP@12 FFMA@12 P0:BRA@12 FCHK@12 STG.E@12 EXIT@15 RET.REL.NODEC@15"}, ""},
	} {
		text, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		functions, err := Disassembly(text, c.source)
		if err != nil || len(functions) != len(c.want) {
			t.Fatalf("%s: %d functions, %v", c.file, len(functions), err)
		}
		for _, f := range functions {
			if got := list(f); got != c.want[f.Name] || f.Arch != c.arch {
				t.Errorf("%s: %s (%s):\n%s, want\n%s", c.file, f.Name, f.Arch, got, c.want[f.Name])
			}
		}
	}
	for _, c := range []struct{ text, wrong string }{
		{"", "no function"},
		{"        /*0000*/                   EXIT ;\n", "stands in no function"},
		{"\t\tFunction : k\n        /*00000000000000000*/                   EXIT ;\n        /*fffffffffffffffff*/                   EXIT ;\n", "out of range"},
	} {
		if _, err := Disassembly([]byte(c.text), ""); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %v, want %q", c.text, err, c.wrong)
		}
	}
}

// TestRetarget: what a compiler would refuse is changed, nothing else.
func TestRetarget(t *testing.T) {
	compiler := func(arch string, ptx int) Compiler {
		target, err := isa.ParseTarget([]string{arch})
		if err != nil {
			t.Fatal(err)
		}
		return Compiler{target, ptx}
	}
	for _, c := range []struct {
		version, target   string
		compiler          Compiler
		version2, target2 string
		what              string
	}{
		{"9.4", "sm_120a", compiler("sm_90a", 900), "9.0", "sm_90a", "sm_90a, PTX 9.0"},
		{"9.4", "sm_120a", compiler("sm_120a", 904), "9.4", "sm_120a", ""},
		{"9.4", "sm_120a", compiler("sm_70", 1000), "9.4", "sm_70", "sm_70"},
		{"7.0", "sm_70", compiler("sm_90a", 900), "7.0", "sm_70", ""},
		{"8.0", "sm_90a", compiler("sm_90a", 900), "8.0", "sm_90a", ""},
		{"6.0", "sm_60", compiler("sm_90a", 508), "5.8", "sm_60", "PTX 5.8"},
		{"8.0", "sm_90a", compiler("sm_120a", 900), "8.7", "sm_120a", "sm_120a, PTX 8.7"},
	} {
		text := "// k\n\t.version  %s // here\n.target %s, debug\n.address_size 64\n"
		got, what := Retarget(fmt.Appendf(nil, text, c.version, c.target), c.compiler)
		if want := fmt.Sprintf(text, c.version2, c.target2); string(got) != want || what != c.what {
			t.Errorf("%s %s for %s: %q, %q; want %q, %q", c.version, c.target, c.compiler.Target, got, what, want, c.what)
		}
	}
	for _, text := range []string{"", ".version 9.4\n", ".target sm_120a\n", "no ptx"} {
		Retarget([]byte(text), compiler("sm_90a", 900)) // no panic
	}
}

// TestVersions: what is known of compilers and GPUs.
func TestVersions(t *testing.T) {
	for cuda, want := range map[int]int{11000: 700, 11080: 708, 12000: 800, 12040: 804, 12050: 805, 12060: 805, 12080: 807, 13000: 900, 13010: 901, 10020: 0} {
		if got := DriverPTX(cuda); got != want {
			t.Errorf("CUDA %d reads PTX %d, want %d", cuda, got, want)
		}
	}
	for text, want := range map[string]int{"ptxas application ptx input, line 1; fatal   : Unsupported .version 99.9; current version is '9.0'": 900,
		"x.ptx, line 5; fatal   : Unsupported .version 7.8; current version is '7.4'": 704, "a PTX JIT compilation failed": 0} {
		if got, ok := ReadVersion(text); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for cc, want := range map[[2]int]string{{9, 0}: "sm_90a", {8, 0}: "sm_80", {7, 0}: "sm_70", {12, 0}: "sm_120a", {10, 3}: "sm_103a"} {
		if got, err := TargetOf(cc[0], cc[1]); err != nil || got.String() != want {
			t.Errorf("%v: %s, %v; want %s", cc, got, err, want)
		}
	}
	if _, err := TargetOf(42, 7); err == nil {
		t.Error("42.7 is taken")
	}
}

// TestResources reads what ptxas -v prints.
func TestResources(t *testing.T) {
	used := readResources(`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'add' for 'sm_90a'
ptxas info    : Function properties for add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 380 bytes cmem[0]
ptxas info    : Compiling entry function 'big' for 'sm_90a'
ptxas info    : Function properties for big
    48 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 73728 bytes smem
`)
	if used["add"] != (resources{12, 0, 0}) || used["big"] != (resources{255, 48, 16}) {
		t.Errorf("%+v", used)
	}
}

// TestTable: a table is read as it was written; bad ones are told.
func TestTable(t *testing.T) {
	table := &Table{Source: []string{"ptxas V13.0.88", "2026-11-21"}, Rows: []*Row{
		{Kind: "form", Program: "features/add_f32", Arch: "sm_90a", Form: "add{.rnd}{.ftz}{.sat}.f32 d, a, b", PTX: "add.rz.f32", Count: 1, Machine: 3, SASS: Opcodes{"FADD.RZ": 1, "MOV": 2}},
		{Kind: "kernel", Program: "a.ptx", Arch: "sm_70", Refused: "ptxas: \"x\"\tline 5; fatal"},
	}}
	var text strings.Builder
	if err := table.Write(&text); err != nil {
		t.Fatal(err)
	}
	again, err := ReadTable("t.tsv", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	var second strings.Builder
	if err := again.Write(&second); err != nil || second.String() != text.String() {
		t.Errorf("%v; written again:\n%s\nfirst:\n%s", err, second.String(), text.String())
	}
	for _, c := range []struct{ old, new, wrong string }{
		{"MOV:2", "MOV:x", `"MOV:x" must be an opcode`},
		{"MOV:2", "MOV:3", "lists 4 instructions, sass_instructions is 3"},
		{"kernel\ta.ptx", "kernels\ta.ptx", "kind is \"kernels\""},
	} {
		_, err := ReadTable("t.tsv", []byte(strings.Replace(text.String(), c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.wrong)
		}
	}
}
