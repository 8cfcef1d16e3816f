package parser

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus lists the compiled kernels of the project's samples and, where it is
// present, of the shared networks.
func corpus(tb testing.TB) []string {
	tb.Helper()
	var files []string
	for _, root := range []string{"../ptx-samples", "../../shared/cnn"} {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".ptx") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	if len(files) == 0 {
		tb.Skip("no compiled kernels are here")
	}
	return files
}

func TestCorpusRoundTrip(t *testing.T) {
	for _, file := range corpus(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := roundTrip(t, file, src)
		if m.Version.Major < 1 || len(m.Targets) == 0 || !strings.HasPrefix(m.Targets[0], "sm_") || m.AddressSize != 64 || len(m.Items) == 0 {
			t.Errorf("%s: version %v, targets %v, address size %d, %d items", file, m.Version, m.Targets, m.AddressSize, len(m.Items))
		}
		if filepath.Base(filepath.Dir(file)) == "features" {
			continue // written by hand, several statements to a line
		}
		if got, want := countStatements(m), bytes.Count(src, []byte(";\n")); got > want || got < want*9/10 {
			t.Errorf("%s: %d statements in the tree, about %d semicolons in the text", file, got, want)
		}
	}
}

// countStatements counts the statements of all bodies that end in a semicolon.
func countStatements(m *Module) int {
	n := 0
	var count func(b *Block)
	count = func(b *Block) {
		for _, s := range b.Stmts {
			switch x := s.(type) {
			case *Block:
				count(x)
			case *Instruction, *Variable, *Pragma:
				n++
			}
		}
	}
	for _, it := range m.Items {
		if f, ok := it.(*Function); ok && f.Body != nil {
			count(f.Body)
		}
	}
	return n
}
