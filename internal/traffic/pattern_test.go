package traffic

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestAlike holds the comparisons of patterns against the portable one: the same
// lanes, and one bit of one lane off.
func TestAlike(t *testing.T) {
	for i := range comparisons {
		testAlike(t, &comparisons[i])
	}
}

func testAlike(t *testing.T, c *comparison) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 2000 {
		var a [warpLanes]uint64
		var a32 [warpLanes]uint32
		var rel [warpLanes]int32
		first, m := r.Uint64(), r.Uint32()|r.Uint32()
		if n%3 == 0 {
			m = ^uint32(0)
		}
		for i := range a {
			rel[i] = int32(r.Uint32()) >> r.IntN(32)
			a[i], a32[i] = first+uint64(int64(rel[i])), uint32(first)+uint32(rel[i])
		}
		if !c.alike64(&a, &rel, m, first) || !c.alike32(&a32, &rel, m, uint32(first)) {
			t.Fatal("equal patterns differ")
		}
		lane, bit := r.IntN(warpLanes), r.IntN(64)
		a[lane] ^= 1 << bit
		a32[lane] ^= 1 << (bit % 32)
		off := m>>lane&1 != 0
		if got, want := c.alike64(&a, &rel, m, first), alike64Portable(&a, &rel, m, first); got != want || got == off {
			t.Fatalf("bit %d of lane %d: alike64 is %t, portable %t, lanes %#x", bit, lane, got, want, m)
		}
		if got, want := c.alike32(&a32, &rel, m, uint32(first)), alike32Portable(&a32, &rel, m, uint32(first)); got != want || got == off {
			t.Fatalf("bit %d of lane %d: alike32 is %t, portable %t, lanes %#x", bit%32, lane, got, want, m)
		}
	}
}

// TestDistances: patterns keep distances of any size, of the lanes of a request,
// and know them again.
func TestDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var p Pattern
	for n := range 3000 {
		var a [warpLanes]uint64
		m := r.Uint32() | 1<<r.IntN(32)
		for i := range a {
			a[i] = r.Uint64() >> r.IntN(64) // some distances need 64 bits, some 32
			if n%2 == 0 {
				a[i] = uint64(r.Uint32()>>1) + 1<<40
			}
		}
		for range 2 { // the second time p knows it
			first := p.Recognise(&a, m)
			if want := a[bits.TrailingZeros32(m)]; first != want || p.Lanes != m {
				t.Fatalf("the first of %#x is %#x, not %#x", m, first, want)
			}
			var low, high int64
			for lane := range a {
				if m>>lane&1 == 0 {
					continue
				}
				low, high = min(low, int64(a[lane]-first)), max(high, int64(a[lane]-first))
				if p.Distance(lane) != a[lane]-first {
					t.Fatalf("lane %d is %#x away, not %#x", lane, p.Distance(lane), a[lane]-first)
				}
				if rel := p.Distances(); rel != nil && uint64(int64(rel[lane])) != a[lane]-first {
					t.Fatalf("lane %d is %#x away, not %#x", lane, rel[lane], a[lane]-first)
				}
			}
			if p.Low != low || p.High != high {
				t.Fatalf("from %d to %d, not %d to %d", p.Low, p.High, low, high)
			}
			for lane := range a {
				a[lane] += 1 << 33
			}
		}
	}
}

// TestSteps: a distance from lane to lane is one that all lanes of half a warp keep.
func TestSteps(t *testing.T) {
	var a [warpLanes]uint64
	for lane := range a {
		a[lane] = 1<<40 + uint64(lane/16*1000+lane%16*8)
	}
	var p Pattern
	p.Recognise(&a, ^uint32(0))
	if got := p.Steps(); got != [2]int32{8, 8} {
		t.Errorf("two rows: %v", got)
	}
	a[31]++
	p.Recognise(&a, ^uint32(0))
	if got := p.Steps(); got != [2]int32{8, NoStep} {
		t.Errorf("a lane off: %v", got)
	}
	for _, m := range []uint32{1<<31 - 1, ^uint32(1)} {
		p.Recognise(&a, m)
		if got := p.Steps(); got != [2]int32{NoStep, NoStep} {
			t.Errorf("lanes %#x: %v", m, got)
		}
	}
	a = [warpLanes]uint64{}
	a[5] = 1 << 40
	p.Recognise(&a, ^uint32(0))
	if got := p.Steps(); got != [2]int32{NoStep, NoStep} {
		t.Errorf("far away: %v", got)
	}
}

// TestMixed: a pattern of lanes in several spaces is one site's at a time. What two
// sites of different sizes ask for at one address is not taken for the same.
func TestMixed(t *testing.T) {
	sites := []Site{{PC: 1, Kind: Load, Size: 4}, {PC: 2, Kind: Store, Size: 8}, {PC: 3, Kind: Load, Size: 4}}
	n := NewCounter(sites, true, NewFootprint(nothing), NewFootprint(nothing))
	a := [warpLanes]uint64{64, 72}
	for range 3 {
		for k, s := range sites {
			p := n.MixedOf(int32(k))
			at := p.Recognise(&a, 3)
			c, _ := p.Cost(at, Global, s.Size)
			if !c.Known() {
				if err := n.Learn(c, p, int32(k), Global, at); err != nil {
					t.Fatal(err)
				}
			}
			if err := n.Count(int32(k), c, at, new(Warp)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := n.End(); err != nil {
		t.Fatal(err)
	}
	for k, s := range sites {
		want := Sum{Requests: 3, Transactions: 3, Bytes: 6 * uint64(s.Size), UniqueBytes: 6 * uint64(s.Size), Passes: 3}
		if got := n.Counts.Accesses[k].Spaces[Global]; got != want {
			t.Errorf("site %d: %+v, by hand %+v", k, got, want)
		}
	}
}

// TestConstants: a request of constants is traced with as many passes as its lanes have
// addresses, here lane mod k four bytes apart, though their banks would give them in one.
func TestConstants(t *testing.T) {
	n := NewCounter([]Site{{PC: 1, Kind: Load, Size: 4}}, true, NewFootprint(nothing), NewFootprint(nothing))
	n.Traced = true
	for _, k := range []uint64{1, 4, 8, 32} {
		var a [warpLanes]uint64
		for i := range a {
			a[i] = 1<<20 + uint64(i)%k*4
		}
		var p Pattern
		at := p.Recognise(&a, 1<<warpLanes-1)
		for space, want := range map[Space]uint64{Const: k, Global: 1} {
			c, _ := p.Cost(at, space, 4)
			if err := n.Learn(c, &p, 0, space, at); err != nil {
				t.Fatal(err)
			}
			if uint64(c.passes) != want {
				t.Errorf("%d addresses in %v: %d passes, want %d", k, space, c.passes, want)
			}
		}
	}
}

// TestL1Passes: lanes that read a row take a pass over the banks of the L1, those that read a
// column of a matrix of 64 words one each, of 33 words one again; a word of local memory takes one,
// and two words two, wherever each lane has its own.
func TestL1Passes(t *testing.T) {
	for _, c := range []struct {
		space Space
		size  uint8
		step  uint64 // from lane to lane
		want  uint64
	}{{Global, 4, 4, 1}, {Global, 4, 256, 32}, {Global, 4, 132, 1}, {Global, 4, 8, 2}, {Global, 8, 8, 2},
		{Local, 4, 0, 1}, {Local, 4, 128, 1}, {Local, 1, 1, 1}, {Local, 8, 0, 2}, {Local, 16, 256, 4}} {
		n := NewCounter([]Site{{PC: 1, Kind: Load, Size: c.size}}, true, NewFootprint(nothing), NewFootprint(nothing))
		var a [warpLanes]uint64
		for lane := range a {
			a[lane] = 1<<20 + uint64(lane)*c.step
		}
		var p Pattern
		at := p.Recognise(&a, ^uint32(0))
		cost, _ := p.Cost(at, c.space, c.size)
		if err := n.Learn(cost, &p, 0, c.space, at); err != nil {
			t.Fatal(err)
		}
		if err := n.Count(0, cost, at, new(Warp)); err != nil {
			t.Fatal(err)
		}
		n.settle(cost)
		if got := n.Counts.Accesses[0].Spaces[c.space].Passes; got != c.want {
			t.Errorf("%d bytes of space %d, %d from lane to lane: %d passes, by hand %d", c.size, c.space, c.step, got, c.want)
		}
	}
}
