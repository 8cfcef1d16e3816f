package descriptor

import "testing"

// encode makes a descriptor of wgmma.
func encode(start, lead, stride, base, swizzle uint64) uint64 {
	field := func(x uint64) uint64 { return x & 0x3ffff >> 4 }
	return field(start) | field(lead)<<16 | field(stride)<<32 | base<<49 | swizzle<<62
}

// TestManualExamples: the layouts that the manual works out (PTX ISA 9.7.17.5.1.2.1.3),
// "exact layout" with the numbers of elements that it has there, before the swizzle.
func TestManualExamples(t *testing.T) {
	type layout struct{ rows, columns [][2]int } // extent and stride, the fastest first
	at := func(modes [][2]int, i int) (sum int) {
		for _, m := range modes {
			sum += i % m[0] * m[1]
			i /= m[0]
		}
		return sum
	}
	for _, c := range []struct {
		name         string
		bytes        int // of an element
		mn           bool
		lead, stride int // in elements
		swizzle      uint64
		layout       layout
		size         [2]int // m or n, k
		xor          func(at uint32) uint32
	}{
		{"k, none, tf32", 4, false, 64, 32, 0, layout{[][2]int{{8, 4}, {2, 32}}, [][2]int{{4, 1}, {4, 64}}}, [2]int{16, 16}, func(a uint32) uint32 { return a }},
		{"k, 32 bytes, tf32", 4, false, 1, 64, 3, layout{[][2]int{{8, 8}, {2, 64}}, [][2]int{{4, 1}, {2, 4}}}, [2]int{16, 8}, func(a uint32) uint32 { return a ^ a>>3&0x10 }},
		{"mn, none, bf16", 2, true, 128, 64, 0, layout{[][2]int{{8, 1}, {1, 8}, {2, 64}}, [][2]int{{8, 8}, {2, 128}}}, [2]int{16, 16}, func(a uint32) uint32 { return a }},
		{"mn, 32 bytes, bf16", 2, true, 128, 256, 3, layout{[][2]int{{8, 1}, {2, 8}, {2, 128}}, [][2]int{{8, 16}, {2, 256}}}, [2]int{32, 16}, func(a uint32) uint32 { return a ^ a>>3&0x10 }},
		{"mn, 64 bytes, bf16", 2, true, 256, 512, 2, layout{[][2]int{{8, 1}, {4, 8}, {2, 256}}, [][2]int{{8, 32}, {2, 512}}}, [2]int{64, 16}, func(a uint32) uint32 { return a ^ a>>3&0x30 }},
	} {
		const start = 0x2000
		m := Warpgroup(encode(start, uint64(c.lead*c.bytes), uint64(c.stride*c.bytes), 0, c.swizzle), c.mn)
		for row := range c.size[0] {
			for k := range c.size[1] {
				want := c.xor(uint32(start + c.bytes*(at(c.layout.rows, row)+at(c.layout.columns, k))))
				line, offset := row, k*c.bytes
				if c.mn {
					line, offset = k, row*c.bytes
				}
				if got := m.At(line, offset); got != want {
					t.Fatalf("%s: element %d,%d at %#x, want %#x", c.name, row, k, got, want)
				}
			}
		}
	}
}

// TestWithinThePattern: a k-major matrix may begin within the lines of a pattern, as
// when a product goes along k piece by piece; the swizzle goes by the address.
func TestWithinThePattern(t *testing.T) {
	whole := Warpgroup(encode(0x400, 0, 1024, 0, 1), false)
	for piece := 0; piece < 128; piece += 32 {
		part := Warpgroup(encode(0x400+uint64(piece), 0, 1024, 0, 1), false)
		for line := range 16 {
			for o := range 32 {
				if got, want := part.At(line, o), whole.At(line, piece+o); got != want {
					t.Fatalf("line %d, byte %d from %d on: %#x, want %#x", line, o, piece, got, want)
				}
			}
		}
	}
}

// TestBaseOffset: a pattern that begins elsewhere than at a multiple of its size is the
// same pattern there.
func TestBaseOffset(t *testing.T) {
	plain := Warpgroup(encode(0x800, 0, 1024, 0, 1), false)
	for base := range uint64(8) {
		start := 0x800 + base*128
		moved := Warpgroup(encode(start, 0, 1024, start>>7&7, 1), false)
		for line := range 16 {
			for o := range 128 {
				if got, want := moved.At(line, o), plain.At(line, o)+uint32(base*128); got != want {
					t.Fatalf("base %d, line %d, byte %d: %#x, want %#x", base, line, o, got, want)
				}
			}
		}
	}
}

// TestLine: only lines along k that are swizzled end.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		swizzle uint64
		mn      bool
		want    int
	}{{0, false, 0}, {1, false, 128}, {2, false, 64}, {3, false, 32}, {1, true, 0}} {
		if m := Warpgroup(encode(0, 0, 0, 0, c.swizzle), c.mn); m.Line() != c.want {
			t.Errorf("swizzle %d, mn %v: %d bytes, want %d", c.swizzle, c.mn, m.Line(), c.want)
		}
	}
}
