package traffic

import (
	"math/rand/v2"
	"testing"
)

func nothing(int64) error { return nil }

// put adds a byte.
func put(t *testing.T, f *Footprint, addr uint64) {
	t.Helper()
	p, err := f.page(addr / sectorBytes >> pageSectorBits)
	if err != nil {
		t.Fatal(err)
	}
	p[addr/sectorBytes%pageSectors] |= 1 << (addr % sectorBytes)
}

// TestFootprintEach goes through a random set by its stretches, and asks of two
// sets whether they meet, against maps of bytes.
func TestFootprintEach(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		f, g := NewFootprint(nothing), NewFootprint(nothing)
		base, bytes := uint64(r.IntN(300000)), int64(1+r.IntN(200000))
		in, meets := map[uint64]bool{}, false
		for range r.IntN(60) {
			at := base + uint64(r.Int64N(bytes))
			for k := range uint64(r.IntN(70)) {
				if off := at + k - base; off < uint64(bytes) {
					put(t, f, at+k)
					in[off] = true
				}
			}
		}
		put(t, f, base+uint64(bytes)) // is not asked for
		for range 5 {
			off := uint64(r.Int64N(bytes))
			put(t, g, base+off)
			meets = meets || in[off]
		}
		f.Each(base, bytes, func(off, n uint64) {
			for k := range n {
				if !in[off+k] {
					t.Fatalf("byte %d is not in the set, or came before", off+k)
				}
				delete(in, off+k)
			}
		})
		if len(in) > 0 {
			t.Fatalf("%d bytes did not come", len(in))
		}
		if f.Meets(g) != meets || g.Meets(f) != meets {
			t.Fatalf("the sets meet: %v, by hand %v", f.Meets(g), meets)
		}
	}
}
