package ir

// slab hands out short slices from long ones: a module has tens of thousands
// of operand lists, and one allocation each would dominate lowering. The lists live as
// long as the module, but for those that free takes back.
type slab struct {
	ops      []Operand
	rarities []rarity
	regs     []RegID
	// syms are those of one function's names, members the places of ranges for them: both are
	// of use only while its body is read.
	syms    []symbol
	members []*symbol
	// All of the present blocks that may be taken back.
	allOps      []Operand
	allRarities []rarity
	allRegs     []RegID
}

// keep says that what was taken is of use for good.
func (s *slab) keep() { s.allOps, s.allRarities, s.allRegs = s.ops, s.rarities, s.regs }

// free takes back what was taken since keep; of several blocks the last is used again.
func (s *slab) free() {
	clear(s.allOps[:len(s.allOps)-len(s.ops)])
	s.ops, s.rarities, s.regs = s.allOps, s.allRarities, s.allRegs
}

const slabSize, largestSlab = 1024, 16384

// operands returns n zero operands.
func (s *slab) operands(n int) []Operand {
	if n > len(s.ops) {
		s.ops = make([]Operand, max(n, slabSize, min(2*len(s.allOps), largestSlab)))
		s.allOps = s.ops
	}
	ops := s.ops[:n:n]
	s.ops = s.ops[n:]
	return ops
}

// rarity returns a place for what few operands have.
func (s *slab) rarity(r rarity) *rarity {
	if len(s.rarities) == 0 {
		s.rarities = make([]rarity, max(slabSize/8, min(2*len(s.allRarities), largestSlab)))
		s.allRarities = s.rarities
	}
	at := &s.rarities[0]
	s.rarities = s.rarities[1:]
	*at = r
	return at
}

// registers returns a copy of two lists behind each other.
func (s *slab) registers(first, second []RegID) []RegID {
	n := len(first) + len(second)
	if n == 0 {
		return nil
	}
	if n > len(s.regs) {
		s.regs = make([]RegID, max(n, slabSize, min(2*len(s.allRegs), largestSlab)))
		s.allRegs = s.regs
	}
	to := s.regs[:n:n]
	s.regs = s.regs[n:]
	copy(to[copy(to, first):], second)
	return to
}

// room returns list with a place for one more: twice as large where it is full, since
// what append leaves behind of a long list is four times the list.
func room[T any](list []T) []T {
	if len(list) == cap(list) {
		list = append(make([]T, 0, max(2*len(list), 8)), list...)
	}
	return list
}

// forgetNames makes all places of names free.
func (s *slab) forgetNames() {
	s.syms = s.syms[:0]
	clear(s.members)
	s.members = s.members[:0]
}

// grown returns a range's places with room for n, and for as many again where that is cheap.
func (s *slab) grown(members []*symbol, n int) []*symbol {
	if n <= cap(members) {
		return members[:n]
	}
	room := max(2*n, slabSize/16)
	if len(s.members)+room > cap(s.members) {
		s.members = make([]*symbol, 0, max(room, slabSize, min(2*cap(s.members), largestSlab)))
	}
	at := len(s.members)
	s.members = s.members[:at+room]
	to := s.members[at : at+n : at+room]
	copy(to, members)
	return to
}

// symbol returns sym in a place that lasts as long as its function's body is read.
func (s *slab) symbol(sym symbol) *symbol {
	if len(s.syms) == cap(s.syms) {
		s.syms = make([]symbol, 0, max(slabSize/8, min(2*cap(s.syms), largestSlab)))
	}
	s.syms = append(s.syms, sym)
	return &s.syms[len(s.syms)-1]
}
