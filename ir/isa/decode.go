package isa

import (
	"fmt"
	"hyptx/internal/sparse"
	"strings"
)

// Decode returns what an opcode as written says, such as
// "ld.global.nc.v4.f32". Modifiers may stand in any order, as ptxas accepts
// them, save that types, and state spaces, keep theirs. The error is a
// *DecodeError. Whether the module's PTX version and target have the form is
// checked apart, by [Inst.Check].
func Decode(opcode string) (*Inst, error) {
	words := strings.Split(opcode, ".")
	if len(words) > mostWords {
		return nil, &DecodeError{msg: fmt.Sprintf("%s with %d modifiers; no opcode has more than %d", words[0], len(words)-1, mostWords-1)}
	}
	op, n := splitOp(words)
	if op == noOp || op >= firstLibrary {
		return nil, unknownOpcode(words[0])
	}
	t := table()
	forms := t.of(op)
	q := query{opcode: opcode, op: op, words: words, first: n, tokens: make([]Mod, 0, len(words)-n)}
	for i, w := range words[n:] {
		m, ok := t.mods.lookup(w)
		if !ok {
			t.all() // what is said does not depend on what was asked for before
			m, ok = t.mods.lookup(w)
		}
		if !ok {
			return nil, q.illegalModifier(t, n+i)
		}
		q.tokens = append(q.tokens, m)
	}
	var best *Form
	var bestFit fit
	for _, f := range forms {
		fit := f.fit(q.tokens)
		if fit.complete() && (best == nil || fit.literals > bestFit.literals) {
			best, bestFit = f, fit
		}
	}
	if best == nil {
		if in := decodeLegacy(opcode); in != nil {
			return in, nil
		}
		return nil, q.explain(t)
	}
	in := best.inst(&q, &bestFit)
	if bits := in.vectorBits(); bits > widestVector {
		return nil, q.errorf(0, "%s: a vector of %d bits; the widest has %d (PTX ISA %s)", opcode, bits, widestVector, best.Section)
	}
	if op == OpSpdecompress {
		if wrong := sparse.Of(in.Opcode).Wrong(); wrong != "" {
			return nil, q.errorf(0, "%s: %s (PTX ISA %s)", opcode, wrong, best.Section)
		}
	}
	return in, nil
}

// mostWords is how many words an opcode may have: more than any form takes, and few enough to hold
// each against all others.
const mostWords = 32

// A row lists vector lengths and types apart, and not every length goes with
// every type: a vector's elements together have at most 128 bits, since PTX 8.8
// and sm_100 256 (PTX ISA 9.7.10.8, 9.7.10.11: .v8 of 32 bits, .v4 of 64).
const (
	widestVector  = 256
	widestOfOlder = 128
)

var wideVectors = requirement{PTX: 808, Targets: []Target{{SM: 100}}}

// vectorBits is the width of the vector that the instruction moves; without a
// vector length that of its type.
func (i *Inst) vectorBits() int { return int(i.Vec) * i.Type().Bits() }

// query is an opcode on its way through Decode.
type query struct {
	opcode string
	op     Op
	words  []string
	first  int // index of the first modifier in words
	tokens []Mod
}

// fit is how modifiers fill the slots of a form.
type fit struct {
	// at is the slot of each token, alt its alternative.
	at, alt [maxSlots]int8
	filled  uint32
	// placed counts tokens that found a slot, literals those in a slot with
	// one alternative; stray is the first that found none, -1 if all did.
	placed, literals, stray int
	// missing is the first slot that must be filled and is not, -1 if none;
	// missed is how many.
	missing, missed int
}

func (t *fit) complete() bool { return t.stray < 0 && t.missing < 0 }

// fit gives each token, in the order written, the first free slot that takes
// it; types and spaces go on to the right only, so that they keep the form's
// order.
func (f *Form) fit(tokens []Mod) fit {
	t := fit{stray: -1, missing: -1}
	var next [spaceSlot + 1]int // first slot left for a kind
	for i, m := range tokens {
		s, alt := -1, -1
		if i < maxSlots {
			s, alt = f.freeSlot(m, t.filled, &next)
		}
		if s < 0 {
			if t.stray < 0 {
				t.stray = i
			}
			continue
		}
		t.at[i], t.alt[i] = int8(s), int8(alt)
		t.filled |= 1 << s
		t.placed++
		if f.slots[s].literal() {
			t.literals++
		}
		if kind := f.slots[s].kind; kind != otherSlot {
			next[kind] = s + 1
		}
	}
	f.findMissing(&t)
	return t
}

// freeSlot returns the first free slot that takes m and which alternative of
// it m is; -1 if there is none.
func (f *Form) freeSlot(m Mod, filled uint32, next *[spaceSlot + 1]int) (s, alt int) {
	for s := range f.slots {
		sl := &f.slots[s]
		if filled&(1<<s) != 0 || s < next[sl.kind] {
			continue
		}
		if alt := sl.accepts(m); alt >= 0 {
			return s, alt
		}
	}
	return -1, -1
}

// findMissing finds the slots that must be filled and are not: those outside
// braces, and those whose neighbour within the braces is.
func (f *Form) findMissing(t *fit) {
	for s := range f.slots {
		if t.filled&(1<<s) != 0 || f.slots[s].optional && !f.groupBegun(s, t.filled) {
			continue
		}
		if t.missing < 0 {
			t.missing = s
		}
		t.missed++
	}
}

// groupBegun reports whether another slot within the braces of s is filled.
func (f *Form) groupBegun(s int, filled uint32) bool {
	for i := range f.slots {
		if f.slots[i].group == f.slots[s].group && filled&(1<<i) != 0 {
			return true
		}
	}
	return false
}

// inst makes the Inst of a complete fit.
func (f *Form) inst(q *query, t *fit) *Inst {
	in := &Inst{Form: f, Op: q.op, Vec: 1, Mods: q.tokens, Opcode: q.opcode}
	types, spaces := 0, 0
	for i := range q.tokens {
		s := &f.slots[t.at[i]]
		alt := &s.alts[t.alt[i]]
		switch s.kind {
		case typeSlot:
			in.Types[types] = ParseType(alt.text)
			types++
		case spaceSlot:
			space, _ := ParseSpace(alt.text)
			if spaces == 0 {
				in.Space = space
			} else {
				in.Space2 = space
			}
			spaces++
		default:
			in.set(s.role, alt)
		}
	}
	return in
}

// set sets the field of in that a modifier stands for.
func (i *Inst) set(r role, alt *alternative) {
	switch r {
	case roleRnd:
		i.Rnd = Rounding(alt.value)
	case roleCmp:
		i.Cmp = Cmp(alt.value)
	case roleBool:
		i.Bool = BoolOp(alt.value)
	case roleMul:
		i.Mul = MulMode(alt.value)
	case roleSem:
		i.Sem = max(i.Sem, Sem(alt.value)) // .mmio stands beside another
	case roleScope:
		i.Scope = Scope(alt.value)
	case roleVec:
		i.Vec = alt.value
	case roleSub:
		i.Sub = alt.mod
	}
}
