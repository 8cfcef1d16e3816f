package traffic

import "math/bits"

// To mark the bytes of every request in the footprint would take longer than all
// the rest of counting it. So a cost only notes the sector where each of its
// requests begins, one bit, and the bytes are marked once for each place, when
// the cost is forgotten or all is over: the weights that every CTA of a layer
// reads are marked once, not once a CTA.

// starts are the sectors at which requests of one cost have begun since their
// bytes were last added to the footprint.
type starts struct {
	// page is the one of pages that was used last, key its number.
	page  *startPage
	key   uint64
	first uint64 // the first one
	any   bool
	// pages are the others.
	pages map[uint64]*startPage
}

// startPage has a bit for each sector of a mebibyte.
type startPage [1 << (startPageBits - 6)]uint64

const startPageBits = 15

// note notes where a request begins.
func (n *Counter) note(s *starts, sector uint64) {
	if s.page == nil || sector>>startPageBits != s.key {
		if !s.any {
			s.any, s.first = true, sector
		}
		if sector == s.first {
			return
		}
		n.turn(s, sector>>startPageBits)
	}
	s.page[sector>>6%uint64(len(s.page))] |= 1 << (sector & 63)
}

// turn makes another page the one in use.
func (n *Counter) turn(s *starts, key uint64) {
	p := s.pages[key]
	if p == nil {
		if k := len(n.pages); k > 0 {
			p, n.pages = n.pages[k-1], n.pages[:k-1]
		} else {
			p = new(startPage)
		}
		if s.pages == nil {
			s.pages = map[uint64]*startPage{}
		}
		s.pages[key] = p
	}
	s.page, s.key = p, key
}

// flush adds a cost's requests to their sums, and their bytes to the footprint.
func (n *Counter) flush(c *Cost, into *marked) error {
	n.settle(c)
	s := &c.starts
	if !s.any {
		return nil
	}
	if err := into.touch(c, s.first); err != nil {
		return err
	}
	for key, p := range s.pages {
		for i, word := range p {
			for ; word != 0; word &= word - 1 {
				if err := into.touch(c, key<<startPageBits+uint64(i*64+bits.TrailingZeros64(word))); err != nil {
					return err
				}
			}
		}
		*p = startPage{}
		n.pages = append(n.pages, p)
	}
	clear(s.pages)
	s.any, s.page = false, nil
	return nil
}
