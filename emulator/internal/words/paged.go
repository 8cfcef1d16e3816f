package words

import (
	"encoding/binary"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
)

// LoadPaged loads a vector of 1, 2 or 4 words for each lane of m from a buffer
// that begins at base.
func LoadPaged(t *pages.Table, base uint64, m uint32, addr *[lanes.Width]uint64, d []*lanes.Slot) bool {
	if t.Size() < uint64(4*len(d)) {
		return false
	}
	switch len(d) {
	case 1:
		return paged1(t, base, m, addr, d[0])
	case 2:
		return paged2(t, base, m, addr, d[0], d[1])
	case 4:
		return paged4(t, base, m, addr, d[0], d[1], d[2], d[3])
	}
	return false
}

// Each length has a loop of its own: what differs between them are constants,
// and the lanes of one access mostly share a page, which is then looked up once.

func paged1(t *pages.Table, base uint64, m uint32, addr *[lanes.Width]uint64, d *lanes.Slot) bool {
	present := t.Present()
	last := t.Size() - 4
	var p *pages.Page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&3 != 0 {
			return false
		}
		if off>>pages.Shift != at {
			if p, at = present.At(off), off>>pages.Shift; p == nil {
				p = t.At(off)
			}
		}
		d[lane] = binary.LittleEndian.Uint32(p[off&pages.Mask:])
	}
	return true
}

func paged2(t *pages.Table, base uint64, m uint32, addr *[lanes.Width]uint64, d0, d1 *lanes.Slot) bool {
	present := t.Present()
	last := t.Size() - 8
	var p *pages.Page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&7 != 0 {
			return false
		}
		if off>>pages.Shift != at {
			if p, at = present.At(off), off>>pages.Shift; p == nil {
				p = t.At(off)
			}
		}
		v := binary.LittleEndian.Uint64(p[off&pages.Mask:])
		d0[lane], d1[lane] = uint32(v), uint32(v>>32)
	}
	return true
}

func paged4(t *pages.Table, base uint64, m uint32, addr *[lanes.Width]uint64, d0, d1, d2, d3 *lanes.Slot) bool {
	last := t.Size() - 16
	var p *pages.Page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&15 != 0 {
			return false
		}
		if off>>pages.Shift != at {
			if p, at = t.Present().At(off), off>>pages.Shift; p == nil {
				p = t.At(off)
			}
		}
		v, u := binary.LittleEndian.Uint64(p[off&pages.Mask:]), binary.LittleEndian.Uint64(p[(off+8)&pages.Mask:])
		d0[lane], d1[lane] = uint32(v), uint32(v>>32)
		d2[lane], d3[lane] = uint32(u), uint32(u>>32)
	}
	return true
}

// StorePaged stores a vector of words for each lane of m, in the order of the lanes:
// where two write one address, the higher lane's value stays. Nothing is written
// unless everything can be: a launch that ends with a fault must not have
// stored what comes after it.
func StorePaged(t *pages.Table, base uint64, m uint32, addr *[lanes.Width]uint64, v []*lanes.Slot) bool {
	n := uint64(4 * len(v))
	if t.Size() < n || !fits(m, addr, base, t.Size()-n, n) {
		return false
	}
	var p *pages.Page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off>>pages.Shift != at {
			p, at = t.ForWriting(off), off>>pages.Shift
		}
		for i, r := range v {
			binary.LittleEndian.PutUint32(p[(off+uint64(4*i))&pages.Mask:], r[lane])
		}
	}
	return true
}

// fits reports whether the addresses of all lanes of m lie at most last bytes
// behind base, at multiples of n, a power of two.
func fits(m uint32, addr *[lanes.Width]uint64, base, last, n uint64) bool {
	for rest := m; rest != 0; rest &= rest - 1 {
		off := addr[bits.TrailingZeros32(rest)&31] - base
		if off > last || off&(n-1) != 0 {
			return false
		}
	}
	return true
}
