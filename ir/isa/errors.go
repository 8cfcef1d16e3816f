package isa

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/spelling"
)

// What is said of an opcode that is none is meant for whoever wrote it: the first
// word that does not fit, what would have fitted there, or what is missing. A
// generator of PTX is usually one word off, so the rows that take the most of the
// others are asked what they would take besides; a mistyped opcode is compared
// with all that there are.

// DecodeError is why an opcode is none.
type DecodeError struct {
	// Offset is where in the opcode the offending word starts, in bytes; 0 for
	// the opcode itself.
	Offset int
	msg    string
}

func (e *DecodeError) Error() string { return e.msg }

// errorf returns an error at a word of the opcode split at dots, 0 for all of it.
func (q *query) errorf(word int, format string, args ...any) *DecodeError {
	offset := 0
	for _, w := range q.words[:word] {
		offset += len(w) + 1
	}
	return &DecodeError{offset, fmt.Sprintf(format, args...)}
}

func unknownOpcode(word string) *DecodeError {
	msg := fmt.Sprintf("unknown opcode %q", word)
	if near := nearestOp(word); near != "" {
		msg += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return &DecodeError{msg: msg}
}

// illegalModifier says that the word is no modifier of the operation, and what was
// meant, or what would have been one.
func (q *query) illegalModifier(t *isaTable, word int) *DecodeError {
	text := q.words[word]
	if text == "" {
		return q.errorf(word, "%s: a modifier is missing between the dots", q.opcode)
	}
	tokens := make([]Mod, 0, len(q.words))
	for i, w := range q.words[q.first:] {
		if m, ok := t.mods.lookup(w); ok && q.first+i != word {
			tokens = append(tokens, m)
		}
	}
	names, section := allowed(t.of(q.op), tokens)
	if kind := kindOf(text); kind == otherSlot {
		if near := nearestName("."+text, names); near != "" {
			return q.errorf(word, "illegal modifier .%s for %s (did you mean %s?)%s", text, q.op, near, section)
		}
	} else { // a type, spelled right: which ones there are
		names = slices.DeleteFunc(names, func(name string) bool { return kindOf(name[1:]) != kind })
	}
	if len(names) == 0 {
		return q.errorf(word, "illegal modifier .%s for %s%s", text, q.op, section)
	}
	return q.errorf(word, "illegal modifier .%s for %s (allowed here: %s)%s", text, q.op, shortList(names), section)
}

// allowed lists what else the forms that take the most of tokens would take, and where
// the manual has the first of them.
func allowed(forms []*Form, tokens []Mod) (names []string, section string) {
	most := -1
	for _, f := range forms {
		fit := f.fit(tokens)
		if fit.placed < most {
			continue
		}
		if fit.placed > most {
			most, names, section = fit.placed, nil, f.section()
		}
		for s := range f.slots {
			if fit.filled&(1<<s) == 0 {
				names = f.slots[s].appendNames(names)
			}
		}
	}
	return names, section
}

// section says where the manual has the form.
func (f *Form) section() string { return " (PTX ISA " + f.Section + ")" }

// maxNames is how many modifiers a message lists.
const maxNames = 14

// shortList joins names, but those that are too many.
func shortList(names []string) string {
	if n := len(names) - maxNames; n > 1 {
		return strings.Join(names[:maxNames], " ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, " ")
}

// nearestName returns the name that is a letter or two away from word, "" if none is.
func nearestName(word string, names []string) string {
	near, least := "", min(3, max(2, len(word)/2)) // of .rm two letters make anything
	for _, name := range names {
		if d := spelling.Distance(word, name); d < least {
			near, least = name, d
		}
	}
	return near
}

func (s *slot) appendNames(names []string) []string {
	for _, a := range s.alts {
		if name := "." + a.text; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// explain says why no form of the operation takes the modifiers.
func (q *query) explain(t *isaTable) *DecodeError {
	forms := t.of(q.op)
	for i, m := range q.tokens {
		if !slices.ContainsFunc(forms, func(f *Form) bool { return f.takes(m) }) {
			return q.illegalModifier(t, q.first+i)
		}
	}
	if err := q.missing(forms); err != nil {
		return err
	}
	if err := q.conflict(forms); err != nil {
		return err
	}
	var near *Form
	var nearFit fit
	for _, f := range forms {
		fit := f.fit(q.tokens)
		if near == nil || fit.placed > nearFit.placed || fit.placed == nearFit.placed && fit.missed < nearFit.missed {
			near, nearFit = f, fit
		}
	}
	stray := max(nearFit.stray, 0)
	return q.errorf(q.first+stray, "%s: .%s cannot be combined with the other modifiers; the nearest form is %s%s",
		q.opcode, q.words[q.first+stray], near.Syntax, near.section())
}

// conflict says of two modifiers that no form takes both: what the forms of one of them
// have in the place of the other; of all such pairs the one that says the most.
func (q *query) conflict(forms []*Form) *DecodeError {
	var best *DecodeError
	least := 0
	const types = 1000 // what a modifier says of types is told rather than the reverse
	for i, m := range q.tokens {
		having := slices.DeleteFunc(slices.Clone(forms), func(f *Form) bool { return !f.takes(m) })
		for k, n := range q.tokens {
			if i == k || slices.ContainsFunc(having, func(f *Form) bool { return f.takes(n) }) {
				continue
			}
			one, other := q.words[q.first+i], q.words[q.first+k]
			names := inPlaceOf(n, forms, having)
			cost := len(names)
			if kindOf(one) == typeSlot {
				cost += types
			}
			switch {
			case len(names) > 0 && (least == 0 || cost < least):
				least = cost
				best = q.errorf(q.first+i, "%s: .%s takes %s, not .%s%s", q.opcode, one, shortList(names), other, having[0].section())
			case best == nil && i > k:
				best = q.errorf(q.first+i, "%s: .%s and .%s exclude each other%s", q.opcode, other, one, having[0].section())
			}
		}
	}
	return best
}

// inPlaceOf lists what some forms have in the slot that m has in others.
func inPlaceOf(m Mod, all, some []*Form) (names []string) {
	for _, f := range all {
		for i := range f.slots {
			if f.slots[i].accepts(m) < 0 {
				continue
			}
			for _, g := range some {
				for k := range g.slots {
					if s := &g.slots[k]; s.name == f.slots[i].name || s.kind == f.slots[i].kind && s.kind != otherSlot {
						names = s.appendNames(names)
					}
				}
			}
		}
	}
	return names
}

// takes reports whether a slot of f takes m.
func (f *Form) takes(m Mod) bool {
	return slices.ContainsFunc(f.slots, func(s slot) bool { return s.accepts(m) >= 0 })
}

// missing says what is missing, if some form takes all modifiers there are:
// of those forms the ones that miss the fewest count, and rather those that
// have their types.
func (q *query) missing(forms []*Form) *DecodeError {
	least := 2 * maxSlots
	var names []string
	noun, section := "", ""
	for _, f := range forms {
		fit := f.fit(q.tokens)
		if fit.stray >= 0 {
			continue
		}
		s := &f.slots[fit.missing]
		cost := 2 * fit.missed
		if s.kind == typeSlot {
			cost++
		}
		if cost > least {
			continue
		}
		if cost < least {
			least, names, noun, section = cost, nil, s.noun(), f.section()
		}
		if noun != s.noun() {
			noun = "a modifier"
		}
		names = s.appendNames(names)
	}
	if names == nil {
		return nil
	}
	list := shortList(names)
	if noun != "" {
		list = noun + ": " + list
	}
	return q.errorf(0, "%s needs %s%s", q.opcode, list, section)
}

// nearestOp returns the opcode that is at most two edits away from word, the
// nearest one; "" if there is none.
func nearestOp(word string) string {
	word = strings.ToLower(word)
	near, least, prefix := "", 3, 0
	for _, o := range operations {
		if o == nil {
			continue
		}
		name, _, _ := strings.Cut(o.name, ".")
		d, p := spelling.Distance(word, name), commonPrefix(word, name)
		if d < len(name) && (d < least || d == least && near != "" && p > prefix) {
			near, least, prefix = name, d, p
		}
	}
	return near
}

// commonPrefix returns how many bytes two words begin with alike.
func commonPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
