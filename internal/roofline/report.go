package roofline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline/thesis"
)

// TimeModel says how times are predicted.
type TimeModel string

// The time models.
const (
	Extended TimeModel = "extended" // Extend
	Thesis   TimeModel = "thesis"   // thesis.Predict, pure
)

// Options are the choices that the models leave.
type Options struct {
	Model   TimeModel
	Rule    thesis.Rule
	Integer thesis.IntegerMode
	// Reference, if its GPU is not empty, is a measured time from which E_util
	// (5.13) is taken for all GPUs.
	Reference Reference
}

// Reference is the measured time of a network on a GPU.
type Reference struct {
	GPU     string
	Seconds float64
}

// Check fails unless the reference is one of the GPUs, or none is given.
func (r Reference) Check(devices []*Device) error {
	if r.GPU == "" || slices.ContainsFunc(devices, r.is) {
		return nil
	}
	return fmt.Errorf("%s is none of the GPUs", r.GPU)
}

func (r Reference) is(d *Device) bool { return strings.EqualFold(d.Name, r.GPU) }

// Report returns the rows of one network on all GPUs, each GPU's followed by
// their total. launches gives the network's launches on a GPU: the same for
// all, but for traffic that a cache model found.
func Report(launches func(*Device) []*Launch, devices []*Device, o Options) []*Row {
	rows, _ := ReportUntil(context.Background(), launches, devices, o)
	return rows
}

// ReportUntil is Report that ends when the context does: its error then comes
// with the rows of the launches that are complete, without a total.
func ReportUntil(ctx context.Context, launches func(*Device) []*Launch, devices []*Device, o Options) ([]*Row, error) {
	var rows []*Row
	totals := map[*Device]*Row{}
	of := map[*Device][]*Row{}
	for _, d := range devices {
		for _, l := range launches(d) {
			if ctx.Err() != nil {
				for _, d := range devices {
					rows = append(rows, of[d]...)
				}
				return rows, context.Cause(ctx)
			}
			of[d] = append(of[d], Evaluate(l, d, o))
		}
		totals[d] = total(of[d])
	}
	if o.Reference.GPU != "" {
		calibrate(devices, of, totals, o.Reference)
	}
	if len(devices) == 1 && o.Reference.GPU == "" {
		deviations(append(of[devices[0]], totals[devices[0]]))
	}
	for _, d := range devices {
		rows = append(append(rows, of[d]...), totals[d])
	}
	return rows, nil
}

// Everywhere gives the same launches on all GPUs.
func Everywhere(launches []*Launch) func(*Device) []*Launch {
	return func(*Device) []*Launch { return launches }
}

// Evaluate returns the row of a launch on a GPU.
func Evaluate(l *Launch, d *Device, o Options) *Row {
	r := &Row{Network: l.Network, Kernel: l.Kernel, Label: l.Label, Launch: l.Launch, GPU: d.Name, TimeModel: string(o.Model),
		Counts: l.Counts, TrafficSource: l.Traffic.Source, RatesBasis: d.Basis, Exactness: l.Exactness, AssumedInputs: l.AssumedInputs}
	if r.TrafficSource == TrafficUnknown {
		r.TrafficSource = "unknown"
	}
	e := l.Evidence
	e.BlockThreads, e.Blocks, e.Invocations = l.BlockThreads, l.CTAs, l.Repetitions
	if l.Traffic.L2.Known && o.Model == Thesis { // the extended model has an L2
		e.L2Bytes, e.DRAMBytes = l.Traffic.L2.X, l.Traffic.DRAM().X
	}
	r.Warnings = strings.Join(append(e.Warnings(), d.wrongTarget(l.Target)...), "; ")
	// Where there is a reference, the profiler is taken to have measured there.
	if s := l.Evidence.ReferenceSeconds; s > 0 && (o.Reference.GPU == "" || o.Reference.is(d)) {
		r.MeasuredUs = finite(1e6 * s)
	}
	if l.CTAs > 0 {
		r.Eligible = yesNo(thesis.Eligible(l.BlockThreads, l.CTAs))
	}
	k, err := l.kernel(o.Rule)
	if err == nil {
		r.kernel(k, l)
		err = r.predict(l, k, d, o)
	}
	if err != nil {
		r.Missing = explain(err)
	}
	return r
}

// kernel returns the thesis' parameters; without traffic if that is unknown.
func (l *Launch) kernel(rule thesis.Rule) (thesis.Kernel, error) {
	if l.Parameters != nil {
		return *l.Parameters, nil
	}
	k, err := l.Metrics.Kernel(rule)
	k.TrafficBytes = l.Traffic.DRAM().X
	return k, err
}

// kernel fills the kernel's columns.
func (r *Row) kernel(k thesis.Kernel, l *Launch) {
	r.KType, r.WComp = string(k.Type), analysis.Count(uint64(k.Ops))
	r.EMixPct, r.DOpsPct = finite(100*k.MixEfficiency), finite(100*k.OpsDensity)
	r.DLdStPct, r.DOther = finite(100*k.LdStDensity), finite(100*k.OtherDensity)
	for _, level := range []struct {
		to    *analysis.Real
		bytes analysis.Real
	}{{&r.IntensityDRAM, l.Traffic.DRAM()}, {&r.IntensityL2, l.Traffic.L2}, {&r.IntensityL1, l.Traffic.L1}} {
		if level.bytes.Known {
			*level.to = finite(k.Ops / level.bytes.X)
		}
	}
	if t := l.Traffic.DRAM(); t.Known {
		r.WTraf = analysis.Count(uint64(t.X))
	}
}

// predict fills the GPU's columns and the times.
func (r *Row) predict(l *Launch, k thesis.Kernel, d *Device, o Options) error {
	a, err := thesis.Adjust(k, d.Rates, o.Integer)
	if err != nil {
		return err
	}
	r.adjusted(a, d)
	var p thesis.Prediction
	known := l.Traffic.DRAM().Known
	if known {
		if p, err = thesis.Predict(k, d.Rates, o.Integer); err != nil {
			return err
		}
		r.DeviationRad = finite(p.DeviationRad())
	}
	if o.Model == Extended {
		t := Extend(l, d, a)
		r.extended(t, k, l)
		return t.Missing
	}
	r.IssueUs = finite(1e6 * a.IssueSeconds)
	if !known {
		return errors.New("the DRAM traffic is unknown")
	}
	r.MemUs, r.TimeUs, r.Bound = finite(1e6*p.MemorySeconds), finite(1e6*p.Seconds), string(p.Bound)
	r.GOPS, r.UsedGBps = finite(p.GOPS), finite(p.DRAMGBps)
	return nil
}

func (r *Row) adjusted(a thesis.Adjusted, d *Device) {
	r.EMixPct = finite(100 * a.MixEfficiency)
	r.WOp, r.WLdSt, r.WOther = finite(a.Weights.Op), finite(a.Weights.LdSt), finite(a.Weights.Other)
	r.COp, r.CLdSt, r.COther = finite(a.OpCost), finite(a.LdStCost), finite(a.OtherCost)
	r.EInstrPct, r.PeakGOPS, r.MixGOPS, r.Adjusted = finite(100*a.InstructionEfficiency), finite(a.PeakGOPS), finite(a.MixGOPS), finite(a.AdjustedGOPS)
	r.DRAMGBps = finite(d.Rates.DRAMGBps)
	r.ODev = finite(a.AdjustedGOPS / d.Rates.DRAMGBps)
}

// extended fills the columns of the extended model.
func (r *Row) extended(t Times, k thesis.Kernel, l *Launch) {
	r.LaunchUs, r.IssueUs, r.MemUs, r.LatencyUs = scaled(t.Launch, 1e6), scaled(t.Issue, 1e6), scaled(t.Memory, 1e6), scaled(t.Latency, 1e6)
	r.DRAMUs, r.L2Us, r.L1Us = scaled(t.DRAM, 1e6), scaled(t.L2, 1e6), scaled(t.L1, 1e6)
	r.TimeUs, r.Bound, r.IssueLimit, r.IPCBound = scaled(t.Total, 1e6), string(t.Bound), t.IssueLimit, t.IPCBound
	r.MemoryLimit = t.MemoryLimit
	r.Waves, r.ChainCycles, r.ChainWarp, r.EffectiveGBps, r.LoadsInFlight = t.Waves, t.ChainCycles, t.ChainWarp, t.EffectiveGBps, t.LoadsInFlight
	for _, c := range []struct {
		level string
		rate  gpu.Rate
		to    *analysis.Real
	}{{"L1", t.L1Rate, &r.L1BytesPerClock}, {"L2", t.L2Rate, &r.L2BytesPerClock}} {
		if c.rate.Provenance != "" {
			*c.to = analysis.Ratio(c.rate.Value)
			r.CacheRates = strings.TrimPrefix(r.CacheRates+", "+c.level+" "+c.rate.Provenance, ", ")
		}
	}
	if o := t.Occupancy; o.CTAsPerSM > 0 {
		r.CTAsPerSM, r.WarpsPerSM = analysis.Count(uint64(o.CTAsPerSM)), analysis.Count(uint64(o.WarpsPerSM))
		r.OccupancyPct, r.Limiter = analysis.Ratio(o.TheoreticalPct), o.Limiter
	}
	if t.Warning != "" {
		r.Warnings = strings.TrimPrefix(r.Warnings+"; "+t.Warning, "; ")
	}
	if t.Total.Known && t.Total.X > 0 {
		r.GOPS, r.UsedGBps = finite(k.Ops/t.Total.X/1e9), finite(l.Traffic.DRAM().X/t.Total.X/1e9)
	}
}

// total sums a network's launches on one GPU. Its bound is what takes most of
// the time: starting launches, or one of the terms after that, summed where it
// is the longest. A sum of which a part is unknown is unknown.
func total(rows []*Row) *Row {
	if len(rows) == 0 {
		return &Row{Launch: Total}
	}
	first := rows[0]
	sum := &Row{Network: first.Network, Launch: Total, GPU: first.GPU, TimeModel: first.TimeModel, Counts: first.Counts,
		TrafficSource: first.TrafficSource, RatesBasis: first.RatesBasis, DRAMGBps: first.DRAMGBps}
	times := map[thesis.Bound]float64{}
	unknown := 0
	for i, r := range rows {
		add := func(to *analysis.Real, x analysis.Real) {
			*to = analysis.Real{X: to.X + x.X, Known: x.Known && (i == 0 || to.Known)}
		}
		add(&sum.TimeUs, r.TimeUs)
		add(&sum.LaunchUs, r.LaunchUs)
		add(&sum.IssueUs, r.IssueUs)
		add(&sum.MemUs, r.MemUs)
		add(&sum.DRAMUs, r.DRAMUs)
		add(&sum.L2Us, r.L2Us)
		add(&sum.L1Us, r.L1Us)
		add(&sum.LatencyUs, r.LatencyUs)
		add(&sum.MeasuredUs, r.MeasuredUs)
		sum.WTraf = analysis.Int{N: sum.WTraf.N + r.WTraf.N, Known: r.WTraf.Known && (i == 0 || sum.WTraf.Known)}
		sum.WComp = analysis.Count(sum.WComp.N + r.WComp.N)
		sum.Exactness = analysis.Worse(sum.Exactness, r.Exactness)
		sum.TrafficSource = joined(sum.TrafficSource, r.TrafficSource)
		sum.KType = joined(sum.KType, r.KType)
		bound, us := longestOf(r.IssueUs.X, r.MemUs.X, r.LatencyUs.X)
		times[bound] += us
		times[Overhead] += r.LaunchUs.X
		if r.Missing != "" {
			unknown++
		}
	}
	sum.finish(times, unknown, len(rows))
	return sum
}

// finish fills what a total has besides sums.
func (r *Row) finish(times map[thesis.Bound]float64, unknown, launches int) {
	if strings.Contains(r.KType, "+") {
		r.WComp = analysis.Int{} // operations of different types are no sum
	}
	clear := func(x *analysis.Real) {
		if !x.Known {
			*x = analysis.Real{}
		}
	}
	for _, x := range []*analysis.Real{&r.TimeUs, &r.LaunchUs, &r.IssueUs, &r.MemUs, &r.LatencyUs, &r.DRAMUs, &r.L2Us, &r.L1Us, &r.MeasuredUs} {
		clear(x)
	}
	if !r.WTraf.Known {
		r.WTraf = analysis.Int{}
	}
	if unknown > 0 {
		r.Missing = plural(unknown, launches)
	}
	if !r.TimeUs.Known {
		return
	}
	most := 0.0
	for _, b := range []thesis.Bound{thesis.Memory, thesis.Compute, Latency, Overhead} {
		if times[b] > most || r.Bound == "" {
			most, r.Bound = times[b], string(b)
		}
	}
	if r.WTraf.Known && r.TimeUs.X > 0 {
		r.UsedGBps = finite(float64(r.WTraf.N) / r.TimeUs.X / 1e3)
	}
	if r.WComp.Known && r.TimeUs.X > 0 {
		r.GOPS = finite(float64(r.WComp.N) / r.TimeUs.X / 1e3)
		if r.WTraf.N > 0 {
			r.IntensityDRAM = finite(float64(r.WComp.N) / float64(r.WTraf.N))
		}
	}
}

// joined lists different words once. A word may itself be such a list.
func joined(list, word string) string {
	for w := range strings.SplitSeq(word, "+") {
		switch {
		case w == "" || strings.Contains("+"+list+"+", "+"+w+"+"):
		case list == "":
			list = w
		default:
			list += "+" + w
		}
	}
	return list
}

// calibrate multiplies the times of all GPUs by E_util (5.13). The thesis
// corrects the GPUs other than the reference, which has a measured time; here
// the reference's becomes that measured time, so that rows of different GPUs can
// be compared. The terms of the times stay as the model has them.
func calibrate(devices []*Device, of map[*Device][]*Row, totals map[*Device]*Row, ref Reference) {
	var predicted analysis.Real
	for _, d := range devices {
		if ref.is(d) {
			predicted = totals[d].TimeUs
		}
	}
	if !predicted.Known || predicted.X == 0 {
		for _, d := range devices {
			for _, r := range append(of[d], totals[d]) {
				r.Warnings = strings.TrimPrefix(r.Warnings+"; no E_util: there is no time on "+ref.GPU, "; ")
			}
		}
		return
	}
	util := thesis.Utilization(ref.Seconds*1e6, predicted.X)
	for _, d := range devices {
		for _, r := range append(of[d], totals[d]) {
			if r.TimeUs.Known {
				r.TimeUs, r.EUtil = scaled(r.TimeUs, util), analysis.Ratio(util)
				r.GOPS, r.UsedGBps = scaled(r.GOPS, 1/util), scaled(r.UsedGBps, 1/util)
			}
		}
	}
}

// deviations compares times with measured ones (5.12) on the only GPU.
func deviations(rows []*Row) {
	for _, r := range rows {
		if r.TimeUs.Known && r.MeasuredUs.X > 0 {
			r.DeviationPct = finite(thesis.ErrorPct(r.TimeUs.X, r.MeasuredUs.X))
		}
	}
}

func plural(unknown, launches int) string {
	return fmt.Sprintf("no time: %d of %d launches", unknown, launches)
}
