package emulator

import "hyptx/emulator/internal/lanes"

// parting is where lanes go that part at one instruction, brx.idx or an indirect
// call: the different ways in the order in which their paths are to run, each
// with its lanes. 32 lanes part at most 32 ways, and one more that those go for
// which the guard is false.
type parting[T any] struct {
	n     int
	ways  [lanes.Width + 1]T
	keys  [lanes.Width + 1]uint32 // ascending, of different ways different ones
	masks [lanes.Width + 1]uint32
}

// add lets some lanes go a way, new or known.
func (p *parting[T]) add(way T, key, mask uint32) {
	at := p.n
	for ; at > 0 && p.keys[at-1] >= key; at-- {
		if p.keys[at-1] == key {
			p.masks[at-1] |= mask
			return
		}
	}
	p.insert(at, way, key, mask)
}

func (p *parting[T]) insert(at int, way T, key, mask uint32) {
	copy(p.ways[at+1:], p.ways[at:p.n])
	copy(p.keys[at+1:], p.keys[at:p.n])
	copy(p.masks[at+1:], p.masks[at:p.n])
	p.ways[at], p.keys[at], p.masks[at] = way, key, mask
	p.n++
}

// lead puts a way before all others. Nothing is added after that.
func (p *parting[T]) lead(way T, mask uint32) { p.insert(0, way, 0, mask) }
