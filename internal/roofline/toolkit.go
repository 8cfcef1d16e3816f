package roofline

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/csvfile"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/strictjson"
)

// The author's programs write files that some people have: kernels that were profiled
// and GPUs that were measured. They are read and written in the same form, so that
// either side can check the other. A kernel comes as the parameters of table 4.2, not
// as counters, hence without a grid: the thesis' model can time it, the extended cannot.

// toolkitKernel is a kernel in the JSON of gpuroofperf-tool.
type toolkitKernel struct {
	DominantOp    string         `json:"dominant_op"`
	ComputeOps    *float64       `json:"compute_ops"`
	DRAMBytes     *float64       `json:"dram_bytes"`
	L2Bytes       *float64       `json:"l2_bytes"`
	MixEfficiency *float64       `json:"opmix_efficiency"`
	MixCompute    *float64       `json:"mix_compute"`
	MixLdSt       *float64       `json:"mix_ldst"`
	ReferenceMs   float64        `json:"reference_time"`
	Count         float64        `json:"count"`
	Utilizations  map[string]any `json:"utilizations"`
}

var toolkitTypes = map[string]thesis.Type{"fp_32": thesis.FP32, "fp_64": thesis.FP64, "integer": thesis.Integer}

// ReadToolkit reads kernel parameters as the author's gpuroofperf-tool writes
// them (-o). name is the file's, for errors.
func ReadToolkit(name string, text []byte) ([]*Launch, error) {
	var file struct {
		App  string                     `json:"app"`
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, strictjson.Plain("", err))
	}
	if len(file.Data) == 0 {
		return nil, fmt.Errorf(`%s: no kernels: expected {"data": {"kernel": {"dominant_op": ...}}}`, name)
	}
	var out []*Launch
	var errs []error
	for i, kernel := range slices.Sorted(maps.Keys(file.Data)) {
		l, err := toolkitLaunch(kernel, file.Data[kernel])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", name, kernel, err))
			continue
		}
		if l.Network = file.App; l.Network == "" {
			l.Network = name
		}
		l.Launch = strconv.Itoa(i)
		out = append(out, l)
	}
	return out, errors.Join(errs...)
}

func toolkitLaunch(name string, text []byte) (*Launch, error) {
	var k toolkitKernel
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, strictjson.Plain("", err)
	}
	kind, ok := toolkitTypes[k.DominantOp]
	if !ok {
		return nil, fmt.Errorf("dominant_op is %q: must be fp_32, fp_64 or integer", k.DominantOp)
	}
	for _, f := range []struct {
		name  string
		value *float64
		most  float64
	}{{"compute_ops", k.ComputeOps, math.Inf(1)}, {"dram_bytes", k.DRAMBytes, math.Inf(1)}, {"opmix_efficiency", k.MixEfficiency, 1},
		{"mix_compute", k.MixCompute, 1}, {"mix_ldst", k.MixLdSt, 1}} {
		if f.value == nil || !(*f.value >= 0) || !(*f.value <= f.most) {
			return nil, fmt.Errorf("%s must be there and lie between 0 and %g", f.name, f.most)
		}
	}
	l := &Launch{Kernel: name, Repetitions: max(k.Count, 1), Counts: "measured", Exactness: "measured",
		Parameters: &thesis.Kernel{Type: kind, Ops: *k.ComputeOps, TrafficBytes: *k.DRAMBytes, MixEfficiency: *k.MixEfficiency,
			OpsDensity: *k.MixCompute, LdStDensity: *k.MixLdSt, OtherDensity: 1 - *k.MixCompute - *k.MixLdSt},
		Traffic:  Traffic{Source: TrafficMeasured, DRAMRead: number.Ratio(*k.DRAMBytes), DRAMWrite: number.Ratio(0)},
		Evidence: thesis.Evidence{ReferenceSeconds: k.ReferenceMs / 1e3, Utilization: map[string]int{}}}
	if k.L2Bytes != nil {
		l.Traffic.L2 = number.Ratio(*k.L2Bytes)
	}
	for metric, level := range k.Utilizations {
		x, ok := level.(float64)
		if !ok || x < 0 || x > 10 {
			return nil, fmt.Errorf("utilizations: %s is %v: must be a level from 0 to 10", metric, level)
		}
		l.Evidence.Utilization[strings.TrimSuffix(metric, "_utilization")] = int(x)
	}
	return l, nil
}

// toolkitColumns are the columns of the toolkit's GPU CSV that the model reads;
// it has "GBSEC - L2" besides.
var toolkitColumns = map[string]func(*thesis.Rates) *float64{
	"GFLOPS - SP":  func(r *thesis.Rates) *float64 { return &r.SPGFLOPS },
	"GFLOPS - DP":  func(r *thesis.Rates) *float64 { return &r.DPGFLOPS },
	"GIOPS - MAD":  func(r *thesis.Rates) *float64 { return &r.IntGIOPS },
	"GBSEC - DRAM": func(r *thesis.Rates) *float64 { return &r.DRAMGBps },
	"GOPS - SHMEM": func(r *thesis.Rates) *float64 { return &r.LdStGOPS },
	"GIOPS - ADD":  func(r *thesis.Rates) *float64 { return &r.AddGIOPS },
}

// toolkitRates are the names of these columns.
var toolkitRates = slices.Sorted(maps.Keys(toolkitColumns))

// ReadToolkitGPUs reads the GPU CSV of the author's gpuroofperf-bench: measured
// rates, -1 for one that was not. name is the file's, for errors.
func ReadToolkitGPUs(name string, text []byte) ([]*Device, error) {
	t, err := csvfile.Format{Lenient: true}.Open(name, text, append([]string{"GPU"}, toolkitRates...)...)
	if err != nil {
		return nil, err
	}
	var out []*Device
	for row, err := range t.Rows() {
		var d *Device
		if err == nil {
			d, err = toolkitDevice(t, row.Cells)
		}
		if err != nil {
			return nil, t.At(row.Line, err)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no GPU: expected a header (GPU, GFLOPS - SP, ...) and a row for each", name)
	}
	return out, nil
}

func toolkitDevice(t *csvfile.Table, cells []string) (*Device, error) {
	d := &Device{Basis: "given", Name: strings.Trim(cells[t.Column["GPU"]], `" `)}
	for _, h := range toolkitRates {
		cell := strings.TrimSpace(cells[t.Column[h]])
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x != -1 && x <= 0 {
			return nil, fmt.Errorf("%s is %q: must be a positive number, or -1 for not measured", h, cell)
		}
		*toolkitColumns[h](&d.Rates) = max(x, 0)
	}
	if d.Name == "" {
		return nil, errors.New("the GPU has no name")
	}
	return d, nil
}
