package analysis

import (
	"testing"

	"hyptx/internal/cache"
	"hyptx/internal/hierarchy"
)

// TestUnknownDRAM: accesses of a DRAM of which nobody knows how it is laid out are unknown, not none.
func TestUnknownDRAM(t *testing.T) {
	for _, c := range []struct {
		of    cache.Counters
		known bool
	}{{cache.Counters{DRAMReadSectors: 5}, false}, {cache.Counters{DRAMWriteSectors: 5}, false}, {cache.Counters{DRAMReadSectors: 5, DRAMAccesses: 3, DRAMAccessRows: 2}, true}, {cache.Counters{}, true}} {
		f := newCached(hierarchy.Result{Counters: c.of})
		if f.Of(DRAMAccesses).Known != c.known || f.Of(DRAMAccessRows).Known != c.known || !f.Of(DRAMReadBytes).Known {
			t.Errorf("%+v: accesses known is %t, want %t", c.of, f.Of(DRAMAccesses).Known, c.known)
		}
	}
}
