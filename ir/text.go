package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/value"
	"hyptx/ir/isa"
)

// What is written here is the program as it was understood, not as it was
// spelled: constants are folded to the bits of the operand's type (1.0 in an
// .f32 place is 0f3F800000), an offset is one number, a vector register is the
// list of its components. A profile shows it beside an instruction's counts,
// and tests parse it again and expect the same instruction.

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
	for i := range in.Ops() {
		switch o := &in.Ops()[i]; o.Kind {
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
	names := make([]string, len(in.Targets()))
	for i, t := range in.Targets() {
		names[i] = f.labelName(t)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// labelName returns the first label at pc, or pc itself.
func (f *Func) labelName(pc PC) string {
	i, ok := slices.BinarySearchFunc(f.labels, pc, func(l labelled, pc PC) int { return cmp.Compare(l.pc, pc) })
	if ok {
		return f.labels[i].name
	}
	return fmt.Sprint(pc)
}

// callText writes a call's lists and what is called, through write, which sets
// the commas.
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

// operandText writes an operand so that lowering it again gives the same.
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
		s = o.Var.Name + offsetText(int64(o.Imm))
	case OperandFunc:
		s = o.Rare.Func.Name + offsetText(int64(o.Imm))
	case OperandAddr:
		s = f.addressText(o)
	case OperandVec:
		s = "{" + f.listText(o.Elems()) + "}"
	case OperandBrackets:
		s = f.listText(o.Elems())
		if o.Elems()[0].Kind == OperandAddr { // which has brackets of its own
			s = "[" + strings.Replace(s[1:], "]", "", 1) + "]"
		} else {
			s = "[" + s + "]"
		}
	}
	s += o.Selector.text()
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

// addressText writes a memory operand: base and offset.
func (f *Func) addressText(o *Operand) string {
	base := ""
	switch {
	case o.Var != nil:
		base = o.Var.Name
	case o.Reg != NoReg:
		base = f.Regs[o.Reg].Name
	default:
		return fmt.Sprintf("[%d]", int64(o.Imm))
	}
	return "[" + base + offsetText(int64(o.Imm)) + "]"
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
		return fmt.Sprint(value.SignExtend(bits, t.Bits()))
	}
	return fmt.Sprint(bits)
}
