package isa

import (
	"strconv"
	"strings"
)

// operands parses "d, [a]{, c}".
func (p *rowParser) operands(s string) { p.form.Operands = p.list(s) }

// list parses a list of operands.
func (p *rowParser) list(s string) (specs []OperandSpec) {
	for s != "" {
		optional := s[0] == '{' && !strings.HasPrefix(s, "{!}") && !strings.HasPrefix(s, "{-}")
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
		specs = append(specs, spec)
	}
	return specs
}

// operandEnd returns where the first operand of s ends: at a comma or at the
// brace of an optional operand, outside of brackets.
func operandEnd(s string) int {
	depth := 0
	for i := len(signs(s)); i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',', '{':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// signs returns the "{!}" or "{-}" that s begins with.
func signs(s string) string {
	for _, sign := range []string{"{!}", "{-}"} {
		if strings.HasPrefix(s, sign) {
			return sign
		}
	}
	return ""
}

// operand parses one operand.
func (p *rowParser) operand(s string) OperandSpec {
	var spec OperandSpec
	if s[0] == '[' {
		return p.brackets(s)
	}
	s, spec.with, _ = strings.Cut(s, "?")
	s, need, needs := strings.Cut(s, "@")
	if needs {
		spec.need = p.need(need)
	}
	spec.MayNot, spec.MayNeg = signs(s) == "{!}", signs(s) == "{-}"
	s = s[len(signs(s)):]
	s, spec.MayPair = strings.CutSuffix(s, "[|p]")
	if !spec.MayPair {
		s, spec.MayPair = strings.CutSuffix(s, "[|q]")
	}
	if i := strings.IndexByte(s, '|'); i >= 0 {
		s, spec.Pair = s[:i], true
	}
	s = p.vectorLength(&spec, s)
	s, typ, typed := strings.Cut(s, ":")
	s, spec.Read = strings.CutSuffix(s, "&")
	s, spec.Wider = strings.CutSuffix(s, ">")
	s, selects, _ := strings.Cut(s, ".")
	spec.selects = selectors[selects]
	if spec.selects == nothing != (selects == "") {
		p.bug("what is .%s of %s?", selects, s)
	}
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

// brackets parses "[a]", an address, or "[a, b]" and "[a:tmem]", which are none.
func (p *rowParser) brackets(s string) (spec OperandSpec) {
	inner, ok := strings.CutSuffix(s[1:], "]")
	if !ok {
		p.bug("bad address %q", s)
	}
	spec.Kind, spec.Rule, spec.Name = Address, noOperandType, inner
	if end := strings.IndexAny(inner, ",:{"); end >= 0 {
		spec.Kind, spec.Name = Brackets, inner[:end]
		spec.Parts = p.list(spec.Name + ":any[1]" + strings.TrimPrefix(inner[end:], ":tmem"))
	}
	return spec
}

// vectorLength splits the "[4]" of a vector operand off, or the "[geometry]" of
// one whose length the modifiers decide.
func (p *rowParser) vectorLength(spec *OperandSpec, s string) string {
	i := strings.IndexByte(s, '[')
	if i < 0 {
		return s
	}
	text := strings.TrimSuffix(s[i+1:], "]")
	spec.pads = text == "geometry" && strings.HasPrefix(p.row.syntax, "t") // surfaces have no older form
	if spec.length = lengths[text]; spec.length == nil {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			p.bug("bad vector length in %q", s)
		}
		spec.Vector = n
	}
	return s[:i]
}

// operandType sets the kind, rule and type of spec.
func (p *rowParser) operandType(spec *OperandSpec, typ string, typed bool) {
	if kind, ok := kindWords[typ]; ok && typed {
		spec.Kind, spec.Rule = kind, noOperandType
		if kind == Policy || kind == Descriptor {
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
