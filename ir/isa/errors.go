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

// illegalModifier says that the word is no modifier of the operation.
func (q *query) illegalModifier(t *isaTable, word int) *DecodeError {
	if q.words[word] == "" {
		return q.errorf(word, "%s: a modifier is missing between the dots", q.opcode)
	}
	tokens := make([]Mod, 0, len(q.words))
	for i, w := range q.words[q.first:] {
		if m, ok := t.mods.byName[w]; ok && q.first+i != word {
			tokens = append(tokens, m)
		}
	}
	return q.errorf(word, "illegal modifier .%s for %s%s", q.words[word], q.op, allowed(t.byOp[q.op], tokens))
}

// allowed lists what else the forms that take the most of tokens would take.
func allowed(forms []*Form, tokens []Mod) string {
	most := -1
	var names []string
	for _, f := range forms {
		fit := f.fit(tokens)
		if fit.placed < most {
			continue
		}
		if fit.placed > most {
			most, names = fit.placed, names[:0]
		}
		for s := range f.slots {
			if fit.filled&(1<<s) == 0 {
				names = f.slots[s].appendNames(names)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (allowed here: " + strings.Join(names, " ") + ")"
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
	forms := t.byOp[q.op]
	for i, m := range q.tokens {
		if !slices.ContainsFunc(forms, func(f *Form) bool { return f.takes(m) }) {
			return q.illegalModifier(t, q.first+i)
		}
	}
	if err := q.missing(forms); err != nil {
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
	return q.errorf(q.first+stray, "%s: .%s cannot be combined with the other modifiers; the nearest form is %s",
		q.opcode, q.words[q.first+stray], near.Syntax)
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
	noun := ""
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
			least, names, noun = cost, nil, s.noun()
		}
		if noun != s.noun() {
			noun = "a modifier"
		}
		names = s.appendNames(names)
	}
	if names == nil {
		return nil
	}
	list := strings.Join(names, " ")
	if noun != "" {
		list = noun + ": " + list
	}
	return q.errorf(0, "%s needs %s", q.opcode, list)
}

// nearestOp returns the opcode that is at most two edits away from word, the
// nearest one; "" if there is none.
func nearestOp(word string) string {
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
