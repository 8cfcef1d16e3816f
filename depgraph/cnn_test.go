package depgraph

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hyptx/internal/fold"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// cnnFolder holds whole networks as manifests and PTX.
const cnnFolder = "../../shared/cnn"

// network is what a slice needs of a launch manifest.
type network struct {
	Launches []struct {
		Module, Kernel string
		Grid, Block    []uint32
		Args           []struct {
			Buffer string
			Offset int64
			Value  *int64
		}
	}
}

// readNetwork reads a manifest and lowers its kernels.
func readNetwork(t testing.TB, path string) []*Launch {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n network
	if err := json.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	modules, buffers := make(map[string]*ir.Module), make(map[string]int)
	var launches []*Launch
	for _, nl := range n.Launches {
		m := modules[nl.Module]
		if m == nil {
			file := filepath.Join(filepath.Dir(path), nl.Module)
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := parser.Parse(file, src)
			if err != nil {
				t.Fatal(err)
			}
			if m, err = ir.Lower(tree); err != nil {
				t.Fatal(err)
			}
			modules[nl.Module] = m
		}
		l := &Launch{Kernel: m.Func(nl.Kernel), Consts: fold.Consts{NTID: extents(nl.Block), NCTAID: extents(nl.Grid)}}
		for i, arg := range nl.Args {
			b, ok := buffers[arg.Buffer]
			if !ok {
				b = len(buffers)
				buffers[arg.Buffer] = b
			}
			if arg.Value != nil {
				t.Fatalf("%s: a number among the arguments: this test knows only buffers", path)
			}
			l.Pointers = append(l.Pointers, PointerArg{ParamOffset: l.Kernel.Params[i].Var.Offset, Buffer: b, Offset: arg.Offset})
		}
		launches = append(launches, l)
	}
	return launches
}

func extents(given []uint32) [3]uint32 {
	e := [3]uint32{1, 1, 1}
	copy(e[:], given)
	return e
}

func networks(t testing.TB) []string {
	paths, _ := filepath.Glob(filepath.Join(cnnFolder, "*", "*.json"))
	if len(paths) == 0 {
		t.Skip("no networks at hand")
	}
	return paths
}

// TestSliceShare: of the distinct kernels of each network, how many of the
// static instructions have to be executed to know the guards of all branches
// and of all other guarded instructions. HyPA executes 5.5 to 10.8 %.
func TestSliceShare(t *testing.T) {
	var members, static int
	for _, path := range networks(t) {
		launches := readNetwork(t, path)
		seen := make(map[*ir.Func]bool)
		m, s := 0, 0
		for i, f := range new(Planner).Plan(launches, nil, Control, nil) {
			if seen[launches[i].Kernel] {
				continue
			}
			seen[launches[i].Kernel] = true
			m += f.Len()
			s += f.Graph.Kernel.instructions()
		}
		share := 100 * float64(m) / float64(s)
		t.Logf("%-24s %5d of %6d instructions: %5.2f %%", filepath.Base(filepath.Dir(path)), m, s, share)
		if share > 16 {
			t.Errorf("%s: %.2f %% have to be executed, want at most 16", path, share)
		}
		members, static = members+m, static+s
	}
	share := 100 * float64(members) / float64(static)
	t.Logf("%-24s %5d of %6d instructions: %5.2f %%", "all", members, static, share)
	if share > 3 {
		t.Errorf("%.2f %% have to be executed, want at most 3", share)
	}
}

// TestNetworkGraphs builds what there is to build of every network's kernels
// and checks what must hold.
func TestNetworkGraphs(t *testing.T) {
	for _, path := range networks(t) {
		for _, l := range readNetwork(t, path) {
			k := newKernel(l.Kernel)
			g := k.Specialise(l)
			for s := range k.ordered() {
				in := &k.Module.Instrs[s.pc]
				if in.Inst.Op != isa.OpBra || in.Guard == ir.NoReg {
					continue
				}
				if f := g.Filter(s.pc); !f.Slice.Run.Has(s.pc) {
					t.Errorf("%s: the filtered graph of branch %d lacks it", l.Kernel.Name, s.pc)
				}
			}
		}
	}
}

// BenchmarkPlan plans the 51 launches of resnet50 from lowered modules on.
func BenchmarkPlan(b *testing.B) {
	path := filepath.Join(cnnFolder, "resnet50-sm_70", "resnet50-sm_70.json")
	if _, err := os.Stat(path); err != nil {
		b.Skip("no network at hand")
	}
	launches := readNetwork(b, path)
	for _, mode := range []Mode{Control, Memory} {
		b.Run(map[Mode]string{Control: "control", Memory: "memory"}[mode], func(b *testing.B) {
			for b.Loop() {
				new(Planner).Plan(launches, nil, mode, nil)
			}
		})
	}
}
