package isa

import (
	"strconv"
	"strings"
)

// operands parses "d, [a]{, c}".
func (p *rowParser) operands(s string) {
	for s != "" {
		optional := s[0] == '{' && !strings.HasPrefix(s, "{!}")
		var text string
		if optional {
			inner, after, ok := strings.Cut(s[1:], "}")
			if !ok {
				p.bug("missing } among the operands")
			}
			text, s = strings.Trim(inner, ", "), strings.TrimLeft(after, ", ")
		} else {
			end := operandEnd(s)
			text, s = strings.TrimSpace(s[:end]), strings.TrimLeft(s[end:], ", ")
		}
		spec := p.operand(text)
		spec.Optional = optional
		p.form.Operands = append(p.form.Operands, spec)
	}
}

// operandEnd returns where the first operand of s ends: at a comma or at the
// brace of an optional operand.
func operandEnd(s string) int {
	from := 0
	if strings.HasPrefix(s, "{!}") {
		from = len("{!}")
	}
	if i := strings.IndexAny(s[from:], ",{"); i >= 0 {
		return from + i
	}
	return len(s)
}

// operand parses one operand.
func (p *rowParser) operand(s string) OperandSpec {
	var spec OperandSpec
	s, need, needs := strings.Cut(s, "@")
	if needs {
		spec.need = p.need(need)
	}
	if name, ok := strings.CutPrefix(s, "["); ok {
		spec.Name, ok = strings.CutSuffix(name, "]")
		if !ok {
			p.bug("bad address %q", s)
		}
		spec.Kind, spec.Rule = Address, noOperandType
		return spec
	}
	s, spec.MayNot = strings.CutPrefix(s, "{!}")
	s, spec.MayPair = strings.CutSuffix(s, "[|p]")
	if !spec.MayPair {
		s, spec.MayPair = strings.CutSuffix(s, "[|q]")
	}
	if i := strings.IndexByte(s, '|'); i >= 0 {
		s, spec.Pair = s[:i], true
	}
	s, spec.Vector = p.vectorLength(s)
	s, typ, typed := strings.Cut(s, ":")
	s, spec.Wider = strings.CutSuffix(s, ">")
	spec.Name = s
	if s == "" {
		p.bug("operand without a name")
	}
	p.operandType(&spec, typ, typed)
	switch s {
	case "d", "p", "r":
		spec.Write = true
	}
	return spec
}

// vectorLength splits the "[4]" of a vector operand off.
func (p *rowParser) vectorLength(s string) (string, int) {
	i := strings.IndexByte(s, '[')
	if i < 0 {
		return s, 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(s[i+1:], "]"))
	if err != nil || n < 1 {
		p.bug("bad vector length in %q", s)
	}
	return s[:i], n
}

// operandType sets the kind, rule and type of spec.
func (p *rowParser) operandType(spec *OperandSpec, typ string, typed bool) {
	if kind, ok := kindWords[typ]; ok && typed {
		spec.Kind, spec.Rule = kind, noOperandType
		if kind == Policy {
			spec.Rule, spec.Type = Fixed, B64
		}
		return
	}
	if !typed && len(p.types) == 0 {
		p.bug("operand %s has no type", spec.Name)
	}
	if !typed {
		return
	}
	switch typ {
	case "double":
		spec.Rule = double0
		return
	case "any":
		spec.Rule = noOperandType
		return
	}
	for i, name := range p.types {
		if name == typ && p.defs[name] != nil {
			spec.Rule = fromType0 + typeRule(i)
			return
		}
	}
	first, second, either := strings.Cut(typ, "/")
	spec.Rule, spec.Type = Fixed, ParseType(first)
	if either {
		spec.Alt = ParseType(second)
	}
	if spec.Type == NoType || either && spec.Alt == NoType {
		p.bug("operand %s: unknown type %q", spec.Name, typ)
	}
}
