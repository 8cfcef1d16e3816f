package analysis

import (
	"context"
	"testing"

	"hyptx/internal/check"
	"hyptx/internal/manifest"
)

// The benchmarks of BENCHMARKS.md that emulate: full mode on one core with all
// counters on, and control profiles of whole networks.

// matmul512 is C = A B, 512 x 512 x 512, tiled through shared memory.
const matmul512 = `{"version": 1, "name": "matmul512",
 "buffers": {"a": {"bytes": 1048576, "type": "f32", "init": {"uniform": {"seed": 1, "low": -1, "high": 1}}},
             "b": {"bytes": 1048576, "type": "f32", "init": {"uniform": {"seed": 2, "low": -1, "high": 1}}},
             "c": {"bytes": 1048576, "type": "f32"}},
 "launches": [{"module": "../kernels/sm_70/gemm_tiled.ptx", "kernel": "gemm_tiled", "grid": [8, 8], "block": [16, 16],
   "args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 512}, {"value": 512}, {"value": 512}]}]}`

// conv3x3 is a direct convolution: 64 channels of 56 x 56 to 16, 3 x 3, padded.
const conv3x3 = `{"version": 1, "name": "conv3x3",
 "buffers": {"out": {"bytes": 200704, "type": "f32"},
             "in": {"bytes": 802816, "type": "f32", "init": {"uniform": {"seed": 1, "low": -1, "high": 1}}},
             "w": {"bytes": 36864, "type": "f32", "init": {"uniform": {"seed": 2, "low": -1, "high": 1}}}},
 "launches": [{"module": "../kernels/sm_70/conv_direct.ptx", "kernel": "conv_direct", "grid": [2, 7, 16], "block": [32, 8],
   "args": [{"buffer": "out"}, {"buffer": "in"}, {"buffer": "w"}, {"null": true}, {"value": 64}, {"value": 56}, {"value": 56},
            {"value": 56}, {"value": 56}, {"value": 3}, {"value": 1}, {"value": 1}, {"value": 0}]}]}`

// Without the memory block, as `hyptx run` and --verify emulate; and with it, as
// --mode full does.
func BenchmarkFullMatmul(b *testing.B)             { benchFull(b, matmul512, false) }
func BenchmarkFullConvolution(b *testing.B)        { benchFull(b, conv3x3, false) }
func BenchmarkFullTrafficMatmul(b *testing.B)      { benchFull(b, matmul512, true) }
func BenchmarkFullTrafficConvolution(b *testing.B) { benchFull(b, conv3x3, true) }

// The same without a profile, and checked: what a check costs.
func BenchmarkRunMatmul(b *testing.B)        { benchRun(b, matmul512, nil) }
func BenchmarkRunConvolution(b *testing.B)   { benchRun(b, conv3x3, nil) }
func BenchmarkCheckMatmul(b *testing.B)      { benchRun(b, matmul512, check.AllGroups) }
func BenchmarkCheckConvolution(b *testing.B) { benchRun(b, conv3x3, check.AllGroups) }

// benchRun executes a launch on one core, and checks it if there are groups to check.
func benchRun(b *testing.B, text string, groups check.Groups) {
	m, err := manifest.Parse("../ptx-samples/networks/bench.json", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	opts := DefaultOptions()
	for opts.Jobs = 1; b.Loop(); {
		if opts.Check = nil; groups != nil {
			opts.Check = &check.Run{Groups: groups}
		}
		s, err := NewSession(m, opts)
		if err == nil {
			err = s.Execute(context.Background())
		}
		if err != nil || groups != nil && len(opts.Check.List.Findings()) > 0 {
			b.Fatal(err, opts.Check)
		}
	}
}

// benchFull emulates every instruction of a launch on one core.
func benchFull(b *testing.B, text string, traffic bool) {
	m, err := manifest.Parse("../ptx-samples/networks/bench.json", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	opts := DefaultOptions()
	opts.Mode, opts.Jobs = Full, 1
	var threads uint64
	for b.Loop() {
		s, err := NewSession(m, opts)
		if err != nil {
			b.Fatal(err)
		}
		s.traffic = traffic
		p, err := s.Profile(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		threads += p.Rows[len(p.Rows)-1].ThreadInstructions.N
	}
	b.ReportMetric(float64(threads)/b.Elapsed().Seconds(), "thread-inst/s")
}

func BenchmarkControlResNet50(b *testing.B) { benchControl(b, sharedCNN(b, "resnet50-sm_70")) }
func BenchmarkControlVGG16(b *testing.B)    { benchControl(b, sharedCNN(b, "vgg16-sm_70")) }
func BenchmarkControlOwnResNet50(b *testing.B) {
	benchControl(b, "../ptx-samples/networks/resnet50.json")
}

// benchControl profiles a network in control mode, reading its files included.
func benchControl(b *testing.B, path string) {
	for b.Loop() {
		if _, err := openTest(b, path, nil).Profile(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
