package ir

import (
	"fmt"
	"io"
	"strings"

	"hyptx/ir/isa"
)

// Print writes a function for people: its parameters and variables, then each
// block with its edges and instructions, an instruction with its PC.
func (f *Func) Print(w io.Writer) error {
	p := &printer{w: w}
	kind := "func"
	if f.Kernel {
		kind = "entry"
	}
	p.printf("%s %s\n", kind, f.Name)
	for _, r := range f.Returns {
		p.formal("return", f, r)
	}
	for _, a := range f.Params {
		p.formal("param", f, a)
	}
	for _, v := range f.Vars {
		p.printf("  var %s\n", v.describe())
	}
	post := f.PostDominators()
	for b, block := range f.Blocks {
		p.printf("block %d: preds %s succs %s merge %s", b, blockNames(block.Preds), blockNames(block.Succs), blockName(post.IDom(b)))
		if l := f.LoopOf(b); l != nil {
			p.printf(" loop %d depth %d", l.Header, l.Depth)
		}
		p.printf("\n")
		for pc := block.First; pc < block.End; pc++ {
			p.printf("%6d  %s\n", pc, f.Text(pc))
		}
	}
	return p.err
}

// printer keeps the first error of w.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) formal(what string, f *Func, a Formal) {
	if a.Var != nil {
		p.printf("  %s %s\n", what, a.Var.describe())
		return
	}
	p.printf("  %s .reg %s %s\n", what, f.Regs[a.Reg].Type, f.Regs[a.Reg].Name)
}

// describe writes a variable's declaration and, for a kernel's parameter, its
// place.
func (v *Var) describe() string {
	s := fmt.Sprintf("%s .align %d %s %s", v.Space, v.Align, v.Type, v.Name)
	if v.Count != 1 {
		s += fmt.Sprintf("[%d]", v.Count)
	}
	if v.Space == isa.ParamEntry {
		s += fmt.Sprintf(" at %d", v.Offset)
	}
	return s
}

func blockName(b int) string {
	if b == Exit {
		return "exit"
	}
	return fmt.Sprint(b)
}

func blockNames(bs []int) string {
	names := make([]string, len(bs))
	for i, b := range bs {
		names[i] = blockName(b)
	}
	return "[" + strings.Join(names, " ") + "]"
}

// Text returns instruction pc as PTX text, without the semicolon; branch
// targets without a label are written as the PC that they mean.
func (f *Func) Text(pc PC) string {
	in := &f.Module.Instrs[pc]
	var s strings.Builder
	if in.Guard != NoReg {
		s.WriteByte('@')
		if in.GuardNot {
			s.WriteByte('!')
		}
		s.WriteString(f.Regs[in.Guard].Name + " ")
	}
	s.WriteString(in.Inst.String())
	sep := " "
	write := func(text string) {
		s.WriteString(sep + text)
		sep = ", "
	}
	if in.Call != nil {
		f.callText(in.Call, write)
		return s.String()
	}
	for i := range in.Ops {
		switch o := &in.Ops[i]; o.Kind {
		case NoOperand:
		case OperandLabel:
			write(f.targetText(in))
		default:
			write(f.operandText(o))
		}
	}
	return s.String()
}

// targetText names a branch's targets.
func (f *Func) targetText(in *Instr) string {
	if !in.Inst.IsSwitch() {
		return f.labelName(in.Target)
	}
	names := make([]string, len(in.Targets))
	for i, t := range in.Targets {
		names[i] = f.labelName(t)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// labelName returns the first label at pc, or pc itself.
func (f *Func) labelName(pc PC) string {
	if name, ok := f.Labels[pc]; ok {
		return name
	}
	return fmt.Sprint(pc)
}

func (f *Func) callText(c *Call, write func(string)) {
	if len(c.Returns) > 0 {
		write("(" + f.listText(c.Returns) + ")")
	}
	if c.Callee != nil {
		write(c.Callee.Name)
	} else {
		write(f.operandText(&c.Address))
	}
	if len(c.Args) > 0 {
		write("(" + f.listText(c.Args) + ")")
	}
}

func (f *Func) listText(os []Operand) string {
	texts := make([]string, len(os))
	for i := range os {
		texts[i] = f.operandText(&os[i])
	}
	return strings.Join(texts, ", ")
}

func (f *Func) operandText(o *Operand) string {
	s := ""
	switch o.Kind {
	case OperandReg:
		s = f.Regs[o.Reg].Name
	case OperandSink:
		s = "_"
	case OperandImm:
		s = immediateText(o.Type, o.Imm)
	case OperandSReg:
		s = o.SReg.String()
	case OperandVar:
		s = o.Var.Name + offsetText(o.Off)
	case OperandFunc:
		s = o.Func.Name + offsetText(o.Off)
	case OperandAddr:
		s = f.addressText(o)
	case OperandVec:
		s = "{" + f.listText(o.Elems) + "}"
	}
	if o.Pair != NoReg {
		s += "|" + f.Regs[o.Pair].Name
	}
	switch {
	case o.Not:
		s = "!" + s
	case o.Neg:
		s = "-" + s
	}
	return s
}

func (f *Func) addressText(o *Operand) string {
	base := ""
	switch {
	case o.Var != nil:
		base = o.Var.Name
	case o.Reg != NoReg:
		base = f.Regs[o.Reg].Name
	default:
		return fmt.Sprintf("[%d]", o.Off)
	}
	s := "[" + base + offsetText(o.Off)
	if len(o.Elems) > 0 {
		s += ", " + f.listText(o.Elems)
	}
	return s + "]"
}

func offsetText(off int64) string {
	if off == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", off)
}

// immediateText writes a constant so that reading it back gives its bits.
func immediateText(t isa.Type, bits uint64) string {
	switch {
	case t == isa.F32:
		return fmt.Sprintf("0f%08X", bits)
	case t == isa.F64:
		return fmt.Sprintf("0d%016X", bits)
	case t.IsSigned():
		shift := 64 - t.Bits()
		return fmt.Sprint(int64(bits<<shift) >> shift)
	}
	return fmt.Sprint(bits)
}
