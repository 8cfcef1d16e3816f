package traffic

import "math/bits"

// warpLanes is how many threads a warp has.
const warpLanes = 32

// Pattern is the addresses of a request's lanes relative to that of the first
// of them. Two requests are alike if the same lanes execute and each lane lies
// as far from the first one: then they touch as many sectors, banks and bytes,
// but for where in a sector they begin, which is what a pattern's costs are
// kept by. Banks repeat every 128 bytes, and turning them does not change how
// lanes get into each other's way.
type Pattern struct {
	// Lanes are those of the request.
	Lanes uint32
	// rel is the distance of each lane from the first one, modulo 2^64; Low and
	// High are the least and the greatest, at most and at least 0.
	rel       [warpLanes]uint64
	sel       [warpLanes]uint64 // all ones for a lane of the request
	Low, High int64
	odd       uint64 // all bits that are set in a rel
	// narrow: the addresses have 32 bits; then rel32 and sel32 are rel and sel.
	narrow       bool
	rel32, sel32 [warpLanes]uint32
	// costs are what it costs, by the place of the first lane in a sector, in
	// units of an access.
	costs []Cost
}

// Distance returns how far a lane lies from the first one, modulo 2^64.
func (p *Pattern) Distance(lane int) uint64 { return p.rel[lane&(warpLanes-1)] }

// Aligned reports whether all lanes have a multiple of size, a power of two, if
// the first one has addr.
func (p *Pattern) Aligned(addr uint64, size uint8) bool { return (addr|p.odd)&uint64(size-1) == 0 }

// Recognise makes p the pattern of the lanes of m, of which there is one at
// least, and returns the address of the first of them.
func (p *Pattern) Recognise(a *[warpLanes]uint64, m uint32) (first uint64) {
	first = a[bits.TrailingZeros32(m)&31]
	if p.Lanes != m || p.narrow || !alike64(a, &p.rel, &p.sel, first) {
		p.learn(a, m, first)
	}
	return first
}

// RecogniseNarrow is Recognise for addresses of 32 bits.
func (p *Pattern) RecogniseNarrow(a *[warpLanes]uint32, m uint32) (first uint64) {
	at := a[bits.TrailingZeros32(m)&31]
	if p.Lanes != m || !p.narrow || !alike32(a, &p.rel32, &p.sel32, at) {
		p.learnNarrow(a, m, at)
	}
	return uint64(at)
}

// alike64 and alike32 report whether the selected lanes have the distances of
// rel from first.
var (
	alike64 = alike64Portable
	alike32 = alike32Portable
)

func alike64Portable(a, rel, sel *[warpLanes]uint64, first uint64) bool {
	var odd uint64
	for i := range a {
		odd |= (a[i] - first ^ rel[i]) & sel[i]
	}
	return odd == 0
}

func alike32Portable(a, rel, sel *[warpLanes]uint32, first uint32) bool {
	var odd uint32
	for i := range a {
		odd |= (a[i] - first ^ rel[i]) & sel[i]
	}
	return odd == 0
}

func (p *Pattern) learn(a *[warpLanes]uint64, m uint32, first uint64) {
	p.forget(m)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		p.add(lane, a[lane]-first)
	}
}

func (p *Pattern) learnNarrow(a *[warpLanes]uint32, m, first uint32) {
	p.forget(m)
	p.narrow = true
	clear(p.sel32[:])
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		p.rel32[lane], p.sel32[lane] = a[lane]-first, ^uint32(0)
		p.add(lane, uint64(int64(int32(a[lane]-first))))
	}
}

// forget makes p the pattern of lanes of which nothing is known yet.
func (p *Pattern) forget(m uint32) {
	p.Lanes, p.Low, p.High, p.odd, p.narrow = m, 0, 0, 0, false
	clear(p.sel[:])
	for i := range p.costs {
		p.costs[i].known = false
	}
}

// add notes the distance of a lane.
func (p *Pattern) add(lane int, rel uint64) {
	p.rel[lane], p.sel[lane] = rel, ^uint64(0)
	p.odd |= rel
	p.Low, p.High = min(p.Low, int64(rel)), max(p.High, int64(rel))
}
