package traffic

import (
	"math/bits"
	"slices"
)

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
	// narrow: the addresses have 32 bits. distant: a distance has more, so that all
	// of them stand in far instead of rel. stepped: steps are known.
	narrow, distant, stepped bool
	odd                      uint8 // the low bits that are set in a distance
	steps                    [2]int32
	// Low and High are the least and the greatest distance, at most and at least 0.
	Low, High int64
	// costs are what it costs, by the place of the first lane in a sector, in
	// units of an access.
	costs []Cost
	// rel is the distance of each lane from the first one, modulo 2^64.
	rel [warpLanes]int32
	far *[warpLanes]uint64
	// second are the distances of the other places that lanes access, if places is 2.
	places int
	second *[warpLanes]uint64
}

// Distance returns how far a lane lies from the first one, modulo 2^64.
func (p *Pattern) Distance(lane int) uint64 {
	if p.distant {
		return p.far[lane&(warpLanes-1)]
	}
	return uint64(int64(p.rel[lane&(warpLanes-1)]))
}

// Places is at how many places each lane accesses memory, DistanceOf how far one of a
// lane's lies from the first lane's first.
func (p *Pattern) Places() int { return p.places }

// DistanceOf: see Places.
func (p *Pattern) DistanceOf(place, lane int) uint64 {
	if place > 0 {
		return p.second[lane&(warpLanes-1)]
	}
	return p.Distance(lane)
}

// RecogniseBoth is Recognise of a request whose lanes access two places each.
func (p *Pattern) RecogniseBoth(a, b *[warpLanes]uint64, m uint32) (first uint64) {
	first = p.Recognise(a, m)
	same := p.places == 2
	for rest := m; rest != 0 && same; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		same = b[lane]-first == p.second[lane]
	}
	if same {
		return first
	}
	p.learn(a, m, first)
	if p.second == nil {
		p.second = new([warpLanes]uint64)
	}
	p.places = 2
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		rel := b[lane] - first
		p.second[lane] = rel
		p.odd |= uint8(rel)
		p.Low, p.High = min(p.Low, int64(rel)), max(p.High, int64(rel))
	}
	return first
}

// addresses returns how many different addresses the lanes have. A request of constant
// memory is split into as many (CUDA C++ Programming Guide, constant memory).
func (p *Pattern) addresses() (n uint32) {
	var seen [warpLanes]uint64
	for rest := p.Lanes; rest != 0; rest &= rest - 1 {
		if at := p.Distance(bits.TrailingZeros32(rest)); !slices.Contains(seen[:n], at) {
			seen[n] = at
			n++
		}
	}
	return n
}

// Distances returns the distances of all lanes, nil if they need more than 32 bits.
// Those of lanes that are none of the request's mean nothing.
func (p *Pattern) Distances() *[warpLanes]int32 {
	if p.distant {
		return nil
	}
	return &p.rel
}

// NoStep says that there is no one distance from lane to lane.
const NoStep = -1 << 31

// Steps returns, for a request of all lanes, the distance from lane to lane within
// each half of the warp, or NoStep.
func (p *Pattern) Steps() [2]int32 {
	if p.stepped {
		return p.steps
	}
	for h := range p.steps {
		rel := p.rel[h*len(p.rel)/2:][:len(p.rel)/2]
		step := rel[1] - rel[0]
		for i := range rel {
			if p.distant || p.Lanes != ^uint32(0) || int64(rel[i]) != int64(rel[0])+int64(i)*int64(step) {
				step = NoStep
				break
			}
		}
		p.steps[h] = step
	}
	p.stepped = true
	return p.steps
}

// Aligned reports whether all lanes have a multiple of size, a power of two, if
// the first one has addr.
func (p *Pattern) Aligned(addr uint64, size uint8) bool { return (uint8(addr)|p.odd)&(size-1) == 0 }

// Recognise makes p the pattern of the lanes of m, of which there is one at
// least, and returns the address of the first of them.
func (p *Pattern) Recognise(a *[warpLanes]uint64, m uint32) (first uint64) {
	first = a[bits.TrailingZeros32(m)&31]
	if p.Lanes != m || p.narrow || p.distant || !alike64(a, &p.rel, m, first) {
		p.learn(a, m, first)
	}
	return first
}

// RecogniseNarrow is Recognise for addresses of 32 bits.
func (p *Pattern) RecogniseNarrow(a *[warpLanes]uint32, m uint32) (first uint64) {
	at := a[bits.TrailingZeros32(m)&31]
	if p.Lanes != m || !p.narrow || !alike32(a, &p.rel, m, at) {
		p.learnNarrow(a, m, at)
	}
	return uint64(at)
}

// alike64 and alike32 report whether the lanes of m have the distances of rel from
// first. They are the last of comparisons, which are all that the machine can do.
var (
	alike64     = alike64Portable
	alike32     = alike32Portable
	comparisons = []comparison{{alike64, alike32}}
)

type comparison struct {
	alike64 func(a *[warpLanes]uint64, rel *[warpLanes]int32, m uint32, first uint64) bool
	alike32 func(a *[warpLanes]uint32, rel *[warpLanes]int32, m, first uint32) bool
}

// A warp mostly goes as a whole, and a loop over all lanes without a branch is one
// that the compiler makes something of.

func alike64Portable(a *[warpLanes]uint64, rel *[warpLanes]int32, m uint32, first uint64) bool {
	var odd uint64
	if m == ^uint32(0) {
		for i := range a {
			odd |= a[i] - first ^ uint64(int64(rel[i]))
		}
		return odd == 0
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		odd |= a[i] - first ^ uint64(int64(rel[i]))
	}
	return odd == 0
}

func alike32Portable(a *[warpLanes]uint32, rel *[warpLanes]int32, m, first uint32) bool {
	var odd uint32
	if m == ^uint32(0) {
		for i := range a {
			odd |= a[i] - first ^ uint32(rel[i])
		}
		return odd == 0
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		odd |= a[i] - first ^ uint32(rel[i])
	}
	return odd == 0
}

// learn makes p the pattern of addresses that are not alike. If some are as far from
// each other as no kernel's are, it may be what p is already.
func (p *Pattern) learn(a *[warpLanes]uint64, m uint32, first uint64) {
	if p.distant && p.Lanes == m && !p.narrow && p.alikeFar(a, first) {
		return
	}
	p.forget(m)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		p.add(lane, a[lane]-first)
	}
	if !p.distant {
		return
	}
	if p.far == nil {
		p.far = new([warpLanes]uint64)
	}
	for i := range p.far {
		p.far[i] = a[i] - first
	}
}

// alikeFar is alike64 of distances that need more than 32 bits.
func (p *Pattern) alikeFar(a *[warpLanes]uint64, first uint64) bool {
	for rest := p.Lanes; rest != 0; rest &= rest - 1 {
		if lane := bits.TrailingZeros32(rest) & 31; a[lane]-first != p.far[lane] {
			return false
		}
	}
	return true
}

func (p *Pattern) learnNarrow(a *[warpLanes]uint32, m, first uint32) {
	p.forget(m)
	p.narrow = true
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		p.add(lane, uint64(int64(int32(a[lane]-first))))
	}
}

// forget makes p the pattern of lanes of which nothing is known yet.
func (p *Pattern) forget(m uint32) {
	p.Lanes, p.Low, p.High, p.odd, p.narrow, p.distant, p.stepped, p.places = m, 0, 0, 0, false, false, false, 1
	for i := range p.costs {
		p.costs[i].known = false
	}
}

// add notes the distance of a lane.
func (p *Pattern) add(lane int, rel uint64) {
	p.rel[lane] = int32(rel)
	p.distant = p.distant || int64(rel) != int64(int32(rel))
	p.odd |= uint8(rel)
	p.Low, p.High = min(p.Low, int64(rel)), max(p.High, int64(rel))
}
