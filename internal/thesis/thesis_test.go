package thesis

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/roofline"
	model "hyptx/internal/roofline/thesis"
	"hyptx/internal/source"
)

// lab opens the programs that ship with hyptx.
func lab(t *testing.T) Lab {
	t.Helper()
	devices, err := roofline.Devices([]string{"gv100"})
	if err != nil {
		t.Fatal(err)
	}
	return Lab{Analysis: analysis.DefaultOptions(), Memories: devices, Open: func(name string, o analysis.Options) (*analysis.Session, error) {
		src, err := source.Read(filepath.Join("../../ptx-samples/benchmarks", name+".json"), nil)
		if err != nil {
			return nil, err
		}
		return analysis.OpenManifest(src, o)
	}}
}

// TestSmall makes all experiments with small programs, and draws every figure in every format.
func TestSmall(t *testing.T) {
	r, l := &Result{}, lab(t)
	for _, e := range Experiments {
		l.Programs = e.Small
		if err := e.Run(context.Background(), r, l); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range Tables {
		if table.Len(r) == 0 {
			t.Errorf("%s has no rows", table.Name)
		}
	}
	figures, err := Figures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		for _, format := range []string{"svg", "png"} {
			picture, err := f.Draw(r, figure.Look{Theme: figure.Dark, Format: format})
			if err != nil || len(picture) < 1000 {
				t.Errorf("%s: %d bytes of %s, %v", f.Name, len(picture), format, err)
			}
		}
		if _, err := f.Draw(&Result{}, figure.Look{Format: "svg"}); err == nil {
			t.Errorf("%s of nothing is drawn", f.Name)
		}
	}
}

// TestPrinted: the model on the printed counters gives what the thesis prints of all three
// kernels on all six GPUs, and what it measured stands beside it.
func TestPrinted(t *testing.T) {
	r := &Result{}
	if err := Experiments[0].Run(context.Background(), r, Lab{}); err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, row := range r.Times {
		if row.GPU == "R9-Nano" {
			continue
		}
		if held++; math.Abs(row.MS.X-row.PrintedMS.X) > 0.002 || math.Abs(row.ErrorPct.X-row.PrintedErrorPct.X) > 0.03 || !row.NvTop.Known {
			t.Errorf("%+v", row)
		}
	}
	for _, k := range r.Kernels {
		if k.Ops != k.PrintedOps || k.Bytes != k.PrintedBytes || math.Abs(k.LdStPct.X-k.PrintedLdStPct.X) > 0.006 {
			t.Errorf("%+v", k)
		}
	}
	if held != 18 || len(r.Kernels) != 3 {
		t.Errorf("%d times, %d kernels", held, len(r.Kernels))
	}
}

// TestPrograms: SOR, LMSOR and SGEMM as emulated have the operations that are printed, but
// for LMSOR, whose published build has 23 for the 15 that are needed and ours 19; and the
// times follow.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds")
	}
	r, l := &Result{}, lab(t)
	l.Programs = Experiments[1].Programs
	if err := Experiments[1].Run(context.Background(), r, l); err != nil {
		t.Fatal(err)
	}
	for i, most := range []float64{0.0001, 0.18, 0.0001} {
		if k := r.Kernels[i]; math.Abs(k.Ops.X/k.PrintedOps.X-1) > most {
			t.Errorf("%s: %.0f operations, printed %.0f", k.Kernel, k.Ops.X, k.PrintedOps.X)
		}
	}
	for _, row := range r.Times {
		most := map[string]float64{"SOR": 0.04, "LMSOR": 0.21, "SGEMM": 0.001}[row.Kernel]
		if off := math.Abs(row.MS.X/row.PrintedMS.X - 1); row.PrintedMS.Known && off > most {
			t.Errorf("%s on %s: %.3f ms, printed %.3f", row.Kernel, row.GPU, row.MS.X, row.PrintedMS.X)
		}
	}
}

// TestMixbench: what two CTAs count, times how many there are, is what 64 of them count, and
// loads ask for each element once.
func TestMixbench(t *testing.T) {
	l := lab(t)
	l.Analysis.Launch = "0,7,33,67"
	two, err := l.count(context.Background(), "mixbench-sweep")
	if err != nil {
		t.Fatal(err)
	}
	l.Open = func(name string, o analysis.Options) (*analysis.Session, error) {
		src, err := source.Read(filepath.Join("../../ptx-samples/benchmarks", name+".json"), nil)
		if err != nil {
			return nil, err
		}
		text := string(src.Text)
		for _, more := range [][2]string{{`"grid": [2]`, `"grid": [64]`}, {`"bytes": 65536`, `"bytes": 2097152`}, {`"bytes": 131072`, `"bytes": 4194304`}} {
			text = strings.ReplaceAll(text, more[0], more[1])
		}
		src.Text = []byte(text)
		return analysis.OpenManifest(src, o)
	}
	many, err := l.count(context.Background(), "mixbench-sweep")
	if err != nil {
		t.Fatal(err)
	}
	if len(two) != 4 || len(many) != 4 {
		t.Fatalf("%d and %d launches", len(two), len(many))
	}
	for i, a := range many {
		var sum model.Metrics
		for range 32 {
			sum = sum.Plus(two[i].Metrics)
		}
		if a.CTAs != 64 || a.Label != two[i].Label || sum != a.Metrics {
			t.Errorf("%s: %+v, two CTAs %s %+v", a.Label, a.Metrics, two[i].Label, two[i].Metrics)
		}
		if a.Metrics.LdSt != a.CTAs*a.BlockThreads*elementsOfThread {
			t.Errorf("%s: %.0f loads and stores", a.Label, a.Metrics.LdSt)
		}
	}
}
