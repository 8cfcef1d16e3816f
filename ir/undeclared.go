package ir

import (
	"fmt"
	"strings"

	"hyptx/internal/spelling"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// undeclared reports a name that nothing declares, with the one that was meant if it is
// a letter away. Each is told once of a function: that it stands in the next line, too,
// is no second error.
func (fl *funcLowerer) undeclared(s *scope, pos parser.Pos, what, name string) (Operand, bool) {
	if fl.unknown[name] || fl.lost || fl.misdeclared[name] {
		return Operand{}, false
	}
	if fl.unknown == nil {
		fl.unknown = map[string]bool{}
	}
	fl.unknown[name] = true
	hint := ""
	if near := fl.nearest(s, name); near != "" {
		hint = "; did you mean " + near + "?"
	} else if r := fl.rangeNear(s, name); r != nil {
		hint = fmt.Sprintf("; %s<%d>, declared at %d:%d, ends at %s", r.prefix, r.n, r.pos.Line, r.pos.Col, rangeName(r.prefix, int(r.n-1)))
	}
	return fl.refuse(pos, "undeclared %s %s%s", what, name, hint)
}

// nearest returns a declared name, or that of a special register, which differs from
// name in one letter; "" if there is none. Those of ranges differ in their numbers and
// say nothing.
func (fl *funcLowerer) nearest(s *scope, name string) string {
	if fl.knows(s, "%"+name) {
		return "%" + name
	}
	if len(name) < 3 {
		return ""
	}
	for ; s != nil; s = s.parent {
		best := ""
		for known := range s.names {
			if spelling.Slip(name, known) && stem(known) != stem(name) && (best == "" || known < best) {
				best = known
			}
		}
		if best != "" {
			return best
		}
	}
	if !strings.HasPrefix(name, "%") {
		return ""
	}
	return isa.NearestSReg(name)
}

// knows reports whether a name is declared in a scope or around it.
func (fl *funcLowerer) knows(s *scope, name string) bool {
	for ; s != nil; s = s.parent {
		if s.has(name) {
			return true
		}
	}
	return false
}

// rangeNear returns the range that would declare name if it were longer.
func (fl *funcLowerer) rangeNear(s *scope, name string) *regRange {
	prefix := stem(name)
	for ; s != nil && prefix != name; s = s.parent {
		for i := range s.ranges[prefix] {
			if r := &s.ranges[prefix][i]; r.prefix == prefix && r.n > 0 {
				return r
			}
		}
	}
	return nil
}
