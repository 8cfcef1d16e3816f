package parser

// A tree has a node in every four bytes of compiled code, and what allocating
// and later marking each of them costs is a third of parsing. Nodes of one kind
// therefore lie together in blocks. The price is that one node that is kept
// keeps its block; trees live and die as a whole, so that costs nothing.

// Lists of operands grow within a block, too, and must stay in one piece while
// they do. In "mma.sync... {%f1, %f2}, {%r1, %r2}, ..." the statement's list is
// not complete when the first vector's begins. Lists that are open at the same
// time therefore lie in different blocks, one for each level of nesting, and there
// are only three: operands, their elements, and a vector within an address.

// slab hands out nodes from blocks of memory, so that a body of n statements
// costs n/500 allocations and not 10 n.
type slab struct {
	exprs        []Expr
	operands     [3][]Operand
	instructions []Instruction
	labels       []LabelStmt
	locs         []LocDirective
	guards       []Guard
	// nodes counts what was handed out; maxNodes caps it.
	nodes int
	most  int // mostPerBlock if that is more
}

// The first block of a slab holds few elements, since most functions are
// short, and each further one twice as many, up to a limit. Of a slab that is used
// again the largest blocks stay, and hold most bodies at once.
const leastPerBlock, mostPerBlock, mostAgain = 4, 256, 8192

// reset makes all nodes of the last blocks free.
func (s *slab) reset() {
	s.nodes, s.most = 0, mostAgain
	free(&s.exprs)
	for i := range s.operands {
		free(&s.operands[i])
	}
	free(&s.instructions)
	free(&s.labels)
	free(&s.locs)
	free(&s.guards)
}

func free[T any](block *[]T) {
	clear(*block)
	*block = (*block)[:0]
}

// room gives a list with a place for one more: twice as large where it is full, since
// append leaves four times a long list behind.
func room[T any](list []T) []T {
	if len(list) == cap(list) {
		list = append(make([]T, 0, max(2*len(list), 8)), list...)
	}
	return list
}

// take gives the next n elements of a block, from a fresh and larger block
// when this one is used up.
func take[T any](s *slab, block *[]T, n int) []T {
	s.nodes += n
	if len(*block)+n > cap(*block) {
		*block = make([]T, 0, max(n, min(max(mostPerBlock, s.most), max(leastPerBlock, 2*cap(*block)))))
	}
	k := len(*block)
	*block = (*block)[:k+n]
	return (*block)[k : k+n : k+n]
}

func (s *slab) expr() *Expr               { return &take(s, &s.exprs, 1)[0] }
func (s *slab) instruction() *Instruction { return &take(s, &s.instructions, 1)[0] }
func (s *slab) label() *LabelStmt         { return &take(s, &s.labels, 1)[0] }
func (s *slab) loc() *LocDirective        { return &take(s, &s.locs, 1)[0] }
func (s *slab) guard() *Guard             { return &take(s, &s.guards, 1)[0] }

// operandList is a list of operands in the making, at the end of a slab's
// block for its level: operands of a statement, elements of those, elements of
// a vector in an address. A list is complete before another of its level
// begins, so that each grows in place.
type operandList struct {
	block *[]Operand
	base  int // where the list starts in the block
}

func (s *slab) list(level int) operandList {
	return operandList{block: &s.operands[level], base: len(s.operands[level])}
}

// add appends an operand; the pointer holds until the next add.
func (l *operandList) add(s *slab) *Operand {
	s.nodes++
	b := *l.block
	if len(b) == cap(b) {
		open := b[l.base:]
		b = make([]Operand, len(open), max(2*len(open), min(max(mostPerBlock, s.most), max(leastPerBlock, 2*cap(b)))))
		copy(b, open)
		l.base = 0
	}
	b = b[:len(b)+1]
	*l.block = b
	return &b[len(b)-1]
}

// done gives the list; nil when it is empty.
func (l *operandList) done() []Operand {
	b := *l.block
	if len(b) == l.base {
		return nil
	}
	return b[l.base:len(b):len(b)]
}
