package analysis

import (
	"math"
	"slices"
	"testing"

	"hyptx/internal/gpu"
)

// TestStalls: the time of all warps is told by instruction, without changing it; what waits
// for a load waits at the instruction that needs it.
func TestStalls(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Simulate, o.SimulatedInstructions = []*gpu.GPU{g}, 200_000
	const path = "../ptx-samples/kernels/gemm_tiled.json"
	without := profiledWith(t, path, o)
	if rows := without.Stalls(); len(rows) > 0 {
		t.Errorf("%d rows that nobody asked for", len(rows))
	}
	o.Stalls = true
	p := profiledWith(t, path, o)
	lp := p.Launches[0]
	if got, want := lp.Simulated, without.Launches[0].Simulated; got.Cycles != want.Cycles || got.Stalls != want.Stalls || got.Issued != want.Issued {
		t.Errorf("%+v, without %+v", got, want)
	}
	rows := p.Stalls()
	var all, reasons float64
	var issued uint64
	worst := rows[0]
	for _, r := range rows {
		all, issued = all+r.WarpCyclesPct.X, issued+r.Issued.N
		for _, x := range r.Shares() {
			reasons += x.X
		}
		if r.Text == "" || r.PTXLine == 0 || r.GPU != "gv100" {
			t.Errorf("%+v", r)
		}
		if r.LongScoreboard.X > worst.LongScoreboard.X {
			worst = r
		}
	}
	if math.Abs(all-100) > 1e-6 || math.Abs(reasons-100) > 1e-6 || issued != lp.Simulated.Issued {
		t.Errorf("%v %% of the time, by reason %v %%; %d of %d instructions", all, reasons, issued, lp.Simulated.Issued)
	}
	if !slices.IsSortedFunc(rows, func(a, b *StallRow) int { return a.PC - b.PC }) {
		t.Error("not in the order of the text")
	}
	const store = "st.shared"
	if len(worst.Text) < len(store) || worst.Text[:len(store)] != store {
		t.Errorf("most of the waiting for global memory is at %s", worst.Text)
	}
}
