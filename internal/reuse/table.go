package reuse

// table finds the number of a line: 0, 1, 2 in the order in which lines came. It is a
// hash table with open addressing, since Go's maps take several times as long, and
// a stream has a look-up an access.
type table struct {
	places []uint32 // number + 1, 0 is free
	lines  []uint64 // by number
	shift  uint     // of the hash
}

const firstPlaceBits = 12

func newTable() *table {
	return &table{places: make([]uint32, 1<<firstPlaceBits), shift: 64 - firstPlaceBits}
}

// fibonacci is 2^64 over the golden ratio (Knuth, volume 3, 6.4).
const fibonacci = 0x9e3779b97f4a7c15

// neighbours are lines that follow each other and have places side by side, since
// streams go from one to the next.
const neighbours = 8

// home is the first place to look for a line.
func (t *table) home(line uint64) uint64 {
	return line/neighbours*fibonacci>>t.shift&^(neighbours-1) | line%neighbours
}

// find returns the number of a line; fresh says that it is new.
func (t *table) find(line uint64) (number uint32, fresh bool) {
	n, fresh := t.look(line, true)
	return uint32(n), fresh
}

// look returns the number of a line, -1 if it is none and none is to be made.
func (t *table) look(line uint64, make bool) (number int, fresh bool) {
	mask := uint64(len(t.places) - 1)
	at := t.home(line)
	for ; t.places[at] != 0; at = (at + 1) & mask {
		if n := t.places[at] - 1; t.lines[n] == line {
			return int(n), false
		}
	}
	if !make {
		return -1, false
	}
	number = len(t.lines)
	t.lines = append(t.lines, line)
	t.places[at] = uint32(number + 1)
	if 2*len(t.lines) > len(t.places) {
		t.grow()
	}
	return number, true
}

// grow doubles the table.
func (t *table) grow() {
	t.shift--
	t.places = make([]uint32, 2*len(t.places))
	mask := uint64(len(t.places) - 1)
	for n, line := range t.lines {
		at := t.home(line)
		for t.places[at] != 0 {
			at = (at + 1) & mask
		}
		t.places[at] = uint32(n + 1)
	}
}
