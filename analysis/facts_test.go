package analysis

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// counterNames are the names of the counters, as counter.go declares them.
func counterNames(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "counter.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		var names []string
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				names = append(names, s.(*ast.ValueSpec).Names[0].Name)
			}
		}
		if len(names) > 0 && names[0] == "nowhere" {
			return names
		}
	}
	t.Fatal("counter.go declares no counters")
	return nil
}

// TestCountersDescribed: every counter stands in the table, and no two say the
// same.
func TestCountersDescribed(t *testing.T) {
	names := counterNames(t)
	if len(names) != int(NumCounters)+1 {
		t.Fatalf("%d names of %d counters", len(names)-1, NumCounters)
	}
	seen := map[string]Counter{}
	for c := nowhere; c < NumCounters; c++ {
		what := c.String()
		if what == "" {
			t.Errorf("counter %s has no line in the table counters", names[c])
		} else if other, twice := seen[what]; twice {
			t.Errorf("counters %s and %s are both %q", names[other], names[c], what)
		}
		seen[what] = c
	}
}

// rareProgram has what no feature program has: dynamic shared memory, a function of CUDA's,
// warps that come apart to a barrier, and 8 MiB stored, more than the L2 of a GV100 holds.
var rareProgram = program{`.version 7.0
.target sm_70
.address_size 64
.extern .shared .b8 dynamic[];
.extern .func (.param .b32 r) __nv_clz(.param .b32 x);
.entry k(.param .u64 x) { .reg .u64 %d<4>; .reg .u32 %r<5>; .reg .pred %p;
	ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;
	mul.wide.u32 %d2, %r3, 16; add.u64 %d1, %d1, %d2; st.global.v4.u32 [%d1], {%r1, %r1, %r1, %r1};
	st.shared.u32 [dynamic], %r1; setp.lt.u32 %p, %r1, 16; @%p bra Z; bar.sync 0; ret; Z: bar.sync 0;
	.param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), __nv_clz, (a); ret; }
`, `{"version": 1, "name": "r", "buffers": {"x": {"bytes": 8388608, "type": "u32"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [2048], "block": [256], "dynamicSharedBytes": 64, "args": [{"buffer": "x"}]}]}`}

// never are counters to which no program can add, and why.
var never = map[Counter]string{
	nowhere: "it is never read",
}

// uncountedSamples are the programs of ptx-samples/features of which nobody knows the traffic.
// A tensor map lies in shared or in global memory, and what a step of its change moves nobody says.
var uncountedSamples = []string{"tensormap_replace"}

// TestEveryCounterCounts: of each counter there is a program that makes it count, and what the
// programs move is known of all but a few.
func TestEveryCounterCounts(t *testing.T) {
	o := DefaultOptions()
	o.Mode, o.Paths = Memory, true
	var err error
	if o.GPUs, err = gpu.List("a100"); err != nil {
		t.Fatal(err)
	}
	sessions := []*Session{rareProgram.session(t, Memory), beyondProgram.forgiving(t, Control)}
	if sessions[0].Options.GPUs, err = gpu.List("gv100"); err != nil {
		t.Fatal(err)
	}
	for _, s := range featureSamples(t) {
		if s.Fault == "" {
			sessions = append(sessions, featureSessionWith(t, s, o))
		}
	}
	var all Facts
	var unknown []string
	for _, s := range sessions {
		p, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, lp := range append(p.Launches, p.totals...) {
			if lp.Facts.UnknownTraffic() != nil && !slices.Contains(unknown, s.Manifest.Name) {
				unknown = append(unknown, s.Manifest.Name)
			}
			for c := range NumCounters {
				all.add(c, lp.Facts.Of(c).N)
			}
		}
	}
	if !slices.Equal(unknown, uncountedSamples) {
		t.Errorf("the traffic is unknown of %q, want %q", unknown, uncountedSamples)
	}
	for c, name := range counterNames(t)[:NumCounters] {
		n, why := all.n[c], never[Counter(c)]
		switch {
		case n == 0 && why == "":
			t.Errorf("nothing adds to counter %s (%s)", name, Counter(c))
		case n > 0 && why != "":
			t.Errorf("counter %s counts, but stands in the list of those that never do: %s", name, why)
		}
	}
}

// rowNumbers are the numbers of a row by the Go fields that hold them.
func rowNumbers(r *Row) map[string]string {
	out := map[string]string{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			switch x := v.Field(i).Interface().(type) {
			case number.Int:
				out[v.Type().Field(i).Name] = x.String()
			case number.Real:
				out[v.Type().Field(i).Name] = x.String()
			default:
				if v.Type().Field(i).Anonymous {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(r).Elem())
	return out
}

// TestEveryColumnHasItsCounter: of facts whose counters are all known and all
// different, every number of a row is there, and each counter moves some column.
// A counter whose column was forgotten, or a column whose counter was, fails.
func TestEveryColumnHasItsCounter(t *testing.T) {
	// CTAs of all repetitions, divergent conditional branches and the like are
	// seen in ratios only; of what has no column at all nothing is seen.
	var f Facts
	for c := range NumCounters {
		f.Set(c, 1_000_003*uint64(c)+1)
	}
	f.DRAMVariance = number.Ratio(1)
	before := rowNumbers(newRow(&Launch{CacheGPU: "g", AnalysisMS: number.Ratio(1)}, &f))
	identity := []string{"PTXAddressSize", "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ"}
	for field, value := range before {
		if value == "" && !slices.Contains(identity, field) {
			t.Errorf("%s is empty", field)
		}
	}
	names := counterNames(t)
	for c := nowhere + 1; c < NumCounters; c++ {
		changed := f
		changed.Set(c, 5_000_000_000)
		after := rowNumbers(newRow(&Launch{CacheGPU: "g", AnalysisMS: number.Ratio(1)}, &changed))
		if reflect.DeepEqual(before, after) {
			t.Errorf("no column shows counter %s (%s)", names[c], c)
		}
	}
}

// TestUnknownStaysUnknown: facts without any counter make a row without any
// number, not one of zeros.
func TestUnknownStaysUnknown(t *testing.T) {
	for field, value := range rowNumbers(newRow(&Launch{}, &Facts{})) {
		if value != "" && field != "AnalysisMS" {
			t.Errorf("%s is %s", field, value)
		}
	}
}

// TestTotalOf: a total adds, takes the largest, or says nothing, as the table of
// counters has it; what one launch does not know of its caches nobody knows of
// the network's.
func TestTotalOf(t *testing.T) {
	var a, b LaunchProfile
	for c := range NumCounters {
		a.Facts.Set(c, 10)
		b.Facts.Set(c, 3)
	}
	want := map[rule]number.Int{ofLaunch: {}, sum: number.Count(13), sumOfAll: number.Count(13), most: number.Count(10)}
	totalOf := func(launches ...*LaunchProfile) (of Facts) {
		var in [2]tally // those that are joined are as those that are added
		for _, lp := range launches {
			in[0].addFacts(lp)
			var one tally
			one.addFacts(lp)
			one.counted = 1
			in[1].join(&one)
		}
		in[1].counted = in[0].counted
		if !reflect.DeepEqual(in[0], in[1]) {
			t.Errorf("added %v, joined %v", in[0], in[1])
		}
		return in[0].total().Facts
	}
	total := totalOf(&a, &b)
	for c := range NumCounters {
		if got := total.Of(c); got != want[counters[c].total] {
			t.Errorf("%s: %v, want %v", c, got, want[counters[c].total])
		}
	}
	unfit := LaunchProfile{}
	unfit.Facts.Set(WarpInstructions, 7)
	total = totalOf(&a, &unfit)
	if total.Of(L1ReadHits).Known || total.Of(WarpInstructions) != number.Count(17) || total.Of(Branches) != number.Count(10) {
		t.Errorf("%v, %v, %v", total.Of(L1ReadHits), total.Of(WarpInstructions), total.Of(Branches))
	}
}

// TestTableColumns: the readable table's columns are columns of profile.csv, but
// for the few that it makes itself: one that is renamed fails here, and is not
// silently left out as empty.
func TestTableColumns(t *testing.T) {
	own := []string{timesColumn, flopColumn, staticColumn}
	for _, c := range tableColumns {
		if !HasColumn(c.column) && !slices.Contains(own, c.column) {
			t.Errorf("the table shows %s, which profile.csv has not", c.column)
		}
	}
	for _, name := range identity {
		if !HasColumn(name) {
			t.Errorf("rows are told apart by %s, which profile.csv has not", name)
		}
	}
}
