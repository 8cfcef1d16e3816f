package adder

import (
	"slices"
	"testing"
)

// eachSet has a test hold all sets of loops that this machine can run against the portable ones.
func eachSet(t *testing.T, test func(*testing.T)) {
	used := use
	defer func() { use = used }()
	for _, use = range sets {
		test(t)
	}
}

// TestKernels: special values of floating point are among the operands.
func TestKernels(t *testing.T) { eachSet(t, testKernels) }

func testKernels(t *testing.T) {
	special := []uint32{0, 1 << 31, 1, 0x7fffff, 0x800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x3f800000, 0xbf800000, 0x33800000}
	g := splitmix(5)
	var e1, e2 edge
	for n := range 2000 {
		var x, y [Lanes]uint32
		for i := range x {
			x[i], y[i] = uint32(g.next()), uint32(g.next())
			if g.next()%4 == 0 {
				x[i] = special[g.next()%uint64(len(special))]
			}
			if g.next()%4 == 0 {
				y[i] = special[g.next()%uint64(len(special))]
			}
			if g.next()%4 == 0 {
				y[i] = x[i] ^ 1<<31 + uint32(g.next()%5)
			}
		}
		a1, b1, a2, b2 := make([]uint64, 16), make([]uint64, 16), make([]uint64, 16), make([]uint64, 16)
		sign := uint32(n&1) << 31
		if c1, c2 := singles(a1, b1, &x, &y, sign), use.single(a2, b2, &x, &y, sign); c1 != c2 {
			t.Fatalf("carries %#x, want %#x", c2, c1)
		}
		if n%2 != 0 {
			narrows(a1, &x, -uint32(n>>1&1), uint32(1<<(8*(n%4+1))-1))
			use.narrow(a2, &x, -uint32(n>>1&1), uint32(1<<(8*(n%4+1))-1))
		}
		for i := range a1 {
			if a1[i] != a2[i] || b1[i] != b2[i] {
				t.Fatalf("operands of %#x and %#x: %#x %#x, want %#x %#x", x[2*i:2*i+2], y[2*i:2*i+2], a2[i], b2[i], a1[i], b1[i])
			}
		}
		for kind := range Kinds {
			a := random(&g, kind, ^uint32(0))
			if n&1 != 0 {
				a.Mask = uint32(g.next())
			}
			sameKernels(t, a, &e1, &e2)
		}
	}
}

// sameKernels holds what is used against what is portable.
func sameKernels(t *testing.T, a *Add, e1, e2 *edge) {
	t.Helper()
	slices := a.Kind.Slices(8)
	p := Vectors{Add: a, Bits: 8, Slices: slices, Predicted: slices - 1}
	q := p
	if kinds[a.Kind].wide {
		setWide(&p)
		use.each(&q)
	} else {
		setPairs(&p)
		use.pairs(&q)
	}
	if p.True != q.True || p.Open != q.Open || p.Sum != q.Sum {
		t.Fatalf("%s: %x %x, want %x %x", a.Kind, q.True[:7], q.Open[:7], p.True[:7], p.Open[:7])
	}
	if p.Pass != q.Pass || p.Long != q.Long || p.SignA != q.SignA || p.SignB != q.SignB {
		t.Fatalf("%s: passing %x, runs %x, signs %x %x, want %x %x %x %x", a.Kind, q.Pass[:7], q.Long, q.SignA, q.SignB, p.Pass[:7], p.Long, p.SignA, p.SignB)
	}
	if n, m := flipsOf(e1, &p), use.flips(e2, &p); n != m || *e1 != *e2 {
		t.Fatalf("%s: %d bits change, want %d", a.Kind, m, n)
	}
	// Any predictions: those that are wrong are of lanes that add.
	missed := uint32(0)
	for i := range p.Predicted {
		p.misses[i] = (a.Mask ^ p.SignA ^ uint32(p.Sum[i])) & a.Mask
		missed |= p.misses[i]
	}
	var w1, w2 Errors
	for range 2 { // the second time on top of what the first one found
		wrongSums(&p, missed, &w1)
		if use.wrong(&p, missed, &w2); w1 != w2 {
			t.Fatalf("%s: wrong sums %+v, want %+v", a.Kind, w2, w1)
		}
	}
	c1, h1, l1 := resultsOf(&p)
	if c2, h2, l2 := use.results(&p); c1 != c2 || h1 != h2 || l1 != l2 {
		t.Fatalf("%s: results %d %d %d, want %d %d %d", a.Kind, c2, h2, l2, c1, h1, l1)
	}
}

// TestPay holds counting against the portable one.
func TestPay(t *testing.T) { eachSet(t, testPay) }

func testPay(t *testing.T) {
	g := splitmix(17)
	var r page
	var p block
	for n := range 500 {
		r.predicted, r.count, r.guess = n%(mostPredictions+1), 1+int(g.next()%pageLength), &p
		sparse := n%4 != 0 // few are wrong
		for i := range r.truth {
			for k := range r.truth[i] {
				r.truth[i][k], r.open[i][k] = uint32(g.next()), uint32(g.next())
				if p[i][k] = uint32(g.next()); sparse {
					p[i][k] = r.truth[i][k] ^ p[i][k]&uint32(g.next())&uint32(g.next())&uint32(g.next())
				}
			}
		}
		r.lanes[0] = r.open[30]
		if n%7 == 0 { // slices that nobody has to predict
			clear(r.open[1][:])
			clear(r.open[3][:])
		}
		r.openedAll = opened(&r, 0, r.count)
		of := r.of(n%2 == 0)
		of.same, of.untrusted = n%3 == 0, n%5 == 0
		of.on &= uint32(g.next())
		var a, b Counts
		var x, y account
		pay(&r, of, &x)
		use.pay(&r, of, &y)
		x.addTo(&a)
		y.addTo(&b)
		if a != b {
			t.Fatalf("%d predictions, additions %x: %+v, want %+v", r.predicted, of.on, b, a)
		}
	}
}

// opened returns the slices that some additions leave open.
func opened(r *page, from, to int) (slices uint32) {
	for i := range r.predicted {
		for _, o := range r.open[i][from:to] {
			if o != 0 {
				slices |= 1 << i
			}
		}
	}
	return slices
}

// TestRows holds learning against the portable one, of warps that follow each other and others.
func TestRows(t *testing.T) { eachSet(t, testRows) }

func testRows(t *testing.T) {
	g := splitmix(23)
	for n := range 500 {
		r := page{run: &run{n: 1 + int(g.next()%pageLength)}, predicted: n % 8}
		if n%5 == 0 {
			r.from = int(g.next() % uint64(r.n))
		}
		for k := range r.n {
			r.warps[k] = uint32(n + k)
			if n%3 == 0 {
				r.warps[k] = uint32(g.next() % 80)
			}
			r.lanes[0][k] = uint32(g.next()) | uint32(n&1) - 1
			for i := range r.predicted {
				r.truth[i][k], r.open[i][k] = uint32(g.next())&r.lanes[0][k], uint32(g.next())&r.lanes[0][k]
			}
		}
		first := r.warps[r.from]
		r.opened, r.inStep = opened(&r, r.from, r.n), int(first%smWarps)+r.n-r.from <= smWarps
		for k := r.from; k < r.n; k++ {
			r.inStep = r.inStep && r.warps[k] == first+uint32(k-r.from)
		}
		a, b := make([]uint32, 7*smWarps+2*pageLength), make([]uint32, 7*smWarps+2*pageLength)
		for i := range a {
			a[i] = uint32(g.next())
		}
		copy(b, a)
		var p, q block
		rowsOf(&r, a, pageLength, &p, n&2 != 0)
		use.rows(&r, b, pageLength, &q, n&2 != 0)
		for i := range r.predicted {
			if !slices.Equal(p[i][r.from:r.n], q[i][r.from:r.n]) {
				t.Fatalf("%d additions of warps %v: predicted %x, want %x", r.n, r.warps[:r.n], q[i][:r.n], p[i][:r.n])
			}
		}
		if !slices.Equal(a, b) {
			t.Fatalf("%d additions of warps %v: other rows", r.n, r.warps[:r.n])
		}
	}
}

// TestFlipsOfSums: what is carried out of a sum is no edge of the adder.
func TestFlipsOfSums(t *testing.T) {
	ones := uint64(1<<24-1) << 32
	for _, mask := range []uint32{^uint32(0), 2} {
		x := Vectors{Add: &Add{Kind: FP32, Mask: mask, A: make([]uint64, 16), B: make([]uint64, 16)}}
		x.A[0], x.B[0] = ones, 1<<32
		x.set(8, x.Add)
		var e edge
		if got := e.flips(&x); got != 25 {
			t.Errorf("lanes %#x: %d bits change, want 24 of A, one of B, none of the sum", mask, got)
		}
	}
}
