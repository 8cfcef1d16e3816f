package roofline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// TestFullGPU: where a GPU is full, its warps hide the latency and the launch
// is long, the extended time is the thesis' within 2 %, at the bandwidth that programs reach.
func TestFullGPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var gpus []*gpu.GPU
	for _, name := range []string{"gv100", "a100-sxm-40gb", "h100-sxm"} {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		gpus = append(gpus, g)
	}
	gpus = append(gpus, roundGPU())
	for i := range 2000 {
		d := device(t, gpus[i%len(gpus)])
		ctas := math.Floor(1e5 + 1e6*rng.Float64())
		perCTA := math.Floor(1e4 + 1e5*rng.Float64()) // warp instructions
		m := thesis.Metrics{WarpInstructions: ctas * perCTA}
		lanes := 32 * m.WarpInstructions
		share := func() float64 { x := math.Floor(lanes / 3 * rng.Float64()); lanes -= x; return x }
		*[]*float64{&m.FP32, &m.FP64, &m.Integer}[rng.IntN(3)] = share()
		m.LdSt = share()
		m.FMA32, m.FMA64 = math.Floor(m.FP32*rng.Float64()), math.Floor(m.FP64*rng.Float64())
		bytes := m.WarpInstructions * 64 * rng.Float64()
		const warps, loads = 8, 100.
		// 8 warps a CTA: the chain is that of a warp that never waits.
		l := &Launch{Repetitions: 1, CTAs: ctas, BlockThreads: 32 * warps, RegistersPerThread: 32, Metrics: m,
			Chain:   fixedChain{Cycles: perCTA / warps / 100, Loads: loads, LoadsInChain: 0.1}.Chain,
			Traffic: Traffic{Source: TrafficModel, DRAMRead: number.Ratio(bytes / 2), DRAMWrite: number.Ratio(bytes / 2)}}
		k, err := l.kernel(thesis.Any)
		if err != nil {
			t.Fatal(err)
		}
		rates := d.Rates
		rates.DRAMGBps = d.bandwidth(l)
		want, err := thesis.Predict(k, rates, thesis.MAD)
		if err != nil {
			t.Fatal(err)
		}
		got := extended(t, l, d)
		if got.Missing != nil {
			t.Fatal(got.Missing)
		}
		near(t, d.Name+": "+string(k.Type), got.Total, want.Seconds, 0.02)
		if math.Abs(want.IssueSeconds/want.MemorySeconds-1) > 0.02 && got.Bound != want.Bound {
			t.Errorf("%s bound, want %s", got.Bound, want.Bound)
		}
	}
}

// plainLaunch is 10 CTAs of 64 threads on a GPU of 10 SMs: each warp executes
// 1000 instructions, half of them fp32.
func plainLaunch() *Launch {
	return &Launch{Repetitions: 1, CTAs: 10, BlockThreads: 64, RegistersPerThread: 32,
		Metrics: thesis.Metrics{WarpInstructions: 20000, FP32: 320000},
		Chain:   fixedChain{Cycles: 5000, Loads: 10, LoadsInChain: 5}.Chain,
		Traffic: Traffic{Source: TrafficModel, DRAMRead: number.Ratio(0), DRAMWrite: number.Ratio(1000)}}
}

// TestTerms works the terms out by hand on roundGPU.
func TestTerms(t *testing.T) {
	d := device(t, roundGPU())
	base := 20000. * 32 / (64 * 10 * 1e9) // every slot costs one fp32 issue
	for _, c := range []struct {
		name   string
		change func(*Launch)
		check  func(times)
	}{
		{"one CTA an SM", func(*Launch) {}, func(x times) {
			near(t, "launch", x.Launch, 2e-6, 1e-12)
			near(t, "issue", x.Issue, base, 1e-12)
			near(t, "latency", x.Latency, 5e-6, 1e-12)
			near(t, "memory", x.Memory, 1e-8, 1e-12)
			near(t, "total", x.Total, 7e-6, 1e-12)
			near(t, "IPC", x.IPCBound, 20000/(5e-6*10*1e9), 1e-12)
			if x.Bound != Latency || x.IssueLimit != "pipeline" || x.CTAsPerSM.N != 8 {
				t.Errorf("%+v", x)
			}
		}},
		{"one CTA more than SMs", func(l *Launch) { l.CTAs = 11; l.Metrics.WarpInstructions = 22000; l.Metrics.FP32 = 352000 }, func(x times) {
			near(t, "issue", x.Issue, 2*base, 1e-12)
			near(t, "waves", x.Waves, 1, 0)
		}},
		{"one CTA more than fit", func(l *Launch) { l.CTAs = 81 }, func(x times) {
			near(t, "waves", x.Waves, 2, 0)
			near(t, "latency", x.Latency, 1e-5, 1e-12)
		}},
		{"three repetitions", func(l *Launch) { l.Repetitions = 3; l.Metrics.WarpInstructions *= 3; l.Metrics.FP32 *= 3 }, func(x times) {
			near(t, "launch", x.Launch, 6e-6, 1e-12)
			near(t, "issue", x.Issue, 3*base, 1e-12)
			near(t, "latency", x.Latency, 15e-6, 1e-12)
		}},
		// 20 warps have two loads each of 64 bytes in flight, of 10: 2560 bytes in
		// 400 cycles are 6.4 GB/s.
		{"Little's law", func(l *Launch) { l.Traffic.DRAMRead.X = 20 * 10 * 64; l.Traffic.DRAMWrite.X = 0 }, func(x times) {
			near(t, "bandwidth", x.EffectiveGBps, 6.4, 1e-12)
			near(t, "memory", x.Memory, 12800/6.4e9, 1e-12)
		}},
		// Stores are posted: a thousand times as many bytes written go at B_mem.
		{"posted stores", func(l *Launch) { l.Traffic.DRAMRead.X = 20 * 10 * 64; l.Traffic.DRAMWrite.X = 12800e3 - 12800 }, func(x times) {
			near(t, "bandwidth", x.EffectiveGBps, 100, 1e-12)
			near(t, "memory", x.Memory, 12800e3/100e9, 1e-12)
		}},
		// 4000 loads at a time need more registers than a thread can have, 255.
		{"registers for loads", func(l *Launch) {
			l.Traffic.DRAMRead.X, l.Traffic.DRAMWrite.X = 20*4000*64, 0
			l.Chain = fixedChain{Cycles: 5000, Loads: 4000, LoadsInChain: 1}.Chain
		}, func(x times) {
			near(t, "loads in flight", x.LoadsInFlight, 255, 0)
			near(t, "memory", x.Memory, 20*4000*64/100e9, 1e-12)
			if strings.Join(x.Notes, "; ") != "loads in flight: 4000 a warp by their dependences, registers for 255; t_latency_us is a lower bound" {
				t.Error(strings.Join(x.Notes, "; "))
			}
		}},
		{"registers", func(l *Launch) { l.RegistersPerThread = 300 }, func(x times) {
			if strings.Join(x.Notes, "; ") != "registers: 300 a thread estimated, 255 possible; spills are not counted" || x.Limiter != "registers" {
				t.Error(strings.Join(x.Notes, "; "), x.Limiter)
			}
		}},
		{"special functions", func(l *Launch) { l.Special = number.Ratio(300000) }, func(x times) {
			near(t, "issue", x.Issue, 300000./(16*10*1e9), 1e-12)
			if x.IssueLimit != "special" {
				t.Error(x.IssueLimit)
			}
		}},
		{"tensor cores", func(l *Launch) { l.TensorMACs = number.Ratio(1e8) }, func(x times) {
			near(t, "issue", x.Issue, 1e8/(512*10*1e9), 1e-12)
			near(t, "total", x.Total, 2e-6+1e8/(512*10*1e9), 1e-12)
			if x.IssueLimit != "tensor" || x.Bound != thesis.Compute {
				t.Error(x.IssueLimit, x.Bound)
			}
		}},
		{"bank conflicts", func(l *Launch) { l.SharedLanes = number.Ratio(32 * 32 * 1e4) }, func(x times) {
			near(t, "issue", x.Issue, 32*32*1e4/(32*10*1e9), 1e-12)
		}},
		// 12 CTAs on 10 SMs: one has two of them, 10/6 of its share.
		{"the L1s", func(l *Launch) { l.CTAs, l.Traffic.L1, l.Traffic.L2 = 12, number.Ratio(128e6), number.Ratio(1) }, func(x times) {
			near(t, "L1", x.L1, 128e6/(128*10*1e9)*10/6, 1e-12)
			near(t, "memory", x.Memory, x.L1.X, 0)
			near(t, "total", x.Total, 2e-6+x.L1.X, 1e-12)
			if x.Bound != thesis.Memory || len(x.Notes) != 0 {
				t.Error(x.Bound, strings.Join(x.Notes, "; "))
			}
		}},
		{"the L2", func(l *Launch) { l.Traffic.L2 = number.Ratio(64e6) }, func(x times) {
			near(t, "L2", x.L2, 64e6/(640*1e9), 1e-12)
			near(t, "memory", x.Memory, x.L2.X, 0)
		}},
	} {
		l := plainLaunch()
		c.change(l)
		t.Run(c.name, func(t *testing.T) { c.check(extended(t, l, d)) })
	}
}

// TestCacheRates: what was measured comes before what is theoretical, and loads
// of warps are a limit besides bytes. The row says what was charged.
func TestCacheRates(t *testing.T) {
	g, l := roundGPU(), plainLaunch()
	l.Traffic.L1, l.Traffic.L2, l.Traffic.L1Loads = number.Ratio(128e6), number.Ratio(64e6), number.Ratio(1e6)
	g.L1.MeasuredBytesPerClock, g.L1.MeasuredLoadsPerClock = fact(100.), fact(0.5)
	x := extended(t, l, device(t, g))
	near(t, "L1 by its loads", x.L1, 1e6/0.5/(10*1e9), 1e-12)
	near(t, "L2 as on the data sheet", x.L2, 64e6/(640*1e9), 1e-12)
	l.Traffic.L1Loads = number.Ratio(1e5)
	near(t, "L1 by its bytes", extended(t, l, device(t, g)).L1, 128e6/(100*10*1e9), 1e-12)
	g.L2.BytesPerClock, g.L2.MeasuredBytesPerClock = nil, fact(500.)
	r := Evaluate(l, device(t, g), Options{Model: Extended, Rule: thesis.Any, Integer: thesis.MAD})
	near(t, "L2 as measured", r.L2Us, 64e6/(500*1e9)*1e6, 1e-9)
	near(t, "L1 column", r.L1BytesPerClock, 100, 0)
	near(t, "L2 column", r.L2BytesPerClock, 500, 0)
	if r.CacheRates != "L1 measured, L2 measured" || r.MemoryLimit != "L1" && r.MemoryLimit != "L2" || r.boundText() != "Memory ("+r.MemoryLimit+")" {
		t.Error(r.CacheRates, r.MemoryLimit, r.boundText())
	}
	g.L1.BytesPerClock, g.L1.MeasuredBytesPerClock, g.L2.MeasuredBytesPerClock = nil, nil, nil
	if x := extended(t, l, device(t, g)); x.L1.Known || x.L2.Known || strings.Join(x.Notes, "; ") != "the throughput of the L2 is unknown and not charged; the throughput of the L1 is unknown and not charged" {
		t.Errorf("%+v", x)
	}
}

// TestMissing: what is unknown gives no total and is named.
func TestMissing(t *testing.T) {
	for _, c := range []struct {
		name   string
		launch func(*Launch)
		gpu    func(*gpu.GPU)
		want   string
	}{
		{"traffic", func(l *Launch) { l.Traffic = Traffic{} }, func(*gpu.GPU) {}, "DRAM traffic is unknown"},
		{"path", func(l *Launch) { l.Chain = nil }, func(*gpu.GPU) {}, "path of the longest warp"},
		{"shape", func(l *Launch) { l.CTAs = 0 }, func(*gpu.GPU) {}, "grid and block are unknown"},
		{"too large", func(l *Launch) { l.SharedBytes = 1 << 20 }, func(*gpu.GPU) {}, "1048576 bytes needed"},
		{"overhead", func(*Launch) {}, func(g *gpu.GPU) { g.LaunchOverheadUs = nil }, "launch_overhead_us"},
		{"unit", func(l *Launch) { l.Special = number.Ratio(1) }, func(g *gpu.GPU) { g.Units.SFUPerClock = nil }, "units.sfu_per_clock"},
	} {
		g, l := roundGPU(), plainLaunch()
		c.launch(l)
		c.gpu(g)
		x := extended(t, l, device(t, g))
		if x.Total.Known || x.Missing == nil || !strings.Contains(x.Missing.Error(), c.want) {
			t.Errorf("%s: total %v, missing %v", c.name, x.Total, x.Missing)
		}
	}
	x := extended(t, plainLaunch(), &Device{Name: "rates", Rates: device(t, roundGPU()).Rates})
	if x.Total.Known || x.Missing == nil || !strings.Contains(x.Missing.Error(), "time model thesis") {
		t.Errorf("rates alone: %+v", x)
	}
}
