package machine

import (
	"context"
	"os"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/parser"
)

// parseFile returns the first kernel of a file.
func parseFile(t testing.TB, path string) *ir.Func {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseKernel(t, path, text)
}

func parseKernel(t testing.TB, name string, text []byte) *ir.Func {
	t.Helper()
	src, err := parser.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.Lower(src)
	if err != nil {
		t.Fatal(err)
	}
	return m.Kernels()[0]
}

// codeOf and listingOf are New and List without an end.
func codeOf(s *ssa.Form, launch *Launch, sm int) *Code {
	code, _ := New(context.Background(), s, launch, sm)
	return code
}

func listingOf(s *ssa.Form, launch *Launch, sm int) *Listing {
	l, _ := List(context.Background(), s, launch, sm)
	return l
}
