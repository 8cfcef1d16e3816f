package power

import "testing"

// The acceptance facts of the model, by number. Tolerances are those of the
// digits given.

func static(t *testing.T, c Category, lanes float64, r Rules) float64 {
	t.Helper()
	w, err := staticW(staticGV100()[c], c, lanes, r)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func estimate(t *testing.T, c *Chip, a *Activity, r Rules, s State) *Estimate {
	t.Helper()
	e, err := c.Estimate(a, r, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// one is an activity of one second in one cycle, so that joules are watts.
func one(lanes float64) *Activity { return &Activity{Cycles: 1, ClockMHz: 1e-6, Lanes: lanes} }

func TestFact1StaticByActiveSMs(t *testing.T) {
	chip := GV100(sassSim, Release)
	a := one(32)
	a.Counts[Int], a.Counts[FP] = 1, 1
	near(t, "80 of 80", estimate(t, chip, a, Release, Reference).Watts[StaticP], 38.62005900, 1e-8)
	a.IdleSMs = 40
	near(t, "40 of 80", estimate(t, chip, a, Release, Reference).Watts[StaticP], 19.31002950, 1e-8)
	a.IdleSMs, a.Lanes = 0, 1
	near(t, "one lane", estimate(t, chip, a, Release, Reference).Watts[StaticP], 18.6179906, 1e-8)
}

func TestFact2HalfWarp(t *testing.T) {
	for _, c := range []struct {
		lanes, want float64
		rules       Rules
	}{
		{16, 20.87516572, Paper}, {17, 18.76164198, Paper}, {24, 19.74795306, Paper}, {32, 20.87516572, Paper},
		{24, 23.12959105, Release}, {32, 25.38401638, Release},
	} {
		near(t, "INT_MUL", static(t, IntMulOnly, c.lanes, c.rules), c.want, 1e-8)
	}
}

func TestFact3IdleAndLight(t *testing.T) {
	a := one(32)
	a.IdleSMs = 40
	near(t, "idle", estimate(t, GV100(sassSim, Release), a, Release, Reference).Watts[IdleCoreP], 11.3116664, 1e-7)
	near(t, "LIGHT", static(t, Light, 32, Release), 2.08834672, 1e-8)
	near(t, "LIGHT and constant", static(t, Light, 32, Release)+Release.set().constantW, 34.41356944, 1e-8)
}

func TestFact4StaticOfOddMixes(t *testing.T) {
	a := one(32)
	a.Counts[Exp] = 1
	chip := GV100(sassSim, Release)
	e := estimate(t, chip, a, Release, Reference)
	near(t, "EX2 only", e.Watts[StaticP], 37.38699798, 1e-8)
	e = estimate(t, chip, one(0), Release, Reference)
	near(t, "no execution", e.Watts[StaticP], 34.79491352, 1e-8)
	if got := categoryOf(&counts{}, Paper); got != Light {
		t.Errorf("no execution, paper: %s, want LIGHT", got)
	}
}

// TestFacts5to9 are components of kernels in the closed form.
func TestFacts5to9(t *testing.T) {
	want := map[string]map[Component]float64{
		"fastWalshTransform_k1": {IBP: 2.0741, DCP: 3.4283, SchedP: 5.1984, L2CP: 9.3595, NoCP: 11.7549, DRAMP: 30.2557, MCP: 2.5177, PipeP: 2.5109, IdleCoreP: 0.7280, StaticP: 37.3774, numComponents: 139.873},
		"parboil-sgemm_k1":      {FPMulP: 24.7923, SHRDP: 20.8680, DCP: 11.5545, SchedP: 32.2684, PipeP: 15.9160, StaticP: 37.7125, numComponents: 202.716},
		"mergeSort_k2":          {SchedP: 53.9657, SHRDP: 25.5860, INTP: 11.2457, PipeP: 26.4618, numComponents: 227.243},
		"cutlass_k1":            {TensorP: 6.23831, IdleCoreP: 17.05864, StaticP: 12.0400, numComponents: 99.5575},
		"dct8x8_k2":             {SHRDP: 7.3119, DRAMP: 13.0935, StaticP: 23.7753, numComponents: 125.498},
	}
	for _, k := range HWKernels() {
		e := estimate(t, GV100(hw, Release), &k.Activity, Release, Reference)
		for c, w := range want[k.Kernel] {
			if c == numComponents {
				near(t, k.Kernel+" total", e.TotalW(), w, 0.001)
				continue
			}
			near(t, k.Kernel+" "+c.String(), e.Watts[c], w, 0.0002)
		}
	}
}

func hwKernel(t *testing.T, name string) measuredKernel {
	t.Helper()
	for _, k := range HWKernels() {
		if k.Kernel == name {
			return k
		}
	}
	t.Fatalf("no kernel %s", name)
	return measuredKernel{}
}

func TestFact11Voltage(t *testing.T) {
	k := hwKernel(t, "parboil-sgemm_k1")
	s := State{VoltageRatio: 0.8, TemperatureFactor: 1}
	chip := GV100(hw, Release)
	near(t, "released rule", estimate(t, chip, &k.Activity, Release, s).TotalW(), 135.857, 0.001)
	e := estimate(t, chip, &k.Activity, Release, Reference)
	s.apply(&e.Watts, Paper)
	near(t, "equation 2", e.TotalW(), 147.495, 0.001)
	// The temperature factor is on static and idle power alone.
	hot := estimate(t, chip, &k.Activity, Release, State{1, 2})
	cold := estimate(t, chip, &k.Activity, Release, Reference)
	near(t, "temperature", hot.TotalW()-cold.TotalW(), cold.Watts[StaticP]+cold.Watts[IdleCoreP], 1e-9)
}

// inComponentPJ returns what one event costs in one component, in pJ.
func inComponentPJ(e *Energies, c Counter, m Component) (sum float64) {
	for _, t := range e.terms {
		if t.counter == c && t.component == m {
			sum += t.joules * pico
		}
	}
	return sum
}

func publishedKernel(t *testing.T, table publishedTable, kernel string) kernelPower {
	t.Helper()
	for _, k := range table.read().Kernels {
		if k.Kernel == kernel {
			return k
		}
	}
	t.Fatalf("%s has no kernel %s", table.file, kernel)
	return kernelPower{}
}

func TestFact12Pascal(t *testing.T) {
	const kernel = "b+tree-rodinia-3.1_k1"
	before, after := publishedKernel(t, unfittedTables[0], kernel), publishedKernel(t, publishedTables[4], kernel)
	near(t, "unscaled", before.TotalW, 100.35127, 0.0005)
	near(t, "scaled", after.TotalW, 103.44892, 0.0005)
	near(t, "measured", after.MeasuredW, 108.2825, 1e-6)
	tuned, pascal := GV100(sassSim, Release), titanX(sassSim, Release)
	near(t, "energies", pascal.Energies.perEventPJ(FP)/tuned.Energies.perEventPJ(FP), 1.064935065, 1e-9)
	near(t, "idle", pascal.IdleSMW/tuned.IdleSMW, 3.853571, 1e-6)
	for c := range numComponents {
		switch {
		case c.dynamic():
			near(t, c.String(), after.Watts[c], before.Watts[c]*1.064935065, 0.0005)
		case c == IdleCoreP:
			near(t, c.String(), after.Watts[c], before.Watts[c]*3.853571, 0.0005)
		}
	}
}

func TestFact13Turing(t *testing.T) {
	near(t, "constant", rtx2060S(sassSim, Release).ConstantW, 55.2247, 0.0001)
	k := publishedKernel(t, publishedTables[6], "b+tree-rodinia-3.1_k1")
	near(t, "b+tree", k.TotalW, 127.1903, 0.0005)
	near(t, "measured", k.MeasuredW, 145.0429, 0.0001)
	if got := rtx2060S(PTXSim, Release).ConstantW / Release.set().constantW; got != turingConstPTX {
		t.Errorf("factor of the PTX sheet %g", got)
	}
}

func TestFact16OneWarp(t *testing.T) {
	for _, c := range []struct {
		v                        Variant
		mul, buffer, sched, regs float64
	}{{PTXSim, 263.056, 1.17567, 16.9726, 166.03}, {sassSim, 110.78, 5.878, 17.311, 308.39}} {
		e := c.v.energies()
		near(t, "FP_MULP", 32*e.perEventPJ(FPMul), c.mul, 0.005)
		near(t, "IBP", e.perEventPJ(TotInst), c.buffer, 0.0005)
		near(t, "SCHEDP", e.perEventPJ(FPInst), c.sched, 0.0005)
		near(t, "RFP", 96*e.perEventPJ(RegRead)+32*e.perEventPJ(RegWrite), c.regs, 0.01)
	}
}

func TestFact17Memory(t *testing.T) {
	e := sassSim.energies()
	near(t, "DRAM", inComponentPJ(e, DRAMRead, DRAMP), 2009.67, 0.01)
	near(t, "controller", inComponentPJ(e, DRAMRead, MCP), 52.50, 0.01)
	near(t, "both", e.perEventPJ(DRAMRead), 2062.17, 0.01)
	near(t, "L2", e.perEventPJ(L2ReadHit), 68.79, 0.005)
	near(t, "flit", e.perEventPJ(Flit), 86.10, 0.005)
}

func TestFact18Pipeline(t *testing.T) {
	for v, want := range map[Variant]float64{sassSim: 7.2402, PTXSim: 0.36201, hw: 14.4804} {
		a := &Activity{Cycles: 1447, ClockMHz: 1447, Duty: 0.5}
		near(t, string(v), estimate(t, GV100(v, Release), a, Release, Reference).Watts[PipeP], want, 0.00005)
	}
}

// TestFact19Mix recovers the PTX instruction mix of kernels from their published
// powers. The PTX itself (of nvcc 11.0) is not there to count.
func TestFact19Mix(t *testing.T) {
	e := PTXSim.energies()
	for kernel, mix := range map[string]map[Component]float64{
		"dct8x8_k1":              {INTP: 27. / 98, IntMul24P: 1. / 98, IntMul32P: 3. / 98, FPUP: 4. / 98, FPMulP: 16. / 98, TexP: 1. / 98},
		"dct8x8_k2":              {INTP: 66. / 240, IntMul24P: 1. / 240, IntMul32P: 7. / 240, FPUP: 38. / 240, FPMulP: 56. / 240},
		"fastWalshTransform_k1":  {INTP: 1. / 2, IntMul32P: 2. / 25, FPUP: 4. / 25},
		"srad_v1-rodinia-3.1_k1": {INTP: 19. / 59, IntMul32P: 5. / 59, IntDivP: 1. / 59, FPMulP: 4. / 59, FPDivP: 2. / 59, DPUP: 5. / 118, DPMulP: 3. / 118},
	} {
		k := publishedKernel(t, publishedTables[1], kernel)
		warps := k.Watts[IBP] / e.perEventPJ(TotInst)
		for c, want := range mix {
			counter := map[Component]Counter{INTP: Int, IntMul24P: IntMul24, IntMul32P: IntMul32, FPUP: FP, FPMulP: FPMul, TexP: Tex, IntDivP: IntDiv, FPDivP: FPDiv, DPUP: DP, DPMulP: DPMul}[c]
			near(t, kernel+" "+c.String(), k.Watts[c]/e.perEventPJ(counter)/warps/32, want, 1e-3*want) // a few warps are partial
		}
	}
}

// TestFact20Counts: counts recovered from powers are whole numbers of threads.
func TestFact20Counts(t *testing.T) {
	const m = 1 << 20
	k2 := hwKernel(t, "backprop-rodinia-3.1_k2").Activity.Counts
	for c, want := range map[Counter]float64{Int: 6 * m, IntMul: 6 * m, DPMul: 6 * m, FP: 9 * m, DP: m} {
		near(t, c.String(), k2[c], want, 2e-5*want)
	}
	k1 := hwKernel(t, "backprop-rodinia-3.1_k1").Activity.Counts
	near(t, "TOT_INST", k1[TotInst], 137*32768, 2e-5*137*32768)
}
