package golden_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hardware/golden"
)

// gpuFiles are the GPUs whose caches stand for those of the folders in
// testdata/golden.
var gpuFiles = map[string]string{"nvidia-h100-80gb-hbm3": "h100-sxm", "nvidia-h200": "h200"}

// launchesOf profiles a sample with its memory traffic.
func launchesOf(t *testing.T, s golden.Sample, of *gpu.GPU) []*analysis.LaunchProfile {
	t.Helper()
	session, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	session.Options.Mode = analysis.Memory
	if of != nil {
		session.Options.GPUs = []*gpu.GPU{of}
	}
	if session, err = analysis.OpenManifest(s.Source, session.Options); err != nil {
		t.Fatal(err)
	}
	p, err := session.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p.Launches
}

// TestCommittedCounters reports how far our profiles are from what Nsight
// Compute counted (-v prints the table), and holds the bounds of the counts
// that carry over.
func TestCommittedCounters(t *testing.T) {
	paths := committed(t, "counters.csv")
	if len(paths) == 0 {
		t.Skip("testdata/golden has no counters of a GPU yet: `make golden-gpu` makes them on a machine with one and Nsight Compute")
	}
	for _, path := range paths {
		folder := filepath.Base(filepath.Dir(path))
		t.Run(folder, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			networks, err := golden.ReadCounters(path, text)
			if err != nil {
				t.Fatal(err)
			}
			var caches *gpu.GPU
			if name := gpuFiles[folder]; name != "" {
				if caches, err = gpu.Get(name); err != nil {
					t.Fatal(err)
				}
			}
			for name, counted := range networks {
				for _, s := range samples(t, name) {
					if s.Name == "networks/"+name {
						report(t, name, launchesOf(t, s, caches), counted)
					}
				}
			}
		})
	}
}

// report prints the distances of the totals and fails for those beyond their
// bounds.
func report(t *testing.T, network string, launches []*analysis.LaunchProfile, counted []*golden.Counted) {
	t.Helper()
	all, err := golden.Distances(network, launches, counted)
	if err != nil {
		t.Error(err)
		return
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, d := range all {
		if d.Launch == "total" {
			fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%+.2f %%\n", d.What, d.GPU, d.Ours, 100*d.Relative())
		}
		if d.Beyond() {
			t.Errorf("%s, launch %s (%s): %s is %.0f on the GPU, %.0f here: more than %g %% apart", d.Network, d.Launch, d.Kernel, d.What, d.GPU, d.Ours, 100*d.Bound)
		}
	}
	w.Flush()
	t.Logf("%s: count, GPU, ours, distance\n%s", network, b.String())
}

// counted writes counters.csv from our own profile, with a factor for one
// metric.
func counted(launches []*analysis.LaunchProfile, metric string, factor float64) string {
	var b strings.Builder
	b.WriteString("ID,Kernel Name,Block Size,Grid Size,Metric Name,Metric Unit,Metric Value\n")
	for i, lp := range launches {
		for name, c := range map[string]analysis.Counter{
			"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": analysis.FlopSPAdd,
			"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": analysis.FlopSPMul,
			"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": analysis.FlopSPFma,
			"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum":     analysis.GlobalStoreRequests,
			"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum":      analysis.GlobalLoadSectors,
			"smsp__inst_executed.sum":                             analysis.WarpInstructions,
		} {
			x := lp.Facts.X(c)
			if name == metric {
				x *= factor
			}
			fmt.Fprintf(&b, "net/%d,%s,\"(1, 1, 1)\",\"(1, 1, 1)\",%s,inst,%.0f\n", i, lp.KernelName, name, x)
		}
	}
	return b.String()
}

// TestCounters: our own counts agree with themselves; another count is found
// where it has a bound.
func TestCounters(t *testing.T) {
	var launches []*analysis.LaunchProfile
	for _, s := range samples(t) {
		if s.Name == "kernels/sm_70/gemm_tiled" || s.Name == "kernels/sm_70/avg_pool" {
			launches = append(launches, launchesOf(t, s, nil)...)
		}
	}
	distances := func(text string) ([]golden.Distance, error) {
		networks, err := golden.ReadCounters("c.csv", []byte(text))
		if err != nil {
			return nil, err
		}
		return golden.Distances("net", launches, networks["net"])
	}
	for _, c := range []struct {
		metric string
		factor float64
		beyond int // launches and total
	}{
		{"", 1, 0},
		{"smsp__inst_executed.sum", 3, 0},
		{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1.5, 6},
		{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1.02, 0},
		{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0.5, 1}, // only gemm_tiled has them; the total has the division of avg_pool
	} {
		all, err := distances(counted(launches, c.metric, c.factor))
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %d distances, %v", c.metric, len(all), err)
		}
		beyond := 0
		for _, d := range all {
			if d.Beyond() {
				beyond++
			}
		}
		if beyond != c.beyond {
			t.Errorf("%s times %g: %d distances are beyond their bounds, want %d: %+v", c.metric, c.factor, beyond, c.beyond, all)
		}
	}
	good := counted(launches, "", 1)
	base, err := golden.ReadCounters("c.csv", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	// Units that are no base units are converted.
	scaled, err := golden.ReadCounters("c.csv", []byte(strings.ReplaceAll(good, ",inst,", ",Kinst,")))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range base["net"] {
		for name, x := range c.Values {
			if y := scaled["net"][i].Values[name]; y != 1000*x {
				t.Errorf("%s: %g thousand are %g", name, x, y)
			}
		}
	}
	first := strings.Index(good, "net/0")
	for _, c := range []struct{ text, wrong string }{
		{strings.Replace(good, ",inst,", ",inst,-7", 1), "not negative"},
		{strings.Replace(good, "net/0", "net", 1), `ID is "net"`},
		{good[:first] + strings.Replace(good[first:], ",inst,", ",inst,x", 1), "must be a number"},
		{good + good[first:], "stands there twice"},
		{good[:strings.Index(good, "net/4")], "end before launch"},
		{strings.ReplaceAll(good, "gemm_tiled", "gemm"), "in the GPU's counters"},
		{good + "net/9,k,,,m,inst,1\n", "1 launches more"},
	} {
		if _, err := distances(c.text); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v, want %q", err, c.wrong)
		}
	}
}
