package exchange

import (
	"testing"

	"hyptx/emulator/internal/lanes"
)

// The idioms of CUDA's intrinsics, with c as nvcc makes it for segments of the
// whole warp and of 8 lanes.
func TestShuffle(t *testing.T) {
	for _, c := range []struct {
		name       string
		mode       Shuffle
		b, c       uint32
		lane, from int
		ok         bool
	}{
		{"shfl_down 4", Down, 4, 0x1f, 3, 7, true},
		{"shfl_down past the end", Down, 4, 0x1f, 28, 28, false},
		{"shfl_up 4", Up, 4, 0, 7, 3, true},
		{"shfl_up before the start", Up, 4, 0, 3, 3, false},
		{"shfl_xor 16", Butterfly, 16, 0x1f, 3, 19, true},
		{"shfl 5", Index, 5, 0x1f, 30, 5, true},
		{"shfl_down of 8", Down, 4, 0x181f, 13, 13, false},
		{"shfl_down of 8, inside", Down, 4, 0x181f, 9, 13, true},
		{"shfl_up of 8", Up, 4, 0x1800, 10, 10, false},
		{"shfl 13 of 8", Index, 13, 0x181f, 17, 21, true}, // lane 5 of the segment from 16
	} {
		var a, b, cc lanes.Slot
		for lane := range a {
			a[lane], b[lane], cc[lane] = uint32(100+lane), c.b, c.c
		}
		out, in, absent := c.mode.Run(&a, &b, &cc, ^uint32(0), ^uint32(0))
		if got := out[c.lane]; got != uint32(100+c.from) || in>>c.lane&1 != 0 != c.ok {
			t.Errorf("%s: lane %d reads %d, %v, not %d, %v", c.name, c.lane, got, in>>c.lane&1 != 0, 100+c.from, c.ok)
		}
		if absent != 0 {
			t.Errorf("%s: lanes %#x read from absent ones, though all are here", c.name, absent)
		}
		out, _, absent = c.mode.Run(&a, &b, &cc, 1<<c.lane, ^(1 << c.from))
		if away := c.ok && c.from != c.lane; absent>>c.lane&1 != 0 != away {
			t.Errorf("%s: lane %d alone: the source is absent: %v, not %v", c.name, c.lane, !away, away)
		}
		if out[c.lane] != 0 {
			t.Errorf("%s: lane %d reads %d from a lane that has exited", c.name, c.lane, out[c.lane])
		}
	}
}

func TestMatch(t *testing.T) {
	values := [32]uint64{1, 2, 1, 1 << 40, 2}
	same, all := Match(&values, 0b10111)
	if same[0] != 0b101 || same[1] != 0b10010 || same[2] != 0b101 || same[3] != 0 || all {
		t.Errorf("matches %b, all %v", same[:5], all)
	}
	if same, all = Match(&values, 0b101); same[0] != 0b101 || !all {
		t.Errorf("two that are equal: %b, %v", same[0], all)
	}
}

func TestVote(t *testing.T) {
	for _, c := range []struct {
		votes         uint32
		all, any, uni bool
	}{{0, false, false, true}, {2, false, true, false}, {6, true, true, true}} {
		if Vote("all", c.votes, 6) != c.all || Vote("any", c.votes, 6) != c.any || Vote("uni", c.votes, 6) != c.uni {
			t.Errorf("votes %b of 110", c.votes)
		}
	}
}

// The manual's figure: lane 6 holds elements 4 and 5 of row 1, transposed of
// column 1; what is gathered from registers is spread over them again.
func TestRows(t *testing.T) {
	var m Rows
	for row := range m {
		for col := range 8 {
			m[row][2*col], m[row][2*col+1] = byte(col), byte(row)
		}
	}
	if got := m.Spread(6, false); got != 0x0105_0104 {
		t.Errorf("lane 6 has %#x", got)
	}
	if got := m.Spread(6, true); got != 0x0501_0401 {
		t.Errorf("lane 6 of the transposed has %#x", got)
	}
	for _, transposed := range []bool{false, true} {
		var s lanes.Slot
		for lane := range s {
			s[lane] = m.Spread(lane, transposed)
		}
		var back Rows
		if back.Gather(&s, transposed); back != m {
			t.Errorf("transposed %v: gathered %v", transposed, back)
		}
	}
}
