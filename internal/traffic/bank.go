package traffic

import "math/bits"

// banks is how many words shared memory serves in one pass, one from each
// (CUDA C++ Programming Guide, shared memory).
const banks = 32

// bankCounter counts the passes of a request of shared memory (docs/columns.md,
// shared_load_transactions): the most distinct words that a bank has to give.
// Lanes that want the same word get it in one pass. 64-bit accesses go in two
// groups of lanes, 128-bit ones in four. From sm_70 on, two neighbouring groups
// go as one if every lane n has the address of lane n^1, or every lane that of
// lane n^2; a partner that does not execute is no hindrance. Atomics do not
// broadcast: each lane is a pass of its bank.
type bankCounter struct {
	head [banks]int16 // of a chain of words; 0 for none
	used [banks]uint8
	next []int16
	word []uint64
}

// passes returns the passes of a pattern whose first lane begins at byte at of a
// sector, from which all banks are counted. merges: see [NewCounter].
func (b *bankCounter) passes(p *Pattern, at uint64, s *Site, merges bool) (n int) {
	for place := range p.places {
		n += b.passesOf(p, place, at, s, merges)
	}
	return n
}

// passesOf returns those of one of the places that each lane accesses.
func (b *bankCounter) passesOf(p *Pattern, place int, at uint64, s *Site, merges bool) (n int) {
	per := warpLanes
	if s.Size > 4 {
		per = warpLanes * 4 / int(s.Size)
	}
	for lane := 0; lane < warpLanes; lane += per {
		group := p.Lanes & ((1<<per - 1) << lane)
		if per < warpLanes && lane/per%2 == 0 && merges && s.merges() {
			second := p.Lanes & ((1<<per - 1) << (lane + per))
			if group != 0 && second != 0 && (p.pairs(group|second, 1) || p.pairs(group|second, 2)) {
				group |= second
				lane += per
			}
		}
		n += b.group(p, place, at, group, s)
	}
	return n
}

// localPasses returns those of a request of local memory, where each lane's words lie in a bank of their
// own ([Cost.localCells]): as many as a lane has words, wherever lanes are.
func localPasses(s *Site) uint32 { return max(1, uint32(s.Size)/4) }

// pairs reports whether each lane of m has the address of its partner.
func (p *Pattern) pairs(m uint32, distance int) bool {
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if other := lane ^ distance; m>>other&1 != 0 && p.Distance(lane) != p.Distance(other) {
			return false
		}
	}
	return true
}

// group returns the passes of lanes that go together.
func (b *bankCounter) group(p *Pattern, place int, at uint64, m uint32, s *Site) int {
	b.head, b.used = [banks]int16{}, [banks]uint8{}
	b.next, b.word = b.next[:0], b.word[:0]
	most := uint8(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		off := at + p.DistanceOf(place, bits.TrailingZeros32(rest))
		for word := off >> 2; word <= (off+uint64(s.Size)-1)>>2; word++ {
			bank := word % banks
			if s.IsAtomic() || b.add(bank, word) {
				b.used[bank]++
				most = max(most, b.used[bank])
			}
		}
	}
	return int(most)
}

// add notes a word of a bank; false if it was known.
func (b *bankCounter) add(bank, word uint64) bool {
	for i := b.head[bank]; i != 0; i = b.next[i-1] {
		if b.word[i-1] == word {
			return false
		}
	}
	b.next, b.word = append(b.next, b.head[bank]), append(b.word, word)
	b.head[bank] = int16(len(b.word))
	return true
}
