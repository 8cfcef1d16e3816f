package analysis

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/source"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// minimal is a kernel of ptx-samples and launches in at least one of which each
// member of its slice matters.
type minimal struct {
	kernel string
	// buffers is how many pointers come first among the arguments.
	buffers  int
	launches []minimalLaunch
}

type minimalLaunch struct {
	grid, block [3]int
	values      []float64
	// sharedBytes is the dynamic shared memory.
	sharedBytes int
}

var minimals = []minimal{
	{"avg_pool", 2, []minimalLaunch{
		{[3]int{2, 2, 2}, [3]int{8, 4, 1}, []float64{13, 11, 7, 6, 3, 2, 1}, 0},
		{[3]int{1, 1, 1}, [3]int{8, 4, 1}, []float64{19, 23, 4, 4, 17, 2, 1}, 0},
		{[3]int{1, 1, 1}, [3]int{8, 4, 1}, []float64{19, 23, 4, 4, 8, 2, 0}, 0},
		{[3]int{1, 1, 1}, [3]int{8, 4, 1}, []float64{9, 9, 4, 4, 3, 2, 4}, 0}, // windows in the padding
	}},
	{"batch_norm", 6, []minimalLaunch{
		{[3]int{2, 2, 1}, [3]int{32, 1, 1}, []float64{1e-5, 50, 0}, 0},
		{[3]int{2, 2, 1}, [3]int{32, 1, 1}, []float64{1e-5, 50, 1}, 0},
		{[3]int{2, 2, 1}, [3]int{32, 1, 1}, []float64{1e-5, 50, 2}, 0},
	}},
	{"bias_act", 2, []minimalLaunch{
		{[3]int{2, 2, 1}, [3]int{32, 1, 1}, []float64{50, 0}, 0},
		{[3]int{2, 2, 1}, [3]int{32, 1, 1}, []float64{50, 1}, 0},
		{[3]int{2, 2, 1}, [3]int{32, 1, 1}, []float64{50, 2}, 0},
	}},
	{"concat", 3, []minimalLaunch{
		{[3]int{3, 1, 1}, [3]int{32, 1, 1}, []float64{30, 41}, 0},
	}},
	{"conv_depthwise", 4, []minimalLaunch{
		{[3]int{2, 2, 2}, [3]int{8, 4, 1}, []float64{13, 11, 7, 6, 3, 2, 1, 1}, 0},
		{[3]int{1, 1, 1}, [3]int{8, 4, 1}, []float64{13, 11, 4, 4, 9, 2, 1, 1}, 0},
		{[3]int{1, 1, 1}, [3]int{8, 4, 1}, []float64{13, 11, 4, 4, 8, 2, 0, 1}, 0},
		{[3]int{1, 1, 1}, [3]int{8, 4, 1}, []float64{9, 9, 8, 8, 3, 2, 4, 1}, 0}, // windows in the padding
	}},
	{"conv_direct", 4, []minimalLaunch{
		{[3]int{2, 2, 2}, [3]int{8, 4, 1}, []float64{3, 13, 11, 7, 6, 3, 2, 1, 1}, 0},
	}},
	{"conv_pointwise", 4, []minimalLaunch{
		{[3]int{2, 2, 2}, [3]int{8, 4, 1}, []float64{5, 13, 11, 7, 13, 11, 1, 1}, 0},
	}},
	{"conv_tiled", 4, []minimalLaunch{
		{[3]int{2, 2, 2}, [3]int{8, 4, 1}, []float64{3, 13, 11, 7, 7, 6, 3, 2, 1, 1}, 756},
	}},
	{"fully_connected", 4, []minimalLaunch{
		{[3]int{3, 1, 1}, [3]int{64, 1, 1}, []float64{100, 5, 1}, 0},
	}},
	{"gemm_tiled", 3, []minimalLaunch{
		{[3]int{2, 2, 1}, [3]int{16, 16, 1}, []float64{70, 75, 18}, 0},
	}},
	{"global_avg_pool", 2, []minimalLaunch{
		{[3]int{3, 1, 1}, [3]int{64, 1, 1}, []float64{5, 49}, 0},
	}},
	{"im2col", 2, []minimalLaunch{
		{[3]int{2, 27, 1}, [3]int{32, 1, 1}, []float64{13, 11, 7, 6, 3, 2, 1}, 0},
	}},
	{"local_response_norm", 2, []minimalLaunch{
		{[3]int{2, 8, 1}, [3]int{32, 1, 1}, []float64{5, 50, 3, 2, 1e-4, 0.75}, 0},
	}},
	{"max_pool", 2, []minimalLaunch{
		{[3]int{2, 2, 2}, [3]int{8, 4, 1}, []float64{13, 11, 7, 6, 3, 2, 1}, 0},
	}},
	{"relu", 2, []minimalLaunch{{[3]int{3, 1, 1}, [3]int{32, 1, 1}, []float64{70}, 0}}},
	{"residual_add", 3, []minimalLaunch{{[3]int{3, 1, 1}, [3]int{32, 1, 1}, []float64{70, 1}, 0}}},
	{"softmax", 2, []minimalLaunch{{[3]int{2, 1, 1}, [3]int{64, 1, 1}, []float64{100}, 0}}},
	{"vector_add", 3, []minimalLaunch{{[3]int{3, 1, 1}, [3]int{32, 1, 1}, []float64{70}, 0}}},
}

// idle are the members without which nothing changes on any data, and why no
// slicer that does not compare values can know it.
var idle = map[string]string{
	"avg_pool.ptx:104":       "line 98 copied the same value before",
	"conv_depthwise.ptx:137": "line 129 copied the same value before",
	"crosslaunch.ptx:44":     "from a stride of 16 on only the first warp's lanes share data, and they go in step",
	"crosslaunch.ptx:50":     "thread 0 has in the register what it stored last, and loads it again",
}

// manifest writes the launches down.
func (m *minimal) manifest() string {
	var buffers, launches, pointers []string
	for i := range m.buffers {
		buffers = append(buffers, fmt.Sprintf(`"p%d": {"bytes": 1048576, "type": "f32", "init": "zero"}`, i))
		pointers = append(pointers, fmt.Sprintf(`{"buffer": "p%d"}`, i))
	}
	for _, l := range m.launches {
		args := pointers[:len(pointers):len(pointers)]
		for _, v := range l.values {
			args = append(args, fmt.Sprintf(`{"value": %v}`, v))
		}
		launches = append(launches, fmt.Sprintf(`{"module": "%s.ptx", "kernel": "%s", "grid": [%d, %d, %d], "block": [%d, %d, %d], "dynamicSharedBytes": %d, "args": [%s]}`,
			m.kernel, m.kernel, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.sharedBytes, strings.Join(args, ", ")))
	}
	return fmt.Sprintf(`{"version": 1, "buffers": {%s}, "launches": [%s]}`, strings.Join(buffers, ", "), strings.Join(launches, ", "))
}

// TestMinimal drops each member of the slices of our kernels in turn and sees
// that a count changes, in at least one of the kernel's launches. Where the
// foreign networks are present, the kernels of the smallest are held to it, too.
func TestMinimal(t *testing.T) {
	for _, m := range minimals {
		t.Run(m.kernel, func(t *testing.T) {
			s, err := OpenManifest(source.File{Name: filepath.Join("..", "ptx-samples", "kernels", "sm_70", "m.json"), Text: []byte(m.manifest())}, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			checkMinimal(t, s)
		})
	}
	t.Run("crosslaunch", func(t *testing.T) { checkMinimal(t, crossLaunch(t, Control)) })
	for _, name := range []string{"lenet5-sm_70", "lenet5-sm_70-clang"} {
		t.Run(name, func(t *testing.T) { checkMinimal(t, openTest(t, sharedCNN(t, name), nil)) })
	}
}

// checkMinimal verifies a program and drops each member of its slices.
func checkMinimal(t *testing.T, s *Session) {
	t.Helper()
	p, err := s.Profile(context.Background())
	if err == nil {
		err = s.Verify(context.Background(), p)
	}
	if err != nil {
		t.Fatal(err)
	}
	filters := s.plan(nil)
	want, err := decide(s, filters)
	if err != nil {
		t.Fatal(err)
	}
	matters := map[string]bool{} // by file and line
	for i, f := range filters {
		mod := s.launches[i].kernel.Module
		for pc := range mod.Instrs {
			in := &mod.Instrs[pc]
			name := fmt.Sprintf("%s:%d", filepath.Base(mod.File), in.Pos.Line)
			less, ok := without(f, in.PC)
			if !ok || !runs(f, in.PC) || matters[name] || in.Inst.Form.Class == isa.Control { // the emulator follows branches anyway
				continue
			}
			changed := slices.Clone(filters)
			changed[i] = less
			got, err := decide(s, changed)
			matters[name] = err != nil || differs(in, got, want)
		}
	}
	if again, err := decide(s, filters); err != nil || !slices.EqualFunc(again, want, decisions.equal) {
		t.Errorf("the slices as they are do not give the same counts again (error %v)", err)
	}
	for name, does := range matters {
		if reason, is := idle[name]; is == does {
			t.Errorf("%s: a count changes without it: %t; idle: %q", name, does, reason)
		}
	}
}

// runs reports whether any group of a launch's CTAs runs an instruction.
func runs(f *depgraph.Filtered, pc ir.PC) bool {
	filters := f.Groups().Filters()
	return filters == nil && f.Slice.Run.Has(pc) || slices.ContainsFunc(filters, func(g *depgraph.Filtered) bool { return g.Slice.Run.Has(pc) })
}

// differs reports whether dropping an instruction changed what the slices
// decide. The zero that a mov writes is in the register from the start; without
// the mov the same is decided, but on what nobody wrote.
func differs(in *ir.Instr, got, want []decisions) bool {
	if !slices.EqualFunc(got, want, decisions.equal) {
		return true
	}
	return in.Inst.Op == isa.OpMov && !slices.EqualFunc(got, want, func(a, b decisions) bool { return a.assumed == b.assumed })
}

// decisions is what a launch's slice decides.
type decisions struct {
	instructions []emulator.InstrCount
	branches     map[ir.PC]emulator.BranchCount
	executed     Facts
	// assumed counts the decisions on what nobody wrote.
	assumed uint64
}

func (d decisions) equal(e decisions) bool {
	return slices.Equal(d.instructions, e.instructions) && maps.Equal(d.branches, e.branches) && d.executed == e.executed
}

// decide runs a program by slices, on a memory of its own, and returns what
// comes of each launch.
func decide(s *Session, filters []*depgraph.Filtered) ([]decisions, error) {
	opts := s.Options
	opts.MaxInstructions = 1_000_000
	s, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		return nil, err
	}
	var list []decisions
	for i, l := range s.launches {
		f := filters[i]
		lp := s.newLaunchProfile(l, f)
		if lp.outcome, err = s.runLaunch(context.Background(), l, f, f.Slice); err != nil {
			return nil, err
		}
		lp.addOutcome()
		list = append(list, decisions{lp.instructionCounts().list, lp.branchCounts(), countsOf(lp), lp.Facts.Of(AssumedDecisions).N})
	}
	return list, nil
}

// countsOf are the facts that any correct slice gives: what was executed, and
// what it moved.
func countsOf(lp *LaunchProfile) (f Facts) {
	for c := range NumCounters {
		if b := counters[c].block; b == blockExecuted || b == blockMoved {
			f.n[c] = lp.Facts.n[c]
		}
	}
	return f
}
