package adder

import (
	"math/big"
	"strings"
	"testing"
)

// reference is a design written as the paper tells it: a lane after the other, a slice
// after the other, a map of entries.
type reference struct {
	point   *Point
	bits    int
	entries map[[3]uint32][]uint64
	counts  [Kinds][4]uint64 // mispredicted, recomputed, slices, stalled
}

func newReference(p *Point, bits int) *reference {
	return &reference{point: p, bits: bits, entries: map[[3]uint32][]uint64{}}
}

func (r *reference) key(a *Add, lane int) (k [3]uint32) {
	d := &r.point.Design
	if strings.HasPrefix(d.Base, "VaLHALLA") {
		return [3]uint32{0, uint32(lane), 0}
	}
	if d.Index.Thread {
		k[2] = a.Warp*32 + uint32(lane) + 1
	}
	if d.Index.Lane {
		k[1] = uint32(lane)
	}
	k[0] = d.Index.of(a.Number)
	return k
}

// add counts an addition by the lanes of a warp.
func (r *reference) add(t *testing.T, a *Add) {
	t.Helper()
	c := &r.counts[a.Kind]
	n := a.Kind.Slices(r.bits)
	stalled := uint64(0)
	type write struct {
		key [3]uint32
		to  []uint64
	}
	var late []write
	for lane := range Lanes {
		if a.Mask>>lane&1 == 0 {
			continue
		}
		x, y, carry := a.Operands(lane)
		key := r.key(a, lane)
		entry := append(append([]uint64{}, r.entries[key]...), make([]uint64, 32)...)[:32]
		predicted, open := r.predict(x, y, n, entry)
		truth, mis, again, wrong := r.execute(t, x, y, carry, n, predicted, open)
		c[0] += mis
		c[1] += again
		c[2] += wrong
		stalled |= mis
		if r.point.Update == OnMiss && mis == 0 && r.point.Design.Base == "Prev" {
			continue
		}
		if strings.HasPrefix(r.point.Design.Base, "VaLHALLA") {
			if n > 1 {
				entry[0] = truth[n-2]
			}
		} else {
			copy(entry, truth)
		}
		if w := (write{key, entry}); r.point.Intra == Parallel && r.point.Design.Base == "Prev" {
			late = append(late, w)
		} else {
			r.entries[key] = entry
		}
	}
	for _, w := range late {
		r.entries[w.key] = w.to
	}
	c[3] += stalled
}

// predict returns the carry-ins of slices, and which of them peeking does not tell.
func (r *reference) predict(x, y uint64, n int, entry []uint64) (predicted []uint64, open []bool) {
	top := n*r.bits - 1
	sx, sy := x>>top&1, y>>top&1
	for i := 1; i < n; i++ {
		p := uint64(0)
		switch r.point.Design.Base {
		case "staticOne":
			p = 1
		case "VaLHALLA":
			if p = entry[0]; sx == sy {
				p = sx
			}
		case "VaLHALLA-hist":
			p = entry[0]
		case "VaLHALLA-sign":
			p = sx & sy
		case "Prev":
			p = entry[i-1]
		}
		at := r.bits*i - 1
		told := x>>at&1 == y>>at&1
		if r.point.Design.Peek && told {
			p = x >> at & 1
		}
		predicted, open = append(predicted, p), append(open, !told)
	}
	return predicted, open
}

// execute adds in two cycles, as the paper's figure 4 has it, and holds the sum against
// the exact one.
func (r *reference) execute(t *testing.T, x, y, carry uint64, n int, predicted []uint64, open []bool) (truth []uint64, mis, again, wrong uint64) {
	t.Helper()
	low := uint64(1)<<r.bits - 1
	slice := func(i int, c uint64) (sum, out uint64) {
		s := x>>(i*r.bits)&low + y>>(i*r.bits)&low + c
		return s & low, s >> r.bits
	}
	first := make([]uint64, n) // carries out of the first cycle
	in := carry
	for i := range n {
		_, first[i] = slice(i, in)
		if i < n-1 {
			in = predicted[i]
		}
	}
	sum, c, bad := new(big.Int), carry, false
	for i := range n {
		if i > 0 {
			bad = bad || predicted[i-1] != first[i-1]
			if bad && (open[i-1] || !r.point.Untrusted || !r.point.Design.Peek) {
				again++
			}
			if predicted[i-1] != c {
				wrong++
			}
			truth = append(truth, c)
		}
		s, out := slice(i, c) // the slice's own guess, or its inverse: one of them is c
		sum.Or(sum, new(big.Int).Lsh(new(big.Int).SetUint64(s), uint(i*r.bits)))
		c = out
	}
	if bad {
		mis = 1
	}
	if (wrong > 0) != bad {
		t.Fatalf("%#x + %#x: the first cycle finds errors: %t; wrong predictions: %d", x, y, bad, wrong)
	}
	exact := new(big.Int).Add(new(big.Int).SetUint64(x), new(big.Int).SetUint64(y))
	exact.Add(exact, new(big.Int).SetUint64(carry))
	exact.Mod(exact, new(big.Int).Lsh(big.NewInt(1), uint(n*r.bits)))
	if sum.Cmp(exact) != 0 {
		t.Fatalf("%#x + %#x + %d is %x, not %x", x, y, carry, exact, sum)
	}
	return truth, mis, again, wrong
}
