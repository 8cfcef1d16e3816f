package thesis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// closedForm is what the equations come to: E_mix cancels.
func closedForm(k Kernel, r Rates, p Prediction) float64 {
	slots := k.Ops / (2 * p.MixEfficiency * k.OpsDensity)
	if p.MixEfficiency == 1 && k.Type == Integer {
		slots = k.Ops / k.OpsDensity // an addition is one operation
	}
	return max(slots*(p.OpCost+p.LdStCost+p.OtherCost)/(r.SPGFLOPS/2*1e9), k.TrafficBytes/(r.DRAMGBps*1e9))
}

// identity returns the largest relative difference from the closed form over
// all kernels, GPUs and modes.
func (w *world) identity(t *testing.T) float64 {
	worst := 0.0
	for _, k := range w.kernels {
		for _, g := range w.rates {
			for _, mode := range []IntegerMode{MAD, Add} {
				p := predict(t, k, g, mode)
				want := closedForm(k, g, p)
				worst = max(worst, math.Abs(p.Seconds-want)/want, math.Abs(max(p.IssueSeconds, p.MemorySeconds)-want)/want)
			}
		}
	}
	return worst
}

// TestClosedForm holds the equations against the closed form on random
// kernels and GPUs.
func TestClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rate := func() float64 { return math.Exp(rng.Float64()*10 - 1) }
	for i := range 5000 {
		warps := math.Floor(1 + math.Exp(rng.Float64()*25))
		lanes := 32 * warps
		share := func() float64 { x := math.Floor(lanes / 4 * rng.Float64()); lanes -= x; return x }
		m := Metrics{WarpInstructions: warps, FP32: share(), FP64: share(), Integer: share(), LdSt: share(),
			DRAMReads: math.Floor(warps * rng.Float64()), DRAMWrite: math.Floor(warps * rng.Float64())}
		switch i % 4 {
		case 0:
			m.FP64 = 0
		case 1:
			m.FP64, m.FP32 = 0, 0
		}
		m.FMA32, m.FMA64 = math.Floor(m.FP32*rng.Float64()), math.Floor(m.FP64*rng.Float64())
		g := Rates{SPGFLOPS: rate(), DPGFLOPS: rate(), IntGIOPS: rate(), AddGIOPS: rate(), DRAMGBps: rate(), LdStGOPS: rate()}
		for _, rule := range []Rule{Any, Most} {
			k, err := m.Kernel(rule)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []IntegerMode{MAD, Add} {
				p := predict(t, k, g, mode)
				if k.Ops == 0 {
					if want := max(p.IssueSeconds, p.MemorySeconds); p.Seconds != want {
						t.Errorf("no operations: %g s, want %g", p.Seconds, want)
					}
					continue
				}
				if want := closedForm(k, g, p); math.Abs(p.Seconds-want) > 1e-9*want {
					t.Errorf("%+v on %+v: %g s, closed form %g", k, g, p.Seconds, want)
				}
				if p.IssueSeconds > p.MemorySeconds*(1+1e-12) != (p.Bound == Compute) && math.Abs(p.IssueSeconds/p.MemorySeconds-1) > 1e-9 {
					t.Errorf("%+v on %+v: %s bound, %g s to issue, %g s of memory", k, g, p.Bound, p.IssueSeconds, p.MemorySeconds)
				}
			}
		}
	}
}

// mixbench returns the largest mean absolute error, in percent, over the GPUs:
// the model against the measured curves. The kernel's instructions are not
// published; assumed are, for each thread and each of its four steps, 8 loads, 8
// times c multiply-adds and 4 more, a comparison, and 8 others.
func (w *world) mixbench(t *testing.T) float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for _, r := range facts(t, "mixbench.tsv") {
		if r["type"] != "fp32" {
			continue
		}
		const elements, perThread = 33554432, 32
		threads := elements / perThread * 4.0 // steps
		fma := 8*r.num(t, "compute_iters") + 4
		m := Metrics{FMA32: fma * threads, FP32: (fma + 1) * threads, LdSt: 8 * threads, WarpInstructions: (fma + 1 + 8 + 8) * threads / 32,
			DRAMReads: elements * 4 / SectorBytes}
		k, err := m.Kernel(Any)
		if err != nil {
			t.Fatal(err)
		}
		measured := elements * 4 / (r.num(t, "GB_per_s") * 1e9)
		sum[r["gpu"]] += math.Abs(ErrorPct(predict(t, k, w.rates[r["gpu"]], MAD).Seconds, measured))
		n[r["gpu"]]++
	}
	worst := 0.0
	for gpu := range sum {
		t.Logf("%s: mean absolute error %.1f %%", gpu, sum[gpu]/n[gpu])
		worst = max(worst, sum[gpu]/n[gpu])
	}
	if len(sum) != 6 {
		t.Errorf("%d GPUs", len(sum))
	}
	return worst
}
