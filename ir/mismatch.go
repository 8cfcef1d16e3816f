package ir

import (
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// mismatch says why what is written cannot be the operands of the instruction: one that
// is in brackets and should not be, or the reverse, or their number.
func (fl *funcLowerer) mismatch(st *parser.Instruction, specs []isa.OperandSpec) {
	inst := fl.in.Inst
	next := 0
	for i := range specs {
		spec := &specs[i]
		if spec.Optional && !inst.Needs(spec) {
			continue
		}
		if next == len(st.Operands) {
			break
		}
		op := &st.Operands[next]
		next++
		switch bracketed := op.Kind == parser.OperandAddress; {
		case spec.Kind == isa.Address && op.Kind == parser.OperandExpr:
			fl.errorf(op.Pos, "operand %s of %s is an address; write it in brackets, as in %s", spec.Name, inst, usage(inst.Form))
			return
		case bracketed && spec.Kind != isa.Address && spec.Kind != isa.Brackets && spec.Kind != isa.Descriptor:
			fl.errorf(op.Pos, "operand %s of %s is no address; it stands without brackets, as in %s", spec.Name, inst, usage(inst.Form))
			return
		}
	}
	if n := len(st.Operands); n > 0 && len(specs) == 0 && st.Operands[0].Pos.Line > st.OpcodePos.Line {
		pos := st.OpcodePos
		pos.Col += int32(len(st.Opcode))
		fl.errorf(pos, "expected ; behind %s, which has no operands", st.Opcode)
		return
	}
	operands := "operands"
	if len(st.Operands) == 1 {
		operands = "operand"
	}
	fl.errorf(st.OpcodePos, "%s: %d %s where %s is expected", st.Opcode, len(st.Operands), operands, usage(inst.Form))
}

// usage is how a form is written, as the manual shows it.
func usage(f *isa.Form) string {
	opcode, _, _ := strings.Cut(f.Syntax, " ")
	var b strings.Builder
	b.WriteString(opcode)
	for i := range f.Operands {
		text := operandUsage(&f.Operands[i])
		if i > 0 {
			text = ", " + text
		} else {
			text = " " + text
		}
		if f.Operands[i].Optional {
			text = "{" + text + "}"
		}
		b.WriteString(text)
	}
	return b.String()
}

func operandUsage(spec *isa.OperandSpec) string {
	switch {
	case spec.Kind == isa.Address:
		return "[" + spec.Name + "]"
	case spec.Kind == isa.Brackets:
		parts := make([]string, len(spec.Parts))
		for i := range spec.Parts {
			parts[i] = spec.Parts[i].Name
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case spec.Pair:
		return spec.Name + "|p"
	case spec.MayPair:
		return spec.Name + "{|p}"
	}
	return spec.Name
}
