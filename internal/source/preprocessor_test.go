package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPreprocessor: lines without which a text says something else are an error, and lines that
// name places are none.
func TestPreprocessor(t *testing.T) {
	const before, behind = ".version 7.0\n.target sm_70\n", ".entry k() { ret; }\n"
	for text, want := range map[string]string{
		before + "#if X\n" + behind + "#endif\n":                                                "k.ptx:3:1: #if is for a preprocessor",
		before + behind + "  # define X 1":                                                      "k.ptx:4:3: #define is for a preprocessor",
		before + "#include \"x.h\"\n" + behind:                                                  "k.ptx:3:1: #include is for a preprocessor",
		before + "#line 4 \"a.cu\"\n# 5 \"b.cu\"\n#pragma unroll\n#file 1\n#iffy\n#\n" + behind: "",
		before + "/* of\n#if X\n*/\n// #if\n.file 1 \"#if\"\n" + behind + "#":                   "",
	} {
		_, err := File{Name: "k.ptx", Text: []byte(text)}.Module()
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s\ngives %v, want %s", text, err, want)
		}
		m, err := File{Name: "k.ptx", Text: []byte(text), Lenient: true}.Module()
		if err != nil || (len(m.Warnings) == 1) != (want != "") || want != "" && !strings.HasPrefix(m.Warnings[0].Error(), want) {
			t.Errorf("%s\nwith lenient gives %v, %v", text, err, m.Warnings)
		}
	}
	second := before + behind + before + "#ifdef X\n" + behind
	if _, err := (File{Name: "k.ptx", Text: []byte(second)}).Modules(); err == nil || !strings.HasPrefix(err.Error(), "k.ptx:6:1: #ifdef") {
		t.Errorf("in the second module: %v", err)
	}
}

// TestCarriageReturns: where lines end with a carriage return alone, they end there.
func TestCarriageReturns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(".version 7.0 // of\r.target sm_70\r.entry k() { oops; }\r.entry j() { ret; }\r"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Module()
	if err == nil || !strings.Contains(err.Error(), ":3:14: ") || m == nil || len(m.Kernels()) != 2 {
		t.Errorf("%v, %v", err, m)
	}
}
