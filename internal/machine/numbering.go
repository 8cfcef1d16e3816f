package machine

import (
	"bytes"
	"hash/maphash"
)

// numbering finds the last node of a key. There is one for nearly every instruction of a
// large kernel: so the keys stand one behind the other in one piece of memory, where the
// strings of a map would be as many pieces, each to be made and to be collected.
type numbering struct {
	seed  maphash.Seed
	text  []byte  // the keys
	slots []keyed // by hash, the next free one where it is taken; a power of two
	used  int
}

// keyed is a key and the last node that has it, 0 in a free slot. Of the hash 32 bits are
// enough: there are no more slots than ids.
type keyed struct {
	hash     uint32
	at, size uint32 // in the text
	last     id
}

// newNumbering makes room for so many keys.
func newNumbering(room int) *numbering {
	n := &numbering{seed: maphash.MakeSeed(), text: make([]byte, 0, 16*room)}
	size := 64
	for 2*size < 3*room {
		size *= 2
	}
	n.slots = make([]keyed, size)
	return n
}

// find returns the slot of a key: of a free one the last node is 0. It holds until the
// next key is put.
func (n *numbering) find(key []byte) *keyed {
	hash := uint32(maphash.Bytes(n.seed, key))
	for i := hash; ; i++ {
		s := &n.slots[i&uint32(len(n.slots)-1)]
		if s.last == 0 {
			s.hash = hash
			return s
		}
		if s.hash == hash && bytes.Equal(n.text[s.at:s.at+s.size], key) {
			return s
		}
	}
}

// put makes a node the last of a key, whose slot is s.
func (n *numbering) put(s *keyed, key []byte, k id) {
	if s.last == 0 {
		s.at, s.size = uint32(len(n.text)), uint32(len(key))
		n.text = append(n.text, key...)
		n.used++
	}
	s.last = k
	if 4*n.used > 3*len(n.slots) {
		n.grow()
	}
}

// grow doubles the slots.
func (n *numbering) grow() {
	old := n.slots
	n.slots = make([]keyed, 2*len(old))
	for _, s := range old {
		if s.last == 0 {
			continue
		}
		i := s.hash & uint32(len(n.slots)-1)
		for n.slots[i].last != 0 {
			i = (i + 1) & uint32(len(n.slots)-1)
		}
		n.slots[i] = s
	}
}
