package st2

import (
	"context"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
)

// TestPublishedCounts: at their published sizes the thesis' kernels count what it says
// (Konstantinidis 2017, tables 4.4 and 5.10, appendices A and B): operations exactly where
// any correct build has them, else within what it allows.
func TestPublishedCounts(t *testing.T) {
	const red, lmsorRed, threads, mixed = 8192 * 8192 / 2, 3840 * 3840 / 2, 640 * 256, 1 << 14
	for _, c := range []struct {
		program, launch string
		counter         analysis.Counter
		least, most     uint64
	}{
		// Of 4 calls; multiply-adds count twice in the thesis' 1,006,649,344 operations.
		{"sor", "0", analysis.FlopDPFma, 4 * red, 4 * red},
		{"sor", "0", analysis.InstFP64, 1006649344 - 4*red, 1006649344 - 4*red},
		{"lmsor", "0", analysis.InstFP64, 4 * 11 * lmsorRed, 4 * 20 * lmsorRed}, // 15 to 24 operations with 4 multiply-adds
		{"matmul", "0", analysis.FlopSPFma, 1048576000 / 2, 1048576000 / 2},
		{"mixbench-small", "f32 c=0", analysis.FlopSPFma, mixed / 2, mixed / 2},
		{"mixbench-small", "f32 c=1", analysis.FlopSPFma, mixed * 3 / 2, mixed * 3 / 2},
		{"mixbench-small", "f64 c=1", analysis.FlopDPFma, mixed * 3 / 2, mixed * 3 / 2},
		{"membench", "shared1", analysis.InstLdSt, 20493 * threads, 20493 * threads}, // 20,492 of shared memory
		{"membench", "constants1", analysis.InstLdSt, 1024*threads + 640, 1024*threads + 640},
		{"membench", "constants4", analysis.InstLdSt, 256*threads + 640, 256*threads + 640},
		{"membench", "cache1 step 4", analysis.InstLdSt, 8193 * threads, 8193 * threads}, // and its result
	} {
		src, err := source.Read("../../ptx-samples/benchmarks/"+c.program+".json", nil)
		if err != nil {
			t.Fatal(err)
		}
		o := analysis.DefaultOptions()
		o.Launch = c.launch
		s, err := analysis.OpenManifest(src, o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(context.Background())
		if err != nil || len(p.Launches) != 1 {
			t.Fatalf("%s %s: %v", c.program, c.launch, err)
		}
		if got := p.Launches[0].Facts.Of(c.counter); !got.Known || got.N < c.least || got.N > c.most {
			t.Errorf("%s %s: counter %d is %v, want %d to %d", c.program, c.launch, c.counter, got, c.least, c.most)
		}
	}
}
