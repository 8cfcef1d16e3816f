package sim

import "testing"

// TestEvenSets: blocks that follow each other, at whatever stride, meet all sets alike: as
// many as there are lines stay.
func TestEvenSets(t *testing.T) {
	const bytes, ways = 3 << 20, 16
	for _, stride := range []uint64{1, 2, 16, 256, 4096, 7} {
		var c tags
		c.init(bytes, ways)
		lines := uint64(len(c.lines))
		for i := range lines {
			if c.find(i*stride) >= 0 {
				t.Fatalf("stride %d: block %d is there before it came", stride, i)
			}
			c.give(c.victim(i*stride), i*stride)
		}
		lost := 0
		for i := range lines {
			if c.find(i*stride) < 0 {
				lost++
			}
		}
		if float64(lost) > 0.1*float64(lines) {
			t.Errorf("stride %d: %d of %d blocks are gone", stride, lost, lines)
		}
	}
}

// TestSweep: who sweeps again and again over half as much again as a cache holds finds the
// share h of it that random replacement leaves, h = exp(-1.5 (1-h)) = 0.42; of a set whose
// least recently used line goes it would find nothing.
func TestSweep(t *testing.T) {
	var c tags
	c.init(1<<20, 16)
	blocks, hits := uint64(len(c.lines))*3/2, 0
	const sweeps, before = 20, 10
	for i := range sweeps * blocks {
		if _, missing, _ := c.read(i%blocks, 15); missing == 0 && i >= before*blocks {
			hits++
		}
	}
	if share := float64(hits) / float64((sweeps-before)*blocks); share < 0.37 || share > 0.47 {
		t.Errorf("%.2f of a sweep is found, not 0.42", share)
	}
}

// TestPlacesOfLocalMemory: what CTAs keep in local memory, at the same addresses, does not
// meet the same sets.
func TestPlacesOfLocalMemory(t *testing.T) {
	const blocks, perSM, sms = 16, 8, 80
	var c tags
	c.init(4<<20, 16)
	at := func(place, k int) uint64 { return (&cta{place: place%sms + place/sms<<12}).localBlock(uint64(k)) }
	for place := range perSM * sms {
		for k := range blocks {
			c.give(c.victim(at(place, k)), at(place, k))
		}
	}
	lost := 0
	for place := range perSM * sms {
		for k := range blocks {
			if c.find(at(place, k)) < 0 {
				lost++
			}
		}
	}
	if lost > perSM*sms*blocks/50 {
		t.Errorf("%d of %d blocks are gone from a cache of %d", lost, perSM*sms*blocks, len(c.lines))
	}
}
