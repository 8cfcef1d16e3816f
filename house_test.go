package hyptx_test

import (
	"os/exec"
	"strings"
	"testing"
)

// arrows says which packages of hyptx each package may import, directly or
// through others (DESIGN.md, The house). "*" is any.
var arrows = map[string][]string{
	"hyptx/ir/isa":                 {},
	"hyptx/parser":                 {"hyptx/ir/isa"},
	"hyptx/ir":                     {"hyptx/parser", "hyptx/ir/isa"},
	"hyptx/depgraph":               {"hyptx/ir", "hyptx/parser", "hyptx/ir/isa"},
	"hyptx/emulator/lanes":         {"hyptx/ir/isa"},
	"hyptx/emulator/manifest":      {"hyptx/ir/isa"},
	"hyptx/emulator/vary":          {"hyptx/ir/isa"},
	"hyptx/emulator/oracle":        {"hyptx/ir", "hyptx/parser", "hyptx/ir/isa"},
	"hyptx/emulator":               {"hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/emulator/vary"},
	"hyptx/emulator/cuda":          {"hyptx/emulator/cuda/dl"},
	"hyptx/emulator/cuda/cudatest": {"hyptx/emulator/cuda/dl"},
	"hyptx/emulator/cuda/dl":       {},
	"hyptx/analysis/device": {"hyptx/emulator/cuda", "hyptx/emulator/cuda/dl", "hyptx/analysis", "hyptx/analysis/gpu", "hyptx/analysis/cache", "hyptx/analysis/machine",
		"hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator", "hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/emulator/vary"},
	"hyptx/analysis/gpu":     {},
	"hyptx/analysis/machine": {"hyptx/ir", "hyptx/parser", "hyptx/ir/isa"},
	"hyptx/analysis": {"hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator",
		"hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/emulator/vary", "hyptx/analysis/machine", "hyptx/analysis/gpu", "hyptx/analysis/cache"},
	"hyptx/analysis/sass": {"hyptx/ptx-samples/features", "hyptx/analysis", "hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator",
		"hyptx/emulator/vary", "hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/analysis/machine", "hyptx/analysis/gpu", "hyptx/analysis/cache"},
	"hyptx/analysis/golden": {"hyptx/analysis/nsight", "hyptx/ptx-samples/features", "hyptx/analysis/compare", "hyptx/analysis", "hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator",
		"hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/emulator/vary", "hyptx/analysis/machine", "hyptx/analysis/gpu", "hyptx/analysis/cache"},
	"hyptx/analysis/compare": {"hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator", "hyptx/emulator/lanes",
		"hyptx/emulator/manifest", "hyptx/emulator/vary", "hyptx/analysis", "hyptx/analysis/gpu", "hyptx/analysis/machine", "hyptx/analysis/cache"},
	"hyptx/analysis/cache":  {},
	"hyptx/analysis/figure": {},
	"hyptx/analysis/nsight": {},
	"hyptx/analysis/roofline": {"hyptx/analysis/figure", "hyptx/analysis/nsight", "hyptx/analysis/roofline/thesis", "hyptx/analysis", "hyptx/analysis/gpu", "hyptx/analysis/cache", "hyptx/analysis/machine",
		"hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator", "hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/emulator/vary"},
	"hyptx/analysis/roofline/thesis": {},
	"hyptx/power/nvml":               {"hyptx/emulator/cuda/dl"},
	"hyptx/power/nvml/nvmltest":      {},
	"hyptx/power/calibrate": {"hyptx/power", "hyptx/power/nvml", "hyptx/analysis/device", "hyptx/emulator/cuda", "hyptx/emulator/cuda/dl", "hyptx/analysis/figure", "hyptx/analysis/nsight", "hyptx/ir", "hyptx/parser",
		"hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator", "hyptx/emulator/vary", "hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/analysis", "hyptx/analysis/gpu", "hyptx/analysis/machine", "hyptx/analysis/cache"},
	"hyptx/power": {"hyptx/analysis/figure", "hyptx/analysis/nsight", "hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator",
		"hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/emulator/vary", "hyptx/analysis", "hyptx/analysis/gpu", "hyptx/analysis/machine", "hyptx/analysis/cache"},
	"hyptx/judge": {"hyptx/analysis/golden", "hyptx/analysis/nsight", "hyptx/analysis/compare", "hyptx/analysis/sass", "hyptx/analysis/device", "hyptx/emulator/cuda", "hyptx/emulator/cuda/dl",
		"hyptx/ptx-samples/features", "hyptx/analysis", "hyptx/ir", "hyptx/parser", "hyptx/ir/isa", "hyptx/depgraph", "hyptx/emulator",
		"hyptx/emulator/vary", "hyptx/emulator/lanes", "hyptx/emulator/manifest", "hyptx/analysis/machine", "hyptx/analysis/gpu", "hyptx/analysis/cache"},
}

// TestArrows holds the imports of every package against the table: data flows
// down the list, imports point up it.
func TestArrows(t *testing.T) {
	for pkg, allowed := range arrows {
		out, err := exec.Command("go", "list", "-deps", pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go list -deps %s: %v\n%s", pkg, err, out)
		}
		for _, dep := range strings.Fields(string(out)) {
			if !strings.HasPrefix(dep, "hyptx") || dep == pkg {
				continue
			}
			if !contains(allowed, dep) {
				t.Errorf("%s imports %s, which DESIGN.md does not allow", pkg, dep)
			}
		}
	}
}

// TestEveryPackageHasArrows fails when a library package stands in no row.
func TestEveryPackageHasArrows(t *testing.T) {
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if pkg == "hyptx" || strings.HasPrefix(pkg, "hyptx/cmd/") || strings.HasPrefix(pkg, "hyptx/ptx-samples/") ||
			strings.HasPrefix(pkg, "hyptx/examples/") {
			continue // the facade, programs: they may import everything
		}
		if _, ok := arrows[pkg]; !ok {
			t.Errorf("%s has no row in the table of arrows", pkg)
		}
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
