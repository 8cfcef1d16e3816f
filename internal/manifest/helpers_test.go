package manifest

import (
	"os"
	"path/filepath"
	"testing"
)

// home makes a folder with the files that the tests' manifests name and
// returns the name of a manifest in it.
func home(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"k.ptx": "", "k2.ptx": "", "raw.bin": "0123456789abcdef", "empty.bin": ""} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	return filepath.Join(dir, "m.json")
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func parseOK(t testing.TB, text string) *Manifest {
	t.Helper()
	m, err := Parse(home(t), []byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return m
}
