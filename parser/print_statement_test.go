package parser

import "strconv"

// block writes a body or a scope, one level deeper.
func (p *printer) block(b *Block) {
	p.line()
	p.text("{\n")
	p.indent++
	for _, s := range b.Stmts {
		p.statement(s)
	}
	p.indent--
	p.line()
	p.text("}\n")
}

// statement writes a statement on lines of its own; labels stand at the margin, as
// compilers print them.
func (p *printer) statement(s Stmt) {
	switch x := s.(type) {
	case *Instruction:
		p.line()
		p.instruction(x)
	case *LabelStmt:
		p.text(x.Name, ":\n")
	case *Block:
		p.block(x)
	case *LocDirective:
		p.line()
		p.loc(x)
	case *Variable:
		p.line()
		p.variable(x)
		p.text(";\n")
	case *Section:
		p.section(x)
	default:
		p.line()
		p.rareStatement(s)
	}
}

// rareStatement writes the directives that stand in few bodies.
func (p *printer) rareStatement(s Stmt) {
	switch x := s.(type) {
	case *Pragma:
		p.pragma(x)
	case *BranchTargets:
		p.targets(x.Name, ".branchtargets", x.Labels)
	case *CallTargets:
		p.targets(x.Name, ".calltargets", x.Functions)
	case *CallPrototype:
		p.prototype(x)
	case *rawDirective:
		p.text(".", x.Name, " ", x.Text, "\n")
	default:
		panic("BUG: a statement that Print does not know")
	}
}

// loc writes a .loc, the one statement besides @@DWARF that no semicolon ends.
func (p *printer) loc(x *LocDirective) {
	p.text(".loc ", strconv.Itoa(x.File), " ", strconv.Itoa(x.Line), " ", strconv.Itoa(x.Col))
	if x.FunctionName != "" {
		p.text(", function_name ", x.FunctionName)
		if x.FunctionOffset != nil {
			p.text("+")
			p.expr(x.FunctionOffset)
		}
	}
	if at := x.InlinedAt; at != nil {
		p.text(", inlined_at ", strconv.Itoa(at[0]), " ", strconv.Itoa(at[1]), " ", strconv.Itoa(at[2]))
	}
	p.text("\n")
}

// targets writes .branchtargets and .calltargets with the label before them.
func (p *printer) targets(label, word string, names []TargetName) {
	p.text(label, ": ", word)
	for i := range names {
		p.text(separator(i, " ", ", "), names[i].Name)
		p.count(names[i].Count)
	}
	p.text(";\n")
}

// prototype writes a .callprototype; the _ stands for the function.
func (p *printer) prototype(x *CallPrototype) {
	p.text(x.Name, ": .callprototype ")
	if x.Returns != nil {
		p.params(x.Returns)
		p.text(" ")
	}
	p.text("_")
	if x.Params != nil {
		p.text(" ")
		p.params(x.Params)
	}
	for i := range x.Directives {
		p.text(" ")
		p.directive(&x.Directives[i])
	}
	p.text(";\n")
}

// instruction writes an instruction; its opcode is text as it came.
func (p *printer) instruction(in *Instruction) {
	if in.Guard != nil {
		p.text("@")
		if in.Guard.Not {
			p.text("!")
		}
		p.text(in.Guard.Name, " ")
	}
	p.text(in.Opcode)
	for i := range in.Operands {
		p.text(separator(i, " ", ", "))
		p.operand(&in.Operands[i])
	}
	p.text(";\n")
}

// operand writes an operand by its kind.
func (p *printer) operand(o *Operand) {
	if o.Not {
		p.text("!")
	}
	if o.Neg {
		p.text("-")
	}
	switch o.Kind {
	case OperandExpr:
		p.expr(o.X)
	case OperandVector:
		p.list("{", o.Elems, "}")
	case OperandAddress:
		p.list("[", o.Elems, "]")
		p.text(o.Suffix)
	case OperandArray:
		p.text(o.Name, "[")
		p.expr(o.X)
		p.text("]")
	case OperandParens:
		p.list("(", o.Elems, ")")
	case OperandPair:
		p.operand(&o.Elems[0])
		p.text("|")
		p.pairEnd(&o.Elems[1])
	}
}

// pairEnd writes what follows the bar of a pair.
func (p *printer) pairEnd(o *Operand) {
	if o.Kind == OperandExpr && !o.Not && !o.Neg {
		p.exprAt(o.X, precBitOr+1)
		return
	}
	p.operand(o)
}

// list writes operands between two marks.
func (p *printer) list(open string, elems []Operand, closing string) {
	p.text(open)
	for i := range elems {
		p.text(separator(i, "", ", "))
		p.operand(&elems[i])
	}
	p.text(closing)
}
