package parser

import (
	"fmt"
	"strings"
)

// show writes an expression with all its parentheses.
func show(e *Expr) string {
	if e == nil {
		return "nil"
	}
	switch e.Kind {
	case ExprName:
		return e.Text
	case ExprInt:
		if e.Unsigned {
			return fmt.Sprintf("%du", e.Bits)
		}
		return fmt.Sprint(e.Bits)
	case ExprF32:
		return fmt.Sprintf("f32:%08X", e.Bits)
	case ExprF64:
		return fmt.Sprintf("f64:%016X", e.Bits)
	case ExprUnary:
		return "(" + e.Text + " " + show(e.X) + ")"
	case ExprBinary:
		return "(" + show(e.X) + " " + e.Text + " " + show(e.Y) + ")"
	case ExprCond:
		return "(" + show(e.X) + " ? " + show(e.Y) + " : " + show(e.Z) + ")"
	case ExprGeneric:
		return "generic(" + show(e.X) + ")"
	}
	return "?"
}

// showOperand writes an operand with its kind: vec{}, mem[], arr, args(), pair.
func showOperand(o Operand) string {
	sign := ""
	if o.Not {
		sign += "not "
	}
	if o.Neg {
		sign += "neg "
	}
	switch o.Kind {
	case OperandExpr:
		return sign + show(o.X)
	case OperandVector:
		return sign + "vec{" + showOperands(o.Elems) + "}"
	case OperandAddress:
		return sign + "mem[" + showOperands(o.Elems) + "]" + o.Suffix
	case OperandArray:
		return sign + "arr " + o.Name + "[" + show(o.X) + "]"
	case OperandParens:
		return sign + "args(" + showOperands(o.Elems) + ")"
	case OperandPair:
		return sign + "pair<" + showOperands(o.Elems) + ">"
	}
	return "?"
}

func showOperands(list []Operand) string {
	parts := make([]string, len(list))
	for i, o := range list {
		parts[i] = showOperand(o)
	}
	return strings.Join(parts, ", ")
}

// showInstruction writes guard, opcode and operands.
func showInstruction(in *Instruction) string {
	out := ""
	if in.Guard != nil {
		out = "@"
		if in.Guard.Not {
			out += "!"
		}
		out += in.Guard.Name + " "
	}
	out += in.Opcode
	if len(in.Operands) > 0 {
		out += " " + showOperands(in.Operands)
	}
	return out
}

// showStmts writes statements, one word or line each, separated by " ; ".
func showStmts(stmts []Stmt) string {
	var parts []string
	for _, s := range stmts {
		switch x := s.(type) {
		case *Instruction:
			parts = append(parts, showInstruction(x))
		case *LabelStmt:
			parts = append(parts, x.Name+":")
		case *Block:
			parts = append(parts, "{ "+showStmts(x.Stmts)+" }")
		case *Variable:
			parts = append(parts, showVariable(x))
		default:
			parts = append(parts, fmt.Sprintf("%T", s))
		}
	}
	return strings.Join(parts, " ; ")
}

// showVariable writes all of a declaration in a fixed order.
func showVariable(v *Variable) string {
	var b strings.Builder
	if v.Linkage != "" {
		fmt.Fprintf(&b, "%s ", v.Linkage)
	}
	if v.Hidden {
		b.WriteString("hidden ")
	}
	b.WriteString(v.Space)
	if v.Bank != nil {
		fmt.Fprintf(&b, " bank %s", show(v.Bank))
	}
	for _, a := range v.Attribute {
		fmt.Fprintf(&b, " %s%s", a.Name, showExprs(a.Args))
	}
	if v.Align != nil {
		fmt.Fprintf(&b, " align %s", show(v.Align))
	}
	if v.Vec != 0 {
		fmt.Fprintf(&b, " v%d", v.Vec)
	}
	b.WriteString(" " + v.Type)
	if v.Ptr != nil {
		fmt.Fprintf(&b, " ptr<%s %s>", v.Ptr.Space, show(v.Ptr.Align))
	}
	for i, d := range v.Names {
		b.WriteString(separator(i, " ", ", ") + showDeclarator(d))
	}
	return b.String()
}

func showExprs(list []Expr) string {
	var parts []string
	for i := range list {
		parts = append(parts, show(&list[i]))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func showDeclarator(d Declarator) string {
	out := d.Name
	if d.Count != nil {
		out += "<" + show(d.Count) + ">"
	}
	for _, size := range d.Dims {
		if size == nil {
			out += "[]"
		} else {
			out += "[" + show(size) + "]"
		}
	}
	if d.Init != nil {
		out += " = " + showInit(d.Init)
	}
	return out
}

func showInit(init *Init) string {
	var parts []string
	switch {
	case init.Fields != nil:
		for i := range init.Fields {
			parts = append(parts, init.Fields[i].Name+": "+show(&init.Fields[i].Value))
		}
		return "fields{" + strings.Join(parts, ", ") + "}"
	case init.List != nil:
		for i := range init.List {
			parts = append(parts, showInit(&init.List[i]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case init.Mask != nil:
		return "mask " + show(init.Mask) + " of " + show(init.Value)
	}
	return show(init.Value)
}
