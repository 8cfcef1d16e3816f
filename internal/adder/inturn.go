package adder

import "math/bits"

// inTurn is run where all lanes write, in turn: what a lane is predicted is what the lane below it
// carried, and the lowest what the highest of the addition before did. So entries predict
// one lane of a run, the lowest of its first addition: all pay together for the others, as if that
// one were right, and by themselves for it.
func (s *sharing) inTurn(r *page) {
	k := r.from
	for k < r.n && r.lanes[0][k] == 0 {
		k++
	}
	if k == r.n {
		return
	}
	lane := bits.TrailingZeros32(r.lanes[0][k])
	truth, own := r.carried(k, lane), r.all()
	next, any := r.passOn(k, truth), uint32(0)
	matter := [2]uint32{own, r.bit(&r.open, k, lane)}
	words, at := s.tables.entries, r.at
	for i := range s.designs {
		d := &s.designs[i]
		w := &words[at[d.table]]
		wrong := (*w ^ truth) & matter[d.peek&1]
		*w = *w&^own | next
		s.entries[i] = wrong
		any |= wrong
	}
	if r.alike |= 1<<r.n - 1<<k; any != 0 {
		s.lowest(r, k, lane, matter)
	}
}

// passOn sets what lanes are predicted that write in turn, from an addition on, and returns the entry that
// they leave.
func (r *page) passOn(from int, entry uint32) (next uint32) {
	full := r.full()
	for i := range r.predicted {
		truth, guess, below := &r.truth[i], &r.guess[i], entry>>i&1
		for k := from; k < r.n; k++ {
			k := k & (pageLength - 1)
			t := truth[k]
			if full {
				guess[k] = t<<1 | below
				below = t >> (Lanes - 1)
				continue
			}
			if m := r.lanes[0][k]; m != 0 {
				guess[k] = handed(t, m, below)
				below = t >> (bits.Len32(m) - 1) & 1
			}
		}
		next |= below << i
	}
	return next
}

// lowest has designs pay for the lowest lane of an addition, in which some of their entries, a bit for
// each slice, are wrong.
func (s *sharing) lowest(r *page, k, lane int, matter [2]uint32) {
	var missed [2]uint32 // the other lanes that are wrong
	for i := range r.predicted {
		d := (r.guess[i][k] ^ r.truth[i][k]) & r.lanes[0][k] &^ (1 << lane)
		missed[0] |= d
		missed[1] |= d & r.open[i][k]
	}
	again := [2]uint32{matter[0], matter[0]}
	if s.rule.untrusted {
		again = matter
	}
	alone := s.alone[r.kind]
	for i, wrong := range s.entries {
		if wrong == 0 {
			continue
		}
		a, peek := &alone[i], s.designs[i].peek&1
		a.missed++
		a.again += popcount(again[peek] >> bits.TrailingZeros32(wrong))
		a.wrong += popcount(wrong)
		if missed[peek] == 0 {
			a.stalled++
		}
	}
}
