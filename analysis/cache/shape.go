package cache

// maxShapeWords bounds what the shapes of a launch take: 16 MiB. What does not
// fit stands in the streams themselves.
const maxShapeWords = 1 << 21

// shapes are the requests of a launch but for where they begin: the same few
// patterns come again and again, so a stream has one word for them all.
type shapes struct {
	table []int32 // open addressing: a shape's number + 1
	list  []shape
	words []uint64 // of all shapes: runs, then blocks
	most  int      // words
	// known has the numbers + 1 of runs with a key, by key and by the sector of
	// the block in which they begin.
	known []int32
}

// shape is a part of shapes.words: the runs of sectors, then the blocks, both
// counted from the first block.
type shape struct{ runs, blocks, end int32 }

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

// maxKeys bounds the table of keys.
const maxKeys = 1 << 18

// find returns the number of a request's shape; base is the first sector of
// its first block, as a run word, and at where in that block it begins. A new
// shape is added while there is room.
func (d *shapes) find(r Runs, base, at uint64) (number int, ok bool) {
	if r.Key == 0 || r.Key >= maxKeys {
		return d.search(r.Words, base)
	}
	k := int(r.Key)*sectors + int(at)
	if k >= len(d.known) {
		d.known = append(d.known, make([]int32, 2*k+1-len(d.known))...)
	}
	if n := d.known[k]; n > 0 {
		return int(n - 1), true
	}
	if number, ok = d.search(r.Words, base); ok {
		d.known[k] = int32(number + 1)
	}
	return number, ok
}

func (d *shapes) search(runs []uint64, base uint64) (number int, ok bool) {
	last := uint64(len(d.table) - 1)
	at := hashRuns(runs, base) & last
	for ; d.table[at] != 0; at = (at + 1) & last {
		n := int(d.table[at] - 1)
		if d.same(d.list[n], runs, base) {
			return n, true
		}
	}
	if len(d.words)+len(runs)*(1+maxBlocksPerRun) > d.most {
		return 0, false
	}
	s := shape{runs: int32(len(d.words))}
	for _, r := range runs {
		d.words = append(d.words, r-base)
	}
	s.blocks = int32(len(d.words))
	d.words = appendBlocks(d.words, runs, base)
	s.end = int32(len(d.words))
	d.list = append(d.list, s)
	d.table[at] = int32(len(d.list))
	if 2*len(d.list) > len(d.table) {
		d.grow()
	}
	return len(d.list) - 1, true
}

func (d *shapes) same(s shape, runs []uint64, base uint64) bool {
	mine := d.words[s.runs:s.blocks]
	if len(mine) != len(runs) {
		return false
	}
	odd := uint64(0)
	for i, r := range runs {
		odd |= r - base ^ mine[i]
	}
	return odd == 0
}

// grow makes a table of twice the size.
func (d *shapes) grow() {
	d.table = make([]int32, 2*len(d.table))
	last := uint64(len(d.table) - 1)
	for n, s := range d.list {
		at := hashRuns(d.words[s.runs:s.blocks], 0) & last
		for d.table[at] != 0 {
			at = (at + 1) & last
		}
		d.table[at] = int32(n + 1)
	}
}

// maxBlocksPerRun: 32 sectors that begin in the middle of a block.
const maxBlocksPerRun = 9

// appendBlocks appends the blocks of a request, counted from base.
func appendBlocks(out, runs []uint64, base uint64) []uint64 {
	block, mask := uint64(0), uint64(0)
	for _, r := range runs {
		first, n := (r-base)>>runBits, (r-base)&runMask+1
		for n > 0 {
			if b := first / sectors; b != block {
				out = append(out, block<<wordShift|mask)
				block, mask = b, 0
			}
			at := first % sectors
			k := min(n, sectors-at)
			mask |= (1<<k - 1) << at
			first, n = first+k, n-k
		}
	}
	return append(out, block<<wordShift|mask)
}
