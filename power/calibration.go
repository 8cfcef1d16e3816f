package power

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"hyptx/internal/gpu"
)

// The calibrated model of boards. AccelWattch's energies are those of a Quadro GV100
// at one clock. Measured on micro-benchmarks of other boards and at other clocks
// (calibrate.go), a board with k of N SMs at work at f GHz draws
//
//	P = P_const + a k f u + d (N - k) f u + u sum of x_g E_i r_i + x_dram E_dram r_dram
//
// with u = (V/V_low)^2, the voltage over that at low clocks: 1 up to a knee, from there
// V rises linearly with the clock. E_i are the energies of variant sass_sim, r_i
// events a second, x_g a factor for each group of events and family of architectures.
// DRAM has a supply of its own, so that its energy goes with neither V nor the
// family, but with the type of memory. The constant part is mostly the memory's:
// at rest at full memory clock it goes with that clock.

// Calibration is what was fitted, and how well: power/data/calibration.json.
type Calibration struct {
	Source   string         `json:"source"`
	Families []*familyLaw   `json:"families"`
	Memories []*memoryPower `json:"memories"`
}

// familyLaw is what boards of an architecture have in common.
type familyLaw struct {
	Name string `json:"family"`
	// NodeNM is the technology of the boards that were measured.
	NodeNM float64 `json:"node_nm"`
	// ActiveW and IdleW are the power of an SM with and without work, for each GHz
	// at the low voltage: clocks, and what a unit draws because others work.
	ActiveW float64 `json:"active_sm_w_per_ghz"`
	IdleW   float64 `json:"idle_sm_w_per_ghz"`
	// Up to KneeMHz the voltage is the least, beyond it rises by the share
	// RisePerGHz of that for each GHz.
	KneeMHz    float64           `json:"voltage_knee_mhz"`
	RisePerGHz float64           `json:"voltage_rise_per_ghz"`
	Factors    map[string]factor `json:"factors"`
	Boards     []*boardPower     `json:"boards"`
	// Errors of the fit, and of runs that were left out of it.
	FitMAPEPct          float64 `json:"fit_mape_pct"`
	WithoutBenchmarkPct float64 `json:"leave_one_benchmark_out_mape_pct"`
	WithoutClockPct     float64 `json:"leave_one_clock_out_mape_pct"`
}

// factor is what multiplies a group of energies.
type factor struct {
	X float64 `json:"factor"`
	// Fitted is what the runs say, of which X is at least AccelWattch's.
	Fitted float64 `json:"fitted"`
	// SD is the standard deviation that is left of the prior's, which is Prior
	// itself: near it the runs say nothing.
	SD    float64 `json:"sd"`
	Prior float64 `json:"prior"`
	// Basis is "measured", "weak" or "prior", by how much of the prior is left;
	// "accelwattch" where the runs say less than AccelWattch.
	Basis string `json:"basis"`
}

// boardPower is a board that was measured.
type boardPower struct {
	Board  string `json:"board"`
	Source string `json:"source"`
	// ConstantW is drawn whatever runs, at the memory clock of the runs.
	ConstantW float64 `json:"constant_w"`
	Runs      int     `json:"runs"`
	MAPEPct   float64 `json:"fit_mape_pct"`
}

// memoryPower is what a type of memory draws.
type memoryPower struct {
	Type string `json:"type"`
	// Factor is on sass_sim's energy of DRAM.
	Factor factor `json:"factor"`
	// ConstantWPerGBPerS is the constant power of a board for each GB/s of bandwidth.
	ConstantWPerGBPerS float64 `json:"constant_w_per_gb_per_s"`
	Board              string  `json:"board"`
}

// embeddedCalibration is the calibration that is part of the program.
var embeddedCalibration = sync.OnceValue(func() *Calibration {
	text, err := data.ReadFile("data/calibration.json")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	c := &Calibration{}
	if err := json.Unmarshal(text, c); err != nil {
		panic("BUG: calibration.json: " + err.Error())
	}
	return c
})

// voltage returns the voltage at a clock over the least one.
func (f *familyLaw) voltage(mhz float64) float64 {
	return voltageAt(mhz, f.KneeMHz, f.RisePerGHz)
}

// voltageAt is the voltage over the least one: that up to a knee, from there rising by
// a share of it for each GHz.
func voltageAt(mhz, kneeMHz, risePerGHz float64) float64 {
	return 1 + risePerGHz*max(0, mhz-kneeMHz)/mhzPerGHz
}

func (c *Calibration) family(name string) *familyLaw {
	if i := slices.IndexFunc(c.Families, func(f *familyLaw) bool { return f.Name == name }); i >= 0 {
		return c.Families[i]
	}
	return nil
}

func (c *Calibration) memory(kind string) *memoryPower {
	if i := slices.IndexFunc(c.Memories, func(m *memoryPower) bool { return m.Type == kind }); i >= 0 {
		return c.Memories[i]
	}
	return nil
}

// relatives say which measured family stands for those that were not measured, by
// compute capability: the nearest in design. likes says the same of memories.
var (
	relatives = map[string]string{"2.0": "Kepler", "2.1": "Kepler", "8.0": "Volta", "8.6": "Turing", "8.7": "Turing", "8.9": "Turing", "9.0": "Volta", "10.0": "Volta", "12.0": "Turing"}
	likes     = map[string]string{"GDDR3": "GDDR5", "DDR3": "GDDR5", "GDDR6X": "GDDR6", "GDDR7": "GDDR6", "HBM": "HBM2", "HBM2e": "HBM2", "HBM3": "HBM2", "HBM3e": "HBM2", "LPDDR4": "GDDR6", "LPDDR5": "GDDR6"}
)

// familyOf returns the family of a GPU and whether it was measured itself.
func (c *Calibration) familyOf(g *gpu.GPU) (f *familyLaw, measured bool) {
	if f = c.family(g.Architecture); f != nil {
		return f, true
	}
	if cc := g.ComputeCapability; cc.Known() {
		return c.family(relatives[cc.Value]), false
	}
	return nil, false
}

// Report says in lines what was fitted, and how well.
func (c *Calibration) Report() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, f := range c.Families {
		say("%s: %.1f %% (benchmarks left out %.1f, clocks left out %.1f); an SM %.3g W/GHz, idle %.3g; V rises from %g MHz by %g a GHz",
			f.Name, f.FitMAPEPct, f.WithoutBenchmarkPct, f.WithoutClockPct, f.ActiveW, f.IdleW, f.KneeMHz, f.RisePerGHz)
		for _, b := range f.Boards {
			say("  %s: constant %.1f W; %d runs, %.1f %%", b.Board, b.ConstantW, b.Runs, b.MAPEPct)
		}
		for _, g := range eventGroups {
			if x, ok := f.Factors[g.name]; ok {
				say("  %-8s x %-7.3g (%s; runs say %.3g +- %.2g, expected %.3g)", g.name, x.X, x.Basis, x.Fitted, x.SD, x.Prior)
			}
		}
	}
	for _, m := range c.Memories {
		say("%s: DRAM x %.3g, constant %.3g W for each GB/s (%s)", m.Type, m.Factor.X, m.ConstantWPerGBPerS, m.Board)
	}
	return lines
}
