package sim

import (
	"testing"

	"hyptx/internal/pipe"
)

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

// TestPlacesOfLocalMemory: what warps of CTAs keep in local memory, at the same addresses, does not
// meet the same sets.
func TestPlacesOfLocalMemory(t *testing.T) {
	const blocks, warps, perSM, sms = 16, 4, 8, 80
	var c tags
	c.init(4<<20, 16)
	at := func(place, k int) uint64 {
		return (&cta{place: place%sms + place/sms<<12}).window(k%warps) | uint64(k/warps)
	}
	seen := map[uint64]bool{}
	for place := range perSM * sms {
		for k := range blocks {
			if seen[at(place, k)] {
				t.Fatalf("block %d of place %d is another one's", k, place)
			}
			seen[at(place, k)] = true
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

// TestVictims: of blocks that come in turn and are a tenth more than there are lines some are
// still there when they come again, where replacing the oldest one finds none; what is dirty
// goes in the order in which it came; and what is used all the time stays.
func TestVictims(t *testing.T) {
	const bytes, ways, rounds = 1 << 20, 16, 4
	sweep := func(victim func(*tags, uint64) int32, dirty uint8) (found, early, lost float64) {
		var c tags
		c.init(bytes, ways)
		lines := uint64(len(c.lines))
		blocks := lines + lines/10
		for i := range rounds * blocks {
			if hot := blocks + i%16; i > lines/2 && c.find(hot) < 0 {
				lost++
				c.give(victim(&c, hot), hot)
			} else if i > lines/2 {
				c.use(c.find(hot))
			}
			at := c.find(i % blocks)
			if at >= 0 {
				found++
				c.use(at)
				continue
			}
			at = victim(&c, i%blocks)
			if l := &c.lines[at]; dirty != 0 && l.older != 0 && c.lines[l.older-1].dirty != 0 {
				early++ // before one that is older
			}
			c.give(at, i%blocks)
			c.lines[at].dirty = dirty
		}
		return found / float64(rounds*blocks), early, lost
	}
	if found, _, _ := sweep((*tags).oldest, 0); found > 0.02 {
		t.Errorf("the oldest: %.2f found", found)
	}
	found, _, lost := sweep((*tags).victim, 0)
	if found < 0.2 || lost > 16*2 {
		t.Errorf("%.2f found, %g times what is used all the time was lost", found, lost)
	}
	if _, early, _ := sweep((*tags).victim, 1); early != 0 {
		t.Errorf("%g dirty lines went before older ones", early)
	}
}

// TestLocalMemoryOfWarps: warps of a CTA have local memory of their own at the same addresses,
// which the warps of a CTA that comes in its place find in the L1.
func TestLocalMemoryOfWarps(t *testing.T) {
	const blocks, warps, ctas = 16, 8, 3
	tr := Trace(nil).Block(0, 32)
	for i := range blocks {
		tr = tr.Access(Local, 1, Sectors(uint64(i), 15, 0))
	}
	r := bench{m: volta(1), p: chain(pipe.LoadLocal, blocks, 1), ctas: ctas, warps: warps, perSM: 1, repeated: tr}.run(t)
	asked, missed := uint64(ctas*warps*blocks*blockSectors), uint64(warps*blocks*blockSectors)
	if got := r.Memory.L1Reads - r.Memory.L1ReadHits; r.Memory.L1Reads != asked || got != missed {
		t.Errorf("%d sectors of %d came from the L2, want %d of %d", got, r.Memory.L1Reads, missed, asked)
	}
}

// TestRandomReplacement: of sweeps over twice as many blocks as there are lines the share x is
// still there that survives the misses of a round, exp(-2 (1-x)), a fifth; where the oldest line
// goes, none is.
func TestRandomReplacement(t *testing.T) {
	for random, want := range map[bool]float64{false: 0, true: 0.203} {
		const rounds = 50
		var c tags
		c.init(64<<10, 512)
		c.random = random
		blocks, hits := uint64(2*len(c.lines)), 0
		for i := range rounds * blocks {
			if _, missing, _ := c.read(i%blocks, 15); missing == 0 && i >= 10*blocks {
				hits++
			}
		}
		if got := float64(hits) / float64((rounds-10)*blocks); got < want-0.02 || got > want+0.02 {
			t.Errorf("random %v: %.3f are there, want %.3f", random, got, want)
		}
	}
}
