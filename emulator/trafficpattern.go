package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// The same instruction mostly asks for the same pattern of addresses again and
// again, only from another one on. What a pattern costs in sectors or passes
// depends, besides the pattern, only on where in a sector it begins: banks
// repeat every 128 bytes and turning them does not change conflicts. So a
// pattern is analysed once and recognised from then on.

// pattern is the addresses of a request's lanes relative to that of the first
// of them.
type pattern struct {
	mask uint32
	// rel is the distance of each lane of mask, modulo 2^64; low and high are the
	// least and the greatest.
	rel       [lanes.Width]uint64
	sel       [lanes.Width]uint64 // all ones for the lanes of mask
	low, high int64
	odd       uint64 // all bits that are set in a rel
	// narrow: the addresses have 32 bits; then rel32 and sel32 are rel and sel.
	narrow       bool
	rel32, sel32 lanes.Slot
	// shapes are what it costs, by the place of the first lane in a sector, in
	// units of an access.
	shapes []shape
}

// tracedShape is a shape in a trace: seen there, and then by the number that
// stands for it, 0 for none yet.
type tracedShape struct {
	seen   bool
	number uint32
}

// shape is what a request of one pattern costs.
type shape struct {
	known bool
	// at is where in a sector the first lane begins, of the space in.
	at           uint8
	in           isa.Space
	space        TrafficSpace
	transactions uint32
	bytes        uint32
	unique       uint32
	// cells are the sectors touched, in ascending order; runs are they as a trace
	// has them. Both count from the sector of the first lane.
	cells []cellOf
	runs  []uint64
	// traces are how the shape stands in traces: without masks, and with those
	// of a store that writes parts of sectors. Accesses of both kinds may share
	// a pattern.
	traces [2]tracedShape
	bases  bases
	bounds bounds
}

// cellOf is a sector of a shape: its distance, modulo 2^64, and the bytes of it
// that are touched.
type cellOf struct {
	sector uint64
	bytes  uint32
}

// matches64 and matches32 report whether the lanes of m lie as p says around
// first.
func (p *pattern) matches64(a *[lanes.Width]uint64, m uint32, first uint64) bool {
	return p.mask == m && !p.narrow && alike64(a, &p.rel, &p.sel, first)
}

func (p *pattern) matches32(a *lanes.Slot, m, first uint32) bool {
	return p.mask == m && p.narrow && alike32(a, &p.rel32, &p.sel32, first)
}

// alike64 and alike32 report whether the selected lanes have the distances of
// rel from first.
var (
	alike64 = alike64Portable
	alike32 = alike32Portable
)

func alike64Portable(a, rel, sel *[lanes.Width]uint64, first uint64) bool {
	var odd uint64
	for i := range a {
		odd |= (a[i] - first ^ rel[i]) & sel[i]
	}
	return odd == 0
}

func alike32Portable(a, rel, sel *lanes.Slot, first uint32) bool {
	var odd uint32
	for i := range a {
		odd |= (a[i] - first ^ rel[i]) & sel[i]
	}
	return odd == 0
}

// learn64 and learn32 make p the pattern of the lanes of m.
func (p *pattern) learn64(a *[lanes.Width]uint64, m uint32, first uint64) {
	p.forget(m)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		p.add(lane, a[lane]-first)
	}
}

func (p *pattern) learn32(a *lanes.Slot, m, first uint32) {
	p.forget(m)
	p.narrow = true
	p.sel32 = lanes.Slot{}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		p.rel32[lane], p.sel32[lane] = a[lane]-first, ^uint32(0)
		p.add(lane, uint64(int64(int32(a[lane]-first))))
	}
}

func (p *pattern) forget(m uint32) {
	p.mask, p.low, p.high, p.odd, p.narrow = m, 0, 0, 0, false
	clear(p.sel[:])
	for i := range p.shapes {
		p.shapes[i].known = false
	}
}

func (p *pattern) add(lane int, rel uint64) {
	p.rel[lane], p.sel[lane] = rel, ^uint64(0)
	p.odd |= rel
	p.low, p.high = min(p.low, int64(rel)), max(p.high, int64(rel))
}

// window resolves a generic address of the first lane: the space that all lanes
// lie in and the address there; false if they lie in several.
func (p *pattern) window(addr uint64) (isa.Space, uint64, bool) {
	low, high := classify(addr+uint64(p.low)), classify(addr+uint64(p.high))
	if low.space != high.space || uint64(p.high-p.low) >= windowBytes {
		return isa.Generic, addr, false
	}
	return low.space, classify(addr).off, true
}

// shape returns where what accesses of size bytes in the pattern cost from addr
// on is kept; unless it is known, it has to be found out.
func (p *pattern) shape(addr uint64, space isa.Space, size uint8) *shape {
	at := uint8(addr % sectorBytes)
	i := int(at) >> bits.TrailingZeros8(size)
	if i >= len(p.shapes) {
		p.shapes = append(p.shapes, make([]shape, sectorBytes/int(size)-len(p.shapes))...)
	}
	sh := &p.shapes[i]
	if sh.known && (sh.at != at || sh.in != space) {
		sh.known = false
	}
	sh.at, sh.in = at, space
	return sh
}
