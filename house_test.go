package hyptx_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the floors of the house (docs/design.md), the lowest first: a
// package imports packages of lower floors only. Rooms of one floor do not know
// each other. Those that stand in one row are one room: a package, and what is
// its own (a stand-in for tests, a part that only it uses).
var layers = [][][]string{
	{{"internal/check"}, {"internal/fp16"}, {"internal/pipe"}, {"internal/guard"}, {"internal/order"}, {"internal/strictjson"}, {"internal/textfile"}, {"internal/csvfile"}, {"internal/bitset"}, {"internal/reuse"}, {"internal/spelling"}, {"internal/sparse"}, {"internal/rows"}, {"internal/fatbin"}, {"internal/number"}, {"internal/table"}, {"internal/dot"}, {"internal/tensormap"}}, // how things are written, whatever they are
	{ // leaves: facts and formats
		{"ir/isa"}, {"internal/networks"}, {"internal/pathlist"}, {"ptx-samples"}, {"internal/flow"}, {"internal/manifest"}, {"internal/gpu"}, {"internal/figure"}, {"internal/columns"}, {"internal/nsight"}, {"internal/traffic", "internal/traffic/stream"}, {"internal/roofline/thesis"}, {"internal/accuracy"}, {"internal/papers"}, {"internal/adder"}, {"internal/texel"},
		{"internal/hardware/dl"}, {"internal/hardware/nvml/nvmltest"}, {"internal/devicelib"},
	},
	{{"parser"}, {"internal/shipped"}, {"internal/value"}, {"emulator/internal/lanes"}, {"emulator/internal/softfloat"}, {"internal/cache"}, {"internal/vary"}, {"internal/hardware/cuda", "internal/hardware/cuda/cudatest"}, {"internal/hardware/nvml"}},
	{{"ir"}, {"internal/hierarchy"}},
	{{"internal/ssa"}, {"internal/source"}},
	{{"internal/fold"}, {"internal/slice"}, {"internal/observe"}},
	{
		{"depgraph"}, {"internal/machine"}, {"ptx-samples/features", "internal/featuretest"},
		{"emulator", "emulator/internal/abort", "emulator/internal/address", "emulator/internal/atomics", "emulator/internal/descriptor", "emulator/internal/exchange",
			"emulator/internal/mbarrier", "emulator/internal/pages", "emulator/internal/words"},
	},
	{{"internal/sim"}},
	{{"analysis"}},
	{{"internal/roofline"}, {"internal/beside"}, {"internal/scalemodel"}, {"internal/oracle"}}, // the oracle is tests alone
	{{"power"}},
	{{"internal/predict"}},
	{{"."}, {"internal/hypa"}, {"internal/thesis"}, {"internal/accelwattch"}, {"internal/silicon"}, {"internal/micro"}, {"internal/st2"}, {"internal/endtoend"}},
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

// TestReadingOrder: emulator/doc.go, which says in what order its files are read,
// names each of them, and no other.
func TestReadingOrder(t *testing.T) {
	doc, err := os.ReadFile("emulator/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b[a-z0-9]+\.go\b`).FindAllString(string(doc), -1)
	entries, err := os.ReadDir("emulator")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if at := slices.Index(named, name); at >= 0 {
			named = slices.Delete(named, at, at+1)
		} else if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name != "doc.go" {
			t.Errorf("emulator/doc.go does not say where %s is read", name)
		}
	}
	if len(named) > 0 {
		t.Errorf("emulator/doc.go names files that do not exist, or twice: %v", named)
	}
}
