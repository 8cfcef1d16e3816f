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
		var r room
		s.pop(&low, &r)
		s.pop(&high, &r)
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
		s.pop(&low, &r)
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

// TestLines: what enters an adder is the same whether operands were kept as lines or not, of
// registers of all widths, added and subtracted, by all lanes or some.
func TestLines(t *testing.T) {
	m, err := NewModel(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	eachSet(t, func(t *testing.T) {
		g := splitmix(29)
		s := m.Launch(1, Lanes, 1).Begin(0).Streams[0]
		for n := range 2000 {
			var a, b [2 * Lanes]uint32
			for i, x := range []*[2 * Lanes]uint32{&a, &b} {
				first, step := g.next(), g.next()>>(g.next()%64)
				for lane := range Lanes {
					now := first + uint64(lane)*step
					x[lane], x[lane+Lanes] = uint32(now), uint32(now>>32)
				}
				if n>>i&1 != 0 { // nearly one
					x[g.next()%(2*Lanes)]++
				}
			}
			mask := ^uint32(0)
			switch n >> 3 % 4 {
			case 1:
				mask >>= g.next() % Lanes
			case 2:
				mask = uint32(g.next()) | 1<<(g.next()%Lanes)
			case 3:
				mask = uint32(g.next()&g.next()&g.next()) | 1<<(g.next()%Lanes)
			}
			sameOperands(t, s, mask, &a, &b, n&4 != 0)
		}
	})
}

// sameOperands appends additions of registers and reads them: lanes of a mask add.
func sameOperands(t *testing.T, s *Stream, mask uint32, a, b *[2 * Lanes]uint32, minus bool) {
	t.Helper()
	var p, q [Lanes]uint64
	for lane := range Lanes {
		p[lane], q[lane] = uint64(a[lane])|uint64(a[lane+Lanes])<<32, uint64(b[lane])|uint64(b[lane+Lanes])<<32
	}
	at := At{PC: 1<<pcBits - 1, Number: 1<<numberBits - 1}
	s.Narrow(at, Int16, mask, 2, (*[Lanes]uint32)(a[:]), (*[Lanes]uint32)(b[:]), minus)
	s.Narrow(at, Int32, mask, 2, (*[Lanes]uint32)(a[:]), (*[Lanes]uint32)(b[:]), minus)
	s.Wide(at, mask, 2, &p, &q, minus)
	var add Add
	var r room
	for _, k := range []Kind{Int16, Int32, Int64} {
		if !s.pop(&add, &r) || add.At != at || add.Kind != k || add.Mask != mask || add.Carry != 2 {
			t.Fatalf("%s: %+v", k, add)
		}
		for lane := range Lanes {
			low := ^uint64(0) >> (64 - k.Bits())
			x, y, _ := add.Operands(lane)
			want := q[lane]
			if minus {
				want = ^want
			}
			if mask>>lane&1 != 0 && (x != p[lane]&low || y != want&low) {
				t.Fatalf("%s, lane %d: %#x and %#x, want %#x and %#x", k, lane, x, y, p[lane]&low, want&low)
			}
		}
	}
	s.pop(&add, &r) // it is empty, and begins again
}
