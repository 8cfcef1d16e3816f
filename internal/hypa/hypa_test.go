package hypa

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/networks"
	"hyptx/internal/number"
)

// written writes the manifest of a network beside the kernels' folder, and returns its path.
func written(t *testing.T, name string) string {
	t.Helper()
	for _, n := range networks.HyPA() {
		if n.Name != name {
			continue
		}
		text, err := n.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := filepath.Abs("../../ptx-samples/kernels")
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("../kernels/"), []byte(filepath.ToSlash(kernels)+"/"))
		path := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatalf("no network %s", name)
	return ""
}

// TestMeasure: a network's row has its counts and the paper's beside them; figures are
// drawn of it; what is no manifest is an error.
func TestMeasure(t *testing.T) {
	path := written(t, "mobilenet")
	r, inputs, err := Measure(context.Background(), "mobilenet", path, analysis.DefaultOptions(), 3, !testing.Short())
	if err != nil || len(inputs) == 0 {
		t.Fatal(err, inputs)
	}
	if r.Exactness != "exact" || r.MultiplyAdds.N != 568740352 || r.HyPASlicePct.X != 10.77 || r.Repetitions.N != 3 || !r.ConfidenceMS.Known ||
		r.LeastMS.X > r.MeanMS.X || r.MeanMS.X > r.MostMS.X || r.VerifiedMS.Known == testing.Short() {
		t.Errorf("%+v", r)
	}
	// A multiply-add of the convolutions, the dense layer's among them, is one of threads:
	// but for padding, which is not visited.
	if padded := float64(r.MultiplyAdds.N) - float64(r.FlopSP.N)/2; math.Abs(padded) > 0.03*float64(r.MultiplyAdds.N) {
		t.Errorf("%d operations of %d multiply-adds", r.FlopSP.N, r.MultiplyAdds.N)
	}
	for _, f := range Figures() {
		picture, err := f.Draw([]*Row{r}, figure.Look{Format: "svg"})
		if err != nil || !strings.Contains(string(picture), "mobilenet") {
			t.Errorf("%s: %v\n%.300s", f.Name, err, picture)
		}
		if _, err := f.Draw([]*Row{{Network: "x"}}, figure.Look{Format: "png", Theme: figure.Dark}); err == nil {
			t.Errorf("%s: drawn of nothing", f.Name)
		}
	}
	if _, _, err := Measure(context.Background(), "x", filepath.Join(t.TempDir(), "none.json"), analysis.DefaultOptions(), 1, false); err == nil {
		t.Error("a file that is not there was measured")
	}
}

// TestConfidence: mean 20, standard deviation 0.25, t of 9 degrees of freedom 2.262157.
func TestConfidence(t *testing.T) {
	var r Row
	r.setTimes([]float64{20.1, 19.8, 20.4, 19.9, 20, 20.2, 19.7, 20.3, 20, 19.6})
	if want := 2.262157 * r.DeviationMS.X / math.Sqrt(10); math.Abs(r.MeanMS.X-20) > 1e-9 || math.Abs(r.ConfidenceMS.X-want) > 1e-6 ||
		math.Abs(r.DeviationMS.X-0.2581988897) > 1e-9 || r.LeastMS.X != 19.6 || r.MostMS.X != 20.4 {
		t.Errorf("%+v, confidence %v", r, want)
	}
}

// TestPublished: the paper's table has 31 of the networks, all but alexnet.
func TestPublished(t *testing.T) {
	list := networks.HyPA()
	for _, n := range list {
		if _, known := published[n.Name]; known == (n.Name == "alexnet") {
			t.Errorf("%s: published %v", n.Name, known)
		}
	}
	if len(published) != len(list)-1 {
		t.Errorf("%d published", len(published))
	}
}

// TestFiles: launches of a file are one row, with the paper's columns; what is not known
// of a launch is not known of its file; totals are no launches.
func TestFiles(t *testing.T) {
	n := number.Count
	launch := func(file string, ctas, branches, divergent uint64) *analysis.Row {
		return &analysis.Row{Kind: analysis.KindLaunch, Network: "net", File: file, PTXVersion: "7.0", PTXTarget: "sm_70", PTXAddressSize: n(64),
			FileInstructions: n(9), CTAs: n(ctas), Threads: n(32 * ctas), StaticThreadInstructions: n(7), ThreadInstructions: n(6), FlopSP: n(3), FlopDP: n(2),
			FlopHP: n(1), WarpInstructions: n(5), Branches: n(branches), DivergentBranches: n(divergent), AnalysisMS: number.Ratio(0.5)}
	}
	lost := launch("b.ptx", 1, 1, 1)
	lost.WarpInstructions = number.Int{}
	rows := []*analysis.Row{launch("a.ptx", 1, 10, 4), lost, launch("a.ptx", 3, 6, 0), launch("b.ptx", 1, 0, 0), {Kind: analysis.KindTotal}}
	var b bytes.Buffer
	if err := WriteFiles(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `filename,PTX version,target,address size,file instructions,CTAs,threads,static,dynamic,FP,executed instructions,divergent branches,per CTA,branch efficiency,duration (ms)
a.ptx,7.0,sm_70,64,9,4,128,14,12,12,10,4,1.0000,75.0000,1.0000
b.ptx,7.0,sm_70,64,9,2,64,14,12,12,,1,0.5000,0.0000,1.0000
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// TestWelch: the paper's test, against another implementation's figures.
func TestWelch(t *testing.T) {
	golden, err := os.ReadFile("../../../shared/data/hypa/hypa_golden_welch.tsv")
	if err != nil {
		t.Skip(err)
	}
	seen := 0
	for line := range strings.Lines(string(golden)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if len(cells) != 7 || cells[0] == "a" {
			continue
		}
		var lists [2][]float64
		for i := range lists {
			for part := range strings.SplitSeq(cells[i], ",") {
				x, err := strconv.ParseFloat(part, 64)
				if err != nil {
					t.Fatal(err)
				}
				lists[i] = append(lists[i], x)
			}
		}
		c, err := Welch(lists[0], lists[1])
		if got := fmt.Sprintf("%.6f %.6f %.6f %.6f %.6e", c.MeanA, c.MeanB, c.T, c.DF, c.P); err != nil || got != strings.Join(cells[2:], " ") {
			t.Errorf("%s, want %v (%v)", got, cells[2:], err)
		}
		seen++
	}
	if seen != 2 {
		t.Errorf("%d tests", seen)
	}
	for _, b := range [][]float64{{1}, {1, 1}} {
		if c, err := Welch([]float64{1, 1}, b); err == nil {
			t.Errorf("%v: %+v", b, c)
		}
	}
}
