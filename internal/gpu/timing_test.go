package gpu

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/pipe"
)

// withoutTiming are the GPUs of whose architecture nothing is known.
var withoutTiming = map[string]string{
	"gtx-480":     "nothing is known of the timing of compute capability 2.0",
	"tesla-m2050": "nothing is known of the timing of compute capability 2.0",
	"r9-nano":     "compute_capability is unknown",
}

// timed returns the timing of each GPU that has one, by name.
func timed(t *testing.T) map[string]*Timing {
	t.Helper()
	all := map[string]*Timing{}
	for _, g := range embedded() {
		timing, err := g.Timing()
		if want := withoutTiming[g.Name]; want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", g.Name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		all[g.Name] = timing
	}
	return all
}

// TestTimingFacts: every number of every GPU is there and says where it is from.
func TestTimingFacts(t *testing.T) {
	for name, timing := range timed(t) {
		if len(timing.Facts) < 200 {
			t.Errorf("%s: %d facts", name, len(timing.Facts))
		}
		for _, f := range timing.Facts {
			if strings.TrimSpace(f.Source) == "" || f.From == "" || f.Value == "" {
				t.Errorf("%s: %+v", name, f)
			}
			if guessed(f.Source) && !f.Assumed || f.Assumed != slices.Contains(timing.Assumed, f.Path) {
				t.Errorf("%s: %s is assumed: %v, but its source is %q", name, f.Path, f.Assumed, f.Source)
			}
		}
		if timing.Capability == "" || len(timing.Assumed) == 0 || len(timing.Assumed) == len(timing.Facts) {
			t.Errorf("%s: capability %q, %d of %d facts assumed", name, timing.Capability, len(timing.Assumed), len(timing.Facts))
		}
	}
}

// TestTensorRates: halves are added up in FP32 at half the rate on GeForce boards, and mma.sync does not reach all
// of what a Hopper's tensor cores make.
func TestTensorRates(t *testing.T) {
	all := timed(t)
	for _, c := range []struct {
		gpu  string
		of   pipe.Product
		want float64 // of the rate of its factors
	}{
		{"rtx-3090", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}, 0.5},
		{"rtx-3090", pipe.Product{Factors: pipe.MatrixFP16, Sync: true}, 1},
		{"rtx-3090", pipe.Product{Factors: pipe.MatrixTF32, Sync: true}, 1},
		{"rtx-a6000", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}, 1},
		{"h100-sxm", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}, 0.62},
		{"h100-sxm", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true}, 1},
	} {
		of := &all[c.gpu].Tensor
		if got := of.Rate(c.of) / of.FMAPerCycle[c.of.Factors]; math.Abs(got-c.want) > 1e-9 || of.Rates()[c.of.Number()] != of.Rate(c.of) {
			t.Errorf("%s, %+v: %g of the rate, want %g", c.gpu, c.of, got, c.want)
		}
	}
}

// TestTimingRanges: what holds of every SM.
func TestTimingRanges(t *testing.T) {
	in := func(name, what string, v, low, high float64) {
		t.Helper()
		if !(v >= low && v <= high) {
			t.Errorf("%s: %s is %g, not in %g..%g", name, what, v, low, high)
		}
	}
	for name, g := range timed(t) {
		in(name, "schedulers", float64(g.Issue.Schedulers), 2, 4)
		in(name, "predicate", g.Issue.PredicateCycles, 4, 20)
		for k := range pipe.NumKinds {
			of, what := g.Kinds[k], k.String()
			in(name, what+" latency", of.LatencyCycles, 0, 120)
			if k == pipe.Matrix && g.Tensor.FMAPerCycle[pipe.MatrixFP16] == 0 {
				continue
			}
			in(name, what+" interval", of.IntervalCycles, 0.6, 32)
			in(name, what+" latency", of.LatencyCycles, 4, 120)
			if of.Unit == UnitNone || of.Also != UnitNone && of.AlsoCycles == 0 || of.Alternative == of.Unit {
				t.Errorf("%s: units of %s: %+v", name, what, of)
			}
		}
		in(name, "L1 hit", g.LSU.HitCycles, 28, 90)
		in(name, "shared", g.LSU.SharedCycles, 19, 30)
		in(name, "cycles a memory instruction", g.LSU.CyclesPerInstruction, 1, 2.2)
		in(name, "L2 latency", g.L2.LatencyNs, 90, 300)
		in(name, "L2 bytes a cycle and SM", g.L2.BytesPerCycle, 64, 12_000)
		// DRAM itself takes 110 ns and more wherever it was measured beside the L2: less is of another clock.
		in(name, "DRAM latency", g.DRAM.LatencyNs, g.L2.LatencyNs+100, 600)
		for _, share := range []float64{g.DRAM.ReadShare, g.DRAM.WriteShare, g.DRAM.CopyShare, g.DRAM.TriadShare} {
			in(name, "share of the bandwidth", share, 0.6, 1)
		}
		in(name, "launches", g.Launch.StreamUs, 1, g.Launch.EventUs)
		in(name, "launch by the host", g.Launch.HostUs, g.Launch.EventUs, 30)
	}
}

// TestTimingAgrees: the lanes that a GPU's file states give the interval that its
// compute capability is known for.
func TestTimingAgrees(t *testing.T) {
	for _, g := range embedded() {
		if withoutTiming[g.Name] != "" {
			continue
		}
		chain, err := defaultsOf(g.ComputeCapability.Value)
		if err != nil {
			t.Fatal(err)
		}
		timing, err := g.Timing()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range timing.Facts {
			if !strings.HasPrefix(f.From, "units.") {
				continue
			}
			var ours []layer
			for _, d := range chain {
				ours = append(ours, layer{facts: d.facts})
			}
			want, got := first(ours, f.Path), timing.Tensor.FMAPerCycle[pipe.MatrixFP16]
			if strings.HasSuffix(f.Path, ".interval_cycles") {
				got = timing.kindAt(f.Path).IntervalCycles
			}
			if math.Abs(got/want.Value.(float64)-1) > 0.01 {
				t.Errorf("%s: %s is %g by %s, %v by %s", g.Name, f.Path, got, f.From, want.Value, want.Source)
			}
		}
	}
}

// bare is a GPU of which nothing is known but what no default can stand in for.
func bare(capability string) *GPU {
	return &GPU{Name: "x", ComputeCapability: &Text{capability, "s"}, Clock: Clock{BoostMHz: &Float{1000, "s"}},
		DRAM: DRAM{Channels: &Int{8, "s"}, BandwidthGBPerS: &Float{500, "s"}}}
}

// TestCapabilities: the defaults of each compute capability are complete; others
// take those of the nearest lower one, and say so.
func TestCapabilities(t *testing.T) {
	for _, c := range []string{"3.0", "3.5", "3.7", "5.0", "5.2", "5.3", "6.0", "6.1", "6.2", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "12.0"} {
		timing, err := bare(c).Timing()
		if err != nil || timing.Capability != c {
			t.Errorf("%s: %v", c, err)
		}
	}
	for c, want := range map[string]string{"8.8": "8.7", "10.3": "10.0", "12.1": "12.0", "13.0": "12.0"} {
		timing, err := bare(c).Timing()
		if err != nil || timing.Capability != want || !slices.Contains(timing.Assumed, "kinds.fp32.interval_cycles") {
			t.Errorf("%s: %+v, %v", c, timing, err)
		}
	}
	for _, c := range []string{"2.0", "x", ""} {
		if _, err := bare(c).Timing(); err == nil || !strings.Contains(err.Error(), "nothing is known of the timing of compute capability") {
			t.Errorf("%q: %v", c, err)
		}
	}
	g := bare("8.0")
	g.DRAM.Channels = nil
	_, err := g.Timing()
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || unknown.Path != "timing.l2.slices" {
		t.Errorf("%v", err)
	}
}

// TestTimingBlock: what a file says of timing comes before everything else.
func TestTimingBlock(t *testing.T) {
	const block = `, "timing": {"kinds": {"fp32": {"interval_cycles": {"value": 3, "source": "s"}, "alternative": {"value": "none", "source": "s"}}},
		"l2": {"hashed": {"value": false, "source": "guess"}}, "lsu": {"miss_entries": {"value": 77, "source": "s"}}}}`
	file := strings.TrimSuffix(strings.TrimSpace(text(t, "h200")), "}") + block
	g, err := Read("my.json", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	timing, err := g.Timing()
	if err != nil {
		t.Fatal(err)
	}
	if k := timing.Kinds[pipe.FP32]; k.IntervalCycles != 3 || k.Alternative != UnitNone || timing.L2.Hashed || timing.LSU.MissEntries != 77 {
		t.Errorf("%+v", timing)
	}
	if slices.Contains(timing.Assumed, "kinds.fp32.interval_cycles") || !slices.Contains(timing.Assumed, "l2.hashed") {
		t.Errorf("assumed: %v", timing.Assumed)
	}
	b, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Read("my.json", b); err != nil || !reflect.DeepEqual(back, g) {
		t.Errorf("written and read: %v", err)
	}
	for change, want := range map[string]string{
		`"fp32": {"interval_cycles": {"value": 3`: `"fp33": {"interval_cycles": {"value": 3|timing.kinds: unknown key "fp33"`,
		`"value": "none"`:                         `"value": "lsv"|timing.kinds.fp32.alternative.value: "lsv" is none of none, fma,`,
		`"value": 77`:                             `"value": 7.5|timing.lsu.miss_entries.value: must be a whole number`,
		`"value": 3,`:                             `"value": 0,|timing.kinds.fp32.interval_cycles.value: must be positive`,
		`"value": false`:                          `"value": 1|timing.l2.hashed.value: must be true or false`,
	} {
		now, message, _ := strings.Cut(want, "|")
		changed := strings.Replace(file, change, now, 1)
		if _, err := Read("my.json", []byte(changed)); changed == file || err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %s", now, err, message)
		}
	}
}

// TestTimingNumbers: numbers that the documents print.
func TestTimingNumbers(t *testing.T) {
	all := timed(t)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"a GV100 issues an FFMA of a sub-core every second cycle", all["gv100"].Kinds[pipe.FP32].IntervalCycles, 2},
		{"a T4's SM has one DFMA in 16 cycles", all["t4"].Kinds[pipe.FP64].IntervalCycles, 16},
		{"a GA102 has two halves of FP32 lanes", all["rtx-3090"].Kinds[pipe.FP32].IntervalCycles, 2},
		{"a Pascal has 128 lanes of XMAD", all["gtx-1060"].Kinds[pipe.IntMul].IntervalCycles, 1},
		{"a Kepler has six warps of FP32 lanes", 4 / all["tesla-k20c"].Kinds[pipe.FP32].IntervalCycles, 6},
		{"an m16n8k16 takes 8 cycles on A100", all["a100-sxm-40gb"].MatrixInterval(2048, pipe.MatrixFP16), 8},
		{"an m8n8k4 of doubles takes 16", all["a100-sxm-40gb"].MatrixInterval(256, pipe.MatrixFP64), 16},
		{"there is no FP8 on A100", all["a100-sxm-40gb"].MatrixInterval(2048, pipe.MatrixFP8), 0},
	} {
		if math.Abs(c.got/c.want-1) > 0.01 && c.got != c.want {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
	if k := all["rtx-3090"].Kinds; k[pipe.FP32].Alternative != UnitFMALite || k[pipe.FP64].SharedBySM != true || k[pipe.IntMul].Alternative != UnitNone {
		t.Errorf("units of GA102: %+v", k)
	}
}
