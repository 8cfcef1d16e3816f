package rows

import "testing"

// TestSpread: strides of a power of two meet all slices and channels alike, whatever their number.
func TestSpread(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 16, 17, 22, 24, 32, 33, 40, 48, 64, 65, 80, 153, 307} {
		most := uint64(1 << 16)
		if n <= fewPlaces {
			most = 1 << 12
		}
		for stride := uint64(1); stride <= most; stride *= 2 {
			const each = 64
			seen := make([]int, n)
			for i := range each * n {
				seen[Spread(i*stride, n)]++
			}
			for place, got := range seen {
				if got > 2*each {
					t.Errorf("stride %d over %d places: %d of %d at %d", stride, n, got, each*n, place)
					break
				}
			}
		}
	}
}

// TestOpen: a row is open as long as it was asked for within the last requests of its channel, and of a bank
// the last four are known.
func TestOpen(t *testing.T) {
	r := New(Geometry{Channels: 1, Banks: 1, RowBytes: 1024, QueueRequests: 3})
	for i, c := range []struct {
		block uint64
		open  bool
	}{
		{0, false}, {7, true}, {8, false}, {0, true}, {16, false}, {24, false}, {8, false}, {32, false}, {1, false}, {33, true},
	} {
		if got := r.Open(c.block); got != c.open {
			t.Errorf("request %d, of block %d: open is %t", i, c.block, got)
		}
	}
	two := New(Geometry{Channels: 2, Banks: 16, RowBytes: 1024, QueueRequests: 64})
	if two.Channel(0) != two.Channel(1) || two.Channel(1) == two.Channel(2) || two.Frame(15) != 0 || two.Frame(16) != 1 || two.Bank(0) == two.Bank(1) {
		t.Error("pieces of 256 bytes are of one channel, and 16 blocks of one frame")
	}
}

// TestValid: what no DRAM can be is none.
func TestValid(t *testing.T) {
	good := Geometry{Channels: 8, Banks: 16, RowBytes: 1024, QueueRequests: 64}
	if !good.Valid() {
		t.Error("eight channels of sixteen banks are none")
	}
	for _, change := range []func(*Geometry){
		func(g *Geometry) { g.Channels = 0 }, func(g *Geometry) { g.Banks = -1 }, func(g *Geometry) { g.RowBytes = 32 },
		func(g *Geometry) { g.QueueRequests = -1 }, func(g *Geometry) { g.Banks = 1 << 40 },
	} {
		bad := good
		if change(&bad); bad.Valid() {
			t.Errorf("%+v is taken for DRAM", bad)
		}
	}
}

// TestWhole: of grains of two sectors both move, of one the one.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		mask, want uint8
		grain      int
	}{{0b0100, 0b0100, 1}, {0b0100, 0b1100, 2}, {0b1001, 0b1111, 2}, {0b0010, 0b1111, 4}, {0, 0, 2}} {
		if got := Whole(c.mask, c.grain); got != c.want {
			t.Errorf("%04b in grains of %d: %04b, want %04b", c.mask, c.grain, got, c.want)
		}
	}
}
