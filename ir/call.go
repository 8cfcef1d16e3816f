package ir

import (
	"slices"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// callParts are the operands of a call as written (PTX ISA 9.7.14.5); any but
// target may be nil.
type callParts struct {
	returns, target, args, proto *parser.Operand
}

// splitCall sorts the operands of a call: {(returns),} target {, (args)} {, prototype}.
func splitCall(ops []parser.Operand) (callParts, bool) {
	var c callParts
	next := func(kind parser.OperandKind) *parser.Operand {
		if len(ops) == 0 || ops[0].Kind != kind {
			return nil
		}
		op := &ops[0]
		ops = ops[1:]
		return op
	}
	c.returns = next(parser.OperandParens)
	c.target = next(parser.OperandExpr)
	c.args = next(parser.OperandParens)
	c.proto = next(parser.OperandExpr)
	return c, c.target != nil && len(ops) == 0
}

// A call in a register, whose list of targets says what it may reach:
//
//	T: .calltargets f, g;
//	call (r), %rd1, (a, b), T;
//
// has Callee nil, the operand %rd1 in Address, and f and g for Candidates. With
// a .callprototype in place of T the candidates are nil: any function of the
// module that takes as many parameters may be meant ([Call.Callees]).

// call lowers the operands of a call. The lists of arguments and results are
// checked against the signature of what is called: of the function itself, or
// where the address comes from a register, of the .callprototype or the
// .calltargets that the call must then name. What the lists hold goes into
// [Call]; the instruction's own operands only say that they are there.
func (fl *funcLowerer) call(s *scope, st *parser.Instruction, in *Instr) {
	parts, ok := splitCall(st.Operands)
	if !ok {
		fl.errorf(st.OpcodePos, "%s: {(returns),} function {, (arguments)} {, prototype} is expected", st.Opcode)
		return
	}
	c := &Call{Address: Operand{Reg: NoReg, Pair: NoReg}}
	in.Call = c
	in.setOps(fl.callOps(in.Inst.Form.Operands, parts))
	signature := fl.callTarget(s, st, parts, c, in.Ops())
	if signature == nil {
		return
	}
	c.Args = fl.actuals(s, parts.args, signature, signature.Params, false)
	c.Returns = fl.actuals(s, parts.returns, signature, signature.Returns, true)
}

// callOps makes the form's operands; what they hold stands in Instr.Call.
func (fl *funcLowerer) callOps(specs []isa.OperandSpec, parts callParts) []Operand {
	ops := fl.slab.operands(len(specs))
	written := parts.returns
	for i := range specs {
		ops[i] = Operand{Reg: NoReg, Pair: NoReg}
		switch {
		case specs[i].Kind == isa.Function:
			written = parts.args // what follows the function
			ops[i].Kind = OperandFunc
		case specs[i].Kind == isa.Targets && parts.proto != nil:
			ops[i].Kind = OperandLabel
		case specs[i].Kind == isa.Arguments && written != nil:
			ops[i].Kind = OperandCall
		}
	}
	return ops
}

// callTarget resolves what is called and returns the function, or prototype,
// whose signature the call has; nil after an error.
func (fl *funcLowerer) callTarget(s *scope, st *parser.Instruction, parts callParts, c *Call, ops []Operand) *Func {
	x := parts.target.X
	if x == nil || x.Kind != parser.ExprName {
		fl.errorf(parts.target.Pos, "%s: a function or a register is expected", st.Opcode)
		return nil
	}
	sym, suffix := fl.resolve(s, x.Text)
	switch {
	case sym == nil:
		if f := fl.implicit(s, x, parts); f != nil {
			return fl.direct(parts, c, ops, f)
		}
		return nil
	case sym.fn != nil && suffix == "":
		return fl.direct(parts, c, ops, sym.fn)
	case sym.regs == nil:
		fl.errorf(x.Pos, "%s is neither a function nor a register", x.Text)
		return nil
	}
	p := place{spec: &targetSpec, inst: fl.in.Inst, typ: isa.BitsType(fl.m.AddressSize)}
	address, ok := fl.value(s, parts.target, p)
	if !ok || address.Kind != OperandReg {
		return nil
	}
	c.Address = address
	setFunction(ops, address)
	if parts.proto == nil || parts.proto.X == nil || parts.proto.X.Kind != parser.ExprName {
		fl.errorf(st.OpcodePos, "an indirect call needs a .callprototype or .calltargets")
		return nil
	}
	return fl.indirect(s, parts.proto.X, c)
}

// direct resolves a call by name.
func (fl *funcLowerer) direct(parts callParts, c *Call, ops []Operand, f *Func) *Func {
	if f.Kernel {
		fl.errorf(parts.target.Pos, "%s is a kernel and cannot be called", f.Name)
		return nil
	}
	if parts.proto != nil {
		fl.errorf(parts.proto.Pos, "a call by name takes no prototype")
	}
	c.Callee = f.callee()
	setFunction(ops, Operand{Kind: OperandFunc, Rare: fl.slab.rarity(rarity{Func: c.Callee}), Reg: NoReg, Pair: NoReg})
	return f
}

// setFunction puts what is called into the operand of kind Function.
func setFunction(ops []Operand, o Operand) {
	for i := range ops {
		if ops[i].Kind == OperandFunc {
			ops[i] = o
			return
		}
	}
}

// callee returns the function that a use of f's name means: for an alias the
// one whose body it shares.
func (f *Func) callee() *Func {
	if to := f.aliasee(); to != nil {
		return to
	}
	return f
}

// indirect resolves the prototype or target list of an indirect call.
func (fl *funcLowerer) indirect(s *scope, x *parser.Expr, c *Call) *Func {
	lab := fl.findLabel(s, x.Text)
	switch {
	case lab != nil && lab.prototype != nil:
		if lab.signature == nil {
			lab.signature = fl.prototype(lab.prototype)
		}
		return lab.signature
	case lab != nil && lab.targets != nil:
		if lab.functions == nil {
			lab.functions = fl.targetFunctions(lab.targets)
		}
		c.Candidates = lab.functions
		if len(c.Candidates) == 0 {
			return nil
		}
		return c.Candidates[0]
	}
	if fl.lost {
		return nil
	}
	fl.errorf(x.Pos, "%s is no .callprototype or .calltargets label of this function", x.Text)
	return nil
}

// prototype returns the signature of a .callprototype.
func (fl *funcLowerer) prototype(p *parser.CallPrototype) *Func {
	f := &Func{Module: fl.m, Name: p.Name, Pos: p.Pos, CC: NoReg}
	vars := fl.vars // the parameters of a prototype are no variables
	f.Returns = fl.formals(f, p.Returns)
	f.Params = fl.formals(f, p.Params)
	fl.vars = vars
	return f
}

// targetFunctions returns the functions of a .calltargets, which must agree.
func (fl *funcLowerer) targetFunctions(t *parser.CallTargets) []*Func {
	var fs []*Func
	for i := range t.Functions {
		entry := &t.Functions[i]
		for _, name := range fl.targetNames(entry) {
			sym := fl.global.names[name]
			if sym == nil || sym.fn == nil || sym.fn.Kernel {
				fl.errorf(entry.Pos, "unknown function %s", name)
				continue
			}
			f := sym.fn.callee()
			if len(fs) > 0 && !sameSignature(f, fs[0]) {
				fl.errorf(entry.Pos, ".calltargets %s: %s and %s differ in their parameters", t.Name, fs[0].Name, name)
				continue
			}
			fs = append(fs, f)
		}
	}
	return fs
}

// actuals lowers an argument or return list against the formal parameters of
// f. A last array parameter without a size may be left out.
func (fl *funcLowerer) actuals(s *scope, list *parser.Operand, f *Func, formals []Formal, returns bool) []Operand {
	var written []parser.Operand
	pos, what := f.Pos, "arguments"
	if list != nil {
		written, pos = fl.parts(s, list.Elems), list.Pos
	}
	if returns {
		what = "return values"
	}
	n := len(formals)
	if n > 0 && len(written) == n-1 && formals[n-1].Var != nil && formals[n-1].Var.Bytes == 0 {
		n--
	}
	if len(written) != n {
		if list == nil {
			pos = fl.in.Pos
		}
		fl.errorf(pos, "%s has %d %s, the call gives %d", f.Name, n, what, len(written))
		return nil
	}
	ops := fl.slab.operands(n)
	for i := range written {
		ops[i] = fl.actual(s, &written[i], f, formals[i], returns)
	}
	return ops
}

// parts puts the components of vector registers into a list in their place.
func (fl *funcLowerer) parts(s *scope, list []parser.Operand) []parser.Operand {
	var out []parser.Operand
	for i := range list {
		op := &list[i]
		if op.Kind == parser.OperandExpr && op.X != nil && op.X.Kind == parser.ExprName {
			if sym := fl.lookup(s, op.X.Text); sym != nil && len(sym.regs) > 1 {
				if out == nil {
					out = slices.Clone(list[:i])
				}
				for k := range sym.regs {
					x := *op.X
					x.Text += "." + components[k:k+1]
					out = append(out, parser.Operand{Pos: op.Pos, X: &x})
				}
				continue
			}
		}
		if out != nil {
			out = append(out, *op)
		}
	}
	if out == nil {
		return list
	}
	return out
}

// actual lowers one argument or return value: a .param variable, a register, a
// constant or, for a return value, a sink.
func (fl *funcLowerer) actual(s *scope, op *parser.Operand, f *Func, formal Formal, returns bool) Operand {
	typ, count := formal.shape(f)
	if op.Kind == parser.OperandExpr && op.X != nil && op.X.Kind == parser.ExprName {
		if sym := fl.lookup(s, op.X.Text); sym != nil && sym.v != nil {
			if v := sym.v; v.Space != isa.ParamFunc || formal.bytes(f) != 0 && v.Bytes != formal.bytes(f) {
				fl.errorf(op.Pos, "%s: %s of %d bytes in %s where a .param of %d bytes is expected", f.Name, v.Name, v.Bytes, v.Space, formal.bytes(f))
			}
			if typ == isa.Pred {
				fl.errorf(op.Pos, "%s: a predicate is expected, %s is a variable", f.Name, sym.v.Name)
			}
			return Operand{Kind: OperandVar, Type: typ, Reg: NoReg, Pair: NoReg, Var: sym.v}
		}
	}
	if count != 1 {
		fl.errorf(op.Pos, "%s: a .param array is expected here", f.Name)
		return Operand{Reg: NoReg, Pair: NoReg}
	}
	p := place{spec: &argumentSpec, inst: fl.in.Inst, typ: typ}
	if returns {
		p.spec = &returnSpec
	}
	o, ok := fl.value(s, op, p)
	if !ok {
		return Operand{Reg: NoReg, Pair: NoReg}
	}
	return o
}

// argumentSpec and returnSpec describe registers in a call's lists.
var (
	argumentSpec = isa.OperandSpec{Name: "argument", Kind: isa.Value}
	returnSpec   = isa.OperandSpec{Name: "return value", Kind: isa.Value, Write: true}
	targetSpec   = isa.OperandSpec{Name: "target", Kind: isa.Value}
)

// bytes returns a formal parameter's size, 0 for an array without one.
func (p Formal) bytes(f *Func) int64 {
	if p.Var == nil {
		return int64(f.Regs[p.Reg].Type.Bytes())
	}
	return p.Var.Bytes
}
