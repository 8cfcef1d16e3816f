package source

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// TestProducers: texts as the compilers of fifteen years print them, written for this test:
// open64's of PTX 1.x and 2.x, NVVM's, LLVM's for Triton, XLA, Numba, Julia, Rust, SYCL,
// those of OpenCL drivers, GCC's, inline assembly of CUTLASS, debug information of both
// kinds. They are taken without a warning, by the fast readers and by the grammar
// alone, to the same instructions.
func TestProducers(t *testing.T) {
	files, err := filepath.Glob("testdata/producers/*.ptx")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := File{Name: file, Text: text}.Only()
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if len(m.Warnings) > 0 || len(m.Instrs) == 0 {
			t.Errorf("%s: %d instructions, warnings %v", file, len(m.Instrs), m.Warnings)
		}
		tree, err := parser.ParseReference(file, text)
		if err != nil {
			t.Errorf("by the grammar: %v", err)
			continue
		}
		again, err := ir.Lower(tree)
		if err != nil {
			t.Errorf("by the grammar: %v", err)
			continue
		}
		if got, want := instructions(again), instructions(m); got != want {
			t.Errorf("%s: by the grammar it is\n%s\nand by the readers\n%s", file, got, want)
		}
	}
}

// instructions writes all instructions of a module with their places.
func instructions(m *ir.Module) (text string) {
	for _, f := range m.Funcs {
		for pc := f.First; f.Defined && pc < f.End; pc++ {
			file, line := m.Source(pc)
			text += fmt.Sprintf("%s %v %s:%d %s\n", f.Name, m.Instrs[pc].Pos, file, line, f.Text(pc))
		}
	}
	return text
}
