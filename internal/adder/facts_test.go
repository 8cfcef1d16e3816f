package adder

import (
	"math"
	"strings"
	"testing"
)

// TestStorage: the paper's own arithmetic of bits, area and power.
func TestStorage(t *testing.T) {
	s := TitanV.Storage(8)
	if one := (Chip{SMs: 1, ALUs: 64, FPUs: 64, DPUs: 32}).Storage(8); one.CRF != 448 || s.CRF != 35840 || s.DFF != 15360 || s.CRF+s.DFF != 50<<10 || s.Gtid != 28672 {
		t.Errorf("%+v, of an SM %+v", s, one)
	}
	for w, bits := range map[int]int{2: 992, 4: 480, 8: 224, 16: 96, 32: 32} {
		if CRFBits(w) != bits {
			t.Errorf("%d bits: a row has %d, want %d", w, CRFBits(w), bits)
		}
	}
	if n := TitanV.Shifters(); n != 1966080 {
		t.Errorf("%d level shifters", n)
	}
	near(t, "area, mm2", TitanV.ShifterMM2(), 5.505, 0.001)
	near(t, "share of the chip, %", 100*TitanV.ShifterMM2()/815, 0.68, 0.01)
	near(t, "power, W", TitanV.ShifterW(), 0.604, 0.001)
}

// TestEnergy: the paper's savings, from the shares of its ALUs and FPUs.
func TestEnergy(t *testing.T) {
	near(t, "system", 100*SystemSaving(.27, PublishedSaving), 18.9, 1e-9)
	near(t, "chip", 100*ChipSaving(.27, PublishedSaving, .10), 21, 1e-9)
	near(t, "chip, intense", 100*ChipSaving(.40, PublishedSaving, 0), 28, 1e-9)
	near(t, "CRF read, pJ", CRFReadPJ(8, 1), 17.5, 1e-9)
	near(t, "its share, %", 100*CRFShare(8, 1), 7.9, 0.01)
	near(t, "saving", Saving(8, .09*1.94/4, CRFShare(8, 1)), 0.706, 5e-4)
	near(t, "with a small array", Saving(8, .09*1.94/4, CRFShare(8, math.Sqrt(448./65536))), 0.778, 1e-3)
}

func near(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if math.Abs(got-want) > off {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// random returns additions of a kind by some lanes.
func random(g *splitmix, k Kind, mask uint32) *Add {
	a := &Add{Kind: k, Mask: mask, At: At{Number: uint32(g.next() % 40)}, Warp: uint32(g.next() % 64), A: make([]uint64, k.words()), B: make([]uint64, k.words())}
	var x, y [2 * Lanes]uint32
	for i := range x {
		x[i], y[i] = uint32(g.next()>>32)>>(g.next()%32), uint32(g.next()>>32)>>(g.next()%32)
		if g.next()%3 == 0 {
			y[i] = -y[i]
		}
	}
	for lane := range Lanes {
		p, q := uint64(x[2*lane])|uint64(x[2*lane+1])<<32, uint64(y[2*lane])|uint64(y[2*lane+1])<<32
		if f := formats[k]; f.fraction > 0 {
			p, q = p>>(63-f.fraction-f.exponent), q>>(63-f.fraction-f.exponent)
			var c uint32
			p, q, c = f.significands(p, q)
			a.Carry |= c << lane
		}
		if k.words() == Lanes {
			a.A[lane], a.B[lane] = p, q
			continue
		}
		low := uint64(1)<<k.Bits() - 1
		a.A[lane/2] |= p & low << (32 * (lane & 1))
		a.B[lane/2] |= q & low << (32 * (lane & 1))
	}
	if k.IsInt() {
		a.Carry = uint32(g.next())
	}
	return a
}

// instructions returns random additions of all kinds, those of an instruction behind each
// other as warps in step have them, with all lanes and with some.
func instructions(g *splitmix, n int) (list []*Add) {
	for len(list) < n {
		kind, number := Kind(g.next()%uint64(Kinds)), uint32(g.next()%40)
		for range 1 + g.next()%20 {
			mask := ^uint32(0)
			if g.next()%3 == 0 {
				mask = uint32(g.next())
			}
			a := random(g, kind, mask)
			a.Number = number
			list = append(list, a)
		}
	}
	return list[:n]
}

// TestProperties: on random additions of all kinds and widths every design counts what a
// plain one does that goes lane by lane, slice by slice; peeking never makes a prediction
// worse; what is corrected is the exact sum.
func TestProperties(t *testing.T) {
	g := splitmix(11)
	adds := 0
	for _, bits := range Widths {
		var points []*Point
		for _, name := range []string{"staticZero", "staticZero+Peek", "staticOne", "staticOne+Peek", "VaLHALLA", "VaLHALLA+Peek", "VaLHALLA-hist", "VaLHALLA-sign",
			"Prev", "Prev+Peek", "Prev+FullPC+Peek", "Prev+XorPC4+Peek", "Gtid+Prev", "Gtid+Prev+ModPC4+Peek", Chosen} {
			for i := range 6 {
				if i >= 4 && !strings.Contains(name, "Peek") {
					continue // there is nothing that peeking told
				}
				points = append(points, point(t, name, string([]Update{Always, OnMiss}[i%2]), string([]Intra{Sequential, Parallel, Sequential}[i/2])))
				points[len(points)-1].Width, points[len(points)-1].Untrusted = bits, i >= 4
			}
		}
		b := newBank(bits, points, &desk{})
		plain := make([]*reference, len(points))
		for i, p := range points {
			plain[i] = newReference(p, bits)
		}
		for n, a := range instructions(&g, 110) {
			b.add(a)
			adds += int(popcount(a.Mask)) * len(points)
			for _, p := range plain {
				p.add(t, a)
			}
			if n%13 != 0 {
				continue // what came together is worked on later
			}
			b.end()
			for i, p := range plain {
				for kind := range Kinds {
					c := &b.counts[i][kind]
					if got, want := [4]uint64{c.Mispredicted, c.Recomputed, c.SliceMisses, c.Stalled}, p.counts[kind]; got != want {
						t.Fatalf("%d bits, %s %s %s, untrusted %t, up to add %d, of %s: %v, want %v", bits, points[i].Design.Name, points[i].Update, points[i].Intra, points[i].Untrusted, n, kind, got, want)
					}
				}
			}
		}
		for _, i := range []int{0, 10} { // static designs, and four on the one that peeks
			for k := range Kinds {
				if b.counts[i+4][k].Mispredicted > b.counts[i][k].Mispredicted {
					t.Errorf("%d bits: %s mispredicts more than %s", bits, points[i+4].Design.Name, points[i].Design.Name)
				}
			}
		}
	}
	if adds < 1_000_000 {
		t.Errorf("%d additions were compared", adds)
	}
}

// TestRuns: additions that are worked on together come to what they come to one by one, in
// all designs of the paper, with the carry register file's rounds.
func TestRuns(t *testing.T) {
	o := DefaultOptions()
	o.Intras, o.Arbitrations = []Intra{Sequential, Parallel}, []Arbitration{Ideal, None, Port, Row, Lane}
	m, err := NewModel(o)
	if err != nil {
		t.Fatal(err)
	}
	g := splitmix(13)
	together, alone := newBank(8, m.Points, &desk{}), newBank(8, m.Points, &desk{})
	for n, a := range instructions(&g, 3000) {
		together.add(a)
		alone.add(a)
		alone.flush()
		if n%4 == 3 {
			together.endRound()
			alone.endRound()
		}
	}
	together.end()
	alone.end()
	for i, p := range m.Points {
		if together.counts[i] != alone.counts[i] {
			t.Errorf("%s %s %s %s: %+v, one by one %+v", p.Design.Name, p.Update, p.Intra, p.Arbitration, together.counts[i], alone.counts[i])
		}
	}
}
