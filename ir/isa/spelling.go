package isa

import (
	"slices"
	"strings"
)

// Spellings returns opcodes of the form that together use each alternative of
// each slot: with the required slots alone, with all slots, and both with each
// alternative in turn. Some may be opcodes of another row, too: a tool that
// needs this row's has to compare Inst.Form.
func (f *Form) Spellings() []string {
	var all []string
	for _, optional := range []bool{false, true} {
		first := f.first(optional)
		all = append(all, f.spell(first))
		for s := range f.slots {
			if f.slots[s].optional && !optional {
				continue
			}
			for alt := 1; alt < len(f.slots[s].alts); alt++ {
				all = append(all, f.spell(func(u int) int {
					if u == s {
						return alt
					}
					return first(u)
				}))
			}
		}
	}
	return all
}

// first chooses each slot's first alternative, of optional slots if they are asked
// for.
func (f *Form) first(optional bool) func(slot int) int {
	return func(s int) int {
		if f.slots[s].optional && !optional {
			return -1
		}
		return 0
	}
}

// spell writes an opcode with the alternative of each slot that choose says, -1
// for none.
func (f *Form) spell(choose func(slot int) int) string {
	words := []string{f.Op.String()}
	for s := range f.slots {
		if alt := choose(s); alt >= 0 {
			words = append(words, f.slots[s].alts[alt].text)
		}
	}
	return strings.Join(words, ".")
}

// AllSpellings returns all opcodes of the form, but where there are more than
// limit only so many that each pair of alternatives of two slots stands together
// in some, the other slots being left out or taking their first alternative. As
// with Spellings, some may be opcodes of another row.
func (f *Form) AllSpellings(limit int) []string {
	product := 1
	for s := range f.slots {
		product *= len(f.choices(s))
		if product > limit {
			return slices.DeleteFunc(f.pairs(), tooWide)
		}
	}
	all := []string{}
	chosen := make([]int, len(f.slots))
	for range product {
		all = append(all, f.spell(func(s int) int { return f.choices(s)[chosen[s]] }))
		for s := range chosen { // the next combination, as one counts
			if chosen[s]++; chosen[s] < len(f.choices(s)) {
				break
			}
			chosen[s] = 0
		}
	}
	return slices.DeleteFunc(all, tooWide)
}

// tooWide reports whether an opcode has a vector length and a type that do not go
// together; see widestVector.
func tooWide(opcode string) bool {
	in := Inst{Vec: 1}
	for _, w := range strings.Split(opcode, ".") {
		if n, ok := roleValue(roleVec, w); ok {
			in.Vec = n
		} else if t := ParseType(w); t != NoType && in.Types[0] == NoType {
			in.Types[0] = t
		}
	}
	return in.vectorBits() > widestVector
}

// choices are what a slot may take: each alternative, or -1 for none.
func (f *Form) choices(s int) []int {
	var list []int
	if f.slots[s].optional {
		list = append(list, -1)
	}
	for alt := range f.slots[s].alts {
		list = append(list, alt)
	}
	return list
}

// pairs spells every two choices of every two slots.
func (f *Form) pairs() (all []string) {
	seen := map[string]bool{}
	for s := range f.slots {
		for u := range s {
			for i := range f.choices(s) {
				for k := range f.choices(u) {
					others := map[int]int{s: i, u: k} // the first choice of all that are not in it
					text := f.spell(func(slot int) int { return f.choices(slot)[others[slot]] })
					if !seen[text] {
						seen[text] = true
						all = append(all, text)
					}
				}
			}
		}
	}
	return all
}
