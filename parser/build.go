package parser

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// From matches to the tree. A production matches words and its build method makes
// the node: mostly field by field, since the tree follows the grammar. It differs
// where the grammar has to be wider than PTX to give good messages (the parts of a
// declaration in any order, twice or not at all), and where PTX is not context
// free (pairs and signs, operand.go).

// builder makes nodes of the syntax tree from what the grammar matched. What
// is wrong although it matches, a number that is too large or a second .align,
// is found here.
type builder struct {
	nodes *slab
	errs  ErrorList // but those of bodies, of which wrong is the number
	wrong int
}

// fail notes an error; building goes on, for one error must not hide the next.
func (b *builder) fail(p Pos, format string, args ...any) {
	b.errs = append(b.errs, &Error{Pos: p, Msg: fmt.Sprintf(format, args...)})
}

// whole reads the integer of a token that must be a plain one.
func (b *builder) whole(t lexer.Token) int {
	var e Expr
	if err := setInt(&e, t.Value); err != nil {
		b.fail(tokenPos(t.Pos), "%s", err)
	} else if e.Bits > 1<<31-1 {
		b.fail(tokenPos(t.Pos), "%s is too large; expected a number below 2147483648", t.Value)
		return 0
	}
	return int(e.Bits)
}

// long reads a number that need not be there.
func (b *builder) long(t *lexer.Token) *uint64 {
	if t == nil {
		return nil
	}
	var e Expr
	if err := setInt(&e, t.Value); err != nil {
		b.fail(tokenPos(t.Pos), "%s", err)
	}
	return &e.Bits
}

// unquote takes the quotes off a string's token.
func unquote(text string) string { return text[1 : len(text)-1] }

// build puts an item into the module.
func (r *itemRule) build(b *builder, m *Module) {
	switch {
	case r.Version != nil:
		r.Version.build(b, m)
	case r.Target != nil:
		if len(m.Targets) == 0 {
			m.TargetPos = tokenPos(r.Target.Pos)
		}
		m.Targets = append(m.Targets, r.Target.Names...)
	case r.AddressSize != nil:
		r.AddressSize.build(b, m)
	case r.Declaration != nil:
		r.Declaration.build(b, m)
	default:
		m.Items = append(m.Items, r.debug(b))
	}
}

// debug builds an item that is neither header nor declaration.
func (r *itemRule) debug(b *builder) Item {
	switch {
	case r.File != nil:
		return r.File.build(b)
	case r.Section != nil:
		return r.Section.build()
	case r.Dwarf != nil:
		return r.Dwarf.build()
	case r.Pragma != nil:
		return r.Pragma.build()
	case r.Alias != nil:
		return &Alias{Pos: tokenPos(r.Alias.Pos), Name: r.Alias.Name, Aliasee: r.Alias.Aliasee}
	case r.Intermediate != nil:
		return r.Intermediate.build()
	}
	panic("BUG: an item without a production")
}

// build sets the module's version. 8.10 is no number: the parts are read apart.
func (r *versionRule) build(b *builder, m *Module) {
	p := tokenPos(r.Number.Pos)
	major, minor, ok := strings.Cut(r.Number.Value, ".")
	v := Version{Pos: p}
	var err1, err2 error
	v.Major, err1 = strconv.Atoi(major)
	v.Minor, err2 = strconv.Atoi(minor)
	if !ok || err1 != nil || err2 != nil || v.Major < 1 {
		b.fail(p, "%s is no PTX version; expected major.minor such as 7.0", clip(r.Number.Value))
		return
	}
	if m.Version.Major != 0 {
		b.fail(p, "second .version; expected one, at the start of the module")
		return
	}
	m.Version = v
}

// build sets the module's address size (PTX ISA 11.1.3).
func (r *addressSizeRule) build(b *builder, m *Module) {
	p := tokenPos(r.Bits.Pos)
	bits := r.Bits.Value
	switch {
	case bits != "32" && bits != "64":
		b.fail(p, "%s is no address size; expected 32 or 64", clip(bits))
	case m.AddressSize != 0:
		b.fail(p, "second .address_size; expected one")
	default:
		m.AddressSize, _ = strconv.Atoi(bits)
	}
}

// build makes a .file; its time and size come together or not at all.
func (r *fileRule) build(b *builder) *FileDirective {
	return &FileDirective{Pos: tokenPos(r.Pos), Index: b.whole(r.Index), Name: unquote(r.Name),
		Time: b.long(r.Time), Size: b.long(r.Size)}
}

// build makes a debug section, whose text is kept without its braces.
func (r *sectionRule) build() *Section {
	return &Section{Pos: tokenPos(r.Pos), Name: r.Name, Text: unquote(r.Text)}
}

// build makes a @@DWARF line.
func (r *dwarfRule) build() *Section {
	return &Section{Pos: tokenPos(r.Pos), Name: dwarfLine, Text: r.Text.Value}
}

// build makes a .pragma; what its strings say is for package ir.
func (r *pragmaRule) build() *Pragma {
	p := &Pragma{Pos: tokenPos(r.Pos)}
	for _, s := range r.Strings {
		p.Strings = append(p.Strings, unquote(s))
	}
	return p
}

// build keeps a section of intermediate source as it is, braces included.
func (r *intermediateRule) build() *rawDirective {
	return &rawDirective{Pos: tokenPos(r.Pos), Name: r.Name[1:], Text: r.Text}
}
