package isa

import "strings"

// Spellings returns opcodes of the form that together use each alternative of
// each slot: with the required slots alone, with all slots, and both with each
// alternative in turn. Some may be opcodes of another row, too: a tool that
// needs this row's has to compare Inst.Form.
func (f *Form) Spellings() []string {
	var all []string
	for _, optional := range []bool{false, true} {
		all = append(all, f.spell(optional, -1, 0))
		for s := range f.slots {
			if f.slots[s].optional && !optional {
				continue
			}
			for alt := 1; alt < len(f.slots[s].alts); alt++ {
				all = append(all, f.spell(optional, s, alt))
			}
		}
	}
	return all
}

// spell writes an opcode with alternative alt in slot at, the first one in the
// others.
func (f *Form) spell(optional bool, at, alt int) string {
	words := []string{f.Op.String()}
	for s := range f.slots {
		sl := &f.slots[s]
		if sl.optional && !optional {
			continue
		}
		i := 0
		if s == at {
			i = alt
		}
		words = append(words, sl.alts[i].text)
	}
	return strings.Join(words, ".")
}
