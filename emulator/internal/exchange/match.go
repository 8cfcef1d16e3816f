package exchange

import "math/bits"

// Match returns, for each lane of m, the lanes of m that have the same value
// (PTX ISA 9.7.15.11), and whether all have one value.
func Match(values *[32]uint64, m uint32) (same [32]uint32, all bool) {
	all = true
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		for other := m; other != 0; other &= other - 1 {
			if k := bits.TrailingZeros32(other); values[k] == values[lane] {
				same[lane] |= 1 << k
			}
		}
		all = all && same[lane] == m
	}
	return same, all
}

// Vote returns the outcome of a vote of the lanes of m (PTX ISA 9.7.15.10): of
// a mode all, any or uni; votes are the lanes of m whose predicate is true.
func Vote(mode string, votes, m uint32) bool {
	switch mode {
	case "all":
		return votes == m
	case "any":
		return votes != 0
	}
	return votes == 0 || votes == m
}
