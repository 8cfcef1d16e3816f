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
func (r *page) walk(k int, entry uint32) (wrote, next uint32) {
	switch r.predicted {
	case 2:
		return r.walk2(k, entry)
	case 3:
		return r.walk3(k, entry)
	}
	for rest := ^uint32(0); ; {
		wrong := uint32(0)
		for i := range r.predicted {
			wrong |= (everywhere(entry, i) ^ r.truth[i][k]) & r.open[i][k]
		}
		if wrong &= rest; wrong == 0 {
			return wrote, entry
		}
		lane := bits.TrailingZeros32(wrong)
		wrote |= 1 << lane
		rest = ^uint32(1) << lane
		entry = r.carried(k, lane)
	}
}

// walk2 and walk3 are of the adders of 24 and of 32 bits: the lanes that an entry predicts
// wrong are found for all entries before.
func (r *page) walk2(k int, entry uint32) (wrote, next uint32) {
	t0, t1, o0, o1 := r.truth[0][k], r.truth[1][k], r.open[0][k], r.open[1][k]
	z0, z1 := t0&o0, t1&o1   // wrong if 0 is predicted
	n0, n1 := o0&^t0, o1&^t1 // and if 1 is
	wrong := [4]uint32{z0 | z1, n0 | z1, z0 | n1, n0 | n1}
	for rest := ^uint32(0); ; {
		m := wrong[entry&3] & rest
		if m == 0 {
			return wrote, entry
		}
		lane := bits.TrailingZeros32(m) & (Lanes - 1)
		wrote |= 1 << lane
		rest = ^uint32(1) << lane
		entry = t0>>lane&1 | t1>>lane&1<<1
	}
}

func (r *page) walk3(k int, entry uint32) (wrote, next uint32) {
	t0, t1, t2, o0, o1, o2 := r.truth[0][k], r.truth[1][k], r.truth[2][k], r.open[0][k], r.open[1][k], r.open[2][k]
	z0, z1, z2 := t0&o0, t1&o1, t2&o2
	n0, n1, n2 := o0&^t0, o1&^t1, o2&^t2
	wrong := [8]uint32{z0 | z1 | z2, n0 | z1 | z2, z0 | n1 | z2, n0 | n1 | z2, z0 | z1 | n2, n0 | z1 | n2, z0 | n1 | n2, n0 | n1 | n2}
	for rest := ^uint32(0); ; {
		m := wrong[entry&7] & rest
		if m == 0 {
			return wrote, entry
		}
		lane := bits.TrailingZeros32(m) & (Lanes - 1)
		wrote |= 1 << lane
		rest = ^uint32(1) << lane
		entry = t0>>lane&1 | t1>>lane&1<<1 | t2>>lane&1<<2
	}
}
