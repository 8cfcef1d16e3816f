package ir

import (
	"slices"

	"hyptx/parser"
)

// funcLowerer is the state of lowering one function's body.
type funcLowerer struct {
	*lowerer
	f      *Func
	source sourcePlace
	// in is the instruction being lowered, scratch its registers.
	in      *Instr
	scratch effects
	unknown map[string]bool // names that were reported as undeclared
	// proposals is how many unknown labels and functions were reported.
	proposals int
	outer     *scope // of registers and locals at module scope, nil without any
	// labels are the labels of all blocks by name, nil where two blocks have one of
	// the same name; those of the blocks labelled are not yet among them.
	labels   map[string]*label
	labelled []*scope
	fixups   fixups
	// spareMembers is how many places more there may be for members of ranges.
	spareMembers uint64
}

// maxNesting bounds blocks in blocks.
const maxNesting = 1000

// lowerBody lowers the body of f, part by part as it is read.
func (l *lowerer) lowerBody(f *Func, d *parser.Function) {
	fl := &funcLowerer{lowerer: l, f: f, labels: make(map[string]*label), spareMembers: 4 * uint64(max(d.Instructions, len(d.Body.Stmts)))}
	f.First = PC(len(l.m.Instrs))
	l.slab.forgetNames()
	if l.finished != nil {
		f.Regs = append(l.spare[:0], f.Regs...)
	}
	s := newScope(fl.privateScope())
	fl.declareFormals(s, f.Returns)
	fl.declareFormals(s, f.Params)
	fl.declareVectors(s, slices.Concat(d.Returns, d.Params))
	for more := true; more; {
		more = d.Read()
		l.misread(d.Errors)
		fl.block(s, d.Body, 1)
	}
	f.End = PC(len(l.m.Instrs))
	fl.resolveBranches()
	if len(l.errs) > 0 {
		return // the graph of a broken body is of no use
	}
	if f.End > f.First {
		l.m.bodies = append(l.m.bodies, f)
	}
	if !f.buildBlocks(l.m.Instrs[f.First:f.End]) {
		l.errorf(d.Pos, "more than %d ways between the blocks of %s", maxLinks, f.Name)
	}
}

// countInstrs counts the instructions of a block, for the places that they will take.
func countInstrs(b *parser.Block) (n int) {
	for _, stmt := range b.Stmts {
		switch st := stmt.(type) {
		case *parser.Instruction:
			n++
		case *parser.Block:
			n += countInstrs(st)
		}
	}
	return n
}

// declareFormals enters the parameters into the outermost scope of the body;
// those without a name, and the _ of prototypes, cannot be named.
func (fl *funcLowerer) declareFormals(s *scope, formals []Formal) {
	for _, p := range formals {
		name, pos, sym := "", fl.f.Pos, &symbol{}
		if p.Var != nil {
			name, pos, sym.v = p.Var.Name, p.Var.Pos, p.Var
		} else {
			name, sym.regs = fl.f.Regs[p.Reg].Name, []RegID{p.Reg}
		}
		if name == "" || name == "_" || !fl.isFree(s, pos, name) {
			continue
		}
		sym.pos = pos
		s.names[name] = sym
	}
}

// declareVectors enters the parameters that are vector registers, whose components
// stand in the scope already.
func (fl *funcLowerer) declareVectors(s *scope, ds []*parser.Variable) {
	for _, d := range ds {
		if d.Space != "reg" || d.Vec == 0 {
			continue
		}
		for i := range d.Names {
			n := &d.Names[i]
			whole := &symbol{pos: n.Pos}
			for k := range min(d.Vec, len(components)) { // of longer ones there are none
				if part := s.names[n.Name+"."+components[k:k+1]]; part != nil {
					whole.regs = append(whole.regs, part.regs...)
				}
			}
			if len(whole.regs) == d.Vec && fl.isFree(s, n.Pos, n.Name) {
				s.names[n.Name] = whole
			}
		}
	}
}

// block lowers the statements of a block whose scope is s. Blocks in braces are
// scopes of names only (inline assembly is pasted in as one); the instructions
// of a function are one sequence, through all of them.
func (fl *funcLowerer) block(s *scope, b *parser.Block, depth int) {
	if depth > maxNesting {
		fl.errorf(b.Pos, "blocks are nested more than %d deep", maxNesting)
		return
	}
	labels := fl.declareLabels(s, b)
	for i, stmt := range b.Stmts {
		if fl.full() {
			return
		}
		b.Stmts[i] = nil // the tree takes more memory than what is made of it
		switch st := stmt.(type) {
		case *parser.Instruction:
			fl.instruction(s, st)
		case *parser.Variable:
			if st.Space == "reg" {
				fl.declareRegs(s, st)
			} else {
				fl.declareVars(s, st)
			}
		case *parser.Block:
			fl.block(newScope(s), st, depth+1)
		case *parser.LabelStmt:
			labels[0].pc = PC(len(fl.m.Instrs))
			fl.f.addLabel(labels[0].pc, st.Name)
			labels = labels[1:]
		case *parser.LocDirective:
			fl.source = sourcePlace{file: int32(st.File), line: int32(st.Line)}
		case *parser.Pragma:
			fl.since(st.Pos, "pragma")
			fl.pragma(st)
		}
	}
}

// pragma notes where loops are not to be unrolled; other pragmas say nothing
// about what is computed or counted.
func (fl *funcLowerer) pragma(p *parser.Pragma) {
	if !slices.Contains(p.Strings, noUnroll) {
		return
	}
	if fl.f.NoUnroll == nil {
		fl.f.NoUnroll = map[PC]bool{}
	}
	fl.f.NoUnroll[PC(len(fl.m.Instrs))] = true
}

// lookup returns what name means in s: the innermost declaration, in the
// function or at module scope; nil if there is none.
func (fl *funcLowerer) lookup(s *scope, name string) *symbol {
	if r, i := s.member(name); r != nil && r.apart == 0 && s != fl.outer {
		return fl.memberSymbol(s, name, r, uint64(i))
	}
	for ; s != nil; s = s.parent {
		if s == fl.outer && fl.outer != nil && s.has(name) {
			fl.usesPrivate(name)
		}
		r, i := s.rangeOf(name)
		if r == nil || r.apart > 0 {
			if sym := s.names[name]; sym != nil {
				return sym
			}
		}
		if r != nil {
			return fl.memberSymbol(s, name, r, i)
		}
	}
	return nil
}

// memberSymbol returns the symbol of a member of a range that does not stand among the scope's names:
// a new one where it is named for the first time.
func (fl *funcLowerer) memberSymbol(s *scope, name string, r *regRange, i uint64) *symbol {
	if i < uint64(len(r.members)) && r.members[i] != nil {
		return r.members[i]
	}
	sym := fl.slab.symbol(symbol{pos: r.pos, regs: fl.addRegs(name, r.typ, r.vec)})
	if !r.enter(i, sym, &fl.spareMembers, &fl.slab) {
		s.names[name] = sym
		r.apart++
	}
	return sym
}
