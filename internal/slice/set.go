package slice

import (
	"iter"

	"hyptx/internal/bitset"
	"hyptx/ir"
)

// Set is a set of instructions of one module. It has room for a range of them, which is
// what a kernel and the functions that it calls lie in: a module may have a hundred
// thousand kernels, each of which has sets of its own. None beyond the range is in it.
type Set struct {
	first ir.PC // a multiple of 64
	bits  bitset.Set[ir.PC]
}

// NewSet returns an empty set for a module of n instructions.
func NewSet(n int) Set { return Set{bits: bitset.New[ir.PC](n)} }

// NewSetOf returns an empty set for some functions' instructions.
func NewSetOf(funcs []*ir.Func) Set {
	if len(funcs) == 0 {
		return Set{}
	}
	first, end := funcs[0].First, funcs[0].End
	for _, f := range funcs {
		first, end = min(first, f.First), max(end, f.End)
	}
	first &^= 63
	return Set{first, bitset.New[ir.PC](int(end - first))}
}

// Add puts an instruction into the set.
func (s Set) Add(pc ir.PC) { s.bits.Add(pc - s.first) }

// Remove takes an instruction out of the set.
func (s Set) Remove(pc ir.PC) { s.bits.Remove(pc - s.first) }

// Keep takes out what is not in t, a set for the same functions.
func (s Set) Keep(t Set) { s.bits.Keep(t.bits) }

// Has reports whether an instruction is in the set.
func (s Set) Has(pc ir.PC) bool {
	at := pc - s.first
	return at >= 0 && int(at>>6) < len(s.bits) && s.bits.Has(at)
}

// Len returns how many instructions are in the set.
func (s Set) Len() int { return s.bits.Len() }

// All goes through the set, in the order of the text.
func (s Set) All() iter.Seq[ir.PC] {
	return func(yield func(ir.PC) bool) {
		for pc := range s.bits.All {
			if !yield(pc + s.first) {
				return
			}
		}
	}
}
