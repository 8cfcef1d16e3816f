package emulator

import (
	"encoding/binary"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// The paths of this file serve what nearly all accesses are: 32-bit words or
// vectors of them, all lanes in one buffer or in shared memory, aligned. They
// report false for anything else, before or after having written some lanes:
// the general path then does all lanes again, and finds the fault if there is
// one.

// loadGlobal loads vec words for each lane of m.
func (w *warp) loadGlobal(in *inst, m uint32, addr *[lanes.Width]uint64, b *Buffer) bool {
	switch len(in.mem.elems) {
	case 1:
		return loadWords1(b, m, addr, w.slot(in.mem.elems[0]))
	case 2:
		e := in.mem.elems
		return loadWords2(b, m, addr, w.slot(e[0]), w.slot(e[1]))
	case 4:
		e := in.mem.elems
		return loadWords4(b, m, addr, w.slot(e[0]), w.slot(e[1]), w.slot(e[2]), w.slot(e[3]))
	}
	return false
}

func loadWords1(b *Buffer, m uint32, addr *[lanes.Width]uint64, d *lanes.Slot) bool {
	if b.Bytes < 4 {
		return false
	}
	base, last := b.Base, uint64(b.Bytes)-4
	var p *page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&3 != 0 {
			return false
		}
		if off>>pageShift != at {
			p, at = b.pageAt(off), off>>pageShift
		}
		d[lane] = p.load32(off)
	}
	return true
}

func loadWords2(b *Buffer, m uint32, addr *[lanes.Width]uint64, d0, d1 *lanes.Slot) bool {
	if b.Bytes < 8 {
		return false
	}
	base, last := b.Base, uint64(b.Bytes)-8
	var p *page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&7 != 0 {
			return false
		}
		if off>>pageShift != at {
			p, at = b.pageAt(off), off>>pageShift
		}
		v := p.load64(off)
		d0[lane], d1[lane] = uint32(v), uint32(v>>32)
	}
	return true
}

func loadWords4(b *Buffer, m uint32, addr *[lanes.Width]uint64, d0, d1, d2, d3 *lanes.Slot) bool {
	if b.Bytes < 16 {
		return false
	}
	base, last := b.Base, uint64(b.Bytes)-16
	var p *page
	at := ^uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&15 != 0 {
			return false
		}
		if off>>pageShift != at {
			p, at = b.pageAt(off), off>>pageShift
		}
		v, u := p.load64(off), p.load64(off+8)
		d0[lane], d1[lane] = uint32(v), uint32(v>>32)
		d2[lane], d3[lane] = uint32(u), uint32(u>>32)
	}
	return true
}

// storeGlobal stores vec words for each lane of m, in the order of the lanes:
// where two write one address, the higher lane's value stays.
func (w *warp) storeGlobal(in *inst, m uint32, addr *[lanes.Width]uint64, b *Buffer) bool {
	e := in.mem.elems
	n := uint64(4 * len(e))
	if uint64(b.Bytes) < n {
		return false
	}
	base, last := b.Base, uint64(b.Bytes)-n
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		if off > last || off&(n-1) != 0 {
			return false
		}
	}
	if len(e) == 1 {
		v := w.slot(e[0])
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			off := addr[lane] - base
			b.pageAt(off).store32(off, v[lane])
		}
		return true
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		off := addr[lane] - base
		p := b.pageAt(off)
		for i := range e {
			p.store32(off+uint64(4*i), w.slot(e[i])[lane])
		}
	}
	return true
}

// loadShared loads vec words of shared memory for each lane of m.
func (w *warp) loadShared(in *inst, m uint32, addr *[lanes.Width]uint64) bool {
	mem := w.cta.shared
	e := in.mem.elems
	n := uint64(4 * len(e))
	if uint64(len(mem)) < n {
		return false
	}
	last := uint64(len(mem)) - n
	if len(e) == 1 {
		d := w.slot(e[0])
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
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		if a := addr[lane]; a > last || a&(n-1) != 0 {
			return false
		}
	}
	for i := range e {
		d := w.slot(e[i])
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			d[lane] = binary.LittleEndian.Uint32(mem[addr[lane]+uint64(4*i):])
		}
	}
	return true
}

// storeShared stores vec words to shared memory for each lane of m.
func (w *warp) storeShared(in *inst, m uint32, addr *[lanes.Width]uint64) bool {
	mem := w.cta.shared
	e := in.mem.elems
	n := uint64(4 * len(e))
	if uint64(len(mem)) < n {
		return false
	}
	last := uint64(len(mem)) - n
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		if a := addr[lane]; a > last || a&(n-1) != 0 {
			return false
		}
	}
	for i := range e {
		v := w.slot(e[i])
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			binary.LittleEndian.PutUint32(mem[addr[lane]+uint64(4*i):], v[lane])
		}
	}
	return true
}

// fast tries the paths above. store says which way.
func (w *warp) fast(in *inst, m uint32, addr *[lanes.Width]uint64, store bool) bool {
	space := in.mem.space
	if !in.mem.words || space == isa.Generic && !allGlobal(m, addr) {
		return false
	}
	switch space {
	case isa.Global, isa.Generic:
		b := w.bufferFor(in, addr[bits.TrailingZeros32(m)&31])
		if b == nil {
			return false
		}
		if store {
			return w.storeGlobal(in, m, addr, b)
		}
		return w.loadGlobal(in, m, addr, b)
	case isa.Shared:
		if store {
			return w.storeShared(in, m, addr)
		}
		return w.loadShared(in, m, addr)
	}
	return false
}

// allGlobal reports whether the generic addresses of all lanes are global.
func allGlobal(m uint32, addr *[lanes.Width]uint64) bool {
	for rest := m; rest != 0; rest &= rest - 1 {
		if space, _ := resolve(isa.Generic, addr[bits.TrailingZeros32(rest)&31]); space != isa.Global {
			return false
		}
	}
	return true
}
