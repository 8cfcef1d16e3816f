package sim

import (
	"context"
	"testing"

	"hyptx/internal/pipe"
)

// volta is a GPU with round numbers near those of a GV100.
func volta(sms int) *Config {
	m := &Config{
		SMs: sms, Cores: 4, IssueWidth: 1, BarrierCycles: 20,
		L1: L1{Bytes: 128 << 10, Ways: 4, CyclesPerAccess: 1, PassCycles: 1, SharedPassCycles: 1, TagCycles: 0.23, QueuedPerCore: 5, AddressCycles: 4, OutstandingSectors: 2048,
			WriteAllocate: true, ReturnBytesPerCycle: 64},
		L2: L2{Bytes: 6 << 20, Ways: 16, Slices: 64, LatencyCycles: 212, RequestCycles: 1, WriteBytesPerCycle: 32,
			ReadBytesPerCycle: 64, BytesPerCycle: 2048, AtomicCycles: 1, SameWordCycles: 1},
		DRAM: DRAM{Channels: 32, BanksPerChannel: 32, RowBytes: 1024, LatencyCycles: 434, BytesPerCycle: 600, ReadEfficiency: 0.97,
			WriteEfficiency: 0.96, MixedEfficiency: 0.9, GrainBytes: 64, RowCycles: 60, QueueRequests: 64},
		Launch: LaunchTiming{CTACycles: 200, CTAsPerCycle: 1},
	}
	const fma, alu, xu, lsu, branch = 1, 2, 3, 4, 5
	for k := range m.Kinds {
		m.Kinds[k] = Timing{Unit: alu, IntervalCycles: 2, LatencyCycles: 4}
	}
	m.Kinds[pipe.FP32] = Timing{Unit: fma, IntervalCycles: 2, LatencyCycles: 4}
	m.Kinds[pipe.IntMul] = Timing{Unit: fma, IntervalCycles: 2, LatencyCycles: 5}
	m.Kinds[pipe.FP64] = Timing{Unit: 6, IntervalCycles: 4, LatencyCycles: 8}
	m.Kinds[pipe.Special] = Timing{Unit: xu, IntervalCycles: 8, LatencyCycles: 14}
	m.Kinds[pipe.Branch] = Timing{Unit: branch, IntervalCycles: 4, LatencyCycles: 4}
	for k := pipe.LoadGlobal; k <= pipe.Texture; k++ {
		m.Kinds[k] = Timing{Unit: lsu, IntervalCycles: 4, LatencyCycles: 28}
	}
	m.Kinds[pipe.LoadShared] = Timing{Unit: lsu, IntervalCycles: 4, LatencyCycles: 19}
	return m
}

// bench is a launch whose warps all do the same, or what of says.
type bench struct {
	m        *Config
	p        *Program
	ctas     int
	warps    int
	perSM    int
	of       func(cta, warp int) Trace
	repeated Trace
	overTime bool
	cut      bool // of CTAs only the beginning was traced
}

func (b bench) run(t testing.TB) *Result {
	t.Helper()
	code, err := Compile(b.p, b.m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(b.m)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	d := deal{Chiplets: b.m.Chiplets, ctas: int64(b.ctas), come: func() (*CTA, error) {
		if n == b.ctas {
			return nil, nil
		}
		c := &CTA{Linear: int64(n), Place: int64(n), Cut: b.cut}
		for w := range b.warps {
			if b.of != nil {
				c.Warps = append(c.Warps, b.of(n, w))
			} else {
				c.Warps = append(c.Warps, b.repeated)
			}
		}
		n++
		return c, nil
	}}
	r, err := g.Run(context.Background(), &Launch{Code: code, CTAsPerSM: b.perSM, OverTime: b.overTime, Next: d.next})
	if err != nil {
		t.Fatal(err)
	}
	if r.CTAs != int64(b.ctas) {
		t.Fatalf("%d of %d CTAs ended", r.CTAs, b.ctas)
	}
	return r
}

// chain is a block of n instructions of a kind, each of which reads the one before;
// with several chains, turn by turn.
func chain(kind pipe.Kind, n, chains int) *Program {
	var b Block
	for i := range n {
		v := i % chains
		b.Instrs = append(b.Instrs, Instr{Kind: kind, Dst: []int{v}, Srcs: []int{v}, BytesPerLane: 4})
	}
	return &Program{Blocks: []Block{b}, Values: chains}
}

// rounds is a trace that goes n times through block 0.
func rounds(n int) (t Trace) {
	for range n {
		t = t.Block(0, 32)
	}
	return t
}

// near fails if got is not within so many percent of want.
func near(t *testing.T, what string, got, want, percent float64) {
	t.Helper()
	if d := (got - want) / want * 100; d < -percent || d > percent {
		t.Errorf("%s: %.2f, want %.2f (%+.1f %%)", what, got, want, d)
	} else {
		t.Logf("%s: %.2f (%.2f)", what, got, want)
	}
}
