package roofline

import (
	"context"
	"os"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/source"
)

// BenchmarkAnalytic is the analytic model alone: rows of a launch whose counts and traffic are
// known, as from a profiler, with the chain of its longest warp, which takes most of it.
func BenchmarkAnalytic(b *testing.B) {
	const name = "../../ptx-samples/networks/resnet50.json"
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	s, err := analysis.OpenManifest(source.File{Name: name, Text: text}, analysis.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	p, err := analysis.ProfileAll(context.Background(), []*analysis.Session{s})
	if err != nil {
		b.Fatal(err)
	}
	g, err := gpu.Get("gv100")
	if err != nil {
		b.Fatal(err)
	}
	d, err := NewDevice(g)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		launches, err := FromProfile(p.On(g), Machine)
		if err != nil {
			b.Fatal(err)
		}
		for _, l := range launches {
			Evaluate(l, d, Options{Model: Extended})
		}
		n += len(launches)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "us/launch")
}
