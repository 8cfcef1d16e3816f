package words

import (
	"encoding/binary"
	"math/bits"

	"hyptx/emulator/internal/lanes"
)

// Load loads a vector of words from memory in one piece for each lane of m.
func Load(mem []byte, m uint32, addr *[lanes.Width]uint64, d []*lanes.Slot) bool {
	n := uint64(4 * len(d))
	if uint64(len(mem)) < n {
		return false
	}
	last := uint64(len(mem)) - n
	if len(d) == 1 {
		return load1(mem, m, addr, d[0], last)
	}
	if !fits(m, addr, 0, last, n) {
		return false
	}
	for i, r := range d {
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			r[lane] = binary.LittleEndian.Uint32(mem[addr[lane]+uint64(4*i):])
		}
	}
	return true
}

// load1 checks each lane as it goes: a single word is what most accesses load, by all lanes.
func load1(mem []byte, m uint32, addr *[lanes.Width]uint64, d *lanes.Slot, last uint64) bool {
	if m == ^uint32(0) {
		for lane, a := range addr {
			if a > last || a&3 != 0 {
				return false
			}
			d[lane] = binary.LittleEndian.Uint32(mem[a:])
		}
		return true
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		a := addr[lane]
		if a > last || a&3 != 0 {
			return false
		}
		d[lane] = binary.LittleEndian.Uint32(mem[a:])
	}
	return true
}

// Store stores a vector of words for each lane of m, or nothing. Lanes that
// overlap lie at the same address, since all are aligned, so the order of lanes
// within each element is the order that counts.
func Store(mem []byte, m uint32, addr *[lanes.Width]uint64, v []*lanes.Slot) bool {
	n := uint64(4 * len(v))
	if uint64(len(mem)) < n || !fits(m, addr, 0, uint64(len(mem))-n, n) {
		return false
	}
	for i, r := range v {
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			binary.LittleEndian.PutUint32(mem[addr[lane]+uint64(4*i):], r[lane])
		}
	}
	return true
}
