package compare

import (
	"path/filepath"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
	"hyptx/internal/vary"
)

// openSample opens a manifest of the samples.
func openSample(t *testing.T, path string) Opener {
	t.Helper()
	src, err := source.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(v *vary.Variation) (*analysis.Session, error) {
		opts := analysis.DefaultOptions()
		opts.Mode, opts.Variation = analysis.Full, v
		opts.Jobs = 1 // CTAs of conv_pointwise write the same values to the same places
		return analysis.OpenManifest(src, opts)
	}
}

// TestOtherMachines: what a machine leaves that obeys the manual, and is none of
// those that tolerances are made from, is within the bounds; a machine whose
// first output is off by 2^-10 is not.
func TestOtherMachines(t *testing.T) {
	paths, err := filepath.Glob("../../../ptx-samples/kernels/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	open := 0
	for _, path := range paths {
		opener := openSample(t, path)
		for seed, v := range []*vary.Variation{{Signs: vary.ByAll, Seed: 100}, {Signs: vary.ByInput, Seed: 101, Fused: true}, {Signs: vary.ByInput, Seed: 102, Reverse: true}} {
			other := outputs(t, opener, v)
			r := compared(t, opener, other)
			if !r.Agrees() {
				t.Errorf("%s, seed %d: %s, first %+v", filepath.Base(path), seed, r.Verdict, r.Outputs[0].First)
			}
			if r.Verdict == Within {
				open++
			}
		}
		ours := outputs(t, opener, nil)
		for i := range ours[0].Len() {
			if b := ours[0].Bits(i); vary.F32.Value(b) != 0 {
				if r := compared(t, opener, with(ours, i, b+1<<13)); r.Agrees() || r.Outputs[0].First.Index != i {
					t.Errorf("%s: [%d] off by 2^13 ulp: %s", filepath.Base(path), i, r.Verdict)
				}
				break
			}
		}
	}
	if open == 0 {
		t.Error("no sample has open results: the test tests nothing")
	}
}
