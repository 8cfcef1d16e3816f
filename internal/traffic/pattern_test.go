package traffic

import (
	"math/rand/v2"
	"testing"
)

// TestAlike holds the comparison of patterns in use against the portable one:
// the same lanes, and one bit of one lane off.
func TestAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var a, rel, sel [warpLanes]uint64
		var a32, rel32, sel32 [warpLanes]uint32
		first := r.Uint64()
		for i := range a {
			rel[i] = r.Uint64() >> r.IntN(64)
			a[i] = first + rel[i]
			rel32[i] = uint32(rel[i])
			a32[i] = uint32(a[i])
			if r.IntN(4) > 0 {
				sel[i], sel32[i] = ^uint64(0), ^uint32(0)
			}
		}
		if !alike64(&a, &rel, &sel, first) || !alike32(&a32, &rel32, &sel32, uint32(first)) {
			t.Fatal("equal patterns differ")
		}
		lane, bit := r.IntN(warpLanes), r.IntN(64)
		a[lane] ^= 1 << bit
		a32[lane] ^= 1 << (bit % 32)
		if got, want := alike64(&a, &rel, &sel, first), alike64Portable(&a, &rel, &sel, first); got != want || got == (sel[lane] != 0) {
			t.Fatalf("bit %d of lane %d: alike64 is %t, portable %t, selected %x", bit, lane, got, want, sel[lane])
		}
		if got, want := alike32(&a32, &rel32, &sel32, uint32(first)), alike32Portable(&a32, &rel32, &sel32, uint32(first)); got != want || got == (sel32[lane] != 0) {
			t.Fatalf("bit %d of lane %d: alike32 is %t, portable %t, selected %x", bit%32, lane, got, want, sel32[lane])
		}
	}
}
