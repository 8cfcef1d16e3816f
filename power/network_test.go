package power

import (
	"context"
	"math"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

// vectorAdd profiles the example on a GPU.
func vectorAdd(t *testing.T, g *gpu.GPU, v Variant, r Rules) []Timed {
	t.Helper()
	src, err := source.Read("../examples/vector_add.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := analysis.DefaultOptions()
	if opts.Mode = analysis.Memory; g != nil {
		opts.GPUs = []*gpu.GPU{g}
	}
	s, err := analysis.OpenManifest(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p.Rows = nil // they are only written: a column by another name changes nothing here
	launches, err := FromProfile(p, CountsOf(v), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []Timed
	time := roofline.Time{Us: number.Ratio(4), ClockMHz: 1447, Source: "test",
		Terms: roofline.Terms{LaunchUs: number.Ratio(1), IssueUs: number.Ratio(1), DRAMUs: number.Ratio(3), LatencyUs: number.Ratio(2)}}
	for _, l := range launches {
		out = append(out, Timed{Launch: l, Time: time, ActivityTime: time})
	}
	return out
}

func model(t *testing.T, name string, o ChipOptions) *Model {
	t.Helper()
	g, err := gpu.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ChipOf(g, o)
	if err != nil {
		t.Fatal(err)
	}
	return &Model{GPU: g, Chip: c, Rules: o.Rules, State: Reference}
}

// TestVectorAdd holds the events of a small launch against what can be counted
// by hand: 162 warp instructions, 200 additions, three arrays of 800 bytes.
func TestVectorAdd(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	list := vectorAdd(t, m.GPU, PTXSim, Paper)
	a, e, err := m.estimate(&list[0])
	if err != nil {
		t.Fatal(err)
	}
	near(t, "warp instructions", a.Counts[TotInst], list[0].Launch.Facts.X(analysis.WarpInstructions), 0)
	near(t, "scheduled", a.Counts[IntInst]+a.Counts[FPInst], 162, 0)
	near(t, "additions", a.Counts[FP], 200, 0)
	near(t, "sectors read from DRAM", a.Counts[DRAMRead], 50, 0)
	near(t, "sectors written", a.Counts[L1WriteHit]+a.Counts[L1WriteMiss], 25, 0)
	near(t, "category", float64(e.Category), float64(IntFP), 0)
	near(t, "DRAM reads in J", e.Watts[DRAMP]*e.Seconds, 50*2147.49e-12+float64(a.Counts[DRAMPrecharge])*355.509e-12, 1e-12)

	rows := m.Report(list, 2)
	near(t, "energy", rows[0].EnergyUJ.X, micro*e.energyJ(), 1e-9)
	near(t, "energy per inference", rows[1].PerInfUJ.X, rows[0].EnergyUJ.X/2, 1e-9)
	sum := 0.0
	for _, x := range rows[0].GroupEnergy.all() {
		sum += x.X
	}
	near(t, "groups", sum, rows[0].EnergyUJ.X, 1e-9)
	hot, classes, err := m.Hottest(t.Context(), list, 1000)
	if err != nil {
		t.Fatal(err)
	}
	instructions, share := 0.0, 0.0
	for _, h := range hot {
		instructions += h.EnergyUJ.X
		share += h.SharePct.X
	}
	near(t, "shares", share, 100, 1e-9)
	dynamicUJ, _, _ := rows[0].dynamic()
	near(t, "instructions", instructions, dynamicUJ, 1e-9)
	fetch := 0.0
	for _, h := range hot {
		fetch += h.FetchUJ.X
	}
	near(t, "fetch and pipeline", fetch, rows[0].ICP.X+rows[0].PipeP.X, 1e-9)
	if len(classes) == 0 || classes[0].Class != "compute_ld_st" {
		t.Errorf("the class with most energy: %+v", classes)
	}
}

// TestMissing: what nobody counted gives no figure, and the row says so.
func TestMissing(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	list := vectorAdd(t, nil, PTXSim, Paper)
	_, _, err := m.estimate(&list[0])
	if err == nil || !strings.Contains(err.Error(), DRAMRead.String()) || strings.Contains(err.Error(), SharedPass.String()) {
		t.Errorf("without caches: %v", err)
	}
	rows := m.Report(list, 1)
	if rows[0].PowerW.Known || rows[1].EnergyUJ.Known || !strings.Contains(rows[0].Missing, "MEM_RD") || rows[1].Missing != "1 of 1 launches have no figure" {
		t.Errorf("%+v %+v", rows[0].Missing, rows[1].Missing)
	}
	var b strings.Builder
	if err := WriteTable(&b, rows, 0); err != nil || !strings.Contains(b.String(), "\nno figure (rows: 1): "+rows[0].Missing+"\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestSweep: dynamic energy goes with V^2, static power with V, DRAM's time
// stays; the least energy is marked.
func TestSweep(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	list := vectorAdd(t, m.GPU, PTXSim, Paper)
	rows, err := m.Sweep(list, []float64{1447. / 2, 1447})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "time at half the clock", rows[0].TimeUs.X, 1+4, 1e-9) // latency is the longest now
	near(t, "time at the clock", rows[1].TimeUs.X, 4, 1e-9)
	near(t, "voltage", rows[0].VoltageRatio.X, 0.5, 1e-12)
	if rows[0].EnergyUJ.X < rows[1].EnergyUJ.X != (rows[0].Best != "") {
		t.Errorf("%+v %+v", rows[0], rows[1])
	}
	m.Chip.LowMHz, m.Chip.HighMHz = 1000, 1500
	if _, err := m.Sweep(list, []float64{900}); err == nil || !strings.Contains(err.Error(), "900 MHz lies outside 1000 to 1500 MHz: the range of its fit") {
		t.Errorf("a clock outside: %v", err)
	}
}

// TestClocks: a sweep has both of its ends, whatever the step.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		from, to, step float64
		n              int
	}{{600, 1530, 50, 20}, {600, 1500, 50, 19}, {700, 700, 1, 1}, {0.1, 0.3, 0.1, 3}, {1, 2, 5, 2}} {
		list, err := Clocks(c.from, c.to, c.step)
		if err != nil || len(list) != c.n || list[0] != c.from || list[len(list)-1] != c.to {
			t.Errorf("%v: %v, %v", c, list, err)
		}
	}
}

// TestClockRange: a fit's range comes before the file's, known bounds before base
// and boost; what is unknown is named.
func TestClockRange(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	fact := func(x float64) *gpu.Float { return &gpu.Float{Value: x, Source: "s"} }
	for _, c := range []struct {
		clock     gpu.Clock
		low, high float64 // 0: unknown
		want      string
	}{
		{gpu.Clock{BaseMHz: fact(1000), BoostMHz: fact(1400)}, 1000, 1400, "clock.base_mhz (s) to clock.boost_mhz (s)"},
		{gpu.Clock{BaseMHz: fact(1000), BoostMHz: fact(1400), MinMHz: fact(200), MaxMHz: fact(1500)}, 200, 1500, "clock.min_mhz (s) to clock.max_mhz (s)"},
		{gpu.Clock{BaseMHz: fact(1000), BoostMHz: fact(1400), TunedMHz: fact(1600)}, 1000, 1600, "clock.base_mhz (s) to clock.tuned_mhz (s)"},
		{gpu.Clock{BoostMHz: fact(1400)}, 0, 0, "clock.min_mhz is unknown"},
		{gpu.Clock{BaseMHz: fact(1000)}, 0, 0, "clock.max_mhz is unknown"},
	} {
		g := *m.GPU
		g.Clock = c.clock
		r, err := (&Model{GPU: &g, Chip: m.Chip}).clockRange()
		if err != nil {
			r.source = err.Error()
		}
		if r.lowMHz != c.low || r.highMHz != c.high || !strings.Contains(r.source, c.want) {
			t.Errorf("%+v, want %s", r, c.want)
		}
	}
}

// TestExtrapolated: other chips follow the rules for GPUs without coefficients.
func TestExtrapolated(t *testing.T) {
	tuned := model(t, "gv100", ChipOptions{Variant: PTXSim}).Chip
	v100 := model(t, "v100-sxm2", ChipOptions{Variant: PTXSim}).Chip
	h100 := model(t, "h100-sxm", ChipOptions{Variant: PTXSim}).Chip
	near(t, "12 nm", v100.Energies.perEventPJ(FPMul), tuned.Energies.perEventPJ(FPMul), 1e-12)
	near(t, "4 nm", h100.Energies.perEventPJ(FPMul)/tuned.Energies.perEventPJ(FPMul), 0.82*0.55016*0.7/0.77, 1e-5)
	unknown := *model(t, "h100-sxm", ChipOptions{Variant: PTXSim}).GPU
	process := *unknown.ProcessNM
	process.Value, unknown.ProcessNM = 3, &process
	scaled, err := ChipOf(&unknown, ChipOptions{Variant: PTXSim, EnergyScale: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the given scale", scaled.Energies.perEventPJ(FPMul), tuned.Energies.perEventPJ(FPMul)/2, 1e-12)
	if _, err := ChipOf(&unknown, ChipOptions{Variant: PTXSim}); err == nil || !strings.Contains(err.Error(), "no energy factor was published for 3 nm") {
		t.Errorf("a node without a factor: %v", err)
	}
	if tuned.Basis != "tuned" || v100.Basis != "extrapolated" || h100.ConstantW != 69.5 {
		t.Errorf("%s %s %g", tuned.Basis, v100.Basis, h100.ConstantW)
	}
	a := one(32)
	a.Counts[Int], a.Counts[IntMul32], a.Counts[FP] = 1, 1, 1
	near(t, "static by SM", estimate(t, h100, a, Paper, Reference).Watts[StaticP], 38.62005900*132/80, 1e-8)
	near(t, "static of the release", estimate(t, h100, a, Release, Reference).Watts[StaticP], 38.62005900, 1e-8)
}

// TestBadActivities: what cannot be is named.
func TestBadActivities(t *testing.T) {
	chip := GV100(sassSim, Release)
	for want, change := range map[string]func(*Activity){
		"cycles is 0": func(a *Activity) { a.Cycles = 0 },
		"1e-300 cycles at 1000 MHz are 1e-303 us: must be from 1e-06 to 1e+15": func(a *Activity) { a.Cycles, a.ClockMHz = 1e-300, 1000 },
		"clock_mhz is -1":            func(a *Activity) { a.ClockMHz = -1 },
		"lanes is 33":                func(a *Activity) { a.Lanes = 33 },
		"idle_sms is 81":             func(a *Activity) { a.IdleSMs = 81 },
		"duty is NaN":                func(a *Activity) { a.Duty = math.NaN() },
		"counter INT is -1":          func(a *Activity) { a.Counts[Int] = -1 },
		"counter FP is +Inf":         func(a *Activity) { a.Counts[FP] = math.Inf(1) },
		"no figure without INT, NOC": func(a *Activity) { a.Missing = a.Missing.with(Int).with(Flit) },
	} {
		a := one(32)
		change(a)
		if _, err := chip.Estimate(a, Release, Reference); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestMemoryEvents: of facts that are all known no event of memory is missing,
// and each counter that is unknown is missed in the event that it is part of,
// never taken for zero.
func TestMemoryEvents(t *testing.T) {
	known := []analysis.Counter{analysis.TexRequests}
	for _, e := range memoryEvents {
		known = append(known, e.counted)
	}
	for _, unknown := range append(known, analysis.WarpInstructions) {
		l, want := &Launch{}, CounterSet(0)
		for _, c := range known {
			if c != unknown {
				l.Facts.Set(c, 0)
			}
		}
		for _, e := range memoryEvents {
			if e.counted == unknown {
				want = want.with(e.event)
			}
		}
		if unknown == analysis.TexRequests {
			want = want.with(TexHit).with(TexMiss)
		}
		if l.memory(Paper); l.Missing != want {
			t.Errorf("without %s: %v are missing, want %v", unknown, l.Missing.Names(), want.Names())
		}
	}
}

// TestTextures: what textures read is of a cache of their own, hits as often as all that the L1
// read; where surfaces are written, whose sectors are counted with them, it is what no load read.
func TestTextures(t *testing.T) {
	in := instrs(t, ".reg .u64 %s; sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};")
	writes := []instruction{{InstrCount{Instr: &in[0], Issues: 1}, nil}}
	for _, c := range []struct {
		sectors uint64
		instrs  []instruction
		want    [4]float64 // hits and misses of loads, of textures
	}{
		{0, nil, [4]float64{300, 100, 0, 0}},
		{100, nil, [4]float64{225, 75, 75, 25}},
		{1000, nil, [4]float64{0, 0, 300, 100}},
		{1000, writes, [4]float64{150, 50, 150, 50}},
	} {
		l := &Launch{Memory: counts{L1ReadHit: 300, L1ReadMiss: 100}, Instrs: c.instrs}
		l.Facts.Set(analysis.TexSectors, c.sectors)
		l.Facts.Set(analysis.GlobalLoadSectors, 200)
		l.textures()
		if got := [4]float64{l.Memory[L1ReadHit], l.Memory[L1ReadMiss], l.Memory[TexHit], l.Memory[TexMiss]}; got != c.want {
			t.Errorf("%d sectors: %v, want %v", c.sectors, got, c.want)
		}
	}
}

// TestProductRegisters: 16 products of the machine, of one wmma, read three operands each and write
// one; the 40 other instructions name as many registers as the 20 of PTX that they are of.
func TestProductRegisters(t *testing.T) {
	e := Executed{
		Counts:   counts{TotInst: 21, RegRead: 40*lanesPerAccess + 24*lanesPerAccess, RegWrite: 20*lanesPerAccess + 8*lanesPerAccess},
		products: counts{TotInst: 1, RegRead: 24 * lanesPerAccess, RegWrite: 8 * lanesPerAccess},
	}
	n := counts{TotInst: 56, Tensor: 16 * tensorLanes}
	e.registers(&n)
	if n[RegRead] != (80+3*16)*lanesPerAccess || n[RegWrite] != (40+16)*lanesPerAccess {
		t.Errorf("%g read, %g written", n[RegRead]/lanesPerAccess, n[RegWrite]/lanesPerAccess)
	}
}
