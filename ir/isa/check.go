package isa

import (
	"fmt"
	"slices"
	"strings"
)

// Check returns an error if a module of the given PTX version (major*100+minor)
// and target cannot have the instruction: the form or one of its modifiers is
// younger, or the form was dropped.
func (i *Inst) Check(ptx int, t Target) error {
	f := i.Form
	if i.written != nil {
		f = i.written
	}
	if t.MapsF64() && slices.Contains(i.Types[:], F64) {
		t.SM = doublePrecision
	}
	if i.written != nil && ptx >= f.UntilPTX {
		return fmt.Errorf("%s needs a modifier since PTX %s; %s%s is what it meant before", i, version(f.UntilPTX), i.Op, i.modifiers())
	}
	if f.UntilPTX != 0 && ptx >= f.UntilPTX && t.SM >= f.UntilSM {
		if f.UntilSM == 0 {
			return fmt.Errorf("%s: PTX %s dropped this form (%s)", i, version(f.UntilPTX), f.Syntax)
		}
		return fmt.Errorf("%s: PTX %s dropped this form (%s) for sm_%d and later", i, version(f.UntilPTX), f.Syntax, f.UntilSM)
	}
	if err := f.need.check(ptx, t); err != nil {
		return fmt.Errorf("%s %w", i, err)
	}
	if i.Vec > 1 && i.vectorBits() > widestOfOlder {
		if err := wideVectors.check(ptx, t); err != nil {
			return fmt.Errorf("%s: a vector of %d bits %w", i, i.vectorBits(), err)
		}
	}
	if i.written != nil {
		return nil // of whose modifiers none is younger than it
	}
	fit := f.fit(i.Mods)
	for n, m := range i.Mods {
		alt := &f.slots[fit.at[n]].alts[fit.alt[n]]
		if err := alt.need.check(ptx, t); err != nil {
			return fmt.Errorf("%s: .%s %w", i, m, err)
		}
	}
	return nil
}

// Since says which PTX version has the form first, and which targets, as "7.0 sm_80";
// and whether it is dropped since, or beyond the manual.
func (f *Form) Since() string {
	words := []string{version(f.need.PTX)}
	for _, t := range f.need.Targets {
		words = append(words, t.String())
	}
	if f.UntilPTX != 0 {
		words = append(words, "until "+version(f.UntilPTX))
		if f.UntilSM != 0 {
			words = append(words, Target{SM: f.UntilSM}.String())
		}
	}
	if f.Beyond {
		words = append(words, "(ptxas alone)")
	}
	return strings.Join(words, " ")
}

// Check returns an error if the PTX version or target does not know the
// operand, one that a later version added and that is optional.
func (s *OperandSpec) Check(ptx int, t Target) error {
	if err := s.need.check(ptx, t); err != nil {
		return fmt.Errorf("operand %s %w", s.Name, err)
	}
	return nil
}

// OperandType returns the type that the instruction takes at s, NoType where
// there is none to check.
func (i *Inst) OperandType(s *OperandSpec) Type {
	switch s.Rule {
	case fromType0, fromType1, fromType2, fromType3, fromType4:
		return i.Types[s.Rule-fromType0]
	case double0:
		return i.Type().double()
	case Fixed:
		if s.with == "multicast" && slices.ContainsFunc(i.Mods, func(m Mod) bool { return m.String() == "multicast::cluster::32b" }) {
			return B32 // the mask has a bit for each of up to 32 CTAs
		}
		return s.Type
	}
	return NoType
}

// Accepts reports whether a register of type reg may stand at s in the
// instruction (PTX ISA 9.4). The elements of a vector are checked one by one;
// those of mov, which packs them, are not in its type.
func (s *OperandSpec) Accepts(i *Inst, reg Type) bool {
	t := i.OperandType(s)
	if t == NoType || agree(t, reg) || s.Alt != NoType && agree(s.Alt, reg) {
		return true
	}
	return s.Wider && fitsWider(t, reg)
}

// Takes reports whether the instruction takes an operand at s: a cache policy
// stands where .L2::cache_hint is written, and nowhere else, and so do others
// with modifiers of theirs.
func (i *Inst) Takes(s *OperandSpec) bool {
	if s.with != "" {
		return slices.ContainsFunc(i.Mods, func(m Mod) bool { return strings.HasPrefix(m.String(), s.with) })
	}
	return s.Kind != Policy || i.Has(modL2CacheHint)
}

// Needs reports whether an optional operand at s cannot be left out, since a
// modifier announces it.
func (i *Inst) Needs(s *OperandSpec) bool { return (s.Kind == Policy || s.with != "") && i.Takes(s) }

// agree reports whether a register of type r holds a value of type t as it is:
// both have the same size, and one of them is untyped, or both are integers,
// or both are the same (PTX ISA 9.4, table Operand Size and Type Checking).
// Where t is none of the fundamental types, an untyped register holds it, and
// so does an integer one where t is made of integers.
func agree(t, r Type) bool {
	switch {
	case t == r:
		return true
	case t == Pred || r == Pred || t.Bits() != r.Bits():
		return false
	case t.Kind() == Bit || r.Kind() == Bit:
		return true
	}
	return isInteger(t) && isInteger(r)
}

// fitsWider reports whether a register of type r, wider than t, may hold a
// value of type t (PTX ISA 9.4.1): cut as a source, extended as a destination.
// A floating-point value needs an untyped register for that.
func fitsWider(t, r Type) bool {
	if t == Pred || r == Pred || r.Bits() <= t.Bits() || r == B128 {
		return false
	}
	switch t.Kind() {
	case Bit:
		return true
	case Float:
		return r.Kind() == Bit
	}
	return isInteger(r) || r.Kind() == Bit
}

func isInteger(t Type) bool { return t.Kind() == Unsigned || t.Kind() == Signed }
