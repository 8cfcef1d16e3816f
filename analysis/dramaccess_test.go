package analysis

import (
	"testing"

	"hyptx/internal/cache"
	"hyptx/internal/hierarchy"
)

// TestUnknownDRAM: accesses of a DRAM of which nobody knows how it is laid out are unknown, not none.
func TestUnknownDRAM(t *testing.T) {
	for _, known := range []bool{false, true} {
		f := newCached(hierarchy.Result{Counters: cache.Counters{DRAMReadSectors: 5}, Accesses: known})
		if f.Of(DRAMAccesses).Known != known || f.Of(DRAMAccessRows).Known != known || !f.Of(DRAMReadBytes).Known {
			t.Errorf("accesses known is %t, want %t", f.Of(DRAMAccesses).Known, known)
		}
	}
}
