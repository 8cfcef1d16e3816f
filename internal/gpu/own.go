package gpu

import "hyptx/internal/pipe"

// What a GPU's file says in other fields than "timing" is said there alone: the
// interval of DFMA on a chip of 2 FP64 lanes is 32 lanes over 2, by definition.

// ownFact is a field of a GPU's file that gives a number of timing.
type ownFact struct {
	field string
	fact  func(*GPU) (value float64, source string, known bool)
	turn  func(r *resolver, path string, v float64) float64 // nil: as it is
	rule  string                                            // where it is our rule and no definition
}

func numberOf[T int | float64](get func(*GPU) *Fact[T]) func(*GPU) (float64, string, bool) {
	return func(g *GPU) (float64, string, bool) {
		f := get(g)
		if f == nil || f.Value == 0 {
			return 0, "", false
		}
		return float64(f.Value), f.Source, true
	}
}

// ownFacts are, by path, the fields that give it, the best first.
var ownFacts = map[string][]ownFact{
	"issue.schedulers": {{field: "issue.schedulers", fact: numberOf(func(g *GPU) *Int { return g.Issue.Schedulers })}},

	"lsu.cycles_per_instruction": {{"l1.measured_loads_per_clock", numberOf(func(g *GPU) *Float { return g.L1.MeasuredLoadsPerClock }), inverse, ""}},
	"lsu.hit_cycles":             {{field: "latency.l1_cycles", fact: numberOf(func(g *GPU) *Float { return g.Latency.L1Cycles })}},
	"lsu.bytes_per_cycle":        {{field: "l1.bytes_per_clock", fact: numberOf(func(g *GPU) *Int { return g.L1.BytesPerClock })}},
	"constant.hit_cycles":        {{field: "latency.constant_cycles", fact: numberOf(func(g *GPU) *Float { return g.Latency.ConstantCycles })}},

	"kinds.fp32.interval_cycles":    {{"units.fp32_per_clock", numberOf(func(g *GPU) *Float { return g.Units.FP32PerClock }), lanes, ""}},
	"kinds.fp64.interval_cycles":    {{"units.fp64_per_clock", numberOf(func(g *GPU) *Float { return g.Units.FP64PerClock }), lanes, ""}},
	"kinds.fp16.interval_cycles":    {{"units.fp16_per_clock", numberOf(func(g *GPU) *Float { return g.Units.FP16PerClock }), pairs, ""}},
	"kinds.int_add.interval_cycles": {{"units.int_add_per_clock", numberOf(func(g *GPU) *Float { return g.Units.IntAddPerClock }), lanes, ""}},
	"kinds.int_mul.interval_cycles": {{"units.int_mul_per_clock", numberOf(func(g *GPU) *Float { return g.Units.IntMulPerClock }), multiplies, ""}},
	"kinds.special.interval_cycles": {{"units.sfu_per_clock", numberOf(func(g *GPU) *Float { return g.Units.SFUPerClock }), lanes, ""}},
	"kinds.fp32.latency_cycles":     {{field: "latency.fp32_cycles", fact: numberOf(func(g *GPU) *Float { return g.Latency.FP32Cycles })}},
	"kinds.fp64.latency_cycles":     {{field: "latency.fp64_cycles", fact: numberOf(func(g *GPU) *Float { return g.Latency.FP64Cycles })}},
	"kinds.int_add.latency_cycles":  {{field: "latency.int_cycles", fact: numberOf(func(g *GPU) *Float { return g.Latency.IntCycles })}},
	"kinds.special.latency_cycles":  {{field: "latency.sfu_cycles", fact: numberOf(func(g *GPU) *Float { return g.Latency.SFUCycles })}},
	"tensor.fma_per_cycle.fp16":     {{field: "units.tensor_per_clock", fact: numberOf(func(g *GPU) *Float { return g.Units.TensorPerClock })}},

	"l2.slices": {
		{field: "l2.slices", fact: numberOf(func(g *GPU) *Int { return g.L2.Slices })},
		{"dram.channels", numberOf(func(g *GPU) *Int { return g.DRAM.Channels }), func(_ *resolver, _ string, v float64) float64 { return 2 * v }, "two slices a channel"},
	},
	"l2.bytes_per_cycle": {
		{field: "l2.measured_bytes_per_clock", fact: numberOf(func(g *GPU) *Float { return g.L2.MeasuredBytesPerClock })},
		{"l2.bytes_per_clock", numberOf(func(g *GPU) *Int { return g.L2.BytesPerClock }), func(_ *resolver, _ string, v float64) float64 { return reachedOfL2 * v }, "0.86 of the theoretical rate, as measured of a V100"},
	},
	"l2.latency_ns": {{"latency.l2_cycles", numberOf(func(g *GPU) *Float { return g.Latency.L2Cycles }), nanoseconds, ""}},

	"dram.channels":    {{field: "dram.channels", fact: numberOf(func(g *GPU) *Int { return g.DRAM.Channels })}},
	"dram.bytes_per_s": {{"dram.bandwidth_gb_per_s", numberOf(func(g *GPU) *Float { return g.DRAM.BandwidthGBPerS }), func(_ *resolver, _ string, v float64) float64 { return 1e9 * v }, ""}},
	"dram.banks":       {{field: "dram.banks_per_channel", fact: numberOf(func(g *GPU) *Int { return g.DRAM.BanksPerChannel })}},
	"dram.row_bytes":   {{field: "dram.row_bytes", fact: numberOf(func(g *GPU) *Int { return g.DRAM.RowBytes })}},
	"dram.latency_ns":  {{"latency.dram_cycles", numberOf(func(g *GPU) *Float { return g.Latency.DRAMCycles }), nanoseconds, ""}},
	"dram.read_share":  {measuredBandwidth}, "dram.write_share": {measuredBandwidth},
	"dram.copy_share": {measuredBandwidth}, "dram.triad_share": {measuredBandwidth},

	"launch.stream_us": {{field: "launch_overhead_us", fact: numberOf(func(g *GPU) *Float { return g.LaunchOverheadUs })}},
}

// reachedOfL2 is the part of the theoretical rate that a V100's L2 reaches
// (RRZE-HPC gpu-benches: 1767 of 2048 bytes a clock).
const reachedOfL2 = 0.86

// measuredBandwidth scales the shares of a type of memory so that that of the triad
// is the one that was measured.
var measuredBandwidth = ownFact{
	field: "measured.b_mem_gb_per_s",
	fact: func(g *GPU) (float64, string, bool) {
		m, peak := g.Measured.BMemGBPerS, g.DRAM.BandwidthGBPerS
		if m == nil || peak == nil {
			return 0, "", false
		}
		return m.Value / peak.Value, m.Source, true
	},
	turn: func(r *resolver, path string, share float64) float64 {
		triad := r.below("dram.triad_share")
		if triad == 0 {
			return share
		}
		return min(share*r.below(path)/triad, 1)
	},
}

func inverse(_ *resolver, _ string, v float64) float64 { return 1 / v }

func nanoseconds(r *resolver, _ string, cycles float64) float64 { return cycles / r.mhz * 1e3 }

// lanes turns thread instructions a cycle and SM into the interval of a warp's.
func lanes(r *resolver, path string, perCycle float64) float64 {
	k := r.t.kindAt(path)
	interval := warpThreads / perCycle
	if k.SharedBySM {
		return interval
	}
	interval *= float64(r.t.Issue.SubCores)
	if k.Alternative != UnitNone {
		interval *= 2 // each unit has half of the lanes
	}
	return interval
}

// pairs: the rate counts halves, the instruction has two a lane.
func pairs(r *resolver, path string, perCycle float64) float64 { return lanes(r, path, perCycle/2) }

// multiplies: the rate counts whole multiply-adds.
func multiplies(r *resolver, path string, perCycle float64) float64 {
	return lanes(r, path, perCycle*float64(r.t.Issue.IntMulInstructions))
}

const warpThreads = 32

// kindAt returns the kind whose number a path is of.
func (t *Timing) kindAt(path string) *KindTiming {
	for i, name := range indexNames[len(t.Kinds)] {
		if len(path) > len("kinds.")+len(name) && path[len("kinds."):len("kinds.")+len(name)+1] == name+"." {
			return &t.Kinds[i]
		}
	}
	panic("BUG: no kind in " + path)
}

// follows is a number that follows from one found before it.
type follows struct {
	from  string
	value func(*Timing) any
	rule  string // where it is our rule and no definition
}

// derived are numbers that need not be stated where others are.
var derived = func() map[string]follows {
	d := map[string]follows{
		"l2.bytes_per_cycle": {"l2.slice_bytes_per_cycle", func(t *Timing) any { return reachedOfL2 * float64(t.L2.Slices) * t.L2.SliceBytesPerCycle }, "0.86 of the slices' rate, as measured of a V100"},
	}
	d["kinds.matrix.interval_cycles"] = follows{from: "tensor.fma_per_cycle.fp16", value: func(t *Timing) any { return t.MatrixInterval(matrixFMA, pipe.MatrixFP16) }}
	d["kinds.matrix.latency_cycles"] = follows{from: "tensor.latency_cycles.fp16", value: func(t *Timing) any {
		return t.Tensor.LatencyCycles[pipe.MatrixFP16] + t.MatrixInterval(matrixFMA, pipe.MatrixFP16)
	}}
	same := func(kind, number, from string, value func(*Timing) float64) {
		d["kinds."+kind+"."+number] = follows{from: from, value: func(t *Timing) any { return value(t) }}
	}
	for _, kind := range []string{"load_global", "store_global", "load_local", "store_local", "load_shared", "store_shared", "load_matrix", "load_const", "copy_async", "atomic", "reduction", "atomic_shared", "shuffle"} {
		same(kind, "interval_cycles", "lsu.cycles_per_instruction", func(t *Timing) float64 { return t.LSU.CyclesPerInstruction })
	}
	for _, kind := range []string{"load_global", "load_local", "texture"} {
		same(kind, "latency_cycles", "lsu.hit_cycles", func(t *Timing) float64 { return t.LSU.HitCycles })
	}
	for _, kind := range []string{"store_global", "store_local", "store_shared", "atomic", "reduction", "copy_async"} {
		same(kind, "latency_cycles", "lsu.store_cycles", func(t *Timing) float64 { return t.LSU.StoreCycles })
	}
	same("load_shared", "latency_cycles", "lsu.shared_cycles", func(t *Timing) float64 { return t.LSU.SharedCycles })
	same("load_const", "latency_cycles", "constant.hit_cycles", func(t *Timing) float64 { return t.Constant.HitCycles })
	return d
}()

// matrixFMA are the multiply-adds of an m16n8k16, for what asks without a shape.
const matrixFMA = 16 * 8 * 16
