package scalemodel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// What the published data give. They have no licence, so that they lie beside the
// project, and these tests are skipped where they do not.

const published = "../../../shared/data/scalemodel"

func readPublished(t *testing.T) *Published {
	t.Helper()
	golden(t, "scalemodel_artifact_strong.tsv") // or skip
	p, err := ReadPublished(published)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scenarioNames are those of the golden tables.
var scenarioNames = map[string]Scenario{"strong": Strong, "weak": Weak, "mcm_weak": MCM}

// TestPredictions: every workload, target and method, row by row; fact 11 besides.
func TestPredictions(t *testing.T) {
	p := readPublished(t)
	rows := golden(t, "scalemodel_golden_predictions.tsv")
	cliffs := map[string]bool{}
	for _, r := range rows {
		i := slices.IndexFunc(p.Workloads, func(w *Workload) bool { return w.Name == r[1] && w.Scenario == scenarioNames[r[0]] })
		if i < 0 {
			t.Fatalf("no workload %v", r[:2])
		}
		w := p.Workloads[i]
		got, err := w.Predict(Method(r[7]), RatioDetector)
		if err != nil {
			t.Fatal(err)
		}
		at := got.Points[slices.Index(w.Sizes, int(parsed(t, r[6])))]
		real := w.IPC[slices.Index(w.Sizes, at.Size)].X
		for what, d := range map[string]float64{
			"IPC": at.IPC.X - parsed(t, r[8]), "error": Error(at.IPC.X, real) - parsed(t, r[10]),
			"C": w.C() - parsed(t, r[2]), "c": w.ToolC() - parsed(t, r[3]),
		} {
			if math.Abs(d) > 0.6e-4 {
				t.Errorf("%v: %s is off by %g", r, what, d)
			}
		}
		if got.Cliff != NoCliff {
			cliffs[fmt.Sprint(w.Name, got.Cliff)] = true
		}
		if ToolDetector.Cliff(w.MPKI) != RatioDetector.Cliff(w.MPKI) {
			t.Errorf("%s: the detectors do not agree", w.Name)
		}
	}
	if len(rows) < 600 || len(cliffs) != 2 || !cliffs["dct4"] || !cliffs["fwt4"] {
		t.Errorf("%d rows, cliffs %v", len(rows), cliffs)
	}
}

// TestSuites: facts 5 to 9.
func TestSuites(t *testing.T) {
	suites, err := Judge(readPublished(t).Workloads, RatioDetector)
	if err != nil {
		t.Fatal(err)
	}
	rows := golden(t, "scalemodel_errors_recomputed.tsv")
	for _, r := range rows {
		i := slices.IndexFunc(suites, func(s *Suite) bool {
			return s.Scenario == scenarioNames[r[0]] && fmt.Sprint(s.Target) == r[1] && string(s.Method) == r[2]
		})
		s := suites[max(i, 0)]
		if i < 0 || math.Abs(s.Avg-parsed(t, r[3])) > 0.6e-3 || math.Abs(s.Max-parsed(t, r[4])) > 0.6e-3 || s.Worst != r[5] {
			t.Errorf("%v: %+v", r, s)
		}
	}
	if len(rows) != len(suites) {
		t.Errorf("%d suites, want %d", len(suites), len(rows))
	}
}

// TestLargerModels: fact 17, scale models of 16 and 32 SMs.
func TestLargerModels(t *testing.T) {
	var shifted []*Workload
	for _, w := range readPublished(t).Workloads {
		if w.Scenario == Strong {
			of := *w
			of.Sizes, of.IPC, of.MPKI = w.Sizes[1:], w.IPC[1:], w.MPKI[1:]
			shifted = append(shifted, &of)
		}
	}
	suites, err := Judge(shifted, RatioDetector)
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[int][2]float64{64: {4.63, 23.1}, 128: {10.98, 56.1}} {
		s := suites[slices.IndexFunc(suites, func(s *Suite) bool { return s.Target == target && s.Method == Tool })]
		if math.Abs(s.Avg-want[0]) > 0.01 || math.Abs(s.Max-want[1]) > 0.1 || s.Worst != "bfs" {
			t.Errorf("%d: %+v, want %v", target, s, want)
		}
	}
}

// TestClasses: fact 18.
func TestClasses(t *testing.T) {
	p := readPublished(t)
	for _, r := range golden(t, "scalemodel_golden_classes.tsv") {
		w := p.Workloads[slices.IndexFunc(p.Workloads, func(w *Workload) bool { return w.Name == r[0] && w.Scenario == Strong })]
		if got := ClassOf(8, w.IPC[0].X, 128, w.IPC[4].X); string(got) != r[7] || r[6] != r[7] {
			t.Errorf("%s: %s, want %s", r[0], got, r[7])
		}
	}
	for _, w := range p.Workloads {
		want := LinearClass
		if w.Name == "bfs" || w.Name == "bs" {
			want = SubLinear
		}
		if w.Scenario == Weak && ClassOf(8, w.IPC[0].X, 128, w.IPC[4].X) != want {
			t.Errorf("weak %s is not %s", w.Name, want)
		}
	}
}

// TestSpeedups: fact 10.
func TestSpeedups(t *testing.T) {
	p := readPublished(t)
	all := map[Scenario][]Speedup{}
	largest := 0.0
	for _, d := range p.Durations {
		list, err := Speedups(d.Bench, d.Durations)
		if err != nil {
			t.Fatal(err)
		}
		all[d.Scenario] = append(all[d.Scenario], list...)
		for _, s := range list {
			if d.Scenario == MCM {
				largest = max(largest, s.Times())
			}
			if d.Scenario == Weak && d.Bench == "bfs" && s.Target == 128 {
				near(t, "bfs", s.Times(), 8.952, share)
			}
		}
	}
	for target, want := range map[int]float64{32: 1.517, 64: 3.892, 128: 9.287} {
		if got := MeanSpeedup(all[Weak], target); math.Abs(got.X-want) > 0.005 {
			t.Errorf("%d SMs: %.3f, want %.3f", target, got.X, want)
		}
	}
	if got := MeanSpeedup(all[MCM], 16); math.Abs(got.X-2.168) > 0.005 || math.Abs(largest-2.731) > 0.005 {
		t.Errorf("chiplets: %.3f, at most %.3f; want 2.168, 2.731", got.X, largest)
	}
}

// TestPublishedBad: a folder that is another one is an error that names the file.
func TestPublishedBad(t *testing.T) {
	if _, err := ReadPublished(t.TempDir()); err == nil || !strings.Contains(err.Error(), "scalemodel_artifact_strong.tsv") {
		t.Error(err)
	}
}
