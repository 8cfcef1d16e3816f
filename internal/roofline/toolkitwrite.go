package roofline

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/table"
)

// WriteToolkitGPUs writes GPUs as the author's gpuroofperf-bench does: rates
// with four decimals, -1 for one that nobody knows.
func WriteToolkitGPUs(w io.Writer, devices []*Device) error {
	columns := []string{"GFLOPS - SP", "GFLOPS - DP", "GIOPS - MAD", "GBSEC - DRAM", "GBSEC - L2", "GOPS - SHMEM", "GIOPS - ADD"}
	var b strings.Builder
	fmt.Fprintf(&b, "\"GPU\", \"%s\"\n", strings.Join(columns, `", "`))
	for _, d := range devices {
		var cells []string
		for _, c := range columns {
			rate := d.l2GBps()
			if to := toolkitColumns[c]; to != nil {
				rate = *to(&d.Rates)
			}
			if rate <= 0 {
				rate = -1
			}
			cells = append(cells, strconv.FormatFloat(rate, 'f', 4, 64))
		}
		fmt.Fprintf(&b, "\"%s\", %s\n", strings.ReplaceAll(d.Name, `"`, "'"), strings.Join(cells, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// l2GBps is the throughput of the L2, 0 if it is not known.
func (d *Device) l2GBps() float64 {
	if d.Spec == nil {
		return 0
	}
	rate, err := d.Spec.L2BytesPerClock()
	mhz, err2 := d.Spec.ClockMHz()
	if err != nil || err2 != nil {
		return 0
	}
	return rate.Value * mhz / 1e3
}

// errManyPrograms: the toolkit's files have kernels by their names alone.
var errManyPrograms = errors.New("the toolkit's files are of one program: name one")

// byKernel adds up the launches of each kernel, in the order of their first
// ones: the toolkit knows kernels, not launches.
func byKernel(launches []*Launch) ([]*Launch, error) {
	if slices.ContainsFunc(launches, func(l *Launch) bool { return l.Network != launches[0].Network }) {
		return nil, errManyPrograms
	}
	var sums []*Launch
	for _, of := range table.Groups(launches, func(l *Launch) string { return l.Kernel }) {
		l, sum := of[0], merge(of)
		if len(of) > 1 {
			sum.Kernel, sum.Traffic.L2 = l.Kernel, number.Real{}
			for _, one := range of {
				sum.Repetitions += one.Repetitions
				sum.Traffic.L2 = number.Real{X: sum.Traffic.L2.X + one.Traffic.L2.X, Known: one.Traffic.L2.Known && (sum.Traffic.L2.Known || one == l)}
			}
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

// WriteToolkitParameters writes kernel parameters as the author's
// gpuroofperf-tool does (-o) and reads them (-i). Nobody measured a
// reference time where the counts are not a profiler's: then it is 0.
func WriteToolkitParameters(w io.Writer, version string, launches []*Launch, rule thesis.Rule) error {
	kernels, err := byKernel(launches)
	if err != nil {
		return err
	}
	data := map[string]toolkitKernel{}
	for _, l := range kernels {
		if !l.Traffic.DRAM().Known {
			return fmt.Errorf("%s: the DRAM traffic is unknown", l.Kernel)
		}
		k, err := l.kernel(rule)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Kernel, err)
		}
		l2 := 0.0 // as in the toolkit's own files: not in the model
		if l.Traffic.L2.Known {
			l2 = l.Traffic.L2.X
		}
		levels := map[string]any{}
		for name, level := range l.Evidence.Utilization {
			levels[name+"_utilization"] = level
		}
		for name, t := range toolkitTypes {
			if t == k.Type {
				data[l.Kernel] = toolkitKernel{DominantOp: name, ComputeOps: &k.Ops, DRAMBytes: &k.TrafficBytes, L2Bytes: &l2, MixEfficiency: &k.MixEfficiency,
					MixCompute: &k.OpsDensity, MixLdSt: &k.LdStDensity, ReferenceMs: l.Evidence.ReferenceSeconds * 1e3, Count: l.Repetitions, Utilizations: levels}
			}
		}
	}
	app := ""
	if len(kernels) > 0 {
		app = launches[0].Network
	}
	return indented(w, map[string]any{"app": app, "invocation": "", "datetime": "", "device": "", "driver": "", "platform": "hyptx", "version": version, "data": data})
}

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// toolkitPrediction is a kernel on a GPU in the toolkit's prediction file; what
// is not known, or infinite, is null.
type toolkitPrediction struct {
	TimeMs     number.Real `json:"estimated_time"`
	Type       string      `json:"type"`
	KernelOps  number.Real `json:"krn_op_ratio"`
	DeviceOps  number.Real `json:"dev_op_ratio"`
	AngleRad   number.Real `json:"deviation_angle"`
	GOPS       number.Real `json:"throughput"`
	DRAMGBps   number.Real `json:"bandwidth"`
	L2GBps     number.Real `json:"l2_bandwidth"`
	kernelName string
}

// WriteToolkitPrediction writes predictions as the author's gpuroofperf-tool
// does (-s), as JSON or CSV: a kernel's time is the sum of those of its
// launches, in rows; its ratios are of all launches together. launches gives
// those of a GPU.
func WriteToolkitPrediction(w io.Writer, format string, rows []*Row, launches func(*Device) []*Launch, devices []*Device, o Options) error {
	all := map[string]map[string]toolkitPrediction{}
	var table [][]string
	for _, d := range devices {
		list, err := d.predictions(rows, launches(d), o)
		if err != nil {
			return err
		}
		of := map[string]toolkitPrediction{}
		header, cells := []string{"GPU"}, []string{d.Name}
		for _, p := range list {
			of[p.kernelName] = p
			ms := ""
			if p.TimeMs.Known {
				ms = toolkitMs(p.TimeMs.X)
			}
			header, cells = append(header, p.kernelName, ""), append(cells, ms, p.Type)
		}
		if all[d.Name] = of; table == nil {
			table = append(table, header)
		}
		table = append(table, cells)
	}
	if format == "csv" {
		return csv.NewWriter(w).WriteAll(table)
	}
	return indented(w, all)
}

// toolkitMs writes a time in ms with the toolkit's five decimals, below a
// microsecond with more, so that three digits are left.
func toolkitMs(ms float64) string {
	decimals := 5
	if ms > 0 {
		decimals = max(decimals, 2-int(math.Floor(math.Log10(ms))))
	}
	return strconv.FormatFloat(ms, 'f', decimals, 64)
}

// predictions are those of one GPU, a kernel each.
func (d *Device) predictions(rows []*Row, launches []*Launch, o Options) ([]toolkitPrediction, error) {
	kernels, err := byKernel(launches)
	if err != nil {
		return nil, err
	}
	var out []toolkitPrediction
	for _, l := range kernels {
		of := slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.GPU != d.Name || r.Launch == Total || r.Kernel != l.Kernel })
		if len(of) == 0 {
			continue
		}
		p := toolkitPrediction{kernelName: l.Kernel}
		sum := total(of)
		p.TimeMs, p.Type = sum.TimeUs.Scaled(1e-3), sum.Bound
		if k, err := l.kernel(o.Rule); err == nil && l.Traffic.DRAM().Known {
			p.ratios(l, k, d, o)
		}
		out = append(out, p)
	}
	return out, nil
}

// ratios fills what is of all launches of a kernel together.
func (p *toolkitPrediction) ratios(l *Launch, k thesis.Kernel, d *Device, o Options) {
	if t, err := thesis.Predict(k, d.Rates, o.Integer); err == nil {
		p.KernelOps, p.DeviceOps, p.AngleRad = finite(t.KernelIntensity), finite(t.DeviceIntensity), finite(t.DeviationRad())
	}
	s := p.TimeMs.X / 1e3
	if !p.TimeMs.Known || s == 0 {
		return
	}
	p.GOPS, p.DRAMGBps = finite(k.Ops/s/1e9), finite(k.TrafficBytes/s/1e9)
	if l.Traffic.L2.Known {
		p.L2GBps = finite(l.Traffic.L2.X / s / 1e9)
	}
}
