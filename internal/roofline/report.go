package roofline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// A row for each launch on each GPU. Where a network's time was measured on one of them
// the ratio to the model's there, E_util (5.13), corrects the others: what the model
// leaves out it leaves out everywhere. A time of 28 us against 14 us predicted doubles
// all times, and the ratios between GPUs stay the model's.

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
// all, but for traffic that a cache model found. If the context ends, its error
// comes with the rows of the launches that are complete, without a total: the GPUs
// advance launch by launch, so that each has the same launches.
func Report(ctx context.Context, launches func(*Device) []*Launch, devices []*Device, o Options) ([]*Row, error) {
	of, on := make([][]*Row, len(devices)), make([][]*Launch, len(devices))
	n := 0
	for i, d := range devices {
		on[i] = launches(d)
		n = len(on[i])
	}
	for k := range n {
		if ctx.Err() != nil {
			return slices.Concat(of...), context.Cause(ctx)
		}
		for i, d := range devices {
			of[i] = append(of[i], Evaluate(on[i][k], d, o))
		}
	}
	for i := range of {
		of[i] = append(of[i], total(of[i]))
	}
	switch {
	case o.Reference.GPU != "":
		calibrate(devices, of, o.Reference)
	case len(devices) == 1:
		deviations(of[0])
	}
	return slices.Concat(of...), nil
}

// Evaluate returns the row of a launch on a GPU.
func Evaluate(l *Launch, d *Device, o Options) *Row {
	r := &Row{Network: l.Network, Kernel: l.Kernel, Label: l.Label, Launch: l.Launch, Kind: analysis.KindLaunch, GPU: d.Name, TimeModel: o.ModelOf(l).Name,
		Counts: l.Counts, TrafficSource: l.Traffic.Source, RatesBasis: d.Basis, Exactness: l.Exactness, AssumedInputs: l.AssumedInputs}
	if l.Failed != "" {
		r.TimeModel = ""
	}
	if r.TrafficSource == TrafficUnknown {
		r.TrafficSource = "unknown"
	}
	e := l.Evidence
	e.BlockThreads, e.Blocks, e.Invocations = l.BlockThreads, l.CTAs, l.Repetitions
	if l.Traffic.L2.Known && !o.ModelOf(l).ChargesCaches {
		e.L2Bytes, e.DRAMBytes = l.Traffic.L2.X, l.Traffic.DRAM().X
	}
	r.Warnings = strings.Join(append(e.Warnings(), d.wrongTarget(l.Target)...), "; ")
	// Where there is a reference, the profiler is taken to have measured there.
	if s := l.Evidence.ReferenceSeconds; s > 0 && (o.Reference.GPU == "" || o.Reference.is(d)) {
		r.MeasuredUs = finite(1e6 * s)
	}
	if l.CTAs > 0 {
		r.Eligible = strconv.FormatBool(thesis.Eligible(l.BlockThreads, l.CTAs))
	}
	k, err := l.kernel(o.Rule)
	if err == nil {
		r.kernel(k, l)
		err = r.predict(l, k, d, o)
	}
	if err != nil {
		r.Missing = Explain(err)
	}
	return r
}

// kernel returns the thesis' parameters; without traffic if that is unknown.
func (l *Launch) kernel(rule thesis.Rule) (thesis.Kernel, error) {
	switch {
	case l.Failed != "":
		return thesis.Kernel{}, errors.New(l.Failed)
	case l.Parameters != nil:
		return *l.Parameters, nil
	case l.Opaque != nil:
		return thesis.Kernel{}, l.Opaque
	}
	k, err := l.Metrics.Kernel(rule)
	k.TrafficBytes = l.Traffic.DRAM().X
	return k, err
}

// kernel fills the kernel's columns.
func (r *Row) kernel(k thesis.Kernel, l *Launch) {
	r.KType, r.WComp = string(k.Type), number.Count(uint64(k.Ops))
	if l.TensorMACs.Known {
		r.TensorOps = number.Count(uint64(2 * l.TensorMACs.X))
	}
	r.EMixPct, r.DOpsPct = finite(100*k.MixEfficiency), finite(100*k.OpsDensity)
	r.DLdStPct, r.DOther = finite(100*k.LdStDensity), finite(100*k.OtherDensity)
	for _, level := range []struct {
		to    *number.Real
		bytes number.Real
	}{{&r.IntensityDRAM, l.Traffic.DRAM()}, {&r.IntensityL2, l.Traffic.L2}, {&r.IntensityL1, l.Traffic.L1}} {
		if level.bytes.Known {
			*level.to = finite(r.ops() / level.bytes.X)
		}
	}
	if t := l.Traffic.DRAM(); t.Known {
		r.WTraf = number.Count(uint64(t.X))
	}
}

// ops are all operations: the thesis' and those of tensor cores.
func (r *Row) ops() float64 { return float64(r.WComp.N + r.TensorOps.N) }

// predict fills the GPU's columns and the time.
func (r *Row) predict(l *Launch, k thesis.Kernel, d *Device, o Options) error {
	a, err := thesis.Adjust(k, d.Rates, o.Integer)
	if err != nil {
		return err
	}
	r.adjusted(a, d)
	if l.Traffic.DRAM().Known {
		p, err := thesis.Predict(k, d.Rates, o.Integer)
		if err != nil {
			return err
		}
		r.DeviationRad = finite(p.DeviationRad())
	}
	t, err := o.ModelOf(l).Predict(l, k, d, o)
	r.TimeUs, r.ErrorPct, r.Bound, r.Terms, r.Limits, r.Simulation = t.Us, t.ErrorPct, string(t.Bound), t.Terms, t.Limits, t.Simulation
	r.GOPS, r.UsedGBps = t.GOPS, t.UsedGBps
	if r.TensorOps.N > 0 && t.Us.X > 0 {
		r.GOPS = finite(r.ops() / t.Us.X / 1e3)
	}
	for _, note := range t.Notes {
		r.warn(note)
	}
	return err
}

// warn adds a warning.
func (r *Row) warn(text string) { r.Warnings = strings.TrimPrefix(r.Warnings+"; "+text, "; ") }

func (r *Row) adjusted(a thesis.Adjusted, d *Device) {
	r.EMixPct = finite(100 * a.MixEfficiency)
	r.WOp, r.WLdSt, r.WOther = finite(a.Weights.Op), finite(a.Weights.LdSt), finite(a.Weights.Other)
	r.COp, r.CLdSt, r.COther = finite(a.OpCost), finite(a.LdStCost), finite(a.OtherCost)
	r.EInstrPct, r.PeakGOPS, r.MixGOPS, r.Adjusted = finite(100*a.InstructionEfficiency), finite(a.PeakGOPS), finite(a.MixGOPS), finite(a.AdjustedGOPS)
	r.DRAMGBps = finite(d.Rates.DRAMGBps)
	r.ODev = finite(a.AdjustedGOPS / d.Rates.DRAMGBps)
}

// total sums a network's launches on one GPU. Its bound is what takes most of
// the time: starting launches, or one of the terms after that, summed where it
// is the longest. A sum of which a part is unknown is unknown.
func total(rows []*Row) *Row {
	if len(rows) == 0 {
		return &Row{Launch: Total, Kind: analysis.KindTotal}
	}
	first := rows[0]
	sum := &Row{Network: first.Network, Launch: Total, Kind: analysis.KindTotal, GPU: first.GPU, TimeModel: first.TimeModel, Counts: first.Counts,
		TrafficSource: first.TrafficSource, RatesBasis: first.RatesBasis, DRAMGBps: first.DRAMGBps}
	times := map[thesis.Bound]float64{}
	unknown := 0
	for i, r := range rows {
		add := func(to *number.Real, x number.Real) {
			*to = number.Real{X: to.X + x.X, Known: x.Known && (i == 0 || to.Known)}
		}
		for t, to := range sum.times() {
			add(to, *r.times()[t])
		}
		add(&sum.ErrorPct, number.Real{X: r.ErrorPct.X * r.TimeUs.X, Known: r.ErrorPct.Known})
		sum.WTraf = number.Int{N: sum.WTraf.N + r.WTraf.N, Known: r.WTraf.Known && (i == 0 || sum.WTraf.Known)}
		sum.WComp = number.Count(sum.WComp.N + r.WComp.N)
		sum.TensorOps = number.Int{N: sum.TensorOps.N + r.TensorOps.N, Known: r.TensorOps.Known && (i == 0 || sum.TensorOps.Known)}
		sum.Exactness = analysis.Worse(sum.Exactness, r.Exactness)
		sum.TimeModel = cmp.Or(sum.TimeModel, r.TimeModel)
		sum.TrafficSource = joined(sum.TrafficSource, r.TrafficSource)
		sum.KType = joined(sum.KType, r.KType)
		bound, us := r.longest()
		times[bound] += us
		times[Overhead] += r.LaunchUs.X
		if r.Missing != "" {
			unknown++
		}
	}
	sum.ErrorPct.X /= sum.TimeUs.X // all may be off the same way
	sum.finish(times, unknown, len(rows))
	return sum
}

// longest is what the launch waits for once it has started, and how long that takes.
func (r *Row) longest() (thesis.Bound, float64) {
	whole := max(r.IssueUs.X, r.MemUs.X, r.LatencyUs.X)
	return boundOf(0, whole, r.IssueUs.X, r.MemUs.X), whole
}

// times are the columns that a total adds up.
func (r *Row) times() []*number.Real { return append(r.Terms.All(), &r.TimeUs, &r.MeasuredUs) }

// finish fills what a total has besides sums.
func (r *Row) finish(times map[thesis.Bound]float64, unknown, launches int) {
	if strings.Contains(r.KType, "+") {
		r.WComp = number.Int{} // operations of different types are no sum
	}
	for _, x := range append(r.times(), &r.ErrorPct) {
		if !x.Known {
			*x = number.Real{}
		}
	}
	for _, x := range []*number.Int{&r.WTraf, &r.TensorOps} {
		if !x.Known {
			*x = number.Int{}
		}
	}
	if unknown > 0 {
		r.Missing = fmt.Sprintf("no time: %d of %d launches", unknown, launches)
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
		r.GOPS = finite(r.ops() / r.TimeUs.X / 1e3)
		if r.WTraf.N > 0 {
			r.IntensityDRAM = finite(r.ops() / float64(r.WTraf.N))
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
func calibrate(devices []*Device, of [][]*Row, ref Reference) {
	var predicted number.Real // of the total, which is the last row
	if i := slices.IndexFunc(devices, ref.is); i >= 0 {
		predicted = of[i][len(of[i])-1].TimeUs
	}
	util := thesis.Utilization(ref.Seconds*1e6, predicted.X)
	for _, r := range slices.Concat(of...) {
		switch {
		case !predicted.Known || predicted.X == 0:
			r.warn("no E_util: there is no time on " + ref.GPU)
		case r.TimeUs.Known:
			r.TimeUs, r.EUtil = r.TimeUs.Scaled(util), number.Ratio(util)
			r.GOPS, r.UsedGBps = r.GOPS.Scaled(1/util), r.UsedGBps.Scaled(1/util)
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
