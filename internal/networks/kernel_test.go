package networks

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// signatureOf returns the types of a kernel's parameters, as its PTX declares them.
func signatureOf(t *testing.T, ptxFile, kernel string) []string {
	t.Helper()
	text, err := os.ReadFile(ptxFile)
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`\.entry ` + kernel + `\(([^)]*)\)`).FindSubmatch(text)
	if entry == nil {
		t.Fatalf("%s has no kernel %s", ptxFile, kernel)
	}
	var types []string
	for _, p := range regexp.MustCompile(`\.param \.(\w+)`).FindAllSubmatch(entry[1], -1) {
		types = append(types, string(p[1]))
	}
	return types
}

// TestArguments holds every launch's arguments to its kernel's parameters in
// PTX: a pointer is .u64, an int .u32, a float .f32.
func TestArguments(t *testing.T) {
	for _, n := range all() {
		for _, l := range read(t, n).Launches {
			types := signatureOf(t, filepath.Join(folder, l.Module), l.Kernel)
			if len(types) != len(l.Args) {
				t.Errorf("%s: %s: %d arguments, %s has %d parameters", n.Name, l.Label, len(l.Args), l.Kernel, len(types))
				continue
			}
			for i, a := range l.Args {
				ok := false
				switch types[i] {
				case "u64":
					ok = a.Value == nil && (a.Null || a.Buffer != "")
				case "u32":
					ok = a.Value != nil && *a.Value == float64(int32(*a.Value))
				case "f32":
					ok = a.Value != nil
				}
				if !ok {
					t.Errorf("%s: %s: argument %d does not fit .%s", n.Name, l.Label, i, types[i])
				}
			}
		}
	}
}

// TestLimits holds grids and blocks to the limits of sm_70 (CUDA C++
// Programming Guide, technical specifications per compute capability).
func TestLimits(t *testing.T) {
	for _, n := range all() {
		for _, l := range read(t, n).Launches {
			g, b := triple(l.Grid), triple(l.Block)
			if b[0]*b[1]*b[2] > 1024 || b[2] > 64 {
				t.Errorf("%s: %s: block %v", n.Name, l.Label, l.Block)
			}
			if g[1] > 65535 || g[2] > 65535 {
				t.Errorf("%s: %s: grid %v", n.Name, l.Label, l.Grid)
			}
			if l.DynamicSharedBytes > 48<<10 {
				t.Errorf("%s: %s: %d bytes of dynamic shared memory", n.Name, l.Label, l.DynamicSharedBytes)
			}
		}
	}
}

// TestArchitectures: both folders of compiled kernels hold every source, with
// the same parameters.
func TestArchitectures(t *testing.T) {
	kernels := filepath.Join(folder, "..", "kernels")
	sources, err := filepath.Glob(filepath.Join(kernels, "*.cu"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, s := range sources {
		kernel := strings.TrimSuffix(filepath.Base(s), ".cu")
		a := signatureOf(t, filepath.Join(kernels, "sm_70", kernel+".ptx"), kernel)
		b := signatureOf(t, filepath.Join(kernels, "sm_80", kernel+".ptx"), kernel)
		if strings.Join(a, " ") != strings.Join(b, " ") {
			t.Errorf("%s: sm_70 has parameters %v, sm_80 %v", kernel, a, b)
		}
	}
}

// triple fills the dimensions that a manifest leaves out.
func triple(v []int) [3]int {
	d := [3]int{1, 1, 1}
	copy(d[:], v)
	return d
}
