package reuse

import "math"

// What a sample says of all. Lines are put into groups by their hash: how much groups
// differ says how far the sample may be off (random groups; Wolter, Introduction to
// Variance Estimation, chapter 2), with misses an access as the ratio that is estimated
// (Cochran, Sampling Techniques, chapter 6).

const groups = 16

// group is what was seen of a group of lines: accesses by how many of the capacities
// they miss in, and cold ones behind.
type group struct {
	missing []uint64
	seen    uint64
}

func (g *group) add(place int) {
	g.missing[place]++
	g.seen++
}

// misses in a capacity, by its place.
func (g *group) misses(capacity int) (n uint64) {
	for _, m := range g.missing[capacity+1:] {
		n += m
	}
	return n
}

// sample is what was seen, by groups.
type sample struct{ groups [groups]group }

func newSample(capacities int) (s sample) {
	for i := range s.groups {
		s.groups[i].missing = make([]uint64, capacities+2)
	}
	return s
}

// estimate is the curve of all accesses. Where all were seen, it is exact.
func (s *sample) estimate(lines []int64, total uint64, sampled bool) *Curve {
	c := &Curve{Accesses: total}
	seen, cold := uint64(0), uint64(0)
	for i := range s.groups {
		seen += s.groups[i].seen
		cold += s.groups[i].missing[len(lines)+1]
	}
	scale := 1.0
	if sampled {
		scale = float64(total) / float64(max(seen, 1))
	}
	c.Cold = scale * float64(cold)
	for k, l := range lines {
		misses := uint64(0)
		for i := range s.groups {
			misses += s.groups[i].misses(k)
		}
		p := Point{Lines: l, Misses: scale * float64(misses)}
		if sampled && seen > 0 {
			p.Error = scale * s.deviation(k, float64(misses)/float64(seen))
		}
		c.Points = append(c.Points, p)
	}
	return c
}

// deviation is the standard error of the sum of misses in a capacity, with that ratio.
func (s *sample) deviation(capacity int, ratio float64) float64 {
	return spread(func(i int) float64 {
		return float64(s.groups[i].misses(capacity)) - ratio*float64(s.groups[i].seen)
	})
}

// spread is the standard error of a sum whose mean over the groups is 0 but for chance.
func spread(of func(group int) float64) float64 {
	squares := 0.0
	for i := range groups {
		squares += of(i) * of(i)
	}
	return math.Sqrt(squares * groups / (groups - 1))
}
