package ir

import (
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
	}
	return fl.refuse(pos, "undeclared %s %s%s", what, name, hint)
}

// nearest returns a declared name, or that of a special register, which differs from
// name in one letter; "" if there is none. Those of ranges differ in their numbers and
// say nothing.
func (fl *funcLowerer) nearest(s *scope, name string) string {
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
