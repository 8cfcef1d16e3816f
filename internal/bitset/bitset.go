// Package bitset has sets of small numbers: a bit for each number from 0 on, 64
// in a word, so that sets are united, cut and counted a word at a time.
//
// A set has room for the numbers that it was made for and does not grow: one
// set of the instructions of a module of 20,000 takes 2.5 KiB, and asking it is
// a shift. A map would do for the few, but the analyses ask for each operand of
// each instruction.
package bitset

import (
	"iter"
	"math/bits"
)

// Set is a set of numbers, which say what they number: instructions, nodes.
type Set[N ~int | ~int32] []uint64

// New returns an empty set with room for the numbers below n.
func New[N ~int | ~int32](n int) Set[N] { return make(Set[N], (n+63)/64) }

// Rows returns count empty sets in one piece of memory.
func Rows[N ~int | ~int32](count, n int) []Set[N] {
	words := (n + 63) / 64
	all, rows := make(Set[N], count*words), make([]Set[N], count)
	for i := range rows {
		rows[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return rows
}

// Table is many sets in one piece of memory, without a word for each of them: of a million
// sets with no room in them nothing is left.
type Table[N ~int | ~int32] struct {
	all  Set[N]
	size int // words of a set
}

// NewTable returns count empty sets.
func NewTable[N ~int | ~int32](count, n int) Table[N] {
	words := (n + 63) / 64
	return Table[N]{make(Set[N], count*words), words}
}

// At returns set i.
func (t Table[N]) At(i int) Set[N] { return t.all[i*t.size:][:t.size:t.size] }

// Clear empties all sets.
func (t Table[N]) Clear() { clear(t.all) }

// Room returns for how many numbers, 64 at least, so many sets have room in so many
// bytes.
func Room(bytes, sets int) int { return max(bytes/8/max(sets, 1), 1) * 64 }

// Add puts i into the set.
func (s Set[N]) Add(i N) { s[i>>6] |= 1 << (i & 63) }

// Remove takes i out of the set.
func (s Set[N]) Remove(i N) { s[i>>6] &^= 1 << (i & 63) }

// Has reports whether i is in the set.
func (s Set[N]) Has(i N) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Join adds the members of t, a set for as many numbers.
func (s Set[N]) Join(t Set[N]) {
	for i, w := range t {
		s[i] |= w
	}
}

// Keep takes out what is not in t, a set for as many numbers.
func (s Set[N]) Keep(t Set[N]) {
	for i := range s {
		s[i] &= t[i]
	}
}

// Len returns the number of members.
func (s Set[N]) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All goes through the members, ascending.
func (s Set[N]) All(yield func(N) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(N(i<<6 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// Differ goes through the numbers that only one of s and t has, sets for as many.
func (s Set[N]) Differ(t Set[N]) iter.Seq[N] {
	return func(yield func(N) bool) {
		for i, w := range s {
			for w ^= t[i]; w != 0; w &= w - 1 {
				if !yield(N(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
