package analysis

import (
	"testing"

	"hyptx/internal/number"
)

// TestCacheError: CTAs of a sample that are all alike say nothing of the others; what these load is known.
func TestCacheError(t *testing.T) {
	for _, c := range []struct {
		what                     string
		loads, hits, asked, dram uint64
		variance                 number.Real
		sampled                  bool
		want                     string
	}{
		{"nobody sampled", 1000, 200, 800, 800, number.Real{}, false, ""},
		{"a sample like the rest", 1000, 200, 800, 800, number.Ratio(0), false, "0.0000"},
		{"that varies", 1000, 200, 800, 800, number.Ratio(6400), false, "10.0000"},
		{"of CTAs that load a fifth of what others do", 1000, 100, 100, 100, number.Ratio(0), false, "400.0000"},
		{"or twice of it", 1000, 1000, 1000, 1000, number.Ratio(0), false, "50.0000"},
		{"or nothing", 1000, 0, 0, 0, number.Ratio(0), false, "99900.0000"},
		{"what all load is an estimate of the same sample", 1000, 100, 100, 100, number.Ratio(0), true, "0.0000"},
	} {
		var f Facts
		f.know(blockMoved)
		f.know(blockCached)
		f.Set(GlobalLoadSectors, c.loads)
		f.Set(L1ReadHits, c.hits)
		f.Set(L2ReadSectors, c.asked)
		f.Set(DRAMReadBytes, 32*c.dram)
		f.DRAMVariance, f.TrafficSampled = c.variance, c.sampled
		if got := f.CacheErrorPct().String(); got != c.want {
			t.Errorf("%s: %s %%, want %s", c.what, got, c.want)
		}
	}
}
