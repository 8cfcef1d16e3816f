package lanes

import (
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// bitTest is a bit operation with the manual's pseudo-code.
type bitTest struct {
	name       string
	fn         Fn
	d, a, b, c isa.Type
	ref        func(a, b, c uint64) uint64
}

func bitAt(a uint64, i int) uint64 { return a >> i & 1 }

// bfeRef is the pseudo-code of 9.7.1.20.
func bfeRef(t isa.Type) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) (d uint64) {
		msb := t.Bits() - 1
		pos, n := int(b&0xff), int(c&0xff)
		var sbit uint64
		if t.IsSigned() && n != 0 {
			sbit = bitAt(a, min(pos+n-1, msb))
		}
		for i := 0; i <= msb; i++ {
			if i < n && pos+i <= msb {
				d |= bitAt(a, pos+i) << i
			} else {
				d |= sbit << i
			}
		}
		return d
	}
}

// bfindRef is the pseudo-code of 9.7.1.17.
func bfindRef(t isa.Type, shiftamt bool) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 {
		msb := t.Bits() - 1
		if t.IsSigned() && bitAt(a, msb) == 1 {
			a = ^a
		}
		for i := msb; i >= 0; i-- {
			if bitAt(a, i) == 1 {
				if shiftamt {
					return uint64(msb - i)
				}
				return uint64(i)
			}
		}
		return 0xffffffff
	}
}

// fnsRef is the pseudo-code of 9.7.1.18.
func fnsRef(mask, base, off uint64) uint64 {
	offset := int64(int32(off))
	if base > 31 {
		return 0xffffffff
	}
	if offset == 0 {
		if bitAt(mask, int(base)) == 1 {
			return base
		}
		return 0xffffffff
	}
	inc, count := 1, offset-1
	if offset < 0 {
		inc, count = -1, -offset-1
	}
	for pos := int(base); pos >= 0 && pos < 32; pos += inc {
		if bitAt(mask, pos) == 1 {
			if count == 0 {
				return uint64(pos)
			}
			count--
		}
	}
	return 0xffffffff
}

// szextRef is the pseudo-code of 9.7.1.22, its sign mask read as a full one.
func szextRef(signed, wrap bool) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 {
		b1 := b & 0x1f
		tooLarge := b >= 32 && !wrap
		mask := uint64(0xffffffff) << b1 & 0xffffffff
		if tooLarge {
			mask = 0
		}
		d := a &^ mask
		if b1 != 0 && !tooLarge && signed && a>>(b1-1)&1 == 1 {
			d |= mask
		}
		return d
	}
}

// bmskRef is the pseudo-code of 9.7.1.23.
func bmskRef(wrap bool) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 {
		a1, b1 := a&0x1f, b&0x1f
		mask0 := uint64(0xffffffff) << a1 & 0xffffffff
		sum := a1 + b1
		mask1 := uint64(0xffffffff) << sum & 0xffffffff
		over := sum >= 32
		if !wrap && a >= 32 {
			over, mask0 = true, 0
		}
		if !wrap && b >= 32 {
			over = true
		}
		if over {
			mask1 = 0
		} else if b1 == 0 {
			mask1 = 0xffffffff
		}
		return mask0 &^ mask1
	}
}

// shfRef is the pseudo-code of 9.7.9.7.
func shfRef(left, wrap bool) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		n := min(c, 32)
		if wrap {
			n = c & 0x1f
		}
		if left {
			return (b<<n | a>>(32-n)) & 0xffffffff
		}
		return (b<<(32-n) | a>>n) & 0xffffffff
	}
}

// lop3Ref looks each triple of bits up.
func lop3Ref(lut uint64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) (d uint64) {
		for i := range 32 {
			d |= bitAt(lut, int(bitAt(a, i)<<2|bitAt(b, i)<<1|bitAt(c, i))) << i
		}
		return d
	}
}

// prmtRef is the generic mode of 9.7.10.7.
func prmtRef(a, b, c uint64) (d uint64) {
	bytes := b<<32 | a
	for i := range 4 {
		sel := c >> (4 * i) & 15
		by := bytes >> (8 * (sel & 7)) & 0xff
		if sel >= 8 {
			by = by >> 7 * 0xff
		}
		d |= by << (8 * i)
	}
	return d
}

func popcRef(n int) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) (d uint64) {
		for i := range n {
			d += bitAt(a, i)
		}
		return d
	}
}

func clzRef(n int) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) (d uint64) {
		for i := n - 1; i >= 0 && bitAt(a, i) == 0; i-- {
			d++
		}
		return d
	}
}

func brevRef(n int) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) (d uint64) {
		for i := range n {
			d |= bitAt(a, i) << (n - 1 - i)
		}
		return d
	}
}

// ext extends n bits by the type's sign.
func ext(t isa.Type, w uint64, n int) int64 {
	if t.IsSigned() {
		return int64(w<<(64-n)) >> (64 - n)
	}
	return int64(w << (64 - n) >> (64 - n))
}

func dp4aRef(at, bt isa.Type) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		d := int64(c)
		for i := range 4 {
			d += ext(at, a>>(8*i), 8) * ext(bt, b>>(8*i), 8)
		}
		return uint64(uint32(d))
	}
}

func dp2aRef(at, bt isa.Type, sel int) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		d := int64(c)
		for i := range 2 {
			d += ext(at, a>>(16*i), 16) * ext(bt, b>>(8*(i+sel)), 8)
		}
		return uint64(uint32(d))
	}
}

func bitTests() []bitTest {
	b, s := isa.B32, isa.S32
	tests := []bitTest{
		{"popc.b32", Popc(Variant{Type: b}), b, b, b, b, popcRef(32)},
		{"popc.b64", Popc(Variant{Type: isa.B64}), b, isa.B64, b, b, popcRef(64)},
		{"clz.b32", Clz(Variant{Type: b}), b, b, b, b, clzRef(32)},
		{"clz.b64", Clz(Variant{Type: isa.B64}), b, isa.B64, b, b, clzRef(64)},
		{"brev.b32", Brev(Variant{Type: b}), b, b, b, b, brevRef(32)},
		{"brev.b64", Brev(Variant{Type: isa.B64}), isa.B64, isa.B64, b, b, brevRef(64)},
		{"fns", Fns(Variant{Type: b}), b, b, b, s, fnsRef},
		{"prmt", Prmt(Variant{Type: b}), b, b, b, b, prmtRef},
		{"lop3.0xca", Lop3(Variant{LUT: 0xca}), b, b, b, b, lop3Ref(0xca)},
		{"lop3.0x96", Lop3(Variant{LUT: 0x96}), b, b, b, b, lop3Ref(0x96)},
		{"lop3.0x1d", Lop3(Variant{LUT: 0x1d}), b, b, b, b, lop3Ref(0x1d)},
	}
	for _, wrap := range []bool{false, true} {
		tests = append(tests,
			bitTest{"szext.u32", Szext(Variant{Type: isa.U32, Wrap: wrap}), b, b, b, b, szextRef(false, wrap)},
			bitTest{"szext.s32", Szext(Variant{Type: s, Wrap: wrap}), b, b, b, b, szextRef(true, wrap)},
			bitTest{"bmsk", Bmsk(Variant{Type: b, Wrap: wrap}), b, b, b, b, bmskRef(wrap)},
			bitTest{"shf.l", Shf(Variant{Type: b, Wrap: wrap, Left: true}), b, b, b, b, shfRef(true, wrap)},
			bitTest{"shf.r", Shf(Variant{Type: b, Wrap: wrap}), b, b, b, b, shfRef(false, wrap)})
	}
	for _, t := range []isa.Type{isa.U32, isa.S32, isa.U64, isa.S64} {
		tests = append(tests,
			bitTest{"bfe" + t.String(), Bfe(Variant{Type: t}), t, t, b, b, bfeRef(t)},
			bitTest{"bfind" + t.String(), Bfind(Variant{Type: t}), b, t, b, b, bfindRef(t, false)},
			bitTest{"bfind.shiftamt" + t.String(), Bfind(Variant{Type: t, ShiftAmt: true}), b, t, b, b, bfindRef(t, true)})
	}
	for _, at := range []isa.Type{isa.U32, isa.S32} {
		for _, bt := range []isa.Type{isa.U32, isa.S32} {
			v := Variant{Type: at, From: bt}
			high := v
			high.High = true
			tests = append(tests,
				bitTest{"dp4a", Dp4a(v), b, b, b, b, dp4aRef(at, bt)},
				bitTest{"dp2a.lo", Dp2a(v), b, b, b, b, dp2aRef(at, bt, 0)},
				bitTest{"dp2a.hi", Dp2a(high), b, b, b, b, dp2aRef(at, bt, 2)})
		}
	}
	return append(tests, shiftTests()...)
}

// shiftTests: amounts clamp to the width (9.7.9.8, 9.7.9.9).
func shiftTests() (tests []bitTest) {
	for _, t := range []isa.Type{isa.B16, isa.B32, isa.B64, isa.S16, isa.S32, isa.S64} {
		n := t.Bits()
		mask := ^uint64(0) >> (64 - n)
		left := func(a, b, _ uint64) uint64 {
			if b >= uint64(n) {
				return 0
			}
			return a << b & mask
		}
		right := func(a, b, _ uint64) uint64 {
			return uint64(ext(t, a, n)>>min(b, uint64(n-1))) & mask
		}
		if !t.IsSigned() {
			right = func(a, b, _ uint64) uint64 {
				if b >= uint64(n) {
					return 0
				}
				return a >> b
			}
		}
		tests = append(tests,
			bitTest{"shl" + t.String(), Shl(Variant{Type: t}), t, t, isa.U32, isa.U32, left},
			bitTest{"shr" + t.String(), Shr(Variant{Type: t}), t, t, isa.U32, isa.U32, right})
	}
	return tests
}

// TestBits compares bit operations with the manual's pseudo-code.
func TestBits(t *testing.T) {
	for _, test := range bitTests() {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 5))
			var regs registers
			for range rounds(400) {
				for lane := range Width {
					for i, ty := range []isa.Type{test.a, test.b, test.c} {
						regs.set(ty, i+1, lane, intOperand(r, ty.Bits()))
					}
				}
				test.fn(regs.at(0), regs.at(1), regs.at(2), regs.at(3))
				for lane := range Width {
					a, b, c := regs.get(test.a, 1, lane), regs.get(test.b, 2, lane), regs.get(test.c, 3, lane)
					if got, want := regs.get(test.d, 0, lane), test.ref(a, b, c); got != want {
						t.Fatalf("(%#x, %#x, %#x) = %#x, want %#x", a, b, c, got, want)
					}
				}
			}
		})
	}
}

// TestBfi is the pseudo-code of 9.7.1.21.
func TestBfi(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, ty := range []isa.Type{isa.B32, isa.B64} {
		fn := Bfi(Variant{Type: ty})
		var regs registers
		var e Slot
		for range rounds(400) {
			for lane := range Width {
				regs.set(ty, 1, lane, intOperand(r, ty.Bits()))
				regs.set(ty, 2, lane, intOperand(r, ty.Bits()))
				regs.set(isa.U32, 3, lane, intOperand(r, 32))
				e[lane] = uint32(intOperand(r, 32))
			}
			fn(regs.at(0), regs.at(1), regs.at(2), regs.at(3), &e)
			for lane := range Width {
				a, want := regs.get(ty, 1, lane), regs.get(ty, 2, lane)
				pos, n := int(regs.at(3)[lane]&0xff), int(e[lane]&0xff)
				for i := 0; i < n && pos+i < ty.Bits(); i++ {
					want = want&^(1<<(pos+i)) | bitAt(a, min(i, 63))<<(pos+i)
				}
				if got := regs.get(ty, 0, lane); got != want {
					t.Fatalf("bfi%v(%#x, %#x, %d, %d) = %#x, want %#x", ty, a, regs.get(ty, 2, lane), pos, n, got, want)
				}
			}
		}
	}
}

// TestPrmtModes reads the manual's table of modes (9.7.10.7): the bytes of d
// from the highest down, for a source whose byte i is i.
func TestPrmtModes(t *testing.T) {
	tests := []struct {
		mode PrmtMode
		want [4]uint32
	}{
		{PrmtF4E, [4]uint32{0x03020100, 0x04030201, 0x05040302, 0x06050403}},
		{PrmtB4E, [4]uint32{0x05060700, 0x06070001, 0x07000102, 0x00010203}},
		{PrmtRC8, [4]uint32{0x00000000, 0x01010101, 0x02020202, 0x03030303}},
		{PrmtECL, [4]uint32{0x03020100, 0x03020101, 0x03020202, 0x03030303}},
		{PrmtECR, [4]uint32{0x00000000, 0x01010100, 0x02020100, 0x03020100}},
		{PrmtRC16, [4]uint32{0x01000100, 0x03020302, 0x01000100, 0x03020302}},
	}
	for _, test := range tests {
		var d, a, b, c Slot
		for i := range c {
			a[i], b[i], c[i] = 0x03020100, 0x07060504, uint32(i)
		}
		Prmt(Variant{Prmt: test.mode})(&d, &a, &b, &c)
		for i := range d {
			if d[i] != test.want[i&3] {
				t.Errorf("mode %d, c = %d: %#x, want %#x", test.mode, i, d[i], test.want[i&3])
			}
		}
	}
}
