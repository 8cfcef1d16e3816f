package roofline

import (
	"context"
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/source"
	"hyptx/ir"
)

func fact[T any](x T) *gpu.Fact[T] { return &gpu.Fact[T]{Value: x, Source: "test"} }

// roundGPU is a GPU of round numbers: 10 SMs at 1 GHz, 64 fp32 lanes, 100
// GB/s; 16 warps, 8 CTAs and 512 threads an SM.
func roundGPU() *gpu.GPU {
	return &gpu.GPU{
		Name: "round", SMs: fact(10), Clock: gpu.Clock{BoostMHz: fact(1000.)},
		Units: gpu.Units{FP32PerClock: fact(64.), FP64PerClock: fact(32.), FP16PerClock: fact(128.), IntAddPerClock: fact(64.),
			IntMulPerClock: fact(32.), SFUPerClock: fact(16.), LdstPerClock: fact(32.), TensorPerClock: fact(512.)},
		Issue:     gpu.Issue{Schedulers: fact(4), WarpsPerClock: fact(4)},
		Registers: gpu.Registers{PerSM: fact(65536), PerCTAMax: fact(65536), PerThreadMax: fact(255), AllocationUnit: fact(256)},
		Shared:    gpu.Shared{PerSMBytes: fact(65536), PerCTAMaxBytes: fact(65536), ReservedPerCTABytes: fact(0), AllocationUnitBytes: fact(256)},
		Limits: gpu.Limits{WarpThreads: fact(32), Warps: fact(16), CTAs: fact(8), Threads: fact(512), ThreadsPerCTA: fact(512),
			WarpAllocationGranularity: fact(4)},
		L1:   gpu.L1{BytesPerClock: fact(128)},
		L2:   gpu.L2{BytesPerClock: fact(640)},
		DRAM: gpu.DRAM{BandwidthGBPerS: fact(100.)},
		Latency: gpu.Latency{FP32Cycles: fact(4.), FP64Cycles: fact(8.), IntCycles: fact(5.), SFUCycles: fact(20.), TensorCycles: fact(32.),
			SharedCycles: fact(25.), L1Cycles: fact(30.), L2Cycles: fact(200.), DRAMCycles: fact(400.), ConstantCycles: fact(7.)},
		LaunchOverheadUs: fact(2.),
	}
}

func device(t *testing.T, g *gpu.GPU) *Device {
	t.Helper()
	d, err := NewDevice(g)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fixedChain is a chain that is known.
type fixedChain Chain

func (c fixedChain) Chain(Latencies) (Chain, error) { return Chain(c), nil }

func near(t *testing.T, what string, got number.Real, want, relative float64) {
	t.Helper()
	if !got.Known || !(math.Abs(got.X-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %v (known: %t), want %v", what, got.X, got.Known, want)
	}
}

// extended runs the extended model on a launch.
func extended(t *testing.T, l *Launch, d *Device) times {
	t.Helper()
	k, err := l.kernel(thesis.Any)
	if err != nil {
		t.Fatal(err)
	}
	a, err := thesis.Adjust(k, d.Rates, thesis.MAD)
	if err != nil {
		t.Fatal(err)
	}
	return extend(l, d, a)
}

// pathOf is a path through the only kernel of a text; issues are those of its
// blocks.
func pathOf(t *testing.T, body string, issues ...float64) *Path {
	t.Helper()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
		".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<19>; .reg .f64 %d<9>; .shared .align 4 .b8 s[64];\n" + body + "\n}\n"
	m, err := source.File{Name: "k.ptx", Text: []byte(text)}.Module()
	if err != nil {
		t.Fatal(err)
	}
	k := m.Funcs[0]
	if len(issues) != len(k.Blocks) {
		t.Fatalf("%d blocks", len(k.Blocks))
	}
	p := &Path{kernel: k, issues: map[ir.PC]float64{}, issue: 1, ssa: &SSACache{}}
	for i, b := range k.Blocks {
		p.issues[b.First] = issues[i]
	}
	return p
}

// everywhere gives the same launches on all GPUs.
func everywhere(launches []*Launch) func(*Device) []*Launch {
	return func(*Device) []*Launch { return launches }
}

// report is [Report] without an end of the context.
func report(launches func(*Device) []*Launch, devices []*Device, o Options) []*Row {
	rows, _ := Report(context.Background(), launches, devices, o)
	return rows
}
