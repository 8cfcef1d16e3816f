package stream

import (
	"slices"
	"sync"
)

// Cell is a sector of a request: its number, counted from somewhere (modulo
// 2^64), and which of its bytes are touched.
type Cell struct {
	Sector uint64
	Bytes  uint32
}

// maxShapeWords bounds what the shapes of a launch take: 16 MiB. What does not
// fit stands in the streams themselves.
const maxShapeWords = 1 << 21

// Shapes are the requests of a launch but for where they begin. A kernel has
// few: its warps differ in where they read more than in how. So a stream has
// one word for a shape, and a cache can recognise a request that it has just
// answered by two words.
//
// A shape is found by its contents, so the numbers depend on who asked first;
// what they stand for does not. Workers that emulate at the same time share a
// launch's shapes.
type Shapes struct {
	mu    sync.Mutex
	table []int32 // open addressing: a shape's number + 1
	known View
	most  int // words
	fresh []Word
}

// shape is a part of View.words: a word for each block, its distance from the
// first one and its sectors, as in a request. With masks, each is followed by
// these.
type shape struct{ first, end, sectors, blocks int32 }

// NewShapes returns a table without shapes.
func NewShapes() *Shapes { return &Shapes{table: make([]int32, 1<<10), most: maxShapeWords} }

// View is what of the shapes was known at some time. It stays valid while
// others come.
type View struct {
	list  []shape
	words []Word
}

// View returns what is known by now.
func (s *Shapes) View() View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// Shape returns the words of a shape.
func (v *View) Shape(n uint32) []Word {
	s := v.list[n]
	return v.words[s.first:s.end]
}

// Size returns how many sectors and blocks a shape has.
func (v *View) Size(n uint32) (sectors, blocks uint32) {
	s := v.list[n]
	return uint32(s.sectors), uint32(s.blocks)
}

// MaskWords are the words behind a block of a StorePart.
const MaskWords = BlockSectors / 2

// Masks are these words: the bytes of each of the block's sectors that are
// written, two sectors a word, the lower one in the low half.
type Masks [MaskWords]Word

// Sector returns the bytes of a sector.
func (m *Masks) Sector(n uint) uint32 { return uint32(m[n/2] >> (n % 2 * 32)) }

// find returns the number of the shape of a request; ok is false if it is new
// and there is no room left.
func (s *Shapes) find(cells []Cell, masked bool, from uint64) (number uint32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh = appendShape(s.fresh[:0], cells, masked, from)
	last := uint64(len(s.table) - 1)
	at := hash(s.fresh) & last
	for ; s.table[at] != 0; at = (at + 1) & last {
		if n := uint32(s.table[at] - 1); slices.Equal(s.known.Shape(n), s.fresh) {
			return n, true
		}
	}
	if len(s.known.words)+len(s.fresh) > s.most {
		return 0, false
	}
	step := 1
	if masked {
		step += MaskWords
	}
	new := shape{first: int32(len(s.known.words)), sectors: int32(len(cells)), blocks: int32(len(s.fresh) / step)}
	s.known.words = append(s.known.words, s.fresh...)
	new.end = int32(len(s.known.words))
	s.known.list = append(s.known.list, new)
	s.table[at] = int32(len(s.known.list))
	if 2*len(s.known.list) > len(s.table) {
		s.grow()
	}
	return uint32(len(s.known.list) - 1), true
}

// hash looks at four words only; a shape's others seldom differ alone.
func hash(words []Word) uint64 {
	n := len(words)
	h := (uint64(n)*0x9E3779B97F4A7C15 + uint64(words[0])) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>29) + uint64(words[n/2])*0x94D049BB133111EB
	h = (h ^ h>>31) + uint64(words[n-1])*0xD6E8FEB86659FD93
	h = (h ^ h>>29) + uint64(words[n*3/4])*0xA0761D6478BD642F
	return h ^ h>>32
}

// grow makes a table of twice the size.
func (s *Shapes) grow() {
	s.table = make([]int32, 2*len(s.table))
	last := uint64(len(s.table) - 1)
	for n := range s.known.list {
		at := hash(s.known.Shape(uint32(n))) & last
		for s.table[at] != 0 {
			at = (at + 1) & last
		}
		s.table[at] = int32(n + 1)
	}
}

// appendShape appends the words of a shape whose cells come in ascending order
// and whose first block begins at from.
func appendShape(out []Word, cells []Cell, masked bool, from uint64) []Word {
	at, block := -1, uint64(0)
	for _, c := range cells {
		sector := c.Sector - from
		if b := sector / BlockSectors; at < 0 || b != block {
			at, block = len(out), b
			out = append(out, Word(b<<blockShift))
			if masked {
				out = append(out, make([]Word, MaskWords)...)
			}
		}
		in := sector % BlockSectors
		out[at] |= 1 << in
		if masked {
			out[at+1+int(in/2)] |= Word(c.Bytes) << (in % 2 * 32)
		}
	}
	return out
}

// Form is how requests that touch the same cells stand in a stream if they
// begin at the same sector of a block: found once, and written from then on
// without a look at the cells.
type Form struct {
	found bool
	// sectors are those of the one block, 0 if there are several.
	sectors uint8
	// shape is the number of the shape, plus 1; 0 if there was no room for it.
	shape uint32
	// distance is how many blocks the first one lies from that of the sector from
	// which the cells count, reach how many the last one does.
	distance, reach int64
}

// Forms are those of one list of cells: of plain requests, and of stores with
// masks, by the place in its block of the sector from which the cells count.
type Forms [2][BlockSectors]Form

// form returns the form of a request whose cells count from a sector.
func (s *Shapes) form(forms *Forms, cells []Cell, masked bool, base uint64) *Form {
	k := 0
	if masked {
		k = 1
	}
	f := &forms[k][base%BlockSectors]
	if !f.found {
		s.learn(f, cells, masked, base%BlockSectors)
	}
	return f
}

// learn finds a form; at is where in its block the sector lies from which the
// cells count.
func (s *Shapes) learn(f *Form, cells []Cell, masked bool, at uint64) {
	first := int64(cells[0].Sector+at) &^ (BlockSectors - 1)
	last := int64(cells[len(cells)-1].Sector + at)
	*f = Form{found: true, distance: first / BlockSectors, reach: (last &^ (BlockSectors - 1)) / BlockSectors}
	if !masked && last-first < BlockSectors {
		for _, c := range cells {
			f.sectors |= 1 << ((c.Sector + at) % BlockSectors)
		}
		return
	}
	if n, ok := s.find(cells, masked, uint64(first)-at); ok {
		f.shape = n + 1
	}
}
