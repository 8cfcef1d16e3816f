package adder

import "testing"

// TestHalves: what two adders of 32 bits get gives the sum of 64, the upper one with the
// carry of the lower one.
func TestHalves(t *testing.T) {
	m, err := NewModel(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	g := splitmix(7)
	s := m.Launch(1, Lanes, 1).Begin(0).Streams[0]
	for n := range 1000 {
		var a, b [Lanes]uint64
		for lane := range a {
			a[lane], b[lane] = g.next(), g.next()
			if g.next()%4 == 0 {
				a[lane], b[lane] = a[lane]<<32>>32, -(a[lane] << 32 >> 32) // that carry far
			}
		}
		carry, minus := uint32(g.next()), g.next()%2 == 0
		s.Halves(At{PC: 5, Number: 9}, ^uint32(0), carry, &a, &b, minus)
		var low, high Add
		s.pop(&low)
		s.pop(&high)
		if low.Kind != Int32 || high.Kind != Int32 || low.PC != 5 || high.PC != 5 || low.Number != 9 || high.Number != 10 {
			t.Fatalf("%v %v", low.At, high.At)
		}
		for lane := range a {
			x, y, in := low.Operands(lane)
			sum := x + y + in
			p, q, over := high.Operands(lane)
			if over != sum>>32 {
				t.Fatalf("addition %d: the upper half gets %d, the lower one carries %d", n, over, sum>>32)
			}
			want := a[lane] + b[lane] + in
			if minus {
				want = a[lane] + ^b[lane] + in
			}
			if got := sum&0xffffffff | (p+q+over)<<32; got != want || in != uint64(carry>>lane&1) {
				t.Fatalf("addition %d: %#x, want %#x", n, got, want)
			}
		}
		s.pop(&low)
	}
}

// TestTurn: the first execution of so many adds.
func TestTurn(t *testing.T) {
	var s Stream
	made := 0
	for n := range 10 {
		if s.Turn(3, 4) {
			made++
			if n%4 != 0 {
				t.Errorf("execution %d adds", n)
			}
		}
		if !s.Turn(1, 1) {
			t.Error("one of one does not add")
		}
	}
	if made != 3 {
		t.Errorf("%d of 10 add, want 3", made)
	}
}
