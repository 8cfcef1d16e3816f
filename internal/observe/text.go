package observe

import (
	"fmt"
	"path"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// A step is a line: its number, the PC, the line in the PTX, that of the source if it is
// known, the instruction, and what it read and wrote.
//
//	12  pc 15  k.ptx:31  k.cu:7  add.f32 %f3, %f1, %f2   %f1=1.5 %f2=2 -> %f3=3.5
//
// Of an access the line has the address and, of one that writes, what is there when all of
// the warp have done it.

// String names the thread.
func (p *Place) String() string {
	return fmt.Sprintf("CTA (%d,%d,%d) thread (%d,%d,%d)", p.CTA[0], p.CTA[1], p.CTA[2], p.Tid[0], p.Tid[1], p.Tid[2])
}

// Text is the instruction as text.
func (p *Place) Text() string { return p.Func.Text(p.In.PC) }

// Where is where the instruction stands: in the PTX and, behind it, in the source that this
// was compiled from, if a .loc names it.
func (p *Place) Where() string {
	m := p.Func.Module
	s := fmt.Sprintf("%s:%d", path.Base(m.FileOf(p.In.PC)), p.In.Pos.Line)
	if file, line := m.Source(p.In.PC); line > 0 {
		s += fmt.Sprintf("  %s:%d", path.Base(file), line)
	}
	return s
}

// How wide the columns of places and of instructions are: few are longer.
const (
	whereWidth = 18
	textWidth  = 44
)

// String is the step's line.
func (s *Step) String() string {
	indent := strings.Repeat("  ", s.Depth)
	if s.Returned {
		return fmt.Sprintf("%6s  pc %-4d %-*s  %sreturned: %s", "", s.In.PC, whereWidth, s.Where(), indent, values(s.Writes))
	}
	text := fmt.Sprintf("%-*s  %s", textWidth, indent+s.Text(), s.does())
	return strings.TrimRight(fmt.Sprintf("%6d  pc %-4d %-*s  %s", s.Number, s.In.PC, whereWidth, s.Where(), text), " ")
}

// Line is the instruction, and what it read and wrote.
func (s *Step) Line() string { return strings.TrimRight(s.Text()+"  "+s.does(), " ") }

// does says what a step read and wrote.
func (s *Step) does() string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(values(s.Reads))
	if !s.Executed && s.In.Inst.IsBranch() {
		return strings.Join(append(parts, "(not taken)"), "  ")
	}
	if !s.Executed {
		return strings.Join(append(parts, "(not executed)"), "  ")
	}
	for i := range s.Memory {
		add(s.Memory[i].text(s.In, s.Ended))
	}
	switch {
	case !s.Ended:
		add("(not completed)")
	case len(s.Writes) > 0:
		add("-> " + values(s.Writes))
	}
	return strings.Join(parts, "  ")
}

func values(list []Value) string {
	var parts []string
	for i := range list {
		if v := &list[i]; v.Name != "" {
			parts = append(parts, v.Name+"="+v.String())
		}
	}
	return strings.Join(parts, " ")
}

// Name says what lies at an address: x[17], or the space and the address.
func (a *Access) Name() string {
	if a.Object == "" {
		return fmt.Sprintf("%s 0x%x", a.object(), a.Address)
	}
	return a.object()
}

// object says what lies there: x[17], or the space alone.
func (a *Access) object() string {
	name := VariableName(a.Object)
	switch n := uint64(a.Type.Bytes()); {
	case name == "":
		return spaceText(a.Space)
	case a.Space == isa.Param && a.Offset == 0:
		return name
	case n > 0 && a.Offset%n == 0:
		return fmt.Sprintf("%s[%d]", name, a.Offset/n)
	}
	return fmt.Sprintf("%s+%d bytes", name, a.Offset)
}

// VariableName is a variable as the source has it, without the function that it is declared in:
// tile, where the PTX has _ZZ3sumPfE4tile.
func VariableName(name string) string {
	name = demangle.Filter(name)
	if i := strings.LastIndex(name, "::"); i >= 0 {
		return name[i+2:]
	}
	return name
}

func spaceText(s isa.Space) string { return strings.TrimPrefix(s.String(), ".") }

// text is an access: where, and what is there, unless a register shows it already.
func (a *Access) text(in *ir.Instr, ended bool) string {
	s := fmt.Sprintf("[%s 0x%x]", a.object(), a.Address)
	if a.Space == isa.Param && a.Object != "" {
		s = "[" + a.object() + "]"
	}
	if n := a.Type.Bytes(); ended && n > 0 && n <= 16 && !in.Inst.IsLoad() {
		var parts []string
		for at := 0; at+n <= len(a.Data); at += n {
			parts = append(parts, Text(a.Type, wordsOf(a.Data[at:at+n])))
		}
		s += "=" + strings.Join(parts, ",")
	}
	return s
}

// Bytes is the text of an element of memory.
func Bytes(t isa.Type, data []byte) string {
	if t.Bytes() != len(data) || len(data) > 16 {
		return fmt.Sprintf("0x%x", data)
	}
	return Text(t, wordsOf(data))
}
