package parser

import (
	"bufio"
	"io"
	"strconv"
)

// Printing a tree is how a test sees that the tree holds all of the text. Parentheses are put where precedence
// needs them; literals are spelled as they were, blanks and comments are lost.
// What is printed looks as nvcc prints it, where that is possible: declarations and
// instructions a tab in, labels at the margin, one blank after a comma.

// printTree writes m as PTX text. Parsing that text gives a tree equal to m apart
// from positions, if m is a tree that [Parse] can give.
func printTree(w io.Writer, m *Module) error {
	p := &printer{Writer: bufio.NewWriterSize(w, 1<<16)}
	p.module(m)
	return p.Flush()
}

// printer keeps bufio's first error until Flush.
type printer struct {
	*bufio.Writer
	indent int
}

// text writes strings one after another.
func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// line starts a line at the current depth.
func (p *printer) line() {
	for range p.indent {
		p.WriteByte('\t')
	}
}

// module writes the header and then the items in their order.
func (p *printer) module(m *Module) {
	if m.Version.Major != 0 {
		p.text(".version ", strconv.Itoa(m.Version.Major), ".", strconv.Itoa(m.Version.Minor), "\n")
	}
	for i, target := range m.Targets {
		p.text(separator(i, ".target ", ", "), target)
	}
	if len(m.Targets) > 0 {
		p.text("\n")
	}
	if m.AddressSize != 0 {
		p.text(".address_size ", strconv.Itoa(m.AddressSize), "\n")
	}
	for _, item := range m.Items {
		p.item(item)
	}
}

// separator is first before element 0 of a list and other before the rest.
func separator(i int, first, other string) string {
	if i == 0 {
		return first
	}
	return other
}

// item writes one thing at module scope.
func (p *printer) item(item Item) {
	switch x := item.(type) {
	case *Variable:
		p.variable(x)
		p.text(";\n")
	case *Function:
		p.function(x)
	case *Alias:
		p.text(".alias ", x.Name, ", ", x.Aliasee, ";\n")
	case *FileDirective:
		p.file(x)
	case *Section:
		p.section(x)
	case *Pragma:
		p.pragma(x)
	case *rawDirective:
		p.text(".", x.Name, " ", x.Text, "\n")
	default:
		panic("BUG: an item that Print does not know")
	}
}

// file writes a .file.
func (p *printer) file(f *FileDirective) {
	p.text(".file ", strconv.Itoa(f.Index), ` "`, f.Name, `"`)
	if f.Time != nil && f.Size != nil {
		p.text(", ", strconv.FormatUint(*f.Time, 10), ", ", strconv.FormatUint(*f.Size, 10))
	}
	p.text("\n")
}

// section writes a debug section or a @@DWARF line.
func (p *printer) section(s *Section) {
	if s.Name == dwarfLine {
		p.text(dwarfLine, s.Text, "\n")
		return
	}
	p.text(".section ", s.Name, " {", s.Text, "}\n")
}

// pragma writes a .pragma.
func (p *printer) pragma(x *Pragma) {
	p.text(".pragma")
	for i, s := range x.Strings {
		p.text(separator(i, " ", ", "), `"`, s, `"`)
	}
	p.text(";\n")
}

// function writes a kernel or a device function.
func (p *printer) function(f *Function) {
	p.linkage(f.Linkage)
	if f.Kernel {
		p.text(".entry ")
	} else {
		p.text(".func ")
		p.attributes(f.Attribute)
		if f.Returns != nil {
			p.params(f.Returns)
			p.text(" ")
		}
	}
	p.text(f.Name)
	if f.Params != nil {
		p.params(f.Params)
	}
	for i := range f.Directives {
		p.text("\n")
		p.directive(&f.Directives[i])
	}
	if f.Body == nil {
		p.text(";\n")
		return
	}
	p.text("\n")
	p.block(f.Body)
}

// linkage writes a linking directive, if there is one.
func (p *printer) linkage(l Linkage) {
	if l != "" {
		p.text(".", string(l), " ")
	}
}

// params writes a list of parameters or results.
func (p *printer) params(params []*Variable) {
	p.text("(")
	for i, v := range params {
		p.text(separator(i, "", ", "))
		p.variable(v)
	}
	p.text(")")
}

// directive writes a directive of a header; of them only .pragma ends in a ; .
func (p *printer) directive(d *Directive) {
	p.text(".", d.Name)
	for i, a := range d.Args {
		p.text(separator(i, " ", ", "))
		if a.Expr != nil {
			p.expr(a.Expr)
		} else {
			p.text(`"`, *a.String, `"`)
		}
	}
	if d.Name == "pragma" {
		p.text(";")
	}
}
