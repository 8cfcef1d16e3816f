package tensormap

import (
	"strings"
	"testing"
)

// sample is a map of which every field has a value of its own.
func sample() Map {
	return Map{
		Address: 0x7f0000001230, Type: F16, Rank: 4, Dims: [Rank]uint64{64, 9, 1 << 32, 3, 1}, Strides: [Rank]uint64{2, 128, 1152, 1 << 39, 16},
		Box: [Rank]uint32{32, 256, 3, 4, 5}, Steps: [Rank]uint32{1, 2, 3, 4, 8}, Swizzle: Swizzle128, Atom: Atom32Flip8, Interleave: 2, Fill: 1,
		Im2col: true, Lower: [3]int16{-1, 2, -32768}, Upper: [3]int16{-3, 4, 32767}, Channels: 256, Pixels: 1024,
	}
}

func TestPack(t *testing.T) {
	m := sample()
	b := m.Pack()
	if got, err := Unpack(b[:]); err != nil || got != m {
		t.Errorf("%+v packed is %+v, %v", m, got, err)
	}
	if _, err := Unpack(make([]byte, Bytes)); err == nil {
		t.Error("zeros are a map")
	}
}

// TestReplace: each field that a program can replace changes, and that field alone.
func TestReplace(t *testing.T) {
	for _, c := range []struct {
		field string
		ord   int
		v     uint64
		want  func(m *Map)
	}{
		{"global_address", 0, 0x100, func(m *Map) { m.Address = 0x100 }},
		{"rank", 0, 1, func(m *Map) { m.Rank = 2 }},
		{"box_dim", 3, 7, func(m *Map) { m.Box[3] = 7 }},
		{"global_dim", 1, 8, func(m *Map) { m.Dims[1] = 8 }},
		{"global_stride", 0, 256, func(m *Map) { m.Strides[1] = 256 }},
		{"element_stride", 2, 5, func(m *Map) { m.Steps[2] = 5 }},
		{"elemtype", 0, 7, func(m *Map) { m.Type = F32 }},
		{"interleave_layout", 0, 1, func(m *Map) { m.Interleave = 1 }},
		{"swizzle_mode", 0, 4, func(m *Map) { m.Swizzle = Swizzle96 }},
		{"swizzle_atomicity", 0, 3, func(m *Map) { m.Atom = Atom64 }},
		{"fill_mode", 0, 0, func(m *Map) { m.Fill = 0 }},
	} {
		m, want := sample(), sample()
		c.want(&want)
		if err := m.Replace(c.field, c.ord, c.v); err != nil || m != want {
			t.Errorf("%s %d: %+v, want %+v (%v)", c.field, c.ord, m, want, err)
		}
	}
	m := sample()
	if m.Replace("colour", 0, 0) == nil || m.Replace("box_dim", 5, 1) == nil || m.Replace("global_stride", 4, 16) == nil {
		t.Error("a field that is none was replaced")
	}
}

// TestPlace: swizzling permutes the pieces of each pattern, and nothing leaves it.
func TestPlace(t *testing.T) {
	for swizzle := range Swizzle96 + 1 {
		for atom := range Atom64 + 1 {
			m := Map{Swizzle: swizzle, Atom: atom}
			seen := map[uint64]bool{}
			for addr := uint64(4096); addr < 5120; addr++ {
				at := m.Place(addr)
				if seen[at] || at>>7 != addr>>7 || at&7 != addr&7 {
					t.Fatalf("swizzle %d, atom %d: %#x goes to %#x", swizzle, atom, addr, at)
				}
				seen[at] = true
			}
		}
	}
}

// TestColumn: the manual's example 3 of im2col with traversal strides (PTX ISA 5.5.4.2) begins
// at offset (1, 1) from width 5 and height 7 of image 7, goes on at the left corner -1 after the right one, 6, in steps of 2,
// and reads 32 pixels of 16 channels.
func TestColumn(t *testing.T) {
	m := Map{Rank: 4, Type: U8, Im2col: true, Dims: [Rank]uint64{64, 8, 14, 64, 1}, Strides: [Rank]uint64{1, 64, 512, 7168},
		Steps: [Rank]uint32{1, 2, 2, 1, 1}, Lower: [3]int16{-1, -1}, Upper: [3]int16{-1, -1}, Channels: 16, Pixels: 32}
	var rows []Row
	m.Column([Rank]int64{0, 5, 7, 7}, [3]int64{1, 1}, func(r Row) { rows = append(rows, r) })
	place := func(w, h, n int64) uint64 { return uint64(64*w + 512*h + 7168*n) }
	if len(rows) != 32 || rows[0].Elements != 16 || rows[0].From != place(6, 8, 7) || rows[1].From != place(0, 10, 7) || rows[2].From != place(2, 10, 7) {
		t.Fatalf("%d rows, the first %+v", len(rows), rows[:3])
	}
	// Widths -1, 1, 3, 5 in heights 9, 11 and, the last being 12, the next image's -1.
	if r := rows[9]; r.From != place(0, 0, 8) || r.Last != 16 {
		t.Errorf("the tenth pixel is %+v, not that of the next image at %#x", r, place(0, 0, 8))
	}
}

func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*Map){
		"type number 11":             func(m *Map) { m.Type = 11 },
		"6 dimensions":               func(m *Map) { m.Rank = 6 },
		"interleaved":                func(m *Map) { m.Interleave = 1 },
		"swizzle 2 with atomicity 1": func(m *Map) { m.Swizzle, m.Atom = Swizzle64, Atom32 },
	} {
		m := sample()
		m.Interleave = 0
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		change(&m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestUnits: what the manual wants of maps of numbers with padding (PTX ISA 9.7.10.28.5.1), and the driver
// of pairs of 4 bits.
func TestUnits(t *testing.T) {
	padded := func() Map {
		return Map{Address: 1 << 32, Type: B6Padded, Rank: 2, Dims: [Rank]uint64{256, 9}, Strides: [Rank]uint64{12, 192},
			Box: [Rank]uint32{128, 2}, Steps: [Rank]uint32{1, 1}, Swizzle: Swizzle128, Atom: Atom64}
	}
	if m := padded(); m.Check() != nil {
		t.Error(m.Check())
	}
	for _, c := range []struct {
		change func(m *Map)
		want   string
	}{
		{func(m *Map) { m.Fill = 1 }, "no NaN"},
		{func(m *Map) { m.Dims[0] = 192 }, "multiples of 128"},
		{func(m *Map) { m.Box[0] = 256 }, "rows of 256 numbers"},
		{func(m *Map) { m.Swizzle, m.Atom = Swizzle64, Atom16 }, "does not go with padding"},
		{func(m *Map) { m.Atom = Atom32Flip8 }, "does not go with padding"},
		{func(m *Map) { m.Strides[1] = 208 }, "multiples of 32 bytes"},
		{func(m *Map) { m.Address += 16 }, "multiples of 32 bytes"},
		{func(m *Map) { m.Type, m.Box[0] = B4, 33 }, "multiples of 2"},
		{func(m *Map) { m.Type = TF32 }, "type number 11"},
	} {
		m := padded()
		c.change(&m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
