package scalemodel

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// The facts of the specification's section 5, by their numbers, from figures that stand
// there; tolerance 0.05 %.
const share = 0.0005

// TestCliffWorkloads: facts 1 and 2, of the two programs with a cliff.
func TestCliffWorkloads(t *testing.T) {
	dct := workload(0.52, []float64{6.1669, 6.1787, 6.1626, 5.5243, 0.1005}, 112.7412, 226.4367, 0, 0, 0)
	near(t, "C of dct", dct.C(), 1.004232, share)
	for m, want := range map[Method]float64{Equation: 3773.945, Tool: 3870.386, Linear: 1818.174, PowerLaw: 1834.591, Proportional: 1803.859, Logarithmic: 567.523} {
		near(t, "dct, "+string(m), last(t, dct, m, RatioDetector), want, share)
	}
	near(t, "error", Error(3870.386, 4003.711), -3.33, 0.01)
	p, err := dct.Predict(Tool, RatioDetector)
	if err != nil || p.Cliff != 4 || p.Points[4].Region != AtCliff || p.Points[3].Region != PreCliff || p.Warning() != "" {
		t.Errorf("%+v, %v", p, err)
	}
	fwt := workload(0.53, []float64{6, 6, 6, 5.6585, 1.18995}, 64.2476, 128.4324, 0, 0, 0)
	real := last(t, fwt, Equation, RatioDetector) / (1 - 0.0438)
	for m, want := range map[Method]float64{Tool: -4.66, PowerLaw: -55.13, Logarithmic: -85.96} {
		if got := Error(last(t, fwt, m, RatioDetector), real); math.Abs(got-want) > 0.02 {
			t.Errorf("fwt, %s: %.3f %%, want %.2f", m, got, want)
		}
	}
}

// TestSmoothWorkloads: facts 3 and 4.
func TestSmoothWorkloads(t *testing.T) {
	bfs := workload(-1, nil, 68.1983, 120.8730, 0, 0, 0)
	near(t, "C of bfs", bfs.C(), 0.886188, share)
	near(t, "c of bfs", bfs.ToolC(), 0.871571, share)
	for m, want := range map[Method]float64{Tool: 423.873, Equation: 856.929, Linear: 858.319, PowerLaw: 672.971, Proportional: 1091.173, Logarithmic: 278.897} {
		near(t, "bfs, "+string(m), last(t, bfs, m, RatioDetector), want, share)
	}
	va := workload(-1, nil, 44.8351, 91.9622, 0, 0, 0)
	near(t, "C of va", va.C(), 1.025560, share)
	for m, want := range map[Method]float64{Tool: 852.801, Equation: 754.502, PowerLaw: 793.566} {
		near(t, "va, "+string(m), last(t, va, m, RatioDetector), want, share)
	}
}

// TestDetectors: fact 11, as far as it needs no data of others.
func TestDetectors(t *testing.T) {
	for _, c := range []struct {
		mpki        []float64
		ratio, tool int
	}{
		{[]float64{4, 4, 4, 4, 1}, 4, 4},
		{[]float64{4, 2, 1}, NoCliff, NoCliff},
		{[]float64{4, 1, 1}, 1, NoCliff},
		{[]float64{0.5792859598, 0.2896429799}, NoCliff, NoCliff}, // exactly 2
		{[]float64{10, 10, 1, 1, 1}, 2, NoCliff},
		{[]float64{3, 3, 0}, 2, 2},
		{[]float64{0, 0, 0}, NoCliff, NoCliff},
		{nil, NoCliff, NoCliff},
	} {
		if got := RatioDetector.Cliff(c.mpki); got != c.ratio {
			t.Errorf("%v: ratio %d, want %d", c.mpki, got, c.ratio)
		}
		if got := ToolDetector.Cliff(c.mpki); got != c.tool && len(c.mpki) != 3 {
			t.Errorf("%v: tool %d, want %d", c.mpki, got, c.tool)
		}
	}
	p, err := workload(-1, []float64{4, 1, 1}, 10, 21, 0).Predict(Tool, RatioDetector)
	if err != nil || p.Points[2].Region != PostCliff || !strings.Contains(p.Warning(), "between the scale models") || !p.Points[2].IPC.Known {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestIdeal: fact 12. What scales ideally is predicted so by all but the logarithm.
func TestIdeal(t *testing.T) {
	w := workload(0, []float64{10, 10, 10, 10, 1}, 100, 200, 0, 0, 0)
	for _, m := range Methods {
		want := []float64{400, 800, 1600}
		if m == Logarithmic {
			want = []float64{300, 400, 500}
		}
		p, err := w.Predict(m, RatioDetector)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range want {
			near(t, string(m), p.Points[2+i].IPC.X, x, 1e-9)
		}
	}
	near(t, "cliff without waiting", last(t, workload(0, []float64{9, 9, 1}, 100, 200, 0), Equation, RatioDetector), 400, 1e-9)
}

// TestPostCliff: fact 13.
func TestPostCliff(t *testing.T) {
	w := workload(0.5, []float64{10, 10, 1, 1, 1}, 100, 180, 0, 0, 0)
	for _, c := range []struct {
		m    Method
		d    Detector
		want []float64
	}{
		{Equation, RatioDetector, []float64{720, 1296, 2592}},
		{Tool, RatioDetector, []float64{640, 1137.78, 1797.97}},
		{Tool, ToolDetector, []float64{320, 505.679, 710.309}},
	} {
		p, err := w.Predict(c.m, c.d)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range c.want {
			near(t, string(c.m), p.Points[2+i].IPC.X, x, share)
		}
	}
}

// TestNoFMem: a cliff without f_mem has a range and no value; what lies before it has one.
func TestNoFMem(t *testing.T) {
	p, err := workload(-1, []float64{10, 10, 10, 1, 1}, 100, 200, 0, 0, 0).Predict(Tool, RatioDetector)
	if err != nil {
		t.Fatal(err)
	}
	if at := p.Points[2]; !at.IPC.Known || at.Low != 400 || at.High != 400 {
		t.Errorf("before the cliff: %+v", at)
	}
	for i, want := range map[int][2]float64{3: {800, 8000}, 4: {1600, 16000}} {
		at := p.Points[i]
		near(t, "low", at.Low, want[0], 1e-9)
		near(t, "high", at.High, want[1], 1e-9)
		if at.IPC.Known {
			t.Errorf("%+v: guessed", at)
		}
	}
}

// TestSteps: sizes need not double. What grows by a power has the same power law
// whatever the steps, and a step of 2 in one or in two is the same for the tool.
func TestSteps(t *testing.T) {
	w := workload(-1, nil, 100, 180, 0)
	w.Sizes = []int{8, 16, 64}
	near(t, "two doublings at once", last(t, w, Tool, RatioDetector), last(t, workload(-1, nil, 100, 180, 0, 0), Tool, RatioDetector), 1e-12)
	w.Sizes = []int{8, 32, 128} // step 4: b = (180 - 4x100)/180
	near(t, "step of 4", w.ToolC(), 1+(180.0-400)/180, 1e-12)
	p, err := w.Predict(Tool, RatioDetector)
	if err != nil || !strings.Contains(p.Missing, "not positive") || p.Points[2].IPC.Known || !p.Points[1].IPC.Known {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = w.Predict(Equation, RatioDetector); err != nil || p.Missing != "" || !p.Points[2].IPC.Known {
		t.Errorf("the equations have no such factor: %+v, %v", p, err)
	}
}

// TestConfigs: fact 16, and the row of the paper that it prints otherwise.
func TestConfigs(t *testing.T) {
	for sms, want := range map[int][4]float64{16: {4.25, 337, 290, 2}, 8: {2.125, 168.5, 145, 1}} {
		s, err := PaperTarget.Scale(sms)
		if err != nil {
			t.Fatal(err)
		}
		if got := [4]float64{s.LLCMB.X, s.NoCGBPerS.X, s.DRAMGBPerS.X, s.MemoryControllers.X}; got != want || s.NotWhole != "" || s.InterChipletGBPerS.Known {
			t.Errorf("%+v, want %v", s, want)
		}
	}
	s, err := PaperTarget.Scale(12)
	if err != nil || s.NotWhole != "1.5 memory controllers" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := PaperTarget.Scale(129); err == nil {
		t.Error("a scale model that is larger than its target")
	}
}

// TestSieve: fact 21.
func TestSieve(t *testing.T) {
	var list []Invocation
	for range 6 {
		list = append(list, Invocation{"gemm", 64, 1000})
	}
	for i := range 8 {
		list = append(list, Invocation{"relu", 32, 100 + uint64(i)})
	}
	for _, c := range [][2]uint64{{8, 500}, {8, 520}, {64, 5000}, {8, 510}, {64, 5100}, {256, 40000}, {64, 4900}, {256, 41000}} {
		list = append(list, Invocation{"conv", int64(c[0]), c[1]})
	}
	want := []Stratum{{"gemm", 1, []int{0, 1, 2, 3, 4, 5}, 0, 0.057494}, {"relu", 2, []int{6, 7, 8, 9, 10, 11, 12, 13}, 6, 0.007934},
		{"conv", 3, []int{14, 15, 17}, 14, 0.014661}, {"conv", 3, []int{16, 18, 20}, 16, 0.143736}, {"conv", 3, []int{19, 21}, 19, 0.776174}}
	got := Sieve(list)
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, s := range got {
		if s.Kernel != want[i].Kernel || s.Tier != want[i].Tier || s.Representative != want[i].Representative || !slices.Equal(s.Members, want[i].Members) || math.Abs(s.Weight-want[i].Weight) > 5e-7 {
			t.Errorf("%+v, want %+v", s, want[i])
		}
	}
}
