package analysis

import (
	"testing"

	"hyptx/internal/manifest"
	"hyptx/internal/sim"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// TestStored: what a launch stores is what its first CTA does, times how many there are; sectors that
// CTAs share are there once.
func TestStored(t *testing.T) {
	a, b := &manifest.Buffer{Base: 100 * stream.BlockBytes, Bytes: 1 << 20}, &manifest.Buffer{Base: 1 << 30, Bytes: 1 << 20}
	at := func(buffer *manifest.Buffer, offset int64) manifest.ParamPointer {
		return manifest.ParamPointer{Pointer: manifest.Pointer{Buffer: buffer, Offset: offset}}
	}
	l := &launchPlan{grid: [3]uint32{8, 8, 1}, block: &manifest.ParamBlock{Pointers: []manifest.ParamPointer{at(a, 0), at(a, 50*stream.BlockBytes), at(nil, 0), at(b, 0)}}}
	for _, c := range []struct {
		what  string
		words []uint64
		bytes uint64
		want  [4]storing
	}{
		{"a block, and half a one behind another pointer", []uint64{sim.Sectors(102, 15, 15), sim.Sectors(150, 3, 3)}, 6 * 32, [4]storing{0: {2, 64}, 1: {0, 32}}},
		{"nobody counted bytes", []uint64{sim.Sectors(102, 15, 0)}, 0, [4]storing{0: {2, 64}}},
		{"by two stores", []uint64{sim.Sectors(102, 3, 0), sim.Sectors(102, 6, 0), sim.Sectors(102, 15, 0)}, 4 * 32, [4]storing{0: {2, 64}}},
		{"of two sectors sixteen bytes, of which others are other CTAs'", []uint64{sim.Sectors(1<<30/stream.BlockBytes+1, 3, 0)}, 16, [4]storing{3: {1, 8}}},
		{"in no buffer", []uint64{sim.Sectors(7, 15, 0)}, 128, [4]storing{}},
		{"the same bytes again and again", []uint64{sim.Sectors(100, 1, 1)}, 1 << 20, [4]storing{0: {0, 16}}},
	} {
		if got := [4]storing(l.stores(c.words, c.bytes)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	accesses := make([]traffic.Access, 3)
	for i, kind := range []traffic.Kind{traffic.Store, traffic.Load, traffic.Store} {
		accesses[i].Kind, accesses[i].Spaces[traffic.Global].UniqueBytes, accesses[i].Spaces[traffic.Shared].UniqueBytes = kind, 120, 7
	}
	for _, c := range []struct {
		of   sample
		want uint64
	}{{sample{&traffic.Counts{Accesses: accesses}, 4}, 60}, {sample{nil, 4}, 0}, {sample{}, 0}} {
		if got := c.of.storedBytes(); got != c.want {
			t.Errorf("%d CTAs: %d bytes each, want %d", c.of.ctas, got, c.want)
		}
	}
}
