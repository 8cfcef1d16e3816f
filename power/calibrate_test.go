package power

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// lawful are runs of a board that draws as a law says, without any error.
func lawful(board string, steady bool) (runs []*MicroRun, want *familyLaw, constantW float64) {
	want = &familyLaw{ActiveW: 0.5, IdleW: 0.2, KneeMHz: 1000, RisePerGHz: 0.5}
	constantW = 30
	energies := sassSim.energies()
	factors := map[string]float64{"issue": 0.5, "int": 1.5, "fp32": 1.2, "fp64": 2, "l1": 1, "shared": 2, "l2": 1.1, groupDRAMName: 0.9}
	benchmarks := []struct {
		name    string
		counter Counter
		perSM   float64
	}{{"i", Int, 60}, {"f", FPMul, 60}, {"d", DPMul, 30}, {"f2", FPMul, 30}, {"l1", L1ReadHit, 2}, {"sh", SharedPass, 0.9}, {"l2", L2ReadHit, 1}, {"dram", DRAMRead, 0.3}, {"", NumCounters, 0}}
	for _, mhz := range []float64{600, 800, 1000, 1200, 1400} {
		for i, b := range benchmarks {
			r := &MicroRun{Board: board, Benchmark: b.name, ClockMHz: mhz, SMs: 80, Idle: b.counter == NumCounters, Steady: steady && b.counter < DRAMRead && b.counter >= Int}
			perS := 8 * b.perSM * 80 * mhz * 1e6
			switch {
			case r.Idle:
			case b.counter == Int || b.counter == FPMul || b.counter == DPMul:
				r.Issue(b.counter, perS, float64(2+i%2))
			default:
				r.Rates[b.counter] = perS
			}
			v := want.voltage(mhz)
			r.PowerW = constantW + v*v*80*mhz/1000*map[bool]float64{true: want.IdleW, false: want.ActiveW}[r.Idle]
			for _, g := range eventGroups {
				for _, c := range g.counters {
					w := r.Rates[c] * energies.perEventJ[c] * factors[g.name]
					if g.name != groupDRAMName {
						w *= v * v
					}
					r.PowerW += w
				}
			}
			runs = append(runs, r)
		}
	}
	return runs, want, constantW
}

// TestCalibrate: a board that draws as a law says gives the law back, also at clocks
// and of benchmarks that were left out of the fit.
func TestCalibrate(t *testing.T) {
	runs, want, constantW := lawful("V100", false)
	c, err := Calibrate(runs, "made up")
	if err != nil {
		t.Fatal(err)
	}
	f := c.Families[0]
	near := func(what string, got, want, pct float64) {
		if math.Abs(got/want-1) > pct/100 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	if f.Name != "Volta" || f.KneeMHz != want.KneeMHz || f.RisePerGHz != want.RisePerGHz {
		t.Errorf("%s: from %g MHz by %g a GHz", f.Name, f.KneeMHz, f.RisePerGHz)
	}
	near("constant power", f.Boards[0].ConstantW, constantW, 1)
	near("an SM", f.ActiveW, want.ActiveW, 6) // what is left to the priors of arithmetic
	near("an idle SM", f.IdleW, want.IdleW, 1)
	for name, x := range map[string]float64{"shared": 2, "l2": 1.1, groupDRAMName: 0.9} {
		near(name, f.Factors[name].Fitted, x, 5)
	}
	if x := f.Factors[groupDRAMName]; x.X != 1 || x.Basis != "accelwattch" {
		t.Errorf("DRAM below AccelWattch's: %+v", x)
	}
	if x := f.Factors["tensor"]; x.Basis != "accelwattch" || math.Abs(x.X-1/math.Pow(want.voltage(tunedMHz), 2)) > 1e-12 {
		t.Errorf("what no run says is AccelWattch's at the low voltage: %+v", x)
	}
	if f.FitMAPEPct > 0.5 || f.WithoutClockPct > 1 || f.WithoutBenchmarkPct > 40 {
		t.Errorf("%g %%, %g %% without a benchmark, %g %% without a clock", f.FitMAPEPct, f.WithoutBenchmarkPct, f.WithoutClockPct)
	}
	if text := strings.Join(c.Report(), "\n"); !strings.Contains(text, "V100: constant 30.0 W; 45 runs") || !strings.Contains(text, "HBM2: DRAM x 1,") {
		t.Errorf("report:\n%s", text)
	}
}

// TestCalibrateSteady: runs whose operands do not change say nothing of arithmetic.
func TestCalibrateSteady(t *testing.T) {
	runs, _, _ := lawful("V100", false)
	more, _, _ := lawful("Titan Xp", true)
	c, err := Calibrate(append(runs, more...), "made up")
	if err != nil {
		t.Fatal(err)
	}
	volta, pascal := c.family("Volta"), c.family("Pascal")
	if x, from := pascal.Factors["int"], volta.Factors["int"]; x.Basis != "prior" || math.Abs(x.X/(from.X*0.82/0.77)-1) > 1e-3 {
		t.Errorf("integers: %+v, of the first family %+v", x, from)
	}
	if n := pascal.Boards[0].Runs; n >= 45 {
		t.Errorf("%d runs", n)
	}
	if _, err := Calibrate([]*MicroRun{{Board: "another"}}, ""); err == nil {
		t.Error("a board of no family is fitted")
	}
}

// TestCalibrationData: the numbers of the program hold together, and are those of a
// calibration.
func TestCalibrationData(t *testing.T) {
	c := embeddedCalibration()
	for _, p := range familyPlans {
		f := c.family(p.name)
		if f == nil || len(f.Boards) != len(p.boards) || c.memory(p.memory) == nil {
			t.Fatalf("%s: %+v", p.name, f)
		}
		if !(f.FitMAPEPct > 0 && f.FitMAPEPct < 15 && f.WithoutBenchmarkPct < 15 && f.WithoutClockPct < 15) {
			t.Errorf("%s: %g %%, left out %g %% and %g %%", p.name, f.FitMAPEPct, f.WithoutBenchmarkPct, f.WithoutClockPct)
		}
		if !(f.ActiveW > 0) || f.IdleW > f.ActiveW || f.voltage(kneeLow) != 1 || f.voltage(2000) < 1 {
			t.Errorf("%s: an SM %g, idle %g W/GHz", p.name, f.ActiveW, f.IdleW)
		}
		for _, g := range eventGroups {
			x := f.Factors[g.name]
			if !(x.X >= 0 && x.SD > 0) || x.X < x.Fitted*(1-1e-9) && x.Basis != "accelwattch" {
				t.Errorf("%s, %s: %+v", p.name, g.name, x)
			}
		}
		for _, b := range f.Boards {
			if b.Source == "" || !(b.ConstantW > 0) || b.Runs == 0 {
				t.Errorf("%s: %+v", p.name, b)
			}
		}
	}
	if text, err := json.Marshal(c); err != nil || c.Source == "" || strings.Contains(string(text), "/") && strings.Contains(c.Source, "/") {
		t.Errorf("source %q, %v", c.Source, err)
	}
}

// TestCalibratedChips: each GPU of NVIDIA has a calibrated model that says what it
// rests on; AMD's have none.
func TestCalibratedChips(t *testing.T) {
	for _, name := range gpu.Names() {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ChipOf(g, ChipOptions{Variant: calibrated})
		if g.Vendor != "NVIDIA" {
			if err == nil {
				t.Errorf("%s has a calibrated model", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !(c.ConstantW >= 0) || c.Law.ActiveSMW <= 0 || (c.Basis == "extrapolated") != strings.Contains(c.Law.said(), g.Architecture+" not measured") {
			t.Errorf("%s: %g W, %s, %s", name, c.ConstantW, c.Basis, c.Law.said())
		}
	}
}

// TestPublished: what a GV100 draws beside its events is AccelWattch's at the clock of the tuning; a
// product of Volta's tensor cores costs what HYBRID has, one since Ampere eight times that for 8x the bits.
func TestPublished(t *testing.T) {
	chip := func(name string) *Chip { return model(t, name, ChipOptions{Variant: calibrated}).Chip }
	c, v100, a100 := chip("gv100"), chip("v100-pcie"), chip("a100-sxm-80gb")
	full, err := c.Estimate(&Activity{Cycles: 1e6, ClockMHz: tunedMHz, Lanes: 32}, Paper, Reference)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "constant", full.Watts[ConstP], 32.5, 1e-9)
	near(t, "all SMs at work", full.Watts[StaticP], 18.6179906+31*0.645228013, 1e-6)
	none, err := c.Estimate(&Activity{Cycles: 1e6, ClockMHz: tunedMHz, IdleSMs: 80}, Paper, Reference)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "idle SMs", none.Watts[IdleCoreP], 80*0.28279166, 1e-6)
	u := c.Law.switching(tunedMHz)
	near(t, "a product", c.Energies.perEventPJ(Tensor)*u, hybrid.energies().perEventPJ(Tensor), 1e-6)
	near(t, "of a V100", v100.Energies.perEventPJ(Tensor), c.Energies.perEventPJ(Tensor), 1e-9)
	for name, want := range map[string]float64{"gtx-1080-ti:power.constant_w=20": 20, "rtx-3090:power.constant_w=21": 21,
		"gv100:power.constant_w=22": 22, "gv100:power.constant_w=23,idle=60": 23} {
		near(t, name, chip(name).ConstantW, want, 1e-12)
	}
	near(t, "a board of two files", chip("rtx-2060-super").ConstantW, rtx2060S(sassSim, Paper).ConstantW, 1e-4)
	if rested := chip("gv100:idle=60"); rested.IdleSMW != c.IdleSMW || rested.ConstantW == c.ConstantW || rested.ConstantW > 60 {
		t.Errorf("60 W at rest: constant power %g W, idle SMs %g W a GHz", rested.ConstantW, rested.IdleSMW)
	}
	copied := chip("gv100:process_nm=7")
	near(t, "an SM at 7 nm", copied.Law.ActiveSMW/c.Law.ActiveSMW, copied.Energies.perEventPJ(Exp)/c.Energies.perEventPJ(Exp), 1e-9)
	if copied.Basis != "extrapolated" || copied.Law.ActiveSMW > 0.8*c.Law.ActiveSMW {
		t.Errorf("at 7 nm: %s, %g W for %g", copied.Basis, copied.Law.ActiveSMW, c.Law.ActiveSMW)
	}
	near(t, "of an A100", a100.Energies.perEventPJ(Tensor)/a100.Energies.perEventPJ(Exp), 8*c.Energies.perEventPJ(Tensor)/c.Energies.perEventPJ(Exp), 1e-9)
}

// TestRestingClock: idle SMs have the clock that a board rests at in what it draws at rest;
// taken for those at full clocks they left a T4 with too little of it. The voltage at rest is
// the board's own where higher clocks are set by an offset, too.
func TestRestingClock(t *testing.T) {
	for _, name := range []string{"t4", "gtx-1080-ti"} {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		constant := func(g *gpu.GPU, mhz float64) float64 {
			c, err := ChipOf(g, ChipOptions{Variant: calibrated})
			if err != nil {
				t.Fatal(err)
			}
			v := voltageAt(mhz, c.Law.kneeMHz, c.Law.risePerGHz)
			idle := float64(c.SMs) * c.IdleSMW * mhz / mhzPerGHz * v * v
			if math.Abs(c.ConstantW+idle-g.Power.IdleW.Value) > 1e-9 {
				t.Errorf("%s: %g W with idle SMs' %g W at %g MHz, at rest %g W", name, c.ConstantW, idle, mhz, g.Power.IdleW.Value)
			}
			return c.ConstantW
		}
		unknown := *g
		unknown.Power.IdleMHz = nil
		if rests, full := constant(g, g.Power.IdleMHz.Value), constant(&unknown, g.Clock.BoostMHz.Value); rests < full+1 {
			t.Errorf("%s: %g W, at full clocks %g W", name, rests, full)
		}
	}
}

// TestClockLaw: energies go with the square of the voltage, but DRAM's do not; the
// voltage stands still up to the knee, and where clocks are set by an offset.
func TestClockLaw(t *testing.T) {
	g, err := gpu.Get("v100-pcie")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ChipOf(g, ChipOptions{Variant: calibrated})
	if err != nil {
		t.Fatal(err)
	}
	at := func(mhz float64, of Counter) *Estimate {
		a := &Activity{Cycles: mhz * 1e3, ClockMHz: mhz, Lanes: 32, IdleSMs: 20}
		a.Counts[of] = 1e9
		e, err := c.Estimate(a, Paper, Reference)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	low, high := at(800, FPMul), at(1380, FPMul)
	if r := high.Watts[FPMulP] / low.Watts[FPMulP]; math.Abs(r-c.Law.switching(1380)) > 1e-9 || r < 1.1 {
		t.Errorf("a product costs %g times as much at 1380 MHz", r)
	}
	if at(800, DRAMRead).Watts[DRAMP] != at(1380, DRAMRead).Watts[DRAMP] {
		t.Error("DRAM goes with the voltage of the chip")
	}
	if w := low.Watts; math.Abs(w[StaticP]-60*c.Law.ActiveSMW*0.8) > 1e-9 || math.Abs(w[IdleCoreP]-20*c.IdleSMW*0.8) > 1e-9 || w[ConstP] != c.ConstantW {
		t.Errorf("SMs %g W, idle %g W, constant %g W", w[StaticP], w[IdleCoreP], w[ConstP])
	}
	ti, err := gpu.Get("gtx-1080-ti")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = ChipOf(ti.At(1600, 0, "a test"), ChipOptions{Variant: calibrated}); err != nil {
		t.Fatal(err)
	}
	if l := c.Law; l.switching(1600) != l.switching(2000) || l.switching(1582) >= l.switching(1600) {
		t.Errorf("set by an offset: %g, %g, own clock %g", l.switching(1600), l.switching(2000), l.switching(1582))
	}
	// That of an A4000's chip was published: its voltage hardly rises up to its clock of 1560 MHz.
	a4000, err := gpu.Get("rtx-a4000")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = ChipOf(a4000, ChipOptions{Variant: calibrated}); err != nil || c.Law.voltage != voltageOfFile || c.Law.ratio(1514) != 1 || c.Law.ratio(1560) > 1.1 {
		t.Errorf("%v: %+v", err, c.Law)
	}
	own := *g
	own.Power.MinVoltageV, own.Power.MinVoltageMHz = &gpu.Float{Value: 0.7}, &gpu.Float{Value: 900}
	own.Power.MaxVoltageV, own.Power.MaxVoltageMHz = &gpu.Float{Value: 1.05}, &gpu.Float{Value: 1400}
	if c, err = ChipOf(&own, ChipOptions{Variant: calibrated}); err != nil || c.Law.voltage != voltageOfFile || math.Abs(c.Law.ratio(1400)-1.5) > 1e-9 || c.Law.ratio(900) != 1 {
		t.Errorf("%v: %+v", err, c.Law)
	}
}

// TestMemoryUnknown: a file that says nothing of its memory's type has that of its compute capability, and
// the estimate says so.
func TestMemoryUnknown(t *testing.T) {
	g, err := gpu.Get("rtx-8000")
	if err != nil {
		t.Fatal(err)
	}
	lacking := *g
	lacking.DRAM.Type = nil
	said, err := ChipOf(g, ChipOptions{Variant: calibrated})
	if err != nil {
		t.Fatal(err)
	}
	taken, err := ChipOf(&lacking, ChipOptions{Variant: calibrated})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := said.Energies.perEventJ[DRAMRead], taken.Energies.perEventJ[DRAMRead]; x != y || x == 0 {
		t.Errorf("a read of DRAM: %g J, where the type is not known %g", x, y)
	}
	const want = "memory is taken to be GDDR6, as others of compute capability 7.5 have: the file lacks dram.type"
	if slices.Contains(said.Notes, want) || !slices.Contains(taken.Notes, want) {
		t.Errorf("%v; not known: %v", said.Notes, taken.Notes)
	}
}
