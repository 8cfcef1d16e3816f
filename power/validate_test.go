package power

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.9g, want %.9g +- %g", what, got, want, tol)
	}
}

// TestHeadline: fact 10, the paper's figures from its tables.
func TestHeadline(t *testing.T) {
	want := map[string][5]float64{ // n, MAPE, CI, max, r: headline of the paper, recomputed from the workbook
		"volta_sass_sim":  {26, 9.2264, 3.1187, 29.9877, 0.8297},
		"volta_ptx_sim":   {21, 13.6504, 4.3675, 33.5468, 0.6786},
		"volta_hw":        {25, 7.4575, 2.1822, 20.9804, 0.9101},
		"volta_hybrid":    {25, 8.1519, 2.1534, 21.9896, 0.9023},
		"pascal_sass_sim": {22, 10.9873, 3.8106, 33.5127, 0.5877},
		"pascal_ptx_sim":  {20, 10.7762, 3.2386, 28.1735, 0.7357},
		"turing_sass_sim": {26, 12.9483, 4.7089, 53.1393, 0.2906},
		"turing_ptx_sim":  {21, 14.2753, 3.3868, 30.7825, 0.3234},
	}
	for _, table := range publishedTables {
		p := table.read()
		a, w := p.accuracy(), want[p.File]
		for _, k := range p.Kernels {
			near(t, p.File+" "+k.Kernel, k.TotalW, k.PublishedW, 0.0015) // six digits of each component
		}
		near(t, p.File+" n", float64(a.N), w[0], 0)
		near(t, p.File+" MAPE", a.MAPEPct, w[1], 0.001)
		near(t, p.File+" CI", a.CI95Pct, w[2], 0.001)
		near(t, p.File+" max", a.MaxPct, w[3], 0.001)
		near(t, p.File+" r", a.PearsonR.X, w[4], 0.0001)
	}
	rows, err := Validate()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Logf("%-30.30s %-52s %3d %8.4f %8.4f %8.4f %8.4f %7s", r.Section, r.Table, r.N, r.MAPEPct, r.CI95Pct, r.MaxPct, r.BiasPct, r.PearsonR)
	}
}

func TestRerun(t *testing.T) {
	kernels := HWKernels()
	modelled, measured, err := rerun(kernels)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range kernels {
		near(t, k.Kernel+" total", modelled[i], k.RerunW, 0.001)
		if got := "static_" + categoryKeys[categoryOf(&k.Activity.Counts, Release)]; got != k.Category {
			t.Errorf("%s: category %s, want %s", k.Kernel, got, k.Category)
		}
	}
	near(t, "MAPE", compare(modelled, measured).MAPEPct, 7.475, 0.001)
}

// TestGroups: the mean share of each reporting group is that of figure 8.
func TestGroups(t *testing.T) {
	for i, want := range [][numGroups]float64{
		{.20288, .17063, .03221, .17610, .07954, .02864, .00278, .04533, .04548, .07512, .02171, .08393, .03564},
		{.20141, .18775, .02047, .17727, .03878, .05718, .00415, .00371, .05384, .09103, .04517, .10141, .01785},
		{.20103, .17857, .02141, 0, .03187, .02254, .00403, .01403, .07000, .01208, .07200, .08872, .28372},
	} {
		p := publishedTables[i].read()
		var mean [numGroups]float64
		for _, k := range p.Kernels {
			for g, w := range k.Watts.byGroup() {
				mean[g] += w / k.TotalW / float64(len(p.Kernels))
			}
		}
		for g := range want {
			near(t, p.File+" "+groupNames[g], mean[g], want[g], 1e-5)
		}
	}
}

// groupNames are the groups as they stand in column names.
var groupNames = [numGroups]string{
	"const", "static", "idle_sm", "regfile", "alu", "fpu_dpu", "sfu", "tensor", "l1d_shared", "icache_ccache", "l2_noc", "dram_mc", "others",
}
