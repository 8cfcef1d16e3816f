package adder

import "math/bits"

// carried returns what was carried into the slices of a lane.
func (r *page) carried(k, lane int) (entry uint32) { return r.bit(&r.truth, k, lane) }

// bit returns a lane's bits of a block, side by side.
func (r *page) bit(of *block, k, lane int) (list uint32) {
	for i := range r.predicted {
		list |= of[i][k] >> lane & 1 << i
	}
	return list
}

// walk finds the lanes that write if they do so in turn where they are wrong: up to the
// first that is all predict the same, those behind it what that one wrote.
//
// It guesses which lanes leave what they carried, works out for all lanes at once what the next
// lower one of those left (handed; turned over in the places of others), which says who is wrong,
// and guesses again: with every round one more lane at least is right, and those that need no
// guess, since all of their slices are open, keep rounds few.
func (r *page) walk(k int, entry uint32) (wrote, next uint32) {
	switch r.predicted {
	case 2:
		return r.walk2(k, entry)
	case 3:
		return r.walk3(k, entry)
	}
	left, sure := uint32(0), ^uint32(0)
	for i := range r.predicted {
		left |= r.open[i][k]
		sure &= r.open[i][k]
	}
	for before := ^left; before != left; {
		wrote = 0
		for rest := r.opened; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			t := r.truth[i][k]
			wrote |= (handed(t, left, entry>>i&1) ^ t ^ ^left) & r.open[i][k]
		}
		before, left = left, wrote|sure
	}
	if wrote == 0 {
		return 0, entry
	}
	return wrote, r.carried(k, 31-bits.LeadingZeros32(wrote))
}

// walk2 and walk3 are of the adders of 24 and of 32 bits.
func (r *page) walk2(k int, entry uint32) (wrote, next uint32) {
	t0, t1, o0, o1 := r.truth[0][k], r.truth[1][k], r.open[0][k], r.open[1][k]
	e0, e1, sure := entry&1, entry>>1&1, o0&o1
	for left := o0 | o1; ; {
		p0, p1 := handed(t0, left, e0), handed(t1, left, e1)
		wrote = (p0^t0^^left)&o0 | (p1^t1^^left)&o1
		if wrote|sure == left {
			break
		}
		left = wrote | sure
	}
	if wrote == 0 {
		return 0, entry
	}
	lane := 31 - bits.LeadingZeros32(wrote)
	return wrote, t0>>lane&1 | t1>>lane&1<<1
}

func (r *page) walk3(k int, entry uint32) (wrote, next uint32) {
	t0, t1, t2, o0, o1, o2 := r.truth[0][k], r.truth[1][k], r.truth[2][k], r.open[0][k], r.open[1][k], r.open[2][k]
	e0, e1, e2, sure := entry&1, entry>>1&1, entry>>2&1, o0&o1&o2
	for left := o0 | o1 | o2; ; {
		p0, p1, p2 := handed(t0, left, e0), handed(t1, left, e1), handed(t2, left, e2)
		wrote = (p0^t0^^left)&o0 | (p1^t1^^left)&o1 | (p2^t2^^left)&o2
		if wrote|sure == left {
			break
		}
		left = wrote | sure
	}
	if wrote == 0 {
		return 0, entry
	}
	lane := 31 - bits.LeadingZeros32(wrote)
	return wrote, t0>>lane&1 | t1>>lane&1<<1 | t2>>lane&1<<2
}
