package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
)

// banks is how many words shared memory serves in one pass, one from each
// (CUDA C++ Programming Guide, shared memory).
const banks = 32

// passCounter counts the passes of a request of shared memory (profile.md,
// shared_load_transactions): the most distinct words that a bank has to give.
// 64-bit accesses go in two groups of lanes, 128-bit ones in four. From sm_70
// on, two neighbouring groups go as one if every lane n has the address of lane
// n^1, or every lane that of lane n^2; a partner that does not execute is no
// hindrance. Atomics do not broadcast: each lane is a pass of its bank.
type passCounter struct {
	head [banks]int16 // of a chain of words; 0 for none
	used [banks]uint8
	next []int16
	word []uint64
}

// count returns the passes of a pattern whose first lane begins at byte at of a
// sector, from which all banks are counted.
func (c *passCounter) count(p *pattern, at uint64, s *trafficSite, merges bool) int {
	per := lanes.Width
	if s.size > 4 {
		per = lanes.Width * 4 / int(s.size)
	}
	passes := 0
	for lane := 0; lane < lanes.Width; lane += per {
		group := p.mask & ((1<<per - 1) << lane)
		if per < lanes.Width && lane/per%2 == 0 && merges && s.merges() {
			second := p.mask & ((1<<per - 1) << (lane + per))
			if group != 0 && second != 0 && (p.pairs(group|second, 1) || p.pairs(group|second, 2)) {
				group |= second
				lane += per
			}
		}
		passes += c.group(p, at, group, s)
	}
	return passes
}

// pairs reports whether each lane of m has the address of its partner.
func (p *pattern) pairs(m uint32, distance int) bool {
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if other := lane ^ distance; m>>other&1 != 0 && p.rel[lane] != p.rel[other] {
			return false
		}
	}
	return true
}

// group returns the passes of lanes that go together.
func (c *passCounter) group(p *pattern, at uint64, m uint32, s *trafficSite) int {
	c.head, c.used = [banks]int16{}, [banks]uint8{}
	c.next, c.word = c.next[:0], c.word[:0]
	most := uint8(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		off := at + p.rel[bits.TrailingZeros32(rest)&31]
		for word := off >> 2; word <= (off+uint64(s.size)-1)>>2; word++ {
			bank := word % banks
			if s.atomic() || c.add(bank, word) {
				c.used[bank]++
				most = max(most, c.used[bank])
			}
		}
	}
	return int(most)
}

// add notes a word of a bank; false if it was known.
func (c *passCounter) add(bank, word uint64) bool {
	for i := c.head[bank]; i != 0; i = c.next[i-1] {
		if c.word[i-1] == word {
			return false
		}
	}
	c.next, c.word = append(c.next, c.head[bank]), append(c.word, word)
	c.head[bank] = int16(len(c.word))
	return true
}
