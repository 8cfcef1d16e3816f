package roofline

import (
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/pipe"
	"hyptx/internal/sim"
)

// roundTiming is a GPU of four sub-cores, of which two units take fp32 instructions, one of them those
// of integers alone, and which share one fp64 unit.
func roundTiming() *gpu.Timing {
	t := &gpu.Timing{Issue: gpu.IssueTiming{SubCores: 4, PerScheduler: 1}}
	t.Kinds[pipe.FP32] = gpu.KindTiming{Unit: gpu.UnitFMA, Alternative: gpu.UnitFMALite, IntervalCycles: 2}
	t.Kinds[pipe.IntMul] = gpu.KindTiming{Unit: gpu.UnitFMA, IntervalCycles: 2}
	t.Kinds[pipe.FP64] = gpu.KindTiming{Unit: gpu.UnitFP64, SharedBySM: true, IntervalCycles: 16, SwitchCycles: 3, Also: gpu.UnitDispatch, AlsoCycles: 2}
	t.LSU = gpu.LSUTiming{CyclesPerInstruction: 2, BytesPerCycle: 64, SharedStoreCycles: 1}
	return t
}

// TestUnits: what units take is worked out by hand, on 10 SMs at 1 GHz.
func TestUnits(t *testing.T) {
	l := &Launch{Kinds: new([pipe.NumKinds]float64)}
	l.Kinds[pipe.FP32], l.Kinds[pipe.IntMul], l.Kinds[pipe.FP64], l.Kinds[pipe.LoadGlobal] = 4000, 1000, 100, 300
	got := map[string]float64{}
	for _, u := range units(l, roundTiming(), shape{sms: 10, clockMHz: 1000}) {
		got[u.name] = u.seconds * 10e9 // cycles of all SMs
	}
	for name, want := range map[string]float64{
		"issue":    (4000 + 1000 + 100 + 300) / 4,
		"fma":      (4000 + 1000) * 2 / 4 / 2, // both are busy as long
		"fma_lite": (4000 + 1000) * 2 / 4 / 2,
		"fp64":     100 * (16 + 3),
		"dispatch": 100 * 2 / 4,
		"alu":      0,
	} {
		near(t, name, number.Ratio(got[name]), want, 1e-12)
	}
	if _, is := got["lsu"]; is {
		t.Error("accesses are the L1's")
	}
	l.Kinds[pipe.FP32] = 100 // too few to make up for the integers
	for _, u := range units(l, roundTiming(), shape{sms: 10, clockMHz: 1000}) {
		if u.name == "fma" {
			near(t, "fma", number.Ratio(u.seconds*10e9), 1000*2/4, 1e-12)
		}
	}
}

// TestTensorCycles: products of each kind at a rate of their own, one after the other.
func TestTensorCycles(t *testing.T) {
	var rates gpu.TensorTiming
	rates.FMAPerCycle[pipe.MatrixFP16], rates.FMAPerCycle[pipe.MatrixInt8], rates.FP32AccumulateShare, rates.SyncShare = 512, 1024, 0.5, 1
	cyclesOf := func(made map[pipe.Product]float64) (float64, error) {
		var products [pipe.NumProducts]float64
		for p, n := range made {
			products[p.Number()] = n
		}
		return tensorCycles(&products, &rates)
	}
	fp16, int8 := pipe.Product{Factors: pipe.MatrixFP16, Sync: true}, pipe.Product{Factors: pipe.MatrixInt8, Sync: true}
	sum32 := pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}
	if got, err := cyclesOf(map[pipe.Product]float64{fp16: 512e4, sum32: 512e4, int8: 1024e4}); err != nil || math.Abs(got-4e4) > 1e-6 {
		t.Errorf("%v: %v cycles, want 1e4 + 2e4 + 1e4", err, got)
	}
	if got, err := cyclesOf(map[pipe.Product]float64{{Factors: pipe.MatrixFP64, Sync: true}: 1}); err == nil {
		t.Errorf("factors without tensor cores: %v", got)
	}
}

// TestAccesses: the unit's least, the bytes of lanes, and passes, each where it is most.
func TestAccesses(t *testing.T) {
	for _, c := range []struct {
		what                                                string
		loads, lanes, sectors, shared, passes, put, atomics float64
		shares                                              bool
		l1, want                                            float64
	}{
		{"the unit's least", 100, 100 * 32 * 4, 100 * 32, 0, 0, 0, 0, true, 1, 100 * 2},
		{"16 bytes a lane, all the same", 100, 100 * 32 * 16, 100 * 32, 0, 0, 0, 0, true, 1, 100 * 8},
		{"sectors that nobody else wants", 100, 100 * 32 * 4, 100 * 32 * 32, 0, 0, 0, 0, true, 1, 100 * 16},
		{"conflicts in half a cycle's banks", 0, 0, 0, 100, 300, 0, 0, true, 1, 300 * 2},
		{"conflicts where shared memory is apart", 0, 0, 0, 100, 300, 0, 0, false, 1, 300},
		{"stores beside loads", 100, 100 * 32 * 4, 100 * 32, 0, 50, 50, 0, false, 1, 100*2 + 50*2 + 50},
		{"atomics among loads", 0, 0, 0, 100, 400, 0, 50, false, 1, 400 + 400/2 + 50},
		{"a column of a matrix", 100, 100 * 32 * 4, 100 * 32 * 32, 0, 0, 0, 0, true, 32, 100 * 32 * 2},
	} {
		l := &Launch{Kinds: new([pipe.NumKinds]float64), SharedLanes: number.Ratio(32 * c.passes), L1Passes: number.Ratio(c.l1)}
		l.Kinds[pipe.LoadGlobal], l.Kinds[pipe.LoadShared], l.Kinds[pipe.StoreShared] = c.loads, c.shared-c.atomics, c.put
		l.Kinds[pipe.AtomicShared] = c.atomics
		l.Traffic.Lanes, l.Traffic.L1 = number.Ratio(c.lanes), number.Ratio(c.sectors)
		g := roundGPU()
		g.L1.SharesWithShared = fact(c.shares)
		near(t, c.what, number.Ratio(accesses(l, roundTiming(), g)), c.want, 1e-12)
	}
}

// TestBandwidth: between what reads, writes and copies reach; all of it where somebody measured.
func TestBandwidth(t *testing.T) {
	d := device(t, roundGPU())
	d.timing = roundTiming()
	d.timing.DRAM = gpu.DRAMTiming{ReadShare: 0.9, WriteShare: 0.98, CopyShare: 0.8}
	for _, c := range []struct{ read, written, want float64 }{{1, 0, 90}, {0, 1, 98}, {1, 1, 80}, {3, 1, 85}, {0, 0, 100}} {
		l := &Launch{Traffic: Traffic{Source: TrafficModel, DRAMRead: number.Ratio(c.read), DRAMWrite: number.Ratio(c.written)}}
		near(t, "GB/s", number.Ratio(d.bandwidth(l)), c.want, 1e-12)
	}
	d.Spec.Measured.BMemGBPerS = fact(70.)
	measured, err := NewDevice(d.Spec)
	if err != nil {
		t.Fatal(err)
	}
	measured.timing = d.timing
	near(t, "measured", number.Ratio(measured.bandwidth(&Launch{Traffic: Traffic{Source: TrafficModel, DRAMRead: number.Ratio(1)}})), 70, 1e-12)
}

// TestTurns: a unit that a warp alone keeps busy stays with it; where each instruction waits for the one before
// it goes to another warp each time, and in between to as many as lie between.
func TestTurns(t *testing.T) {
	kind := &gpu.KindTiming{IntervalCycles: 16, LatencyCycles: 48, SwitchCycles: 3}
	l := &Launch{Kinds: new([pipe.NumKinds]float64)}
	l.Kinds[pipe.FP64], l.Kinds[pipe.IntAdd] = 100, 100
	for _, c := range []struct{ cycles, want float64 }{{100 * 16, 0}, {100 * 32, 0.5}, {100 * 48, 1}, {100 * 400, 1}} {
		l.Lone = &sim.Lone{Course: sim.Course{InL1: c.cycles, Instructions: 200}}
		if got := l.turns(100, kind); got != c.want {
			t.Errorf("100 of 200 instructions in %v cycles: %v of them, want %v", c.cycles, got, c.want)
		}
	}
	if l.Lone = nil; l.turns(100, kind) != 1 {
		t.Error("nobody knows how long a warp takes alone: all of them")
	}
}

// TestConstants: constants of one address take as long as an access, or as the L1's way takes for one, and
// those of several one after the other.
func TestConstants(t *testing.T) {
	l := &Launch{Kinds: new([pipe.NumKinds]float64)}
	l.Kinds[pipe.LoadConst], l.Traffic.ConstReplays = 100, 310
	if got := accesses(l, roundTiming(), &gpu.GPU{}); got != 100*2+310*2 {
		t.Errorf("%v cycles, by hand %d", got, 100*2+310*2)
	}
}
