package adder

import "testing"

// TestKernels holds the loops that are used against the portable ones, special values of
// floating point among the operands.
func TestKernels(t *testing.T) {
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
		for i := range a1 {
			if a1[i] != a2[i] || b1[i] != b2[i] {
				t.Fatalf("significands of %#x and %#x: %#x %#x, want %#x %#x", x[2*i:2*i+2], y[2*i:2*i+2], a2[i], b2[i], a1[i], b1[i])
			}
		}
		for _, kind := range []Kind{Int16, Int32, FP16, FP32} {
			a := random(&g, kind, ^uint32(0))
			p, q := Vectors{Add: *a, Bits: 8, Slices: kind.Slices(8), Predicted: kind.Slices(8) - 1}, Vectors{Add: *a, Bits: 8, Slices: kind.Slices(8), Predicted: kind.Slices(8) - 1}
			setPairs(&p)
			use.pairs(&q)
			if p.True != q.True || p.Open != q.Open || p.Sum != q.Sum {
				t.Fatalf("%s: %x %x, want %x %x", kind, q.True[:3], q.Open[:3], p.True[:3], p.Open[:3])
			}
			if n, m := flipsOfAll(&e1, &p), use.flips(&e2, &p); n != m || e1 != e2 {
				t.Fatalf("%s: %d bits change, want %d", kind, m, n)
			}
		}
	}
}
