package lanes

import (
	"math"
	"testing"

	"hyptx/ir/isa"
)

func TestSelp(t *testing.T) {
	var regs registers
	for i := range Width {
		Wide(regs.at(1))[i], Wide(regs.at(2))[i] = uint64(i)<<40|7, uint64(i)<<50|9
	}
	const p = 0xa5a50f0f
	Selp(Variant{Type: isa.B64})(regs.at(0), regs.at(1), regs.at(2), p)
	for i := range Width {
		want := Wide(regs.at(2))[i]
		if p>>i&1 != 0 {
			want = Wide(regs.at(1))[i]
		}
		if got := Wide(regs.at(0))[i]; got != want {
			t.Errorf("lane %d: %#x, want %#x", i, got, want)
		}
	}
}

// TestSlct: c >= 0 selects a; NaN selects b, -0 a (9.7.7.4).
func TestSlct(t *testing.T) {
	var d, a, b, c Slot
	for i := range d {
		a[i], b[i] = 1, 2
	}
	check := func(v Variant, cs []uint32, want []uint32) {
		copy(c[:], cs)
		Slct(v)(&d, &a, &b, &c)
		for i, w := range want {
			if d[i] != w {
				t.Errorf("%v: c = %#x: %d, want %d", v.From, cs[i], d[i], w)
			}
		}
	}
	sub := uint32(0x80000001)
	check(Variant{Type: isa.U32, From: isa.S32}, []uint32{0, 1, 0x80000000, 0xffffffff}, []uint32{1, 1, 2, 2})
	check(Variant{Type: isa.U32, From: isa.F32}, []uint32{0, 0x80000000, 0x7fc00000, 0xbf800000, sub}, []uint32{1, 1, 2, 2, 2})
	check(Variant{Type: isa.U32, From: isa.F32, FTZ: true}, []uint32{sub}, []uint32{1})
}

// TestSet: what is written for true (9.7.7.1, 9.7.8.1).
func TestSet(t *testing.T) {
	tests := []struct {
		to, from isa.Type
		want     [4]uint32 // outcomes lo, hi: 00, 10, 01, 11
	}{
		{isa.U32, isa.S32, [4]uint32{0, ^uint32(0), 0, ^uint32(0)}},
		{isa.F32, isa.S32, [4]uint32{0, math.Float32bits(1), 0, math.Float32bits(1)}},
		{isa.U16, isa.F16, [4]uint32{0, 0xffff, 0, 0xffff}},
		{isa.F16, isa.F16, [4]uint32{0, 0x3c00, 0, 0x3c00}},
		{isa.BF16, isa.BF16, [4]uint32{0, 0x3f80, 0, 0x3f80}},
		{isa.U32, isa.F16x2, [4]uint32{0, 0xffff, 0xffff0000, 0xffffffff}},
		{isa.F16x2, isa.F16x2, [4]uint32{0, 0x3c00, 0x3c000000, 0x3c003c00}},
		{isa.BF16x2, isa.BF16x2, [4]uint32{0, 0x3f80, 0x3f800000, 0x3f803f80}},
	}
	for _, test := range tests {
		var d Slot
		Set(Variant{Type: test.to, From: test.from})(&d, 0b1010, 0b1100)
		for i, want := range test.want {
			if d[i] != want {
				t.Errorf("set%v%v, outcome %02b: %#x, want %#x", test.to, test.from, i, d[i], want)
			}
		}
	}
}
