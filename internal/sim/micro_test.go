package sim

import (
	"fmt"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
)

// Micro-benchmarks give back what the configuration says.

func TestLatencies(t *testing.T) {
	for _, c := range []struct {
		kind pipe.Kind
		want float64
	}{{pipe.FP32, 4}, {pipe.IntMul, 5}, {pipe.FP64, 8}, {pipe.Special, 14}} {
		r := bench{m: volta(1), p: chain(c.kind, 64, 1), ctas: 1, warps: 1, perSM: 1, repeated: rounds(100)}.run(t)
		near(t, c.kind.String(), r.Cycles/6400, c.want, 5)
	}
}

func TestThroughput(t *testing.T) {
	for _, c := range []struct {
		kind pipe.Kind
		want float64 // warp instructions a cycle and SM
	}{{pipe.FP32, 2}, {pipe.FP64, 1}, {pipe.Special, 0.5}, {pipe.Branch, 1}} {
		r := bench{m: volta(2), p: chain(c.kind, 64, 4), ctas: 16, warps: 8, perSM: 8, repeated: rounds(100)}.run(t)
		near(t, c.kind.String(), float64(r.Issued)/r.Cycles/2, c.want, 5)
	}
	// Two units side by side: one instruction a cycle and sub-core.
	p := &Program{Values: 8}
	var b Block
	for i := range 64 {
		k := pipe.FP32
		if i%2 == 1 {
			k = pipe.IntAdd
		}
		b.Instrs = append(b.Instrs, Instr{Kind: k, Dst: []int{i % 8}, Srcs: []int{i % 8}})
	}
	p.Blocks = []Block{b}
	r := bench{m: volta(1), p: p, ctas: 8, warps: 8, perSM: 8, repeated: rounds(100)}.run(t)
	near(t, "fp32 and integers", float64(r.Issued)/r.Cycles, 4, 5)
	near(t, "slots that issue", r.Busy.Issue, 1, 5)
	const fma, alu = 1, 2
	near(t, "the FMA pipe", r.Busy.Units[fma], 1, 5)
	near(t, "the ALU pipe", r.Busy.Units[alu], 1, 5)
	if r.Busy.L1+r.Busy.NoC+r.Busy.L2+r.Busy.DRAM != 0 {
		t.Errorf("without memory: %+v", r.Busy)
	}
}

// chase is a chain of loads at a stride over so many blocks.
func chase(loads, blocks int) Trace {
	var t Trace
	t = t.Block(0, 32)
	for i := range loads {
		t = t.Access(Global, 1, Sectors(uint64(i%blocks)*7, 1, 0))
	}
	return t
}

func TestPointerChase(t *testing.T) {
	m := volta(1)
	for _, c := range []struct {
		name   string
		blocks int
		want   float64
	}{{"L1", 64, 28}, {"L2", 4096, 212}, {"DRAM", 1 << 30, 434}} {
		const loads = 40000
		r := bench{m: m, p: chain(pipe.LoadGlobal, loads, 1), ctas: 1, warps: 1, perSM: 1, repeated: chase(loads, c.blocks)}.run(t)
		if c.name == "L2" { // the first round comes from DRAM
			r.Cycles -= 4096 * (434 - 212)
		}
		near(t, c.name, r.Cycles/loads, c.want, 5)
	}
}

// TestSharedConflicts: a load takes its passes, a store a cycle more, and an atomic those of both.
func TestSharedConflicts(t *testing.T) {
	for _, passes := range []int{1, 2, 4, 32} {
		var tr Trace
		tr = tr.Block(0, 32)
		for range 2000 {
			tr = tr.Access(Shared, passes)
		}
		for kind, cycles := range map[pipe.Kind]int{pipe.LoadShared: passes, pipe.StoreShared: passes + 1, pipe.AtomicShared: 2*passes + 1} {
			m := volta(1)
			m.L1.SharedStoreCycles = 1
			m.Kinds[pipe.AtomicShared] = m.Kinds[pipe.LoadShared]
			r := bench{m: m, p: chain(kind, 2000, 4), ctas: 8, warps: 8, perSM: 8, repeated: tr}.run(t)
			near(t, kind.String(), float64(r.Issued)/r.Cycles, 1/float64(cycles), 5)
		}
	}
}

func TestBandwidth(t *testing.T) {
	const loads, warps = 64, 8
	p := chain(pipe.LoadGlobal, loads, 16)
	of := func(cta, warp int) Trace {
		var tr Trace
		tr = tr.Block(0, 32)
		for i := range loads {
			tr = tr.Access(Global, 1, Sectors(uint64((cta*loads+i)*warps+warp), 15, 0))
		}
		return tr
	}
	r := bench{m: volta(80), p: p, ctas: 2560, warps: warps, perSM: 8, of: of}.run(t)
	near(t, "DRAM bytes a cycle", float64(r.Memory.DRAMReads)*32/r.Cycles, 600*0.97, 5)
	// The same 4 MiB again and again come from the L2.
	same := func(cta, warp int) Trace { return of(cta%64, warp) }
	m := volta(80)
	m.L1.Bytes = 0
	r = bench{m: m, p: p, ctas: 2560, warps: warps, perSM: 8, of: same}.run(t)
	near(t, "L2 bytes a cycle", float64(r.Memory.Reads)*32/r.Cycles, 2048, 10)
}

// A barrier takes its cycles from the last arrival on, and who arrives the unit that takes
// arrivals, one after the other.
func TestBarriers(t *testing.T) {
	const unit, each, latency = 5, 2, 20
	m := volta(1)
	m.BarrierCycles = latency
	m.Kinds[pipe.Barrier] = Timing{Shared: unit, SharedCycles: each, LatencyCycles: latency}
	p := &Program{Blocks: []Block{{Instrs: []Instr{{Kind: pipe.Barrier}}}}}
	var tr Trace
	for range 1000 {
		tr = tr.Block(0, 32).Barrier(0, 0, false)
	}
	for _, warps := range []int{1, 8, 32} {
		r := bench{m: m, p: p, ctas: 1, warps: warps, perSM: 1, repeated: tr}.run(t)
		near(t, fmt.Sprintf("cycles a barrier of %d warps", warps), r.Cycles/1000, latency+1+float64(each*(warps-1)), 5)
	}
}

// TestFirstWarps: CTAs whose first of four warps works for all of them keep no sub-core busier
// than the others.
func TestFirstWarps(t *testing.T) {
	b := bench{m: volta(1), p: chain(pipe.FP32, 64, 4), ctas: 8, warps: 4, perSM: 8}
	b.of = func(_, warp int) Trace {
		if warp > 0 {
			return rounds(1)
		}
		return rounds(100)
	}
	r := b.run(t)
	near(t, "cycles", r.Cycles, 8*100*64*2/4, 5)
}

// TestTurns: of warps that can all go on the next in turn does where the last one cannot, so
// that all are resident until the end; the youngest first, some end long before others.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		inTurn      bool
		least, most float64
	}{{true, 0.95, 1}, {false, 0.4, 0.8}} {
		b := bench{m: volta(1), p: chain(pipe.FP32, 64, 1), ctas: 16, warps: 4, perSM: 16, repeated: rounds(100)}
		b.m.InTurn = c.inTurn
		r := b.run(t)
		if share := r.WarpCycles / 64 / r.Cycles; share < c.least || share > c.most {
			t.Errorf("in turn %t: warps are resident for %.2f of the time", c.inTurn, share)
		}
	}
}

// GPUs' barriers take what was measured of them: cycles from one __syncthreads to the next,
// of one CTA (Burtchell and Burtscher, IISWC 2024, logs of SyncPerformance).
func TestMeasuredBarriers(t *testing.T) {
	for _, c := range []struct {
		like string // of the same compute capability as what was measured
		want map[int]float64
	}{
		{"rtx-2060-super", map[int]float64{1: 22, 2: 24, 4: 28, 8: 36, 16: 52, 32: 84}}, // RTX 2070 SUPER
		{"a100-pcie-40gb", map[int]float64{1: 23, 2: 25, 4: 29, 8: 37, 16: 53, 32: 85}},
		{"rtx-4090", map[int]float64{1: 24, 2: 26, 4: 30, 8: 38, 16: 53, 32: 85}},
	} {
		g, err := gpu.Get(c.like)
		if err != nil {
			t.Fatal(err)
		}
		timing, err := g.Timing()
		if err != nil {
			t.Fatal(err)
		}
		m := volta(1)
		of := configOf(timing, 1000)
		m.BarrierCycles, m.Kinds[pipe.Barrier] = of.BarrierCycles, of.Kinds[pipe.Barrier]
		p := &Program{Blocks: []Block{{Instrs: []Instr{{Kind: pipe.Barrier}}}}}
		var tr Trace
		for range 1000 {
			tr = tr.Block(0, 32).Barrier(0, 0, false)
		}
		for warps, want := range c.want {
			r := bench{m: m, p: p, ctas: 1, warps: warps, perSM: 1, repeated: tr}.run(t)
			near(t, fmt.Sprintf("%s: cycles a barrier of %d warps", c.like, warps), r.Cycles/1000, want, 5)
		}
	}
}

// Of what DRAM moves together one half is asked for, and then the other: it is moved once.
func TestGrains(t *testing.T) {
	const lines = 4096
	var tr Trace
	tr = tr.Block(0, 32)
	for half := range 2 {
		for i := range lines {
			tr = tr.Access(Global, 1, Sectors(uint64(i), 1<<half|4<<half, 0)) // sectors 0 and 2, then 1 and 3
		}
	}
	for grain, hits := range map[int]uint64{32: 0, 64: 2 * lines, 128: 2 * lines} {
		m := volta(1)
		m.DRAM.GrainBytes, m.L1.Bytes = grain, 0
		r := bench{m: m, p: chain(pipe.LoadGlobal, 2*lines, 16), ctas: 1, warps: 1, perSM: 1, repeated: tr}.run(t)
		if r.Memory.DRAMReads != 4*lines || r.Memory.ReadHits != hits {
			t.Errorf("%d bytes an access: %d sectors from DRAM, want %d; %d from the L2, want %d", grain, r.Memory.DRAMReads, 4*lines, r.Memory.ReadHits, hits)
		}
	}
}

// Each cycle of each warp has one reason.
func TestStallsSum(t *testing.T) {
	r := bench{m: volta(2), p: chain(pipe.LoadGlobal, 640, 4), ctas: 17, warps: 5, perSM: 3, repeated: chase(640, 500)}.run(t)
	var sum float64
	for _, c := range r.Stalls {
		sum += c
	}
	if sum != r.WarpCycles {
		t.Errorf("%v cycles have a reason, of %v: %v", sum, r.WarpCycles, r.Stalls)
	}
}

// A unit of the SM takes longer for another warp: chains of 8 warps a sub-core go one
// instruction a warp at a time, 8 chains of one warp follow each other.
func TestSwitchingWarps(t *testing.T) {
	m := volta(1)
	m.Kinds[pipe.FP64] = Timing{Shared: 6, SharedCycles: 16, SwitchCycles: 4, LatencyCycles: 45}
	for _, c := range []struct {
		name   string
		chains int
		want   float64 // cycles an instruction
	}{{"dependent", 1, 20}, {"independent", 8, 16}} {
		r := bench{m: m, p: chain(pipe.FP64, 64, c.chains), ctas: 4, warps: 8, perSM: 4, repeated: rounds(10)}.run(t)
		near(t, c.name, r.Cycles/float64(r.Issued), c.want, 3)
	}
}

// Writes that are scattered over rows take as long as opening these, with one row that
// must be open before the first of a batch and one before the reads behind it; those that
// follow each other take as long as their bytes.
func TestScatteredWrites(t *testing.T) {
	const stores, warps, ctas = 64, 8, 1280
	var b Block
	for range stores {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.StoreGlobal, BytesPerLane: 2})
	}
	for _, c := range []struct {
		name  string
		block func(n uint64) uint64
		want  float64 // cycles a write and channel
	}{
		{"scattered", func(n uint64) uint64 { return hash(n) >> 30 }, 20 + 2*64.0/writeBatch},
		{"in a row", func(n uint64) uint64 { return n }, 64 / (300.0 / 32) / 0.96},
	} {
		m := volta(16)
		m.DRAM.BytesPerCycle = 300
		m.L2.Bytes, m.DRAM.ActivateCycles, m.DRAM.RowCycles, m.DRAM.MissCycles = 64<<10, 20, 0, 64
		r := bench{m: m, p: &Program{Blocks: []Block{b}}, ctas: ctas, warps: warps, perSM: 8, of: func(cta, warp int) (tr Trace) {
			tr = tr.Block(0, 32)
			for i := range stores {
				tr = tr.Access(Global, 1, Sectors(c.block(uint64((cta*stores+i)*warps+warp)), 3, 3))
			}
			return tr
		}}.run(t)
		writes := float64(r.Memory.DRAMWrites) / 2
		near(t, c.name, float64(r.Cycles)*32/writes, c.want, 5)
	}
}

// Writes that wait move while the channel has nothing else to do, once their row is open: who reads behind
// that waits for none of them, and where it has something to do none of them move.
func TestWritesInIdleTime(t *testing.T) {
	m := volta(1)
	m.DRAM.MissCycles = 64
	const few, came, far = writeBatch / 2, 1000, 1 << 30 // the time before they came is not theirs
	after := func(gap float64) (d dram) {
		d.init(m)
		for n := range uint64(few) {
			d.access(n%2, 15, true, Cycles(came))
		}
		d.access(1, 15, false, Cycles(came+gap))
		return d
	}
	each := Cycles(4 * 32 / (600.0 / 32) / 0.96)
	for gap, moved := range map[float64]Tick{60: 0, 64 + 0.5*few*each.Cycles(): few / 2, far: few} {
		d := after(gap)
		near(t, fmt.Sprintf("writes that move within %.0f cycles", gap), d.writing.Cycles(), float64(moved)*each.Cycles(), 5)
		if left, want := d.channels[d.place.Channel(0)].waiting, few-int(moved); left != want {
			t.Errorf("after %.0f cycles %d writes wait, want %d", gap, left, want)
		}
	}
}

// Atomics of all lanes on one word go one lane a cycle, whoever sends them; on words of
// their own a sector a cycle and slice.
func TestAtomics(t *testing.T) {
	const rounds, warps, ctas = 2048, 8, 160 // long, since the lines come from DRAM first
	var b Block
	for range rounds {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.Reduction, BytesPerLane: 4})
	}
	for _, c := range []struct {
		name   string
		passes int
		block  func(n uint64) uint64
		mask   uint8
		want   float64 // cycles an atomic, of the GPU
	}{
		{"one word", 32, func(uint64) uint64 { return 5 }, 1, 32},
		{"own words", 1, func(n uint64) uint64 { return hash(n) >> 40 % 512 }, 15, 4.0 / 64},
	} {
		m := volta(80)
		m.L2.WriteBytesPerCycle = 128 // the slices are what there is too little of
		r := bench{m: m, p: &Program{Blocks: []Block{b}}, ctas: ctas, warps: warps, perSM: 8, of: func(cta, warp int) (tr Trace) {
			tr = tr.Block(0, 32)
			for i := range rounds {
				tr = tr.Access(Global, c.passes, Sectors(c.block(uint64((cta*rounds+i)*warps+warp)), c.mask, 0))
			}
			return tr
		}}.run(t)
		near(t, c.name, r.Cycles/float64(rounds*warps*ctas), c.want, 5)
	}
}

// Atomics on 32 words of a line, one of each by each warp, take what a slice takes for its sectors,
// however far away it is, and however fast it serves others.
func TestAtomicsOfALine(t *testing.T) {
	const rounds, warps, ctas = 512, 8, 160
	var b Block
	for range rounds {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.Reduction, BytesPerLane: 4})
	}
	for _, faster := range []float64{1, 4} {
		m := volta(80)
		m.L2.BytesPerCycle *= faster
		m.L2.LatencyCycles *= 2
		r := bench{m: m, p: &Program{Blocks: []Block{b}}, ctas: ctas, warps: warps, perSM: 8, of: func(int, int) (tr Trace) {
			tr = tr.Block(0, 32)
			for range rounds {
				tr = tr.Access(Global, 1, Sectors(5, 15, 0))
			}
			return tr
		}}.run(t)
		near(t, fmt.Sprintf("an atomic, with an L2 %g times as fast", faster), r.Cycles/float64(rounds*warps*ctas), 4*max(m.L2.AtomicCycles, sectorBytes*float64(m.L2.Slices)/m.L2.BytesPerCycle), 5)
	}
}

// A sub-core computes addresses for one access in four cycles, and the SM takes one a cycle:
// so sub-cores alone have a quarter of its rate, and all of them together all of it (Huerta
// et al. 2025, section 5.4).
func TestAddresses(t *testing.T) {
	var tr Trace
	tr = tr.Block(0, 32)
	for range 2000 {
		tr = tr.Access(Shared, 1)
	}
	for _, warps := range []int{1, 2, 3, 4, 8} {
		r := bench{m: volta(1), p: chain(pipe.LoadShared, 2000, 64), ctas: 1, warps: warps, perSM: 1, repeated: tr}.run(t)
		near(t, fmt.Sprintf("accesses a cycle of %d warps", warps), float64(r.Issued)/r.Cycles, float64(min(warps, 4))/4, 6)
	}
}

// TestNoLane: an access that no lane makes takes its slot alone, not the unit, which all sub-cores
// share and which takes eight cycles for one that a lane makes.
func TestNoLane(t *testing.T) {
	m := volta(1)
	m.Kinds[pipe.Texture] = Timing{Shared: 7, SharedCycles: 8, LatencyCycles: 28}
	const accesses, warps = 64, 8
	var b Block
	for i := range accesses {
		b.Instrs = append(b.Instrs, Instr{Kind: pipe.Texture, Dst: []int{i}})
	}
	for _, c := range []struct {
		access func(Trace) Trace
		want   float64 // cycles an access
	}{{Trace.None, 0.25}, {func(tr Trace) Trace { return tr.Access(Global, 1, Sectors(0, 1, 0)) }, 8}} {
		tr := Trace{}.Block(0, 32)
		for range accesses {
			tr = c.access(tr)
		}
		r := bench{m: m, p: &Program{Values: accesses, Blocks: []Block{b}}, ctas: 1, warps: warps, perSM: 1, repeated: tr}.run(t)
		near(t, "an access", (r.Cycles-m.Launch.CTACycles)/accesses/warps, c.want, 5)
	}
}
