package ir

import (
	"strconv"
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// scope is a block in braces with the names declared in it; the outermost one
// of a function holds the formal parameters, too, and its parent is the
// module's.
//
// Compilers declare registers by the thousand (.reg .b32 %r<5000>) and use a
// part of them, so such a declaration is kept as a range. A member becomes a
// symbol, and gets a register, when it is first used: the registers of a
// function are those that its instructions name.
type scope struct {
	parent *scope
	names  map[string]*symbol
	// ranges are the declarations name<N>, by the name without its trailing
	// digits; their members become symbols when they are used. rangeAt finds them.
	ranges  []stemRanges
	rangeAt map[string]int
	labels  map[string]*label
	// recent are the stems that were looked up last, by their last letters: an instruction names
	// what those before it named, and to compare two short words takes less than to hash one.
	recent [32]recentStem
}

// recentStem is a stem and its place in ranges. only is its range where it has one, of which it
// is the prefix, as nearly all have.
type recentStem struct {
	stem string
	word uint64 // the stem's
	at   int
	only *regRange
}

// is says whether it is the one of a stem with that word.
func (r *recentStem) is(stem string, word uint64) bool {
	return r.word == word && len(r.stem) == len(stem) && (len(stem) <= 8 || r.stem == stem)
}

// wordOf are the last eight letters of a stem as a number: all of most.
func wordOf(stem string) (word uint64) {
	for i := range len(stem) {
		word = word<<8 | uint64(stem[i])
	}
	return word
}

// stemRanges are the ranges of one stem.
type stemRanges struct {
	stem string
	of   []regRange
}

// rangesOf returns the ranges of a stem in this very scope.
func (s *scope) rangesOf(stem string) []regRange {
	if i := s.stemAt(stem); i >= 0 {
		return s.ranges[i].of
	}
	return nil
}

// stemAt returns where a stem stands in ranges, -1 if it does not.
func (s *scope) stemAt(stem string) int {
	if len(s.ranges) == 0 {
		return -1
	}
	word := wordOf(stem)
	recent := &s.recent[word%uint64(len(s.recent))]
	if stem != "" && recent.is(stem, word) {
		return recent.at
	}
	i, ok := s.rangeAt[stem]
	if !ok {
		return -1
	}
	*recent = recentStem{stem: stem, word: word, at: i}
	if of := s.ranges[i].of; len(of) == 1 && len(of[0].prefix) == len(stem) {
		recent.only = &of[0]
	}
	return i
}

// member returns the range that declares name in this very scope, and as which member, where a
// stem like its was looked up a moment ago, the usual case; nil says nothing.
func (s *scope) member(name string) (r *regRange, member int) {
	end, n := split(name)
	word := wordOf(name[:end])
	recent := &s.recent[word%uint64(len(s.recent))]
	if r := recent.only; r != nil && recent.is(name[:end], word) && n >= 0 && uint64(n) < r.n {
		return r, n
	}
	return nil, 0
}

// symbol is what a name stands for: one of regs, v and fn is set.
type symbol struct {
	pos parser.Pos
	// regs are a register, or the components of a vector register.
	regs []RegID
	v    *Var
	fn   *Func
}

// regRange is .reg name<n>: registers prefix0 .. prefix(n-1).
type regRange struct {
	pos    parser.Pos
	prefix string
	n      uint64
	typ    isa.Type
	vec    int
	// members are the symbols of the first ones, by number, nil for those that are not
	// named so far; used counts them. Those of others stand among the scope's names.
	members []*symbol
	used    uint64
	apart   int // members that stand among the scope's names
}

// atOnce is how many members of a range have a place by number before any is named.
const atOnce = 64

// enter notes the symbol of member i if there is a place for it. Places are made for four
// times those that are named, since compilers number registers from 0 on; and, as they
// do not name them in that order, for spare members beyond that, of all ranges.
func (r *regRange) enter(i uint64, sym *symbol, spare *uint64, from *slab) bool {
	if n := uint64(len(r.members)); i >= n {
		if most := atOnce + 4*r.used; i >= most {
			more := i + 1 - max(most, n)
			if more > *spare {
				return false
			}
			*spare -= more
		}
		r.members = from.grown(r.members, int(i+1))
	}
	r.members[i] = sym
	r.used++
	return true
}

// newScope returns an empty scope within parent. Its maps for ranges and labels
// are made when they are needed: most scopes have neither.
func newScope(parent *scope) *scope {
	return &scope{parent: parent, names: make(map[string]*symbol)}
}

// split returns where the digits begin in which name ends, and the number that they are
// as the member of a range has it; -1 if they are none, or too many for this.
func split(name string) (end, number int) {
	end, number = len(name), 0
	for power := 1; end > 0; end-- {
		d := int(name[end-1]) - '0'
		if d < 0 || d > 9 {
			break
		}
		number += d * power
		power *= 10
	}
	switch digits := len(name) - end; {
	case digits == 0, digits > 18, digits > 1 && name[end] == '0':
		return end, -1
	}
	return end, number
}

// stem returns name without its trailing digits.
func stem(name string) string {
	end := len(name)
	for end > 0 && name[end-1] >= '0' && name[end-1] <= '9' {
		end--
	}
	return name[:end]
}

// covers reports whether r declares name, and as which of its members.
func (r *regRange) covers(name string) (member uint64, ok bool) {
	if len(name) <= len(r.prefix) || name[:len(r.prefix)] != r.prefix {
		return 0, false
	}
	digits := name[len(r.prefix):]
	if digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	i, ok := number(digits)
	return i, ok && i < r.n
}

// number reads a number of decimal digits alone that fits into 64 bits.
func number(digits string) (n uint64, ok bool) {
	if len(digits) > 19 { // the longest of which every one fits
		n, err := strconv.ParseUint(digits, 10, 64)
		return n, err == nil
	}
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = 10*n + uint64(d)
	}
	return n, len(digits) > 0
}

// overlaps reports whether r and o declare a name both. The shorter prefix
// plus some digits must give the longer one; the smallest shared name is then
// the longer range's number 0.
func (r *regRange) overlaps(o *regRange) bool {
	if r.n == 0 || o.n == 0 {
		return false
	}
	if len(r.prefix) > len(o.prefix) {
		r, o = o, r
	}
	if !strings.HasPrefix(o.prefix, r.prefix) {
		return false
	}
	_, ok := r.covers(o.prefix + "0")
	return ok
}

// declared returns the place where name is declared in this very scope.
func (s *scope) declared(name string) (parser.Pos, bool) {
	if sym := s.names[name]; sym != nil {
		return sym.pos, true
	}
	if r, _ := s.rangeOf(name); r != nil {
		return r.pos, true
	}
	return parser.Pos{}, false
}

// has reports whether name is declared in this very scope.
func (s *scope) has(name string) bool {
	_, ok := s.declared(name)
	return ok
}

// rangeOf returns the range of this very scope that declares name, nil without one,
// and as which member.
func (s *scope) rangeOf(name string) (r *regRange, member uint64) {
	if len(s.ranges) == 0 {
		return nil, 0
	}
	end, n := split(name)
	rs := s.rangesOf(name[:end])
	for i := range rs {
		if len(rs[i].prefix) == end && n >= 0 && uint64(n) < rs[i].n {
			return &rs[i], uint64(n)
		}
		if member, ok := rs[i].covers(name); ok {
			return &rs[i], member
		}
	}
	return nil, 0
}

// conflict returns the place of a declaration in this very scope that shares a
// name with r.
func (s *scope) conflict(r *regRange) (parser.Pos, bool) {
	key := stem(r.prefix)
	for _, other := range s.rangesOf(key) {
		if other.overlaps(r) {
			return other.pos, true
		}
	}
	// Either side of the comparison may be huge; walk the smaller one.
	if r.n <= uint64(len(s.names)) {
		for i := range r.n {
			if sym := s.names[r.prefix+strconv.FormatUint(i, 10)]; sym != nil {
				return sym.pos, true
			}
		}
		return parser.Pos{}, false
	}
	first, found := parser.Pos{}, false
	for name, sym := range s.names { // in any order: the first in the text is said
		if _, ok := r.covers(name); ok && (!found || earlier(sym.pos, first)) {
			first, found = sym.pos, true
		}
	}
	return first, found
}

// earlier reports whether a stands before b in the text.
func earlier(a, b parser.Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

// addRange declares r, which must not conflict.
func (s *scope) addRange(r regRange) {
	key := stem(r.prefix)
	i := s.stemAt(key)
	if i < 0 {
		i = len(s.ranges)
		s.ranges = append(s.ranges, stemRanges{stem: key})
		if s.rangeAt == nil {
			s.rangeAt = make(map[string]int)
		}
		s.rangeAt[key] = i
	}
	s.ranges[i].of = append(s.ranges[i].of, r)
	s.recent = [len(s.recent)]recentStem{}
}
