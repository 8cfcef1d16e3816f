package endtoend

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
	"hyptx/power"
)

const benchmarks = "../../ptx-samples/benchmarks"

// TestPrograms: each measured kernel has a kernel of ours that its program launches, or a
// reason why not, and no other name stands in the list.
func TestPrograms(t *testing.T) {
	measured := map[string]bool{}
	for _, k := range power.VoltaKernels() {
		measured[k.Kernel] = true
	}
	if len(measured) != 26 || len(programs) != len(measured) {
		t.Errorf("%d kernels were measured, %d are listed", len(measured), len(programs))
	}
	for name, is := range programs {
		if !measured[name] || (is.program == "") != (is.kernel == "") || (is.program == "") != (is.without != "") {
			t.Errorf("%s: %+v", name, is)
		}
		if is.program == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(benchmarks, is.program+".json"))
		if err != nil || !strings.Contains(string(text), `"kernel": "`+is.kernel+`"`) {
			t.Errorf("%s: %s does not launch %s: %v", name, is.program, is.kernel, err)
		}
	}
}

// TestRun: a kernel whose program is there is predicted, in the predicted time and in the
// measured one; of the others the rows say why not.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for to, from := range map[string]string{"walsh.json": "walsh-small.json", "sm_70/walsh.ptx": "sm_70/walsh.ptx"} {
		text, err := os.ReadFile(filepath.Join(benchmarks, from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &Plan{Analysis: analysis.DefaultOptions(), Models: []*roofline.Model{roofline.SimulatedModel, roofline.Extended}, Variants: []power.Variant{"sass_sim", "ptx_sim"},
		Open: func(path string, o analysis.Options) (*analysis.Session, error) {
			src, err := source.Read(path, nil)
			if err != nil {
				return nil, err
			}
			return analysis.OpenManifest(src, o)
		}}
	rows, err := p.Run(context.Background(), dir)
	if err != nil || len(rows) != 4*26 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	predicted := 0
	for _, r := range rows {
		if r.PowerW.Known == (r.Missing != "") {
			t.Errorf("%s: %v W, missing %q", r.Kernel, r.PowerW, r.Missing)
		}
		if !r.PowerW.Known {
			continue
		}
		predicted++
		if r.PowerW.X < 35 || r.PowerW.X > 250 || !r.TimedW.Known || r.TimedW.X >= r.PowerW.X || r.TimeUs.X <= 0 || r.Instructions.X <= 0 {
			t.Errorf("%+v", r) // in the time of far more work it draws less
		}
	}
	if predicted != 4*2 {
		t.Errorf("%d rows are predicted, want two kernels by two models with two energies", predicted)
	}
}

// TestSummary by hand: errors of 10 and -20 %, of one published sheet only one of the two.
func TestSummary(t *testing.T) {
	x := number.Ratio
	rows := []*Row{{MeasuredW: x(100), PowerW: x(110), PTXSimW: x(150)}, {MeasuredW: x(200), PowerW: x(160)}, {MeasuredW: x(100), PTXSimW: x(100)}}
	got := map[string]Line{}
	for _, l := range Summary(rows) {
		got[l.Name] = l
	}
	for name, want := range map[string]struct {
		n    int
		mape float64
	}{"ours": {2, 15}, "PTX SIM": {2, 25}, "PTX SIM, these kernels": {1, 50}} {
		if l := got[name]; l.N != want.n || math.Abs(l.MAPEPct-want.mape) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", name, l, want)
		}
	}
	if _, ok := got["HW"]; ok || got["ours"].BestConstantPct != 25 {
		t.Errorf("%+v", got)
	}
}
