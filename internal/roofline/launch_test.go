package roofline

import (
	"testing"

	"hyptx/analysis"
)

// TestL1Hits: only what goes through the L1 can hit there.
func TestL1Hits(t *testing.T) {
	for name, c := range map[string]struct {
		global, local, hits, misses uint64 // sectors
		want                        float64
	}{
		"all go through":               {100, 0, 75, 25, 0.75},
		"all pass by":                  {100, 0, 0, 0, 0},
		"half pass by":                 {100, 0, 25, 25, 0.25},
		"local loads, too":             {100, 300, 300, 100, 0.75},
		"local loads only":             {100, 300, 300, 0, 0},
		"no L1":                        {100, 300, 0, 0, 0},
		"no global loads":              {0, 300, 300, 0, 1},
		"no loads":                     {0, 0, 0, 0, 1},
		"a sample that saw too many":   {100, 0, 105, 0, 1},
		"a sample that saw too little": {100, 10, 4, 4, 0},
	} {
		f := &analysis.Facts{}
		for counter, n := range map[analysis.Counter]uint64{analysis.GlobalLoadSectors: c.global, analysis.LocalLoadSectors: c.local,
			analysis.L1ReadHits: c.hits, analysis.L1ReadMisses: c.misses, analysis.DRAMReadBytes: 0} {
			f.Set(counter, n)
		}
		if got := trafficOf(f); !got.L1Hits.Known || got.L1Hits.X != c.want {
			t.Errorf("%s: %v, want %v", name, got.L1Hits, c.want)
		}
	}
}
