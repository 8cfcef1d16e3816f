package cache

import "slices"

// maxShapeWords bounds what the shapes of a launch take: 16 MiB. What does not
// fit stands in the streams themselves.
const maxShapeWords = 1 << 21

// shapes are the requests of a launch but for where they begin: the same few
// patterns come again and again, so a stream has one word for them all.
type shapes struct {
	table []int32 // open addressing: a shape's number + 1
	list  []shape
	words []uint64 // of all shapes: runs, masks, blocks
	most  int      // words
	// known are the shapes of runs with a key, by key and by the sector of its
	// block from which they count.
	known []known
}

// shape is a part of shapes.words: the runs of sectors, the masks, and then the
// blocks, which like the runs count from the first block. With masks, a block
// takes blockMasks words more: the bytes of its sectors, two sectors a word.
// sectors is how many it has.
type shape struct{ runs, masks, blocks, end, sectors int32 }

const blockMasks = sectors / 2

// reset forgets all shapes.
func (d *shapes) reset() {
	if d.table == nil {
		d.table = make([]int32, 1<<10)
	}
	clear(d.table)
	clear(d.known)
	d.list, d.words = d.list[:0], d.words[:0]
}

// blocks returns the blocks of a shape: a distance in bits wordShift and up,
// the sectors below.
func (d *shapes) blocks(n uint64) []uint64 {
	s := d.list[n]
	return d.words[s.blocks:s.end]
}

// hash looks at four runs only; a request's others seldom differ alone.
func hashRuns(runs []uint64, base uint64) uint64 {
	n := len(runs)
	h := uint64(n)*0x9E3779B97F4A7C15 + runs[0] - base
	h = (h ^ h>>29) * 0xBF58476D1CE4E5B9
	h += (runs[n/2] - base) * 0x94D049BB133111EB
	h += (runs[n-1] - base) * 0xD6E8FEB86659FD93
	h += (runs[n*3/4] - base) * 0xA0761D6478BD642F
	return h ^ h>>31
}

// known is what a key stands for, where its runs begin at a certain sector of a
// block.
type known struct {
	number   int32 // that of the shape, plus 1; of one block, the sectors times -1
	distance int32 // blocks to the first one
}

// maxKeys bounds the table of keys. maxKnownBlock keeps requests that need not
// be looked at far from the end of the address space.
const (
	maxKeys       = 1 << 18
	maxKnownBlock = localBlock / 2
)

// know remembers what a key stands for, given that of which block the request
// touches first. Requests that are far from where they count from, or far apart,
// are not remembered.
func (d *shapes) know(r Runs, block uint64, number int32) {
	distance := int64(block-r.First/sectors) << 7 >> 7 // modulo 2^57
	span := (r.Words[len(r.Words)-1] - r.Words[0]) >> runBits
	if r.Key == 0 || r.Key >= maxKeys || r.Masks != nil || distance != int64(int32(distance)) || span > 1<<40 {
		return
	}
	k := int(r.Key)*sectors + int(r.First%sectors)
	if k >= len(d.known) {
		d.known = append(d.known, make([]known, 2*k+1-len(d.known))...)
	}
	d.known[k] = known{number, int32(distance)}
}

// find returns the number of a request's shape; base is the first sector of
// its first block, as a run word. A new shape is added while there is room.
func (d *shapes) find(r Runs, base uint64) (number int, ok bool) {
	last := uint64(len(d.table) - 1)
	at := hashRuns(r.Words, base) & last
	for ; d.table[at] != 0; at = (at + 1) & last {
		n := int(d.table[at] - 1)
		if d.same(d.list[n], r, base) {
			return n, true
		}
	}
	if len(d.words)+len(r.Words)*(1+maxBlocksPerRun*(1+blockMasks))+len(r.Masks) > d.most {
		return 0, false
	}
	s := shape{runs: int32(len(d.words))}
	for _, w := range r.Words {
		d.words = append(d.words, w-base)
		s.sectors += int32(w&runMask) + 1
	}
	s.masks = int32(len(d.words))
	d.words = append(d.words, r.Masks...)
	s.blocks = int32(len(d.words))
	d.words = appendBlocks(d.words, r, base)
	s.end = int32(len(d.words))
	d.list = append(d.list, s)
	d.table[at] = int32(len(d.list))
	if 2*len(d.list) > len(d.table) {
		d.grow()
	}
	return len(d.list) - 1, true
}

func (d *shapes) same(s shape, r Runs, base uint64) bool {
	mine := d.words[s.runs:s.masks]
	if len(mine) != len(r.Words) || !slices.Equal(d.words[s.masks:s.blocks], r.Masks) {
		return false
	}
	odd := uint64(0)
	for i, w := range r.Words {
		odd |= w - base ^ mine[i]
	}
	return odd == 0
}

// grow makes a table of twice the size.
func (d *shapes) grow() {
	d.table = make([]int32, 2*len(d.table))
	last := uint64(len(d.table) - 1)
	for n, s := range d.list {
		at := hashRuns(d.words[s.runs:s.masks], 0) & last
		for d.table[at] != 0 {
			at = (at + 1) & last
		}
		d.table[at] = int32(n + 1)
	}
}

// maxBlocksPerRun: 32 sectors that begin in the middle of a block.
const maxBlocksPerRun = 9

// appendBlocks appends the blocks of a request, counted from base.
func appendBlocks(out []uint64, r Runs, base uint64) []uint64 {
	block, at := uint64(0), len(out)
	add := func() {
		at = len(out)
		out = append(out, block<<wordShift)
		if len(r.Masks) > 0 {
			out = append(out, make([]uint64, blockMasks)...)
		}
	}
	add()
	sector := 0
	for _, w := range r.Words {
		first := (w - base) >> runBits
		for n := first; n <= first+(w-base)&runMask; n++ {
			if n/sectors != block {
				block = n / sectors
				add()
			}
			in := n % sectors
			out[at] |= 1 << in
			if len(r.Masks) > 0 {
				mask := r.Masks[sector/2] >> (sector % 2 * 32) & (1<<32 - 1)
				out[at+1+int(in/2)] |= mask << (in % 2 * 32)
			}
			sector++
		}
	}
	return out
}
