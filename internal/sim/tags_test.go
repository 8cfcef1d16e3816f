package sim

import "testing"

// TestEvenSets: blocks that follow each other, at whatever stride, meet all sets alike: as
// many as there are lines stay, and go in the order in which they came, to a round of the
// sets.
func TestEvenSets(t *testing.T) {
	const bytes, ways = 3 << 20, 16
	for _, stride := range []uint64{1, 2, 16, 256, 4096, 7} {
		var c tags
		c.init(bytes, ways)
		lines := uint64(len(c.lines))
		for i := range 2 * lines {
			block := i * stride
			if i < lines && c.find(block) >= 0 {
				t.Fatalf("stride %d: block %d is there before it came", stride, i)
			}
			at := c.oldest(block)
			if gone := c.lines[at].block - 1; stride == 1 && i >= lines && (gone > i-lines+c.sets || gone+c.sets < i-lines) {
				t.Fatalf("stride %d: block %d takes the place of %d, not of %d or one within a round of it", stride, i, gone, i-lines)
			}
			c.give(at, block)
			if i == lines-1 {
				lost := 0
				for k := range lines {
					if c.find(k*stride) < 0 {
						lost++
					}
				}
				if float64(lost) > 0.1*float64(lines) {
					t.Errorf("stride %d: %d of %d blocks are gone", stride, lost, lines)
				}
			}
		}
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
			c.give(c.oldest(at(place, k)), at(place, k))
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
