package cache

import "math/bits"

// index finds the slot of a line: a hash table of buckets with seven places
// each. A word holds the tags of a bucket, a byte each, of which all are
// compared at once; branches that depend on the data would cost more than all
// the rest.
type index struct {
	// words: byte 0 counts the lines that went on to the next bucket because this
	// one was full, bytes 1 to 7 are tags, 0 where there is none.
	words []uint64
	slots []int32 // by place: 8 x bucket + byte
	shift uint
	// anyPassed: some line is not in its own bucket, or was not.
	anyPassed bool
}

const (
	indexPlaces = 8
	passed      = 0xff // at most so many are counted, and then for good
	eachTag     = 0x0101010101010100
	highBits    = eachTag << 7
)

// init makes an empty table for n lines. It allocates only if n grew.
func (x *index) init(n int) {
	buckets := 1 << bits.Len(uint(n)/2|1) // two lines in each at most, and two buckets at least
	if cap(x.words) < buckets {
		x.words, x.slots = make([]uint64, buckets), make([]int32, indexPlaces*buckets)
	}
	x.words, x.slots = x.words[:buckets], x.slots[:indexPlaces*buckets]
	clear(x.words)
	x.anyPassed = false
	clear(x.slots) // a slot of a larger cache is none
	x.shift = uint(64 - bits.TrailingZeros(uint(buckets)))
}

// fibonacci is 2^64 over the golden ratio.
const fibonacci = 0x9E3779B97F4A7C15

// hash is Fibonacci hashing (Knuth, TAOCP 3, 6.4): a line's bucket, and its tag
// from the bits below.
func (x *index) hash(line uint64) (bucket, tag uint64) {
	h := line * fibonacci
	return h >> (x.shift & 63), max(h>>(x.shift-8)&0xff, 1)
}

// after returns the bucket where the search goes on.
func (x *index) after(bucket uint64) uint64 { return (bucket + 1) & uint64(len(x.words)-1) }

// zeros has a bit for each tag that is zero, and perhaps for others above one
// that is.
func zeros(word uint64) uint64 { return (word - eachTag) &^ word & highBits }

// place returns the place of the lowest bit of zeros.
func place(bucket, found uint64) uint64 {
	return bucket*indexPlaces + uint64(bits.TrailingZeros64(found))/8
}

// pass goes on from a full bucket to one that is not.
func (x *index) pass(bucket uint64) (next, free uint64) {
	for x.anyPassed = true; free == 0; free = zeros(x.words[bucket]) {
		if x.words[bucket]&passed < passed {
			x.words[bucket]++
		}
		bucket = x.after(bucket)
	}
	return bucket, free
}

// unpass undoes pass for a line that was in a bucket.
func (x *index) unpass(line, bucket uint64) {
	for b, _ := x.hash(line); b != bucket; b = x.after(b) {
		if x.words[b]&passed < passed {
			x.words[b]--
		}
	}
}
