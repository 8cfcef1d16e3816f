package ir

import (
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// Functions that are called and declared nowhere. PTX wants a prototype, but what some
// runtimes link in by name has none: OptiX' _optix_get_launch_index_x and its like.
// With Lenient the first call is taken for the prototype. The function is .extern then;
// what runs such a call ends with an error that names it.

// implicit declares a function by a call of it, nil after an error.
func (fl *funcLowerer) implicit(s *scope, x *parser.Expr, parts callParts) *Func {
	hint := ""
	if !fl.lenient && (strings.HasPrefix(x.Text, "_optix_") || strings.HasPrefix(x.Text, "_rt_")) {
		hint = ", which OptiX links in; option lenient takes the call for its prototype"
	}
	if fl.lost || !fl.overlook(x.Pos, "unknown function %s%s%s", x.Text, fl.proposal(x.Text, fl.nearFunction), hint) {
		return nil
	}
	f := fl.addFunc(x.Text, x.Pos)
	f.Params, f.Returns = fl.implicitFormals(s, f, parts.args), fl.implicitFormals(s, f, parts.returns)
	return f
}

// implicitFormals are the formal parameters for which a list of actual ones stands.
func (fl *funcLowerer) implicitFormals(s *scope, f *Func, list *parser.Operand) (formals []Formal) {
	if list == nil {
		return nil
	}
	for _, op := range fl.parts(s, list.Elems) {
		formal := Formal{Reg: NoReg}
		typ := isa.B64 // of a constant, which says nothing of it
		if op.Kind == parser.OperandExpr && op.X != nil && op.X.Kind == parser.ExprName {
			switch sym, suffix := fl.resolve(s, op.X.Text); {
			case sym != nil && sym.v != nil:
				formal.Var = &Var{Pos: f.Pos, Index: fl.vars, Space: isa.ParamFunc, Type: sym.v.Type, Count: sym.v.Count, Bytes: sym.v.Bytes, Align: sym.v.Align, Func: f}
				fl.vars++
			case sym != nil && len(sym.regs) > 0 && suffix == "":
				typ = fl.f.Regs[sym.regs[0]].Type
			}
		}
		if formal.Var == nil {
			f.Regs = append(f.Regs, Reg{Type: typ})
			formal.Reg = RegID(len(f.Regs) - 1)
		}
		formals = append(formals, formal)
	}
	return formals
}
