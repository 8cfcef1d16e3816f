package silicon

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

// madeUp is a folder of a GPU that does not exist, with times and powers that
// nobody measured, of kernels of ptx-samples.
const madeUp = "testdata/made-up"

// newPlan is a plan with the default model.
func newPlan() *Plan {
	return &Plan{Analysis: analysis.DefaultOptions(), Time: roofline.DefaultOptions(), Open: func(path string, o analysis.Options) (*analysis.Session, error) {
		src, err := source.Read(path, nil)
		if err != nil {
			return nil, err
		}
		return analysis.OpenManifest(src, o)
	}}
}

// predicted opens the folder and predicts its rows.
func predicted(t *testing.T, set string, p *Plan) *Folder {
	t.Helper()
	f, err := Open(madeUp, set)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	return f
}

// row is the row of a program.
func (f *Folder) row(t *testing.T, program string, mhz float64) *Row {
	t.Helper()
	i := slices.IndexFunc(f.Rows, func(r *Row) bool { return r.Program == program && r.SMMHz.X == mhz })
	if i < 0 {
		t.Fatalf("no row of %s at %g MHz", program, mhz)
	}
	return f.Rows[i]
}

// TestRows: each row has figures or the reason why not, and they are those that the
// models give its launch on its board at its clock.
func TestRows(t *testing.T) {
	f := predicted(t, "", newPlan())
	if len(f.Rows) != 10 || len(f.Passed) != 1 {
		t.Fatalf("%d rows, passed over %q", len(f.Rows), f.Passed)
	}
	for _, r := range f.Rows {
		if r.TimeUs.Known == (r.Missing != "") || r.PowerW.Known == (r.PowerMissing != "") || r.TimeUs.Known != (r.Term != "") {
			t.Errorf("%s: %v us (%s) %q, %v W %q", r.Program, r.TimeUs, r.Term, r.Missing, r.PowerW, r.PowerMissing)
		}
		if strings.Contains(r.Missing+r.PowerMissing, madeUp) {
			t.Errorf("%s: the reason has the folder in it: %s", r.Program, r.Missing)
		}
		if r.Set == "lacking" && !strings.Contains(r.Missing, map[string]string{"beyond": `no launch "2"`, "unknown board": "Imaginary 101",
			"no file": "no manifest manifests/three.json", "no manifest": "has no manifest"}[r.Program]) {
			t.Errorf("%s: %s", r.Program, r.Missing)
		}
	}
	small, large, both := f.row(t, "small", 1000), f.row(t, "large", 1000), f.row(t, "both", 1000)
	if sum := small.TimeUs.X + large.TimeUs.X; math.Abs(both.TimeUs.X-sum) > 1e-9*sum {
		t.Errorf("all launches: %v us, one by one %v", both.TimeUs, sum)
	}
	slow, scaled := f.row(t, "large", 500), f.row(t, "large 64 times", 500)
	if scaled.TimeUs.X != 64*slow.TimeUs.X || scaled.IssueUs.X != 64*slow.IssueUs.X || scaled.RooflineUs.X != 64*slow.RooflineUs.X ||
		scaled.PowerW != slow.PowerW || math.Abs(scaled.TimedW.X-slow.TimedW.X) > 1e-9 {
		t.Errorf("64 times %+v: %+v", slow, scaled)
	}
	if math.Abs(slow.IssueUs.X-2*large.IssueUs.X) > 1e-3*large.IssueUs.X || slow.DRAMUs.X < large.DRAMUs.X || slow.ClockMHz.X != 500 {
		t.Errorf("at half the clock %+v, before %+v", slow, large)
	}
	if e := slow.ErrorPct.X; e != 100*(slow.TimeUs.X-7)/7 || slow.PowerPct.X != 100*(slow.PowerW.X-35)/35 {
		t.Errorf("off by %g %% and %g %%: %+v", e, slow.PowerPct.X, slow)
	}
}

// TestAsPredict: on a board at the clock at which it runs when nobody says
// otherwise, a row has the time and power that [predict.Run] gives.
func TestAsPredict(t *testing.T) {
	r := predicted(t, "made-up", newPlan()).row(t, "gemm", 0)
	devices, err := roofline.Devices([]string{"t4"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := predict.Run(context.Background(), devices, analysis.DefaultOptions(), func(o analysis.Options) ([]*analysis.Session, error) {
		s, err := newPlan().Open(filepath.Join(madeUp, r.Manifest), o)
		return []*analysis.Session{s}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	on := want.GPUs[0]
	if r.TimeUs != on.Time[0].TimeUs || r.Terms != on.Time[0].Terms || r.PowerW != on.Power[len(on.Power)-1].PowerW || r.Board != "t4" || r.ClockMHz.X != 1590 {
		t.Errorf("%+v, want %+v and %+v", r, on.Time[0], on.Power[0])
	}
}

// TestModels: each time model predicts the same rows; what it lacks is said.
func TestModels(t *testing.T) {
	for _, m := range roofline.Models() {
		if m.Simulates && testing.Short() {
			continue
		}
		p := newPlan()
		p.Time.Model = m
		for _, r := range predicted(t, "made-up", p).Rows {
			if r.TimeModel != m.Name || !r.TimeUs.Known && r.Missing == "" {
				t.Errorf("%s: %s: %v %q", m.Name, r.Program, r.TimeUs, r.Missing)
			}
		}
	}
}

// TestGPUs: only boards that are asked for count; a file stands for the board of
// its title.
func TestGPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		rows int
	}{{"t4", 1}, {madeUp + "/gpus/board.json", 8}, {"t4," + madeUp + "/gpus/board.json", 9}} {
		p := newPlan()
		var err error
		if p.GPUs, err = gpu.List(c.list); err != nil {
			t.Fatal(err)
		}
		if f := predicted(t, "", p); len(f.Rows) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.list, len(f.Rows), c.rows)
		}
	}
	p := newPlan()
	p.GPUs, _ = gpu.List("a100")
	f, err := Open(madeUp, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background(), f); err == nil {
		t.Error("no row is of an A100")
	}
}

// TestEnds: rows that the end of the context kept back say so, and what was
// predicted before stays.
func TestEnds(t *testing.T) {
	f, err := Open(madeUp, "made-up")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := newPlan()
	open := p.Open
	p.Open = func(path string, o analysis.Options) (*analysis.Session, error) {
		if strings.HasSuffix(path, "gemm_tiled.json") {
			cancel()
		}
		return open(path, o)
	}
	if err := p.Run(ctx, f); err == nil {
		t.Error("it ended")
	}
	if r := f.row(t, "gemm", 0); r.TimeUs.Known || r.Missing == "" {
		t.Errorf("%+v", r)
	}
	if r := f.row(t, "small", 1000); !r.TimeUs.Known || r.Missing != "" {
		t.Errorf("%+v", r)
	}
}

// interrupter ends a run when a launch begins.
type interrupter struct {
	launches int
	end      func()
}

func (i *interrupter) Start(string, int64) {
	if i.launches--; i.launches < 0 {
		i.end()
	}
}

func (i *interrupter) Done(int64) {}

// TestEndsWithin: of a manifest that was ended, launches that were complete have
// figures.
func TestEndsWithin(t *testing.T) {
	f, err := Open(madeUp, "made-up")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := newPlan()
	p.Analysis.Progress = &interrupter{1, cancel}
	if err := p.Run(ctx, f); err == nil {
		t.Error("it ended")
	}
	if r := f.row(t, "small", 1000); !r.TimeUs.Known || !r.PowerW.Known {
		t.Errorf("%+v", r)
	}
	if r := f.row(t, "large", 500); r.TimeUs.Known || r.Missing == "" {
		t.Errorf("%+v", r)
	}
}

// TestFootprint: without caches there is a time, of bytes that are the footprint.
func TestFootprint(t *testing.T) {
	p := newPlan()
	p.Footprint = true
	r := predicted(t, "made-up", p).row(t, "large", 1000)
	if bytes := r.DRAMUs.X * 788e3; r.L2Us.Known || !r.TimeUs.Known || bytes < 3*4*8192*(1-1e-9) {
		t.Errorf("%g bytes: %+v", bytes, r)
	}
}

// TestReadRows: rows that were written are read as they were, but for digits.
func TestReadRows(t *testing.T) {
	f := predicted(t, "", newPlan())
	var b bytes.Buffer
	if err := analysis.RowWriter(&b, analysis.Stamp{Version: "7"})(f.Rows); err != nil {
		t.Fatal(err)
	}
	rows, version, err := ReadRows("rows.csv", b.Bytes())
	if err != nil || version != "7" {
		t.Fatal(version, err)
	}
	var again bytes.Buffer
	if err := analysis.RowWriter(&again, analysis.Stamp{Version: "7"})(rows); err != nil || again.String() != b.String() {
		t.Errorf("%v:\n%s\n%s", err, b.String(), again.String())
	}
	InOrder(rows)
	if rows[0].Set != "lacking" || rows[len(rows)-1].GPU != "Tesla T4" {
		t.Errorf("%+v", rows)
	}
	if _, _, err := ReadRows("rows.csv", bytes.Replace(b.Bytes(), []byte("3.46"), []byte("fast"), 1)); err == nil || !strings.Contains(err.Error(), "line 2: \"fast") {
		t.Error(err)
	}
	if _, _, err := ReadRows("rows.csv", []byte("set,gpu\n")); err == nil {
		t.Error("columns lack")
	}
}

// TestWrongTables: what is wrong with a table is told with its line.
func TestWrongTables(t *testing.T) {
	const head = "set,gpu,sm_mhz,mem_mhz,manifest,launch,scale,program,kernel,time_us,power_w\n"
	for text, want := range map[string]string{
		head + "s,g,,,m,0,1,p,k,0,\n":          `line 2: time_us is "0"`,
		head + "s,g,fast,,m,0,1,p,k,1,\n":      `line 2: sm_mhz is "fast"`,
		head + "s,,,,m,0,1,p,k,1,\n":           "line 2: gpu is empty",
		head + "s,g,,,m,0,1,p,k,1,\ns,g,,,m\n": "line 3: has 5 of 11 columns",
		head:                                   "no row is left: t.csv has no rows",
		"set,gpu\n":                            "no table has the columns",
		head + "s,g,20000,,m,0,1,p,k,1,\n":     `t.csv: line 2: sm_mhz is "20000": must be from 1 to 10000`,
		head + "s,g,,1e9,m,0,1,p,k,1,\n":       `line 2: mem_mhz is "1e9": must be from 1 to 100000`,
		head + "s,g,,,m,0,1,p,k,1e-300,\n":     `line 2: time_us is "1e-300": must be from 0.001 to 1e+15`,
		head + "s,g,,,m,0,1,p,k,1,1e-9\n":      `line 2: power_w is "1e-9"`,
		head + "s,g,,,m,0,-1,p,k,1,\n":         `line 2: scale is "-1"`,
		head + "s,g,,,m,0,1,p,k,1,1e99\n":      `line 2: power_w is "1e99"`,
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "measured"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "measured", "t.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Open(t.TempDir(), ""); err == nil {
		t.Error("an empty folder")
	}
	f, err := Open(madeUp, "", Without{"threads", "96"}, Without{"nothing", "x"})
	if err != nil || len(f.Rows) != 5 || !strings.Contains(strings.Join(f.Passed, "; "), "rows.csv: rows with threads=96 are left out: 5") {
		t.Errorf("%d rows, %q, %v", len(f.Rows), f.Passed, err)
	}
	if _, err := Open(madeUp, "", Without{"scale", "1"}, Without{"scale", "64"}); err == nil || !strings.Contains(err.Error(), "no row is left: ") || !strings.Contains(err.Error(), "scale=1 are left out") {
		t.Error(err)
	}
	if _, err := Open(madeUp, "nobody's"); err == nil || !strings.Contains(err.Error(), "made-up, lacking") {
		t.Error(err)
	}
}
