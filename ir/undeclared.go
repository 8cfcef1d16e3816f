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
	prefix := strings.TrimRight(name, "0123456789")
	if fl.unknown[name] || fl.unknown[prefix+"<"] || fl.lost || fl.misdeclared[name] || fl.misdeclared[prefix] {
		return Operand{}, false
	}
	fl.undeclarable(name)
	hint := ""
	if near := fl.nearest(s, name); near != "" {
		hint = "; did you mean " + near + "?"
	} else if r := fl.rangeNear(s, name); r != nil {
		hint = fmt.Sprintf("; %s<%d>, declared at %d:%d, ends at %s", r.prefix, r.n, r.pos.Line, r.pos.Col, rangeName(r.prefix, int(r.n-1)))
	}
	return fl.refuse(pos, "undeclared %s %s%s", what, name, hint)
}

// undeclarable notes a name, or the prefix of a range and <, of which an error is told.
func (fl *funcLowerer) undeclarable(name string) {
	if fl.unknown == nil {
		fl.unknown = map[string]bool{}
	}
	fl.unknown[name] = true
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
			best = nearer(name, known, best)
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

// mostProposals is for how many unknown labels and functions of a function a known one is
// looked for: there may be as many of either as there are lines.
const mostProposals = 10

// proposal is the end of a message about an unknown name: the one that near finds.
func (fl *funcLowerer) proposal(name string, near func(string) string) string {
	if fl.proposals++; fl.proposals > mostProposals || len(name) < 3 {
		return ""
	}
	if known := near(name); known != "" {
		return "; did you mean " + known + "?"
	}
	return ""
}

// nearer returns known if it is a letter away from name and comes before what was found
// so far. Names that differ in their numbers alone say nothing.
func nearer(name, known, found string) string {
	if spelling.Slip(name, known) && stem(known) != stem(name) && (found == "" || known < found) {
		return known
	}
	return found
}

// nearFunction returns the function that name is a letter away from.
func (fl *funcLowerer) nearFunction(name string) (near string) {
	for known, sym := range fl.global.names {
		if sym.fn != nil && !sym.fn.Kernel {
			near = nearer(name, known, near)
		}
	}
	return near
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
		for i, r := range s.rangesOf(prefix) {
			if r.prefix == prefix && r.n > 0 {
				return &s.rangesOf(prefix)[i]
			}
		}
	}
	return nil
}
