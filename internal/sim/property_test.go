package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

// kernel is a launch for properties of the machine: each warp loads what no other does,
// computes and stores. Launches that live on what the L2 keeps are not among them: a
// part of the SMs has a part of the L2, and where all warps read the same lines in the
// same order a faster machine may be 3 % slower.
type kernel struct {
	name          string
	math, blocks  int
	ctas, perSM   int
	barrierOfEach bool
}

var kernels = []kernel{
	{name: "stream", math: 2, blocks: 4, ctas: 960, perSM: 8},
	{name: "compute", math: 64, blocks: 1, ctas: 480, perSM: 4},
	{name: "barriers", math: 8, blocks: 2, ctas: 480, perSM: 4, barrierOfEach: true},
}

func (k kernel) bench(m *Config) bench {
	var b Block
	for range k.blocks {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.LoadGlobal, Dst: []int{0}, BytesPerLane: 4})
		if k.barrierOfEach {
			b.Instrs = append(b.Instrs, Instr{Kind: pipe.Barrier})
		}
		for i := range k.math {
			b.Instrs = append(b.Instrs, Instr{Kind: pipe.FP32, Dst: []int{i % 4}, Srcs: []int{i % 4}})
		}
	}
	b.Instrs = append(b.Instrs, Instr{Kind: pipe.StoreGlobal, Srcs: []int{0}, BytesPerLane: 4})
	const warps = 4
	return bench{m: m, p: &Program{Blocks: []Block{b}, Values: 4}, ctas: k.ctas, warps: warps, perSM: k.perSM, of: func(cta, warp int) Trace {
		var t Trace
		t = t.Block(0, 32)
		for i := range k.blocks {
			at := (cta*k.blocks+i)*warps + warp
			t = t.Access(Global, 1, Sectors(uint64(at), 15, 0))
			if k.barrierOfEach {
				t = t.Barrier(0, 0, false)
			}
		}
		return t.Access(Global, 1, Sectors(1<<24+uint64(cta*warps+warp), 15, 15))
	}}
}

// more is what a machine can have more of, or do in less time.
var more = map[string]func(*Config){
	"SMs":            func(m *Config) { m.SMs += m.SMs / 4 },
	"DRAM bandwidth": func(m *Config) { m.DRAM.BytesPerCycle *= 1.25 },
	"L2 bandwidth":   func(m *Config) { m.L2.BytesPerCycle *= 1.25 },
	"L2":             func(m *Config) { m.L2.Bytes *= 2 },
	"L1":             func(m *Config) { m.L1.Bytes *= 2 },
	"shorter DRAM":   func(m *Config) { m.DRAM.LatencyCycles *= 0.8 },
	"outstanding":    func(m *Config) { m.L1.OutstandingSectors *= 2 },
	"return from L2": func(m *Config) { m.L2.ReadBytesPerCycle *= 2 },
	"CTAs at a time": func(m *Config) { m.Launch.CTAsPerCycle *= 2 },
	shorterBarrier:   func(m *Config) { m.BarrierCycles /= 2 },
}

const shorterBarrier = "shorter barrier"

// faster gives the SMs a higher clock: what has a clock of its own takes more of its cycles.
func faster(m *Config, by float64) {
	m.L2.LatencyCycles *= by
	m.DRAM.LatencyCycles *= by
	m.DRAM.BytesPerCycle /= by
	m.DRAM.RowCycles *= by
	m.DRAM.ActivateCycles *= by
	m.DRAM.MissCycles *= by
}

// More of a machine is never slower by more than 2 %.
func TestMoreIsNotSlower(t *testing.T) {
	for _, k := range kernels {
		base := k.bench(volta(16)).run(t).Cycles
		for name, more := range more {
			m := volta(16)
			more(m)
			if c := k.bench(m).run(t).Cycles; c > base*1.02 {
				t.Errorf("%s with more %s: %.0f cycles, %.0f without", k.name, name, c, base)
			}
		}
	}
}

// The same of ten kernels, each of which waits for something else, and of a higher clock. Of
// warps that wait for a barrier after each few instructions others come between sooner where
// it is shorter: the time of some dozens of rounds goes up and down by 5 %.
func TestMoreIsNotSlowerOfTen(t *testing.T) {
	const perSM, ctas, higher = 4, 16 * 4 * 2, 1.25
	for name, k := range loops(8) {
		cycles := func(m *Config) float64 {
			p := newPlan(ctas, perSM, int64(m.SMs), 1, 0, Cluster{})
			r, _ := k.run(t, m, &p)
			return r.Cycles
		}
		base := cycles(sixteen())
		for what, more := range more {
			m := sixteen()
			more(m)
			if c := cycles(m); c > base*1.02 && what != shorterBarrier {
				t.Errorf("%s with more %s: %.0f cycles, %.0f without", name, what, c, base)
			}
		}
		m := sixteen()
		faster(m, higher)
		if c := cycles(m) / higher; c > base*1.02 {
			t.Errorf("%s at a higher clock: %.0f cycles of the lower one, %.0f at that", name, c, base)
		}
	}
}

// Twice the grid of a kernel that fills the machine takes twice the time.
func TestTwiceTheGrid(t *testing.T) {
	for _, k := range kernels {
		var at [2]float64
		for i, times := range []int{8, 16} {
			n := k
			n.ctas *= times
			at[i] = n.bench(volta(16)).run(t).Cycles
		}
		near(t, k.name, at[1]/at[0], 2, 2)
	}
}

// CTAs that do nothing take their start.
func TestNothing(t *testing.T) {
	p := &Program{Blocks: []Block{{Instrs: []Instr{{Kind: pipe.Branch}}}}}
	r := bench{m: volta(80), p: p, ctas: 1, warps: 1, perSM: 1, repeated: rounds(1)}.run(t)
	near(t, "one CTA", r.Cycles, volta(1).Launch.CTACycles+1, 2)
}
