package analysis

import (
	"slices"
	"testing"

	"hyptx/ptx-samples/features"
)

// TestKernelsOfNewForms: whole kernels whose results TestFeatures holds against sums in double
// precision count alike in all modes and as full emulation does, and are as exact as their
// waits allow: those that ask a counter in a loop do so as often as the order of threads
// says, while who waits for an mbarrier is suspended until its phase is over.
func TestKernelsOfNewForms(t *testing.T) {
	samples := featureSamples(t)
	for name, want := range map[string]string{
		"gemm_wgmma": exactCounts, "gemm_tcgen05": exactCounts, "gemm_pair": exactCounts, "flash_attention": exactCounts,
		"gemm_wmma": exactCounts, "tex_2d_linear": exactCounts, "grid_reduction": scheduledCounts,
	} {
		i := slices.IndexFunc(samples, func(s *features.Sample) bool { return s.Name == name })
		if i < 0 {
			t.Errorf("no program %s", name)
			continue
		}
		var counts []uint64
		for _, mode := range runningModes {
			o := DefaultOptions()
			o.Mode = mode
			session := featureSessionWith(t, samples[i], o)
			p, err := session.Profile(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r := p.Rows[len(p.Rows)-1]
			if counts = append(counts, r.WarpInstructions.N); string(r.Exactness) != want {
				t.Errorf("%s, mode %s: %s, want %s", name, mode, r.Exactness, want)
			}
			if err := session.Verify(t.Context(), p); err != nil {
				t.Errorf("%s, mode %s: %v", name, mode, err)
			}
		}
		if counts[0] != counts[2] || counts[1] != counts[2] {
			t.Errorf("%s: %v warp instructions by modes", name, counts)
		}
	}
}
