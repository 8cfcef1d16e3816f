package gpu

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMain: a file in data that is not right is told by its name and field, instead
// of ending the first test that asks for a GPU.
func TestMain(m *testing.M) {
	if _, err := readAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestSources: every number has a source, and names lead to one GPU.
func TestSources(t *testing.T) {
	seen := map[string]string{}
	for _, g := range embedded() {
		for _, f := range g.Fields() {
			if known := f.Value != "unknown"; known != (strings.TrimSpace(f.Source) != "") {
				t.Errorf("%s: %s = %s: source %q", g.Name, f.Path, f.Value, f.Source)
			}
		}
		for _, name := range append([]string{g.Name}, g.Aliases...) {
			if of := seen[plain(name)]; of != "" {
				t.Errorf("%q names %s and %s", name, of, g.Name)
			}
			seen[plain(name)] = g.Name
			if got, err := Get(strings.ToUpper(name)); err != nil || got != g {
				t.Errorf("Get(%q) is not %s: %v", strings.ToUpper(name), g.Name, err)
			}
		}
	}
	for _, g := range embedded() {
		if g.DRAM.Type == nil || g.DRAM.ClockMHz == nil {
			t.Errorf("%s: type and clock of the memory are not known", g.Name)
		}
	}
	if len(Names()) < 37 {
		t.Errorf("%d GPUs", len(Names()))
	}
}

// TestPeaks holds units x SMs x clock against the vendor's own peak figures,
// which are rounded. The thesis' cards run above their base clocks; the 110
// TFLOPS of the TITAN V's tensor cores are at less than its boost clock.
func TestPeaks(t *testing.T) {
	for _, g := range embedded() {
		for _, p := range []struct {
			path     string
			perClock *Float
			peak     *Float
		}{
			{"units.fp32_per_clock", g.Units.FP32PerClock, g.Peak.FP32TFLOPS},
			{"units.fp64_per_clock", g.Units.FP64PerClock, g.Peak.FP64TFLOPS},
			{"units.tensor_per_clock", g.Units.TensorPerClock, g.Peak.TensorFP16TFLOPS},
		} {
			if p.perClock == nil || p.peak == nil {
				continue
			}
			gops, err := g.DataSheetGOPS(p.path, p.perClock)
			if err != nil {
				t.Fatal(err)
			}
			low, high := 0.97, 1.03
			if strings.HasPrefix(p.peak.Source, "Konstantinidis 2017, table 3.1") {
				low, high = 0.97, 1.15
			}
			if g.Name == "titan-v" && p.path == "units.tensor_per_clock" {
				high = 1.09
			}
			if ratio := 2 * gops / 1e3 / p.peak.Value; ratio < low || ratio > high {
				t.Errorf("%s: %s gives %.3f TFLOPS, the vendor says %g (ratio %.3f)", g.Name, p.path, 2*gops/1e3, p.peak.Value, ratio)
			}
		}
	}
}

// TestRanges: what holds of every GPU built.
func TestRanges(t *testing.T) {
	for _, g := range embedded() {
		checkRanges(t, g)
	}
}

// checkRanges looks at the numbers that are known of a GPU.
func checkRanges(t *testing.T, g *GPU) {
	t.Helper()
	for _, r := range []struct {
		path      string
		f         *Float
		low, high float64
	}{
		{"process_nm", g.ProcessNM, 3, 40}, {"clock.boost_mhz", g.Clock.BoostMHz, 500, 3000}, {"dram.bandwidth", g.DRAM.BandwidthGBPerS, 20, 9000},
		{"power.tdp_w", g.Power.TDPW, 10, 1200}, {"latency.l1_cycles", g.Latency.L1Cycles, 20, 100}, {"launch_overhead_us", g.LaunchOverheadUs, 1, 10},
		{"power.min_voltage_v", g.Power.MinVoltageV, 0.5, 1}, {"power.max_voltage_v", g.Power.MaxVoltageV, 0.9, 1.3}, {"dram.clock_mhz", g.DRAM.ClockMHz, 400, 15000},
	} {
		if r.f != nil && (r.f.Value < r.low || r.f.Value > r.high) {
			t.Errorf("%s: %s is %g", g.Name, r.path, r.f.Value)
		}
	}
	l := g.Latency
	if near, far := l.SharedCycles, l.L1Cycles; near != nil && far != nil && near.Value > far.Value {
		t.Errorf("%s: latency.shared_cycles is more than latency.l1_cycles", g.Name)
	}
	for _, p := range [][2]*Float{{l.L1Cycles, l.L2Cycles}, {l.L2Cycles, l.DRAMCycles}, {l.L1Cycles, l.DRAMCycles}} {
		if near, far := p[0], p[1]; near != nil && far != nil && near.Value >= far.Value {
			t.Errorf("%s: latencies do not grow with the distance: %g, %g cycles", g.Name, near.Value, far.Value)
		}
	}
	if m, d := g.Measured.BMemGBPerS, g.DRAM.BandwidthGBPerS; m != nil && d != nil && (m.Value > d.Value || m.Value < 0.65*d.Value) {
		t.Errorf("%s: measured.b_mem_gb_per_s is %g, dram.bandwidth_gb_per_s %g", g.Name, m.Value, d.Value)
	}
	if i, p := g.Power.IdleW, g.Power.TDPW; i != nil && p != nil && i.Value > p.Value/2 {
		t.Errorf("%s: power.idle_w is %g, power.tdp_w %g", g.Name, i.Value, p.Value)
	}
	if th, w := g.Limits.Threads, g.Limits.Warps; g.Vendor == "NVIDIA" && th != nil && w != nil && th.Value != w.Value*32 {
		t.Errorf("%s: limits.threads is %d, limits.warps %d", g.Name, th.Value, w.Value)
	}
}

// TestNulls: whatever is unknown of a GPU, the others of its numbers are read and
// checked.
func TestNulls(t *testing.T) {
	good := text(t, "gv100")
	facts := regexp.MustCompile(`\{"value": [^{}]*"source": "[^"]*"\}`)
	for _, at := range facts.FindAllStringIndex(good, -1) {
		g, err := Read("null.json", []byte(good[:at[0]]+"null"+good[at[1]:]))
		if err != nil {
			t.Fatalf("without %s: %v", good[at[0]:at[1]], err)
		}
		checkRanges(t, g)
	}
}

// thesisNames are the GPUs of the thesis' tables.
var thesisNames = map[string]string{
	"GTX-480": "gtx-480", "GTX-660": "gtx-660", "GTX-960": "gtx-960", "GTX-1060 6GB": "gtx-1060",
	"Tesla M2050": "tesla-m2050", "Tesla K20c": "tesla-k20c", "R9-Nano": "r9-nano",
}

// readTSV reads a table of the thesis, a map of columns for each row.
func readTSV(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "thesis", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("../shared is not there")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.Comment = '\t', '#'
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, c := range record {
			row[records[0][i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestThesisParameters: tables 5.2, 6.2 and 4.6.
func TestThesisParameters(t *testing.T) {
	rows := readTSV(t, "table_5.2_6.2_4.6_gpu_params.tsv")
	if len(rows) != len(thesisNames) {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		g := get(t, thesisNames[row["gpu"]])
		r, err := g.Rates()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			column string
			rate   Rate
		}{{"T_SP_GFLOPS", r.SPGFLOPS}, {"T_DP_GFLOPS", r.DPGFLOPS}, {"T_int_GIOPS", r.IntGIOPS}, {"T_add_GIOPS", r.AddGIOPS},
			{"B_mem_GBps", r.MemGBPerS}, {"T_ldst_GOPS", r.LdstGOPS}} {
			if want := (Rate{number(t, row[p.column]), FromMeasurement}); p.rate != want {
				t.Errorf("%s %s: %v, want %v", g.Name, p.column, p.rate, want)
			}
		}
		if g.Measured.ECC.Value != (row["ecc"] == "on") {
			t.Errorf("%s: ECC", g.Name)
		}
	}
}

// TestDataSheetFallback: without the measurements, the parameters are those
// that the data sheets give (derived_spec_vs_measured.tsv).
func TestDataSheetFallback(t *testing.T) {
	for _, row := range readTSV(t, "derived_spec_vs_measured.tsv") {
		g := *get(t, thesisNames[row["gpu"]])
		g.Measured = Measured{}
		r, err := g.Rates()
		if err != nil {
			t.Fatal(err)
		}
		rate := map[string]Rate{"T_SP": r.SPGFLOPS, "T_DP": r.DPGFLOPS, "T_int": r.IntGIOPS, "T_add": r.AddGIOPS, "T_ldst": r.LdstGOPS}[row["param"]]
		want := number(t, row["spec_estimate"])
		if math.Abs(rate.Value/want-1) > 2e-4 || rate.Provenance != FromDataSheet {
			t.Errorf("%s %s: %v, want %g", g.Name, row["param"], rate, want)
		}
	}
}

// TestThesisSMs: table 5.1.
func TestThesisSMs(t *testing.T) {
	for _, row := range readTSV(t, "table_5.1_gpus.tsv") {
		g := get(t, thesisNames[row["gpu"]])
		if float64(g.SMs.Value) != number(t, row["SMs"]) || g.Clock.BoostMHz.Value != number(t, row["SP_clock_MHz"]) ||
			g.ComputeCapability.Value != row["compute_capability"] || g.Architecture != row["architecture"] ||
			g.Units.FP32PerClock.Value*float64(g.SMs.Value) != number(t, row["SPs"]) {
			t.Errorf("%s does not agree with table 5.1: %v", g.Name, row)
		}
	}
}

// TestRatesUnknown: what neither measurement nor data sheet gives is named.
func TestRatesUnknown(t *testing.T) {
	g := *get(t, "gv100")
	g.Units.IntMulPerClock = nil
	_, err := g.Rates()
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || unknown.Path != "units.int_mul_per_clock" || unknown.GPU != "gv100" {
		t.Errorf("%v", err)
	}
}

func TestL1Shape(t *testing.T) {
	for _, c := range []struct {
		gpu    string
		shared int
		want   CacheShape
	}{
		{"gv100", 0, CacheShape{128 << 10, 256, 128, 32}},
		{"gv100", 1, CacheShape{120 << 10, 240, 128, 32}},
		{"gv100", 96 << 10, CacheShape{32 << 10, 64, 128, 32}},
		{"t4", 0, CacheShape{64 << 10, 512, 128, 32}},
		{"t4", 33 << 10, CacheShape{32 << 10, 256, 128, 32}},
		{"a100", 150 << 10, CacheShape{28 << 10, 56, 128, 32}},
		{"h100", 0, CacheShape{256 << 10, 512, 128, 32}},
		{"titan-x-pascal", 90 << 10, CacheShape{48 << 10, 96, 128, 32}},
		{"gtx-480", 0, CacheShape{16 << 10, 4, 128, 128}},
	} {
		s, err := get(t, c.gpu).L1Shape(c.shared)
		if err != nil || s != c.want {
			t.Errorf("%s with %d bytes of shared memory: %+v, %v; want %+v", c.gpu, c.shared, s, err, c.want)
		}
	}
	if _, err := get(t, "gv100").L1Shape(97 << 10); err == nil {
		t.Error("97 KiB of shared memory on a GV100: no error")
	}
	if s, err := get(t, "gv100").L2Shape(); err != nil || s != (CacheShape{6 << 20, 24, 128, 32}) {
		t.Errorf("L2 of gv100: %+v, %v", s, err)
	}
}

// TestCacheRates: numbers that papers print, and which comes first.
func TestCacheRates(t *testing.T) {
	for _, c := range []struct {
		gpu    string
		l1, l2 Rate
	}{
		{"t4", Rate{58.83, FromMeasurement}, Rate{799, FromMeasurement}},           // Jia et al. 2019, table 3.2 and section 3.2
		{"rtx-4090", Rate{121.2, FromMeasurement}, Rate{1708, FromMeasurement}},    // Luo et al. 2024, table V
		{"h100-pcie", Rate{126.1, FromMeasurement}, Rate{4472.3, FromMeasurement}}, // table V, H800 PCIe
		{"rtx-3090", Rate{128, FromDataSheet}, Rate{1430, FromMeasurement}},        // the A40's L2
		{"gv100", Rate{125.4, FromMeasurement}, Rate{1767, FromMeasurement}},       // gpu-benches, V100
	} {
		g := get(t, c.gpu)
		l1, err1 := g.L1BytesPerClock()
		l2, err2 := g.L2BytesPerClock()
		if l1 != c.l1 || l2 != c.l2 || err1 != nil || err2 != nil {
			t.Errorf("%s: L1 %v (%v), L2 %v (%v)", c.gpu, l1, err1, l2, err2)
		}
	}
	_, err := get(t, "b200").L2BytesPerClock()
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || unknown.Path != "l2.bytes_per_clock" {
		t.Error(err)
	}
}

// TestEveryGPUHasRates: the roofline can be drawn for all of them.
func TestEveryGPUHasRates(t *testing.T) {
	for _, g := range embedded() {
		if _, err := g.Rates(); err != nil {
			t.Error(err)
		}
	}
}
