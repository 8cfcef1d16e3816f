package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// The notation of a row.
//
// The opcode is written as in the manual: ".rnd" is a slot if the row defines
// it and a literal modifier otherwise; "{.ftz}" is optional; "{.sem.scope}"
// may be left out, but only together. A slot is defined as
//
//	.type = .u16 .u32 .u16x2@8.0/90
//
// where "@8.0/90" after an alternative says that it needs PTX 8.0 and sm_90
// (either may be empty; "@8.6/100a,103a" lists targets), "@ptxas" that the manual does
// not have it, but ptxas takes it. A slot all of whose
// alternatives are types is a type slot, and likewise for state spaces;
// modifiers may come in any order, but types among themselves and spaces among
// themselves keep the row's. What a slot's modifier means follows from the
// slot's name (see roles).
//
// Operands follow, in the manual's order: "d, a, b{, c}". Each is
//
//	name{.parts}{>}{&}{:type}{[n]}{pair}{@needs}{?modifier}    or    [name] for an address
//
// Type is
//   - the name of a type slot: the type in that slot ("d:dtype");
//   - a type ("b:u32"), or two of which either will do ("n:u32/pred");
//   - double: the first type at twice its width;
//   - imm, label, targets, func, args, policy, desc: the operand's kind;
//   - any: a register or constant of any type;
//   - left out: the instruction's first type.
//
// ">" says that the register may be wider than the type (PTX ISA 9.4.1,
// Operand Size Exceeding Instruction-Type Size); "&" that an operand which is written
// is read before; "[4]" that the operand is a
// vector of 4 elements, "[geometry]" and the like (vector.go) that modifiers say
// of how many. The pair is "|p" or "[|p]", "{!}" and "{-}" before the name as
// in the manual; ".sel" that parts of the register may be selected (vector.go).
// "?multicast" says that the operand stands exactly where a modifier begins so.
// Operands named d, p or r, and pairs, are written; all others are read.
//
// "[a, b:b32[2]]" is no address but a list within brackets, as a texture and the
// place in it; so is "[a:tmem]", in tensor memory.

// roles says what the modifier of a slot is, by the slot's name.
var roles = map[string]role{
	"rnd": roleRnd, "irnd": roleRnd, "frnd": roleRnd,
	"cmp": roleCmp, "bool": roleBool, "mul": roleMul,
	"sem": roleSem, "scope": roleScope, "vec": roleVec, "num": roleVec,
	"op": roleSub, "mode": roleSub,
}

// kindWords are the operand types that are kinds.
var kindWords = map[string]OperandKind{
	"imm": Immediate, "label": Label, "targets": Targets, "func": Function,
	"args": Arguments, "policy": Policy, "desc": Descriptor,
}

// rowParser is the state of parsing one row.
type rowParser struct {
	row   *row
	mods  *mods
	form  *Form
	defs  map[string][]string // slot name -> alternatives as written
	types []string            // names of the type slots, in order
}

func parseRow(r *row, m *mods) *Form {
	p := &rowParser{row: r, mods: m, form: &Form{Syntax: r.syntax, Class: r.class, Section: r.section}}
	p.definitions()
	p.requirements()
	opcode, operands, _ := strings.Cut(r.syntax, " ")
	p.opcode(opcode)
	p.operands(operands)
	if r.class == noClass || r.class >= NumClasses {
		p.bug("no class")
	}
	if !strings.HasPrefix(r.section, "9.7.") {
		p.bug("no section")
	}
	p.columns()
	return p.form
}

func (p *rowParser) bug(format string, args ...any) {
	panic(fmt.Sprintf("BUG: row %q: %s", p.row.syntax, fmt.Sprintf(format, args...)))
}

// definitions splits ".rnd = .rn .rz; .type = .u32".
func (p *rowParser) definitions() {
	p.defs = make(map[string][]string)
	for def := range strings.SplitSeq(p.row.slots, ";") {
		if strings.TrimSpace(def) == "" {
			continue
		}
		name, alts, ok := strings.Cut(def, "=")
		name = strings.TrimSpace(name)
		if !ok || !strings.HasPrefix(name, ".") || len(strings.Fields(alts)) == 0 || p.defs[name[1:]] != nil {
			p.bug("bad slot definition %q", def)
		}
		p.defs[name[1:]] = strings.Fields(alts)
	}
}

// requirements parses the version and target columns.
func (p *rowParser) requirements() {
	f := p.form
	ptx, beyond := strings.CutSuffix(p.row.ptx, " ptxas")
	from, until, dropped := strings.Cut(ptx, " until ")
	f.need = p.need(from + "/" + strings.ReplaceAll(p.row.sm, " ", ","))
	f.need.beyond, f.Beyond = beyond, beyond
	if f.need.PTX == 0 {
		p.bug("no PTX version")
	}
	if dropped {
		u := p.need(until)
		f.UntilPTX, f.UntilSM = u.PTX, u.minSM()
	}
}

// need parses "8.0/90", "/20", "9.2", "8.6/100a,103a".
func (p *rowParser) need(s string) requirement {
	var r requirement
	s, r.beyond = strings.CutSuffix(s, "ptxas")
	if s == "" {
		return r
	}
	ptx, targets, _ := strings.Cut(s, "/")
	if ptx != "" {
		major, minor, _ := strings.Cut(ptx, ".")
		a, err := strconv.Atoi(major)
		b, err2 := strconv.Atoi(minor)
		if err != nil || err2 != nil {
			p.bug("bad PTX version %q", s)
		}
		r.PTX = a*100 + b
	}
	for name := range strings.SplitSeq(targets, ",") {
		if name == "" {
			continue
		}
		sm, feature, err := parseArchitecture("sm_" + name)
		if err != nil {
			p.bug("%v", err)
		}
		r.Targets = append(r.Targets, Target{SM: sm, Feature: feature})
	}
	return r
}

// splitRow splits the operation off an opcode with its modifiers.
func splitRow(opcode string) (op Op, rest string) {
	head, _, _ := strings.Cut(opcode, "{")
	words := strings.Split(head, ".")
	op, n := splitOp(words)
	return op, opcode[len(strings.Join(words[:n], ".")):]
}

// opcode parses "add{.rnd}{.ftz}.f32".
func (p *rowParser) opcode(s string) {
	var rest string
	p.form.Op, rest = splitRow(s)
	if p.form.Op == noOp {
		p.bug("unknown opcode %q: no table_FAMILY.go has an operation of that name", s)
	}
	for group := 1; rest != ""; group++ {
		if rest[0] == '{' {
			inner, after, ok := strings.Cut(rest[1:], "}")
			if !ok {
				p.bug("missing }")
			}
			p.slotGroup(inner, true, group)
			rest = after
			continue
		}
		end := strings.IndexByte(rest, '{')
		if end < 0 {
			end = len(rest)
		}
		p.slotGroup(rest[:end], false, 0)
		rest = rest[end:]
	}
	for name := range p.defs {
		if !strings.Contains(s, "."+name) {
			p.bug("slot .%s is defined, not used", name)
		}
	}
}

// slotGroup adds the slots of ".a.b".
func (p *rowParser) slotGroup(s string, optional bool, group int) {
	if !strings.HasPrefix(s, ".") {
		p.bug("a modifier begins with a dot: %q", s)
	}
	for name := range strings.SplitSeq(s[1:], ".") {
		sl := p.slot(name)
		sl.optional, sl.group = optional, group
		p.form.slots = append(p.form.slots, sl)
		if sl.kind == typeSlot {
			p.types = append(p.types, name)
		}
	}
	if len(p.form.slots) > maxSlots || len(p.types) > len(Inst{}.Types) {
		p.bug("too many slots or types")
	}
}

// slot makes the slot of that name, or of a literal modifier.
func (p *rowParser) slot(name string) slot {
	alts, defined := p.defs[name]
	sl := slot{name: name, role: roles[name]}
	if !defined {
		alts = []string{"." + name}
		sl.role = literalRole(name)
	}
	kinds := 0
	for _, alt := range alts {
		spelled, need, _ := strings.Cut(alt, "@")
		if !strings.HasPrefix(spelled, ".") || len(spelled) < 2 {
			p.bug("bad alternative %q", alt)
		}
		a := alternative{mod: p.mods.intern(spelled[1:]), text: spelled[1:], need: p.need(need)}
		var ok bool
		if a.value, ok = roleValue(sl.role, a.text); !ok {
			p.bug("%s has no meaning in slot .%s", spelled, name)
		}
		if sl.accepts(a.mod) >= 0 {
			p.bug("%s stands twice in slot .%s", spelled, name)
		}
		sl.alts = append(sl.alts, a)
		kinds |= 1 << kindOf(a.text)
	}
	if name == "mode" && sl.allMul() {
		sl.role = roleMul
		for i := range sl.alts {
			sl.alts[i].value = roleValues[roleMul][sl.alts[i].text]
		}
	}
	switch kinds {
	case 1 << typeSlot:
		sl.kind = typeSlot
	case 1 << spaceSlot:
		sl.kind = spaceSlot
	}
	return sl
}
