package words

import (
	"encoding/binary"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
)

// Where accesses are counted, the distances between the lanes of each are known
// before it is done, and that all of them are aligned and hit memory. Then a load
// is a loop over these distances that checks nothing: the address register is not
// looked at again.

// Gather is a load of words whose lanes lie at known distances from the first.
type Gather struct {
	// Lanes are those that load, All: the others have no values to lose.
	Lanes uint32
	All   bool
	// Distances are those of the lanes from the first of them, Low and High the
	// least and the greatest.
	Distances *[lanes.Width]int32
	Low, High int64
	// Steps are the distances from lane to lane in each half of the warp, where all
	// lanes load and there is such a distance.
	Steps [2]int32
}

// wordMask makes an offset one of an aligned word in a page, of which the compiler
// knows that it lies within.
const wordMask = pages.Mask &^ 3

// FromPages loads a vector of 1, 2 or 4 words for each lane from a buffer, where the
// first lane reads from offset at on. It reports false, and does nothing, for other
// vectors.
func (g *Gather) FromPages(t *pages.Table, at uint64, d []*lanes.Slot) bool {
	low, high := at+uint64(g.Low), at+uint64(g.High)
	p := t.At(low)
	switch n := len(d); {
	case g.Low == g.High:
		for i, r := range d {
			g.spread(r, binary.LittleEndian.Uint32(p[(low+uint64(4*i))&wordMask:]))
		}
	case low>>pages.Shift != high>>pages.Shift:
		return g.fromMany(t, at, d)
	case n == 1 && g.regular():
		for k, step := range g.Steps {
			first := (uint32(at) + uint32(g.Distances[k*HalfLanes])) & wordMask
			LoadHalf((*[HalfLanes]uint32)(d[0][k*HalfLanes:]), p[first:], uint64(step))
		}
	default:
		for i, r := range d {
			g.fromPage(p, uint32(at)+uint32(4*i), r)
		}
	}
	return true
}

// regular reports whether halves read one word, or words that follow each other.
func (g *Gather) regular() bool {
	return (g.Steps[0] == 0 || g.Steps[0] == 4) && (g.Steps[1] == 0 || g.Steps[1] == 4)
}

// spread gives all lanes the same word.
func (g *Gather) spread(d *lanes.Slot, word uint32) {
	if g.All {
		spread(d, word)
		return
	}
	for rest := g.Lanes; rest != 0; rest &= rest - 1 {
		d[bits.TrailingZeros32(rest)&31] = word
	}
}

// spread gives all lanes of a register the same word. It is the last of spreads, which
// are all that the machine can do.
var (
	spread  = spreadPortable
	spreads = []func(*lanes.Slot, uint32){spreadPortable}
)

func spreadPortable(d *lanes.Slot, word uint32) {
	for i := range d {
		d[i] = word
	}
}

// fromPage loads a word for each lane from one page.
func (g *Gather) fromPage(p *pages.Page, at uint32, d *lanes.Slot) {
	rel := g.Distances
	if g.All { // those that do not load read some word of the page
		for i := range d {
			d[i] = binary.LittleEndian.Uint32(p[(at+uint32(rel[i]))&wordMask:])
		}
		return
	}
	for rest := g.Lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		d[i] = binary.LittleEndian.Uint32(p[(at+uint32(rel[i]))&wordMask:])
	}
}

// fromMany loads a vector for each lane, which may all lie in pages of their own.
func (g *Gather) fromMany(t *pages.Table, at uint64, d []*lanes.Slot) bool {
	switch len(d) {
	case 1:
		g.fromMany1(t, at, d[0])
	case 2:
		g.fromMany2(t, at, d[0], d[1])
	case 4:
		g.fromMany4(t, at, d[0], d[1], d[2], d[3])
	default:
		return false
	}
	return true
}

func (g *Gather) fromMany1(t *pages.Table, at uint64, d *lanes.Slot) {
	present, rel := t.Present(), g.Distances
	if g.Lanes == ^uint32(0) {
		for i := range d {
			off := at + uint64(int64(rel[i]))
			p := present.At(off)
			if p == nil {
				p = t.At(off)
			}
			d[i] = binary.LittleEndian.Uint32(p[off&wordMask:])
		}
		return
	}
	for rest := g.Lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		off := at + uint64(int64(rel[i]))
		p := present.At(off)
		if p == nil {
			p = t.At(off)
		}
		d[i] = binary.LittleEndian.Uint32(p[off&wordMask:])
	}
}

func (g *Gather) fromMany2(t *pages.Table, at uint64, d0, d1 *lanes.Slot) {
	for rest := g.Lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		off := at + uint64(int64(g.Distances[i]))
		v := binary.LittleEndian.Uint64(t.At(off)[off&(pages.Mask&^7):])
		d0[i], d1[i] = uint32(v), uint32(v>>32)
	}
}

func (g *Gather) fromMany4(t *pages.Table, at uint64, d0, d1, d2, d3 *lanes.Slot) {
	for rest := g.Lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		off := at + uint64(int64(g.Distances[i]))
		p := t.Present().At(off)
		if p == nil {
			p = t.At(off)
		}
		o := off & (pages.Mask &^ 15)
		lo, hi := binary.LittleEndian.Uint64(p[o:]), binary.LittleEndian.Uint64(p[o+8:])
		d0[i], d1[i] = uint32(lo), uint32(lo>>32)
		d2[i], d3[i] = uint32(hi), uint32(hi>>32)
	}
}

// From is FromPages of memory in one piece: mem is what the lanes read, from the
// lowest address to the end of the highest lane's vector.
func (g *Gather) From(mem []byte, d []*lanes.Slot) {
	for i, r := range d {
		mem := mem[4*i:]
		switch {
		case g.Low == g.High:
			g.spread(r, binary.LittleEndian.Uint32(mem))
		case len(d) == 1 && g.regular():
			for k, step := range g.Steps {
				LoadHalf((*[HalfLanes]uint32)(r[k*HalfLanes:]), mem[int64(g.Distances[k*HalfLanes])-g.Low:], uint64(step))
			}
		default:
			for rest := g.Lanes; rest != 0; rest &= rest - 1 {
				lane := bits.TrailingZeros32(rest) & 31
				r[lane] = binary.LittleEndian.Uint32(mem[int64(g.Distances[lane])-g.Low:])
			}
		}
	}
}
