package analysis

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hyptx/internal/source"
)

// sharedCNN returns the manifest of one of the networks that another compiler
// made; tests that need it are skipped where they are absent.
func sharedCNN(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "cnn", name, name+".json")
	if _, err := os.Stat(path); err != nil {
		t.Skip("../shared/cnn is absent")
	}
	return path
}

func openTest(t testing.TB, path string, change func(*Options)) *Session {
	t.Helper()
	opts := DefaultOptions()
	if change != nil {
		change(&opts)
	}
	src, err := source.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenManifest(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNetworksAreExact profiles every network, ours and the foreign ones: no
// error, and every row exact.
func TestNetworksAreExact(t *testing.T) {
	names, _ := filepath.Glob("../../shared/cnn/*/*.json")
	ours, _ := filepath.Glob("../ptx-samples/networks/*.json")
	for _, path := range append(names, ours...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, err := openTest(t, path, nil).Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range p.Rows {
				if r.Exactness != "exact" {
					t.Errorf("launch %s (%s): exactness %s", r.Launch, r.Kernel, r.Exactness)
				}
			}
		})
	}
}
