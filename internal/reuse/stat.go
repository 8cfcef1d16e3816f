package reuse

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// histogram counts reuse distances. Below 2^16 they are exact; longer ones keep ten
// bits, so that a stream of any length has some 80,000 at most.
type histogram map[uint64]uint64

const (
	exactBits = 16
	keptBits  = 10
)

func (h histogram) add(d uint64) {
	if n := bits.Len64(d); n > exactBits {
		d = d >> (n - keptBits) << (n - keptBits)
	}
	h[d]++
}

func (h histogram) join(o histogram) {
	for d, n := range o {
		h[d] += n
	}
}

func (h histogram) total() (n uint64) {
	for _, m := range h {
		n += m
	}
	return n
}

// misses are the sectors that miss in each capacity.
func (d *distances) misses(m Method, lines []int64) []float64 {
	if m == StatStack {
		return d.statStack(lines)
	}
	var list []float64
	for _, l := range lines {
		list = append(list, d.statCache(l))
	}
	return list
}

// statStack: of accesses between two uses of a line, one that is not used again before
// the second one is of a line that counts once. With F(d) the share of accesses that are
// used again after d others or more, the stack distance of a reuse distance r is expected
// to be the sum of F(d) over d < r (Eklov, Hagersten 2010).
func (d *distances) statStack(lines []int64) []float64 {
	misses := make([]float64, len(lines))
	for k := range misses {
		misses[k] = float64(d.cold())
	}
	later, n := float64(d.lines), float64(d.lines)
	expected, from := 0.0, uint64(0)
	reuses := slices.Sorted(maps.Keys(d.line))
	next := 0
	for _, r := range slices.Sorted(maps.Keys(d.sector)) {
		for ; next < len(reuses) && reuses[next] < r; next++ {
			expected += float64(reuses[next]+1-from) * later / n
			from = reuses[next] + 1
			later -= float64(d.line[reuses[next]])
		}
		stack := expected + float64(r-from)*later/n
		for k, l := range lines {
			if stack >= float64(l)-tolerance {
				misses[k] += float64(d.sector[r])
			}
		}
	}
	return misses
}

// tolerance is what sums of shares may be off where they should be whole.
const tolerance = 1e-9

// statCache: with random replacement a line stays through each of M/N misses an access
// with probability 1 - 1/lines. M is the fixed point that starting from all misses leads
// to (Berg, Hagersten 2004).
func (d *distances) statCache(lines int64) float64 {
	n := float64(d.lines)
	cold := n - float64(d.line.total())
	stays := math.Log1p(-1 / float64(lines))
	sum := func(h histogram, keys []uint64, m float64) (s float64) {
		for _, r := range keys {
			s += float64(h[r]) * -math.Expm1(stays*float64(r)*m/n)
		}
		return s
	}
	keys := slices.Sorted(maps.Keys(d.line))
	m := n
	for range maxRounds {
		next := cold + sum(d.line, keys, m)
		if math.Abs(next-m) < roundShare*n {
			break
		}
		m = next
	}
	return float64(d.cold()) + sum(d.sector, slices.Sorted(maps.Keys(d.sector)), m)
}

// When the fixed point is found.
const (
	maxRounds  = 10_000
	roundShare = 1e-12
)
