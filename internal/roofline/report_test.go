package roofline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

var plainOptions = Options{Model: Extended, Rule: thesis.Any, Integer: thesis.MAD}

// TestLaunchBound: a launch whose overhead is its longest term is bound by
// that, and so is a total to which starting launches contributes most, though
// none of its launches is.
func TestLaunchBound(t *testing.T) {
	g := roundGPU()
	g.LaunchOverheadUs = fact(6.)
	d, l := device(t, g), plainLaunch() // 5 us of latency
	if r := Evaluate(l, d, plainOptions); r.Bound != "Launch" || r.TimeUs.X != 11 {
		t.Error(r.Bound, r.TimeUs)
	}
	g.LaunchOverheadUs = fact(4.)
	if r := Evaluate(l, d, plainOptions); r.Bound != "Latency" {
		t.Error(r.Bound)
	}
	// 12 us of overhead against 5 of latency and twice 4.1 us of memory.
	m, n := plainLaunch(), plainLaunch()
	for _, x := range []*Launch{m, n} {
		x.Chain, x.Traffic.L2 = fixedChain{Cycles: 1000}.Chain, number.Ratio(4.1e-6*640e9)
	}
	rows := report(everywhere([]*Launch{l, m, n}), []*Device{d}, plainOptions)
	for i, want := range []string{"Latency", "Memory", "Memory", "Launch"} {
		if rows[i].Bound != want {
			t.Errorf("row %d: %s, want %s: %+v", i, rows[i].Bound, want, rows[i])
		}
	}
}

// TestMeasured: with --measured all GPUs are scaled, so that their ratios stay
// the model's, and the reference shows what was measured.
func TestMeasured(t *testing.T) {
	_, devices, plain, o := plotted(t)
	o.Reference = Reference{GPU: "ROUND", Seconds: 28e-6}
	launches, _, _, _ := plotted(t)
	rows := report(everywhere(launches), devices, o)
	near(t, "reference", rows[2].TimeUs, 28, 1e-12)
	for i, r := range rows {
		near(t, "e_util", r.EUtil, 28/plain[2].TimeUs.X, 1e-12)
		near(t, "time", r.TimeUs, plain[i].TimeUs.X*r.EUtil.X, 1e-12)
		near(t, "term", r.LatencyUs, plain[i].LatencyUs.X, 0)
	}
	var b strings.Builder
	if err := WriteTable(&b, rows, o.Reference, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "e_util") || !strings.Contains(b.String(), ": 28 us measured on ROUND / 14.01 us predicted; all times are the model's times that (5.13)") {
		t.Error(b.String())
	}
}

// TestDeviation: what a profiler measured is compared on the only GPU.
func TestDeviation(t *testing.T) {
	launches, devices, _, o := plotted(t)
	launches[0].Evidence.ReferenceSeconds = 14e-6 // 7 us predicted
	rows := report(everywhere(launches), devices[:1], o)
	near(t, "measured", rows[0].MeasuredUs, 14, 1e-12)
	near(t, "deviation", rows[0].DeviationPct, -50, 1e-9)
	if rows[1].MeasuredUs.Known || rows[1].DeviationPct.Known || rows[2].MeasuredUs.Known || rows[2].DeviationPct.Known {
		t.Errorf("%+v", rows[2])
	}
	launches[1].Evidence.ReferenceSeconds = 7e-6
	rows = report(everywhere(launches), devices[:1], o)
	near(t, "total", rows[2].MeasuredUs, 21, 1e-12)
	if rows = report(everywhere(launches), devices, o); rows[0].DeviationPct.Known || !rows[0].MeasuredUs.Known {
		t.Error("nobody knows on which of two GPUs the time was measured")
	}
	var b strings.Builder
	if err := WriteTable(&b, rows, o.Reference, 0); err != nil || !strings.Contains(b.String(), "measured: on one GPU, nobody says which") {
		t.Error(b.String(), err)
	}
	o.Reference = Reference{GPU: "wider", Seconds: 21e-6}
	if rows = report(everywhere(launches), devices, o); rows[0].MeasuredUs.Known || !rows[3].MeasuredUs.Known || rows[3].DeviationPct.Known {
		t.Errorf("%+v", rows[3])
	}
}

// TestSummary: a line for each GPU.
func TestSummary(t *testing.T) {
	rows := []*Row{
		{GPU: "a", Launch: "0", TimeUs: number.Ratio(2), Bound: "Memory", Limits: Limits{MemoryLimit: "L1"}},
		{GPU: "a", Launch: "1", TimeUs: number.Ratio(3), Bound: "Launch"},
		{GPU: "a", Launch: "2", TimeUs: number.Ratio(3), Bound: "Launch"},
		{GPU: "a", Launch: "3"},
		{GPU: "a", Launch: Total},
		{GPU: "b", Launch: "0"},
		{GPU: "c", Launch: "0", TimeUs: number.Ratio(30), ErrorPct: number.Ratio(20), Bound: "Launch"},
		{GPU: "c", Launch: "1", TimeUs: number.Ratio(10), ErrorPct: number.Ratio(0), Bound: "Launch"},
	}
	want := "a: 4 launches, 8.00 us: 2 Launch, 1 Memory (L1), 1 without a time (column missing says why)\n" +
		"b: 1 launch: 1 without a time (column missing says why)\n" +
		"c: 2 launches, 40.00 us (a part was simulated: within 15 % of all of it): 2 Launch"
	if got := strings.Join(Summary(rows), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestBasis: what differs between GPUs is told by GPU.
func TestBasis(t *testing.T) {
	g := roundGPU()
	if d := device(t, g); d.Basis != "datasheet" {
		t.Error(d.Basis)
	}
	g.Measured.BMemGBPerS = fact(90.)
	if d := device(t, g); d.Basis != "datasheet, measured B_mem" {
		t.Error(d.Basis)
	}
	rows := []*Row{{GPU: "a", RatesBasis: "datasheet"}, {GPU: "b", RatesBasis: "datasheet, measured B_mem"}, {GPU: "a", RatesBasis: "datasheet"}}
	word := func(r *Row) string { return r.RatesBasis }
	if got := byGPU(rows, word); got != "a datasheet; b datasheet, measured B_mem" {
		t.Error(got)
	}
	if got := byGPU(rows[:1], word); got != "datasheet" {
		t.Error(got)
	}
}

// TestReportUntil: what is complete when the context ends is returned, without
// a total.
func TestReport(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	launches := []*Launch{plainLaunch(), plainLaunch(), plainLaunch()}
	launches[1].Chain = func(Latencies) (Chain, error) { cancel(); return Chain{Cycles: 100}, nil }
	d := device(t, roundGPU())
	rows, err := Report(ctx, everywhere(launches), []*Device{d}, plainOptions)
	if !errors.Is(err, context.Canceled) || len(rows) != 2 || slices.ContainsFunc(rows, func(r *Row) bool { return r.Launch == Total }) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
