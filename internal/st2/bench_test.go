package st2

import (
	"context"
	"syscall"
	"testing"

	"hyptx/analysis"
	"hyptx/emulator"
	"hyptx/internal/adder"
	"hyptx/internal/gpu"
	"hyptx/internal/manifest"
)

// BenchmarkMatmul and BenchmarkConvolution emulate kernels on one core with all designs
// of the paper watching: additions of threads for each second of the processor.
func BenchmarkMatmul(b *testing.B)      { benchAdds(b, matmul) }
func BenchmarkConvolution(b *testing.B) { benchAdds(b, convolution) }

// BenchmarkCore makes six sums that wait for one another: how fast the core is at this moment, which
// others share on most machines. A figure of the two above is the core's own where this one is
// as fast before and behind it as it ever is.
func BenchmarkCore(b *testing.B) {
	const rounds = 20_000_000
	t, u, v, w, x, y := uint64(1), uint64(2), uint64(3), uint64(4), uint64(5), uint64(6)
	for b.Loop() {
		for range rounds {
			t, u, v = t+u, u^v, v+w
			w, x, y = w^x, x+y, y^t
		}
	}
	if t+u+v+w+x+y == 0 {
		b.Log("none of it is left out")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds, "ns/round")
}

const matmul = `{"version": 1, "buffers": {
  "a": {"bytes": 1048576, "type": "f32", "init": {"uniform": {"seed": 2, "low": -1, "high": 1}}},
  "b": {"bytes": 1048576, "type": "f32", "init": {"uniform": {"seed": 3, "low": -1, "high": 1}}},
  "c": {"bytes": 1048576, "type": "f32", "init": "zero"}},
 "launches": [{"module": "../kernels/sm_70/gemm_tiled.ptx", "kernel": "gemm_tiled", "grid": [4, 4], "block": [16, 16],
  "args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 256}, {"value": 256}, {"value": 256}]}]}`

const convolution = `{"version": 1, "buffers": {
  "in": {"bytes": 802816, "type": "f32", "init": {"uniform": {"seed": 2, "low": -1, "high": 1}}},
  "weights": {"bytes": 147456, "type": "f32", "init": {"uniform": {"seed": 3, "low": -1, "high": 1}}},
  "bias": {"bytes": 256, "type": "f32", "init": "zero"},
  "out": {"bytes": 802816, "type": "f32", "init": "zero"}},
 "launches": [{"module": "../kernels/sm_70/conv_direct.ptx", "kernel": "conv_direct", "grid": [2, 14, 2], "block": [32, 4],
  "args": [{"buffer": "out"}, {"buffer": "in"}, {"buffer": "weights"}, {"buffer": "bias"}, {"value": 64}, {"value": 56}, {"value": 56}, {"value": 56},
  {"value": 56}, {"value": 3}, {"value": 1}, {"value": 1}, {"value": 0}]}]}`

func benchAdds(b *testing.B, text string) {
	m, err := manifest.Parse("../../ptx-samples/networks/bench.json", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	model, err := adder.NewModel(adder.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	g, err := gpu.Get("titan-v")
	if err != nil {
		b.Fatal(err)
	}
	opts := analysis.DefaultOptions()
	opts.Jobs = 1
	var s Suite
	s.Model, s.GPU = model, g
	opts.Watching = &analysis.Watching{Model: model, GPU: g, Rules: emulator.Adds{On: true}, Heard: s.Heard}
	var adds uint64
	began := processor(b)
	for b.Loop() {
		session, err := analysis.NewSession(m, opts)
		if err != nil {
			b.Fatal(err)
		}
		if err := session.Execute(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	for _, w := range s.Kernels[0].Adds.Work[0] {
		adds += w.Adds
	}
	b.ReportMetric(float64(adds)/(processor(b)-began)/1e6, "M-adds/core-s")
}

// processor returns the seconds that the process has had of cores.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6 + float64(u.Stime.Sec) + float64(u.Stime.Usec)/1e6
}
