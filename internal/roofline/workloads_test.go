package roofline

import (
	"context"
	"math"
	"os"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/manifest"
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
	for _, c := range []struct {
		kernel      string
		grid, block int
		args        []string
		invocations float64
		counting    Counting
		work        float64
		tolerance   float64
	}{
		{"nearest", 168, 256, []string{"2=42764"}, 1, Machine, 12 * 42764, 0},
		{"kmeans", 1930, 256, []string{"1=34", "2=494020", "3=5"}, 2, PTX, 1030 * 494020, 0},
		{"kmeans", 1930, 256, []string{"1=34", "2=494020", "3=5"}, 2, Machine, 1030 * 494020, 0},
		{"particles", 1000, 128, []string{"0=10"}, 1, PTX, 52*28*28*28*1e4 + 256000, 0.1},
		{"particles", 1000, 128, []string{"0=10"}, 1, Machine, 52*28*28*28*1e4 + 256000, 0.1},
	} {
		opts := analysis.DefaultOptions()
		opts.Kernel = c.kernel
		flags := manifest.Flags{Grid: []int{c.grid}, Block: []int{c.block}, Args: c.args}
		sessions, err := analysis.OpenBare(analysis.Source{Name: "workloads.ptx", Text: text}, flags, opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := analysis.ProfileAll(context.Background(), sessions)
		if err != nil {
			t.Fatal(err)
		}
		launches, err := FromProfile(p, c.counting)
		if err != nil {
			t.Fatal(err)
		}
		m := launches[0].Metrics
		work := c.invocations * (m.FP32 + m.FMA32 + m.FP64 + m.FMA64)
		t.Logf("%s (%s): %.0f operations", c.kernel, c.counting, work)
		if math.Abs(work-c.work) > c.tolerance*c.work {
			t.Errorf("%s (%s): %.0f operations, want %.0f", c.kernel, c.counting, work, c.work)
		}
	}
}
