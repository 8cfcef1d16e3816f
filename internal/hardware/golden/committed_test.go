package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/hardware/golden"
)

// committed are the folders with goldens, one a GPU.
func committed(t *testing.T, file string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "golden", "*", file))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// everyNetwork is the variable that lets the test run the large networks, too:
// where bits differ, each is emulated a dozen times.
const everyNetwork = "HYPTX_GOLDEN_ALL"

// TestCommitted holds the emulator against every golden of testdata/golden. A
// golden of a sample that has changed since, or that is absent here, holds
// nothing; they are logged.
func TestCommitted(t *testing.T) {
	paths := committed(t, "outputs.jsonl")
	if len(paths) == 0 {
		t.Skip("testdata/golden has no outputs of a GPU yet: `make golden-gpu` makes them on a machine with one")
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := golden.Read(path, text)
			if err != nil {
				t.Fatal(err)
			}
			if want := f.Header.Device.Folder(); want != filepath.Base(filepath.Dir(path)) {
				t.Errorf("the folder of %s is %s", f.Header.Device.Name, want)
			}
			holdAll(t, f)
		})
	}
}

// holdAll holds the emulator against all programs of a file.
func holdAll(t *testing.T, f *golden.File) {
	byName := map[string]golden.Sample{}
	for _, s := range samples(t, networksOf(f)...) {
		byName[s.Name] = s
	}
	equal, near := 0, 0
	for _, p := range f.Programs {
		s, ok := byName[p.Name]
		if !ok {
			t.Logf("%s: absent here", p.Name)
			continue
		}
		if p.Skipped != "" {
			t.Logf("%s: not run on the GPU: %s", p.Name, p.Skipped)
			continue
		}
		if os.Getenv(everyNetwork) == "" && strings.HasPrefix(p.Name, "networks/") && !strings.Contains(p.Name, "lenet5") {
			t.Logf("%s: takes minutes: set %s to hold it, too", p.Name, everyNetwork)
			continue
		}
		v := check(t, p, s)
		switch {
		case v.Equal:
			equal++
		case v.Wrong == nil && v.Open == nil:
			near++
		case v.Wrong == nil:
			t.Logf("%s: not decided: %s", p.Name, strings.Join(v.Open, "\n\t"))
		case v.Stale:
			t.Logf("%s: changed since %s, when the golden was made", p.Name, f.Header.Date)
		default:
			t.Errorf("%s: %s", p.Name, strings.Join(v.Wrong, "\n\t"))
		}
	}
	t.Logf("%s, driver %d, %s: %d programs equal, %d within their bounds", f.Header.Device.Name, f.Header.Device.DriverVersion, f.Header.Date, equal, near)
}

// networksOf names the networks of a file.
func networksOf(f *golden.File) []string {
	var names []string
	for _, p := range f.Programs {
		if n, ok := strings.CutPrefix(p.Name, "networks/"); ok {
			names = append(names, n)
		}
	}
	return names
}
