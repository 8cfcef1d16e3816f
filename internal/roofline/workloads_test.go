package roofline

import (
	"context"
	"math"
	"os"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// TestWorkloads holds the floating-point work of three programs of Rodinia,
// written anew (testdata/workloads), against the thesis' counters (facts A21):
// operations, a multiply-add counting 2. It measured GTX-480 code, so that what
// the machine makes of sqrt comes from the estimate, and the e^x of the last one
// is ours: within 10 %, as the fact says.
func TestWorkloads(t *testing.T) {
	text, err := os.ReadFile("testdata/workloads/workloads.ptx")
	if err != nil {
		t.Fatal(err)
	}
	both := []Counting{PTX, Machine}
	for _, c := range []struct {
		kernel      string
		grid, block int
		args        []string
		invocations float64
		countings   []Counting
		work        float64
		tolerance   float64
	}{
		{"nearest", 168, 256, []string{"2=42764"}, 1, both[1:], 12 * 42764, 0},
		{"kmeans", 1930, 256, []string{"1=34", "2=494020", "3=5"}, 2, both, 1030 * 494020, 0},
		{"particles", 1000, 128, []string{"0=10"}, 1, both, 52*28*28*28*1e4 + 256000, 0.1},
	} {
		p := workload(t, text, c.kernel, manifest.Flags{Grid: []int{c.grid}, Block: []int{c.block}, Args: c.args})
		for _, counting := range c.countings {
			launches, err := FromProfile(p, counting)
			if err != nil {
				t.Fatal(err)
			}
			m := launches[0].Metrics
			work := c.invocations * (m.FP32 + m.FMA32 + m.FP64 + m.FMA64)
			t.Logf("%s (%s): %.0f operations", c.kernel, counting, work)
			if math.Abs(work-c.work) > c.tolerance*c.work {
				t.Errorf("%s (%s): %.0f operations, want %.0f", c.kernel, counting, work, c.work)
			}
		}
	}
}

// workload profiles a kernel of the programs.
func workload(t *testing.T, text []byte, kernel string, flags manifest.Flags) *analysis.Profile {
	t.Helper()
	opts := analysis.DefaultOptions()
	opts.Kernel = kernel
	sessions, err := analysis.OpenBare(context.Background(), source.File{Name: "workloads.ptx", Text: text}, flags, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := analysis.ProfileAll(context.Background(), sessions)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
