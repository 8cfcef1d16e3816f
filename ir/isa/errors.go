package isa

import (
	"fmt"
	"slices"
	"strings"
)

// decodeErrorKind says what is wrong with an opcode.
type decodeErrorKind uint8

// The kinds of errors of Decode.
const (
	noSuchOpcode    decodeErrorKind = iota // no such operation
	badModifier                            // no form of the operation has the modifier
	missingModifier                        // a type, a rounding or the like is required
	badCombination                         // each modifier is legal, not all of them together
	announced                              // the operation exists, but this version does not have it
)

// DecodeError is why an opcode is none.
type DecodeError struct {
	Kind   decodeErrorKind
	Opcode string
	// Word is the index of the offending word of the opcode split at dots, 0
	// for the opcode itself; Offset is where it starts, in bytes.
	Word, Offset int
	msg          string
}

func (e *DecodeError) Error() string { return e.msg }

func (q *query) errorf(kind decodeErrorKind, word int, format string, args ...any) *DecodeError {
	offset := 0
	for _, w := range q.words[:word] {
		offset += len(w) + 1
	}
	return &DecodeError{Kind: kind, Opcode: q.opcode, Word: word, Offset: offset, msg: fmt.Sprintf(format, args...)}
}

// notInTable returns the error for an operation of later, nil for others.
func notInTable(opcode string) *DecodeError {
	name := laterName(opcode)
	if name == "" {
		return nil
	}
	return &DecodeError{Kind: announced, Opcode: opcode, msg: fmt.Sprintf("%s is not supported by this version", name)}
}

func unknownOpcode(opcode, word string) *DecodeError {
	if err := notInTable(opcode); err != nil {
		return err
	}
	msg := fmt.Sprintf("unknown opcode %q", word)
	if near := nearestOp(word); near != "" {
		msg += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return &DecodeError{Kind: noSuchOpcode, Opcode: opcode, msg: msg}
}

// illegalModifier says that the word is no modifier of the operation.
func (q *query) illegalModifier(t *isaTable, word int) *DecodeError {
	if err := notInTable(q.opcode); err != nil {
		return err
	}
	if q.words[word] == "" {
		return q.errorf(badModifier, word, "%s: a modifier is missing between the dots", q.opcode)
	}
	tokens := make([]Mod, 0, len(q.words))
	for i, w := range q.words[q.first:] {
		if m, ok := t.mods.byName[w]; ok && q.first+i != word {
			tokens = append(tokens, m)
		}
	}
	return q.errorf(badModifier, word, "illegal modifier .%s for %s%s", q.words[word], q.op, allowed(t.byOp[q.op], tokens))
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
	if err := notInTable(q.opcode); err != nil {
		return err
	}
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
	return q.errorf(badCombination, q.first+stray, "%s: .%s cannot be combined with the other modifiers; the nearest form is %s",
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
	return q.errorf(missingModifier, 0, "%s needs %s", q.opcode, list)
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
		d, p := editDistance(word, name), commonPrefix(word, name)
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

// editDistance returns the Levenshtein distance, 3 if the lengths alone differ
// by more than two.
func editDistance(a, b string) int {
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
