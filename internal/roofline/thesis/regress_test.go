package thesis

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %v, want %v within %g", what, got, want, relative)
	}
}

// TestRodinia holds all intermediate figures of 28 kernels on 7 GPUs.
func TestRodinia(t *testing.T) {
	k, g := kernels(t), rates(t)
	rows := facts(t, "rodinia_predictions.tsv")
	if len(rows) != 196 {
		t.Fatalf("%d rows, want 196", len(rows))
	}
	for _, r := range rows {
		name := r["kernel"] + " on " + r["gpu"]
		p := predict(t, k[r["kernel"]], g[r["gpu"]], MAD)
		if math.Abs(p.KernelIntensity-r.num(t, "O_krn")) > 0.5e-4*(1+1e-9) { // four decimals stand there
			t.Errorf("%s: O_krn %g, want %s", name, p.KernelIntensity, r["O_krn"])
		}
		near(t, name+" E_instr", 100*p.InstructionEfficiency, r.num(t, "E_instr_pct"), 1e-4)
		near(t, name+" T'_op", p.AdjustedGOPS, r.num(t, "T_op_adj_GOPS"), 1e-4)
		near(t, name+" O_dev", p.DeviceIntensity, r.num(t, "O_dev"), 1e-4)
		near(t, name+" T_predicted", p.GOPS, r.num(t, "T_predicted_GOPS"), 1e-4)
		near(t, name+" time", p.Seconds*1e3, r.num(t, "predicted_ms"), 1e-4)
		if string(p.Bound) != r["bound"] {
			t.Errorf("%s: %s bound, want %s", name, p.Bound, r["bound"])
		}
		if k[r["kernel"]].Type != Integer {
			continue
		}
		add := predict(t, k[r["kernel"]], g[r["gpu"]], Add)
		near(t, name+" time with additions", add.Seconds*1e3, r.num(t, "intadd_predicted_ms"), 1e-4)
		if string(add.Bound) != r["intadd_bound"] {
			t.Errorf("%s: %s bound with additions, want %s", name, add.Bound, r["intadd_bound"])
		}
	}
}

// TestMeasured holds predictions against what the thesis measured: the printed
// errors, and their means.
func TestMeasured(t *testing.T) {
	k, g := kernels(t), rates(t)
	mean := func(kernel, file string, tol float64) (sum float64, n int) {
		for _, r := range facts(t, file) {
			name := kernel
			if name == "" {
				name = r["benchmark"]
			}
			gpu := r["gpu"]
			if gpu == "" {
				gpu = "R9-Nano"
			}
			p := predict(t, k[name], g[gpu], MAD)
			if got, want := ErrorPct(p.Seconds*1e3, r.num(t, "measured_ms")), r.num(t, "error_pct"); math.Abs(got-want) > tol {
				t.Errorf("%s on %s: error %.2f %%, want %.2f", name, gpu, got, want)
			}
			sum += math.Abs(r.num(t, "error_pct"))
			n++
		}
		return sum, n
	}
	a, na := mean("redblack_sor_8192", "redblack_times.tsv", 0.03)
	b, nb := mean("lmsor_3842", "lmsor_times.tsv", 0.03)
	c, nc := mean("sgemm_1280x640x640_b32", "sgemm_times.tsv", 0.03)
	near(t, "mean error of 18 predictions", (a+b+c)/float64(na+nb+nc), 8.45, 1e-3)
	d, nd := mean("", "r9nano_times.tsv", 0.6) // measured times are printed to 10 us
	near(t, "mean error on the R9-Nano", d/float64(nd), 12.6, 1e-2)
	for _, r := range facts(t, "rodinia_measured.tsv") {
		p := predict(t, k[r["kernel"]], g[r["gpu"]], MAD)
		near(t, r["kernel"]+" on "+r["gpu"], p.Seconds*1e3, r.num(t, "predicted_ms"), 1e-3)
		if got, want := ErrorPct(p.Seconds*1e3, r.num(t, "measured_ms")), r.num(t, "error_pct"); got*want < 0 || math.Abs(got-want) > 0.5 {
			t.Errorf("%s on %s: error %.1f %%, want %.1f", r["kernel"], r["gpu"], got, want)
		}
	}
}

// TestRules are the two choices of K_type.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		fp32, fp64 float64
		any, most  Type
	}{{0, 0, Integer, Integer}, {5, 0, FP32, FP32}, {5, 1, FP64, FP32}, {1, 5, FP64, FP64}, {0, 1, FP64, FP64}} {
		m := Metrics{FP32: c.fp32, FP64: c.fp64, Integer: 100, WarpInstructions: 10}
		if m.Type(Any) != c.any || m.Type(Most) != c.most {
			t.Errorf("%+v: %s and %s", c, m.Type(Any), m.Type(Most))
		}
	}
}

// TestCorners are kernels at the edge of the definitions.
func TestCorners(t *testing.T) {
	g := rates(t)["GTX-660"]
	copying := Metrics{LdSt: 64, WarpInstructions: 10, DRAMReads: 1 << 20}
	k, err := copying.Kernel(Any)
	if err != nil {
		t.Fatal(err)
	}
	if p := predict(t, k, g, MAD); p.Bound != Memory || p.GOPS != 0 || p.Seconds != float64(32<<20)/(117.56*1e9) {
		t.Errorf("a copy: %+v", p)
	}
	alone := Metrics{FP32: 320, WarpInstructions: 10}
	if k, err = alone.Kernel(Any); err != nil {
		t.Fatal(err)
	}
	p := predict(t, k, g, MAD)
	if p.Bound != Compute || !math.IsInf(p.KernelIntensity, 1) || p.DRAMGBps != 0 {
		t.Errorf("no traffic: %+v", p)
	}
	if want := p.DeviceIntensity; math.Abs(math.Tan(p.DeviationRad()+math.Pi/2)-want) > 1e-9*want {
		t.Errorf("no traffic: %g rad", p.DeviationRad())
	}
}

// TestBad are inputs that have no prediction.
func TestBad(t *testing.T) {
	for name, m := range map[string]Metrics{
		"nothing": {}, "negative": {WarpInstructions: 1, FP32: -1}, "nan": {WarpInstructions: math.NaN()},
	} {
		if _, err := m.Kernel(Any); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	k, g := kernels(t)["lvmd-krn"], rates(t)["GTX-480"]
	for name, spoil := range map[string]func(*Rates){
		"T_DP": func(r *Rates) { r.DPGFLOPS = -1 }, "T_SP": func(r *Rates) { r.SPGFLOPS = 0 }, "T_add": func(r *Rates) { r.AddGIOPS = math.NaN() },
		"T_ldst": func(r *Rates) { r.LdStGOPS = 0 }, "B_mem": func(r *Rates) { r.DRAMGBps = 0 },
	} {
		bad := g
		spoil(&bad)
		if _, err := Predict(k, bad, MAD); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Predict(Kernel{Type: FP32}, g, MAD); err == nil {
		t.Error("no densities: no error")
	}
}
