package hyptx_test

import (
	"os/exec"
	"strings"
	"testing"
)

// layers are the floors of the house (docs/design.md), the lowest first: a
// package imports packages of lower floors only. Rooms of one floor do not know
// each other. Those that stand in one row are one room: a package, and what is
// its own (a stand-in for tests, a part that only it uses).
var layers = [][][]string{
	{{"internal/fp16"}, {"internal/strictjson"}, {"internal/textfile"}}, // how things are written, whatever they are
	{ // leaves: facts and formats
		{"ir/isa"}, {"internal/flow"}, {"internal/manifest"}, {"internal/gpu"}, {"internal/figure"}, {"internal/columns"}, {"internal/nsight"}, {"internal/traffic", "internal/traffic/stream"}, {"internal/roofline/thesis"},
		{"internal/hardware/dl"}, {"internal/hardware/nvml/nvmltest"},
	},
	{{"parser"}, {"internal/value"}, {"emulator/internal/lanes"}, {"internal/cache"}, {"internal/vary"}, {"internal/hardware/cuda", "internal/hardware/cuda/cudatest"}, {"internal/hardware/nvml"}},
	{{"ir"}, {"internal/hierarchy"}},
	{{"depgraph"}, {"emulator"}, {"internal/oracle"}, {"internal/machine"}, {"ptx-samples/features"}},
	{{"analysis"}},
	{{"internal/roofline"}},
	{{"power"}},
	{{"internal/predict"}},
	{{"."}},
	{{"internal/hardware/device"}, {"internal/hardware/compare"}, {"internal/hardware/sass"}},
	{{"internal/hardware/golden"}, {"internal/hardware/calibrate"}},
	{{"internal/hardware/judge"}},
	{{"cmd/hyptx"}, {"ptx-samples/networks/gen"}},
}

// TestLayers holds every import of the module against the floors, and that
// every package has one.
func TestLayers(t *testing.T) {
	type place struct{ floor, room int }
	where := map[string]place{}
	for floor, rooms := range layers {
		for room, packages := range rooms {
			for _, p := range packages {
				where["hyptx/"+p] = place{floor, room}
			}
		}
	}
	where["hyptx"] = where["hyptx/."]
	delete(where, "hyptx/.")
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := words[0]
		at, ok := where[pkg]
		if !ok {
			t.Errorf("%s has no floor in the list of layers", pkg)
			continue
		}
		found++
		for _, imported := range words[1:] {
			to, ours := where[imported]
			if !ours {
				continue // the standard library, a library, or reported above
			}
			if to.floor > at.floor || to.floor == at.floor && to.room != at.room {
				t.Errorf("%s imports %s, which lies on floor %d, not below floor %d", pkg, imported, to.floor, at.floor)
			}
		}
	}
	if found != len(where) {
		t.Errorf("%d of the %d packages in the list of layers exist", found, len(where))
	}
}
