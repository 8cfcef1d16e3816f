package reuse

import "math/bits"

// order keeps lines in the order of their last use and says how many were used since
// one was. Each use gets the next position, a bit; the line's bit before is cleared, so
// that the bits behind a position are the lines used since. They are counted by words,
// and by blocks of words in a Fenwick tree. When the positions are used up, the lines
// move together at the beginning, in order.
type order struct {
	bits []uint64
	// tree has the bits of whole blocks before that of now, whose bits are counted
	// as they are needed.
	tree  []int32
	owner []uint32 // of a position, by number of line
	at    []uint32 // the position of each line
	now   int      // the next position
	live  int      // lines
}

const (
	blockWords     = 16
	blockPositions = 64 * blockWords
	firstBlocks    = 16
)

func newOrder() *order {
	o := &order{}
	o.resize(firstBlocks * blockPositions)
	return o
}

func (o *order) resize(positions int) {
	o.bits, o.owner, o.tree = make([]uint64, positions/64), make([]uint32, positions), make([]int32, positions/blockPositions+1)
}

// add makes a new line the last one used. Its number is how many there were.
func (o *order) add() {
	o.at = append(o.at, 0)
	o.live++
	o.last(uint32(len(o.at) - 1))
}

// use makes a line the last one used; it returns how many others were used since its
// last use.
func (o *order) use(line uint32) (since int) {
	at := int(o.at[line])
	if at == o.now-1 {
		return 0
	}
	since = o.after(at)
	o.bits[at/64] &^= 1 << (at % 64)
	if b := at / blockPositions; b != (o.now-1)/blockPositions {
		for i := b + 1; i < len(o.tree); i += i & -i {
			o.tree[i]--
		}
	}
	o.last(line)
	return since
}

// after returns how many bits lie behind a position.
func (o *order) after(at int) (n int) {
	first, last := at/64, (o.now-1)/64
	n = bits.OnesCount64(o.bits[first] >> (at % 64) >> 1)
	if last-first <= blockWords {
		for _, w := range o.bits[first+1 : last+1] {
			n += bits.OnesCount64(w)
		}
		return n
	}
	end := (at/blockPositions + 1) * blockWords // of its block
	for _, w := range o.bits[first+1 : end] {
		n += bits.OnesCount64(w)
	}
	return n + o.live - o.before(end/blockWords)
}

// before returns how many bits the first blocks have.
func (o *order) before(blocks int) (n int) {
	for i := blocks; i > 0; i &= i - 1 {
		n += int(o.tree[i])
	}
	return n
}

// last gives a line the next position.
func (o *order) last(line uint32) {
	if o.now == len(o.owner) {
		o.compact(line)
		return
	}
	o.put(line)
}

// put gives a line the next position, which there is. The first one of a block makes the
// block before it a whole one.
func (o *order) put(line uint32) {
	if o.now%blockPositions == 0 && o.now > 0 {
		o.close(o.now/blockPositions - 1)
	}
	o.at[line], o.owner[o.now] = uint32(o.now), line
	o.bits[o.now/64] |= 1 << (o.now % 64)
	o.now++
}

// close takes a block into the tree.
func (o *order) close(block int) {
	n := int32(0)
	for _, w := range o.bits[block*blockWords : (block+1)*blockWords] {
		n += int32(bits.OnesCount64(w))
	}
	for i := block + 1; i < len(o.tree); i += i & -i {
		o.tree[i] += n
	}
}

// compact gives all lines new positions in order, the one that is used now the last. Its
// old bit is cleared already.
func (o *order) compact(line uint32) {
	var lines []uint32
	for w, word := range o.bits {
		for ; word != 0; word &= word - 1 {
			lines = append(lines, o.owner[64*w+bits.TrailingZeros64(word)])
		}
	}
	positions := len(o.owner)
	for positions < 4*o.live {
		positions *= 2
	}
	o.resize(positions)
	o.now = 0
	for _, l := range append(lines, line) {
		o.put(l)
	}
}
