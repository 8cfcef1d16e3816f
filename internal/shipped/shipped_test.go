package shipped

import (
	"os"
	"path/filepath"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
)

// TestPrograms: what is written of each program opens, and is all that it needs; a name that
// means nothing is an error.
func TestPrograms(t *testing.T) {
	list, err := Matching("*/*")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]int{}
	for _, p := range list {
		files, dir := map[string][]byte{}, t.TempDir()
		if err := p.Files(files); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		folders[filepath.Dir(p.Name)]++
		manifest := p.Name + ".json"
		if _, err := analysis.OpenManifest(source.File{Name: filepath.Join(dir, manifest), Text: files[manifest]}, analysis.DefaultOptions()); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if folders["hypa"] != 32 || folders["networks"] != 4 || folders["kernels"] < 20 || folders["benchmarks"] < 30 {
		t.Errorf("programs: %v", folders)
	}
	for _, bad := range []string{"hypa/nothing", "["} {
		if list, err := Matching(bad); err == nil {
			t.Errorf("%s means %v", bad, list)
		}
	}
}
