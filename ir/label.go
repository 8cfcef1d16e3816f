package ir

import (
	"cmp"
	"slices"
	"strconv"

	"hyptx/parser"
)

// label is a label of a body, or of a directive in one (.branchtargets,
// .calltargets, .callprototype). A label belongs to its block in braces, as
// inline assembly that is pasted twice needs it, and is known in the whole
// block, before its place too.
type label struct {
	pos parser.Pos
	// pc is the next instruction's; -1 until the place is reached, and for the
	// labels of directives.
	pc    PC
	scope *scope
	*listed
}

// listed is what the label of a directive names: one of branches, targets and
// prototype is set. A directive need not stand before its use.
type listed struct {
	branches  *parser.BranchTargets
	pcs       []PC // of branches
	targets   *parser.CallTargets
	functions []*Func // of targets
	prototype *parser.CallPrototype
	signature *Func // of prototype
}

// directive is the word of the directive.
func (l *listed) directive() string {
	switch {
	case l.branches != nil:
		return "branchtargets"
	case l.targets != nil:
		return "calltargets"
	}
	return "callprototype"
}

// unlisted is that of a label of an instruction.
var unlisted listed

// labelled is a place with a label.
type labelled struct {
	pc   PC
	name string
}

// addLabel names a place, behind those that are named.
func (f *Func) addLabel(pc PC, name string) {
	if n := len(f.labels); n == 0 || f.labels[n-1].pc != pc {
		f.labels = append(room(f.labels), labelled{pc, name})
	}
}

// Labels returns how many places from first to before end have a label.
func (f *Func) Labels(first, end PC) int {
	from := func(pc PC) int {
		i, _ := slices.BinarySearchFunc(f.labels, pc, func(l labelled, pc PC) int { return cmp.Compare(l.pc, pc) })
		return i
	}
	return from(end) - from(first)
}

// declareLabels enters the labels of a block's own statements into s, and returns
// those of instructions in their order.
func (fl *funcLowerer) declareLabels(s *scope, b *parser.Block) []label {
	n := 0
	for _, stmt := range b.Stmts {
		if _, ok := stmt.(*parser.LabelStmt); ok {
			n++
		}
	}
	block, later := make([]label, 0, n), len(s.labels) > 0 // of a body that is read in parts
	for _, stmt := range b.Stmts {
		name, lab := labelOf(stmt, &block)
		if lab == nil {
			continue
		}
		if s.labels == nil {
			s.labels = make(map[string]*label, n)
			fl.labelled = append(fl.labelled, s)
		}
		lab.scope = s
		if lab.listed != &unlisted {
			fl.since(lab.pos, lab.directive())
		}
		if later {
			if first := s.labels[name]; first != nil {
				fl.declaredTwice(lab, name, first.pos)
				continue
			}
		}
		known := len(s.labels)
		if s.labels[name] = lab; len(s.labels) == known {
			fl.declaredTwice(lab, name, firstNamed(b, name))
		}
	}
	return block
}

func (fl *funcLowerer) declaredTwice(lab *label, name string, first parser.Pos) {
	fl.errorf(lab.pos, "label %s is already declared at %d:%d", name, first.Line, first.Col)
}

// firstNamed returns where a part of a block first declares a label of that name.
func firstNamed(b *parser.Block, name string) parser.Pos {
	var labels []label
	for _, stmt := range b.Stmts {
		if n, lab := labelOf(stmt, &labels); lab != nil && n == name {
			return lab.pos
		}
	}
	return parser.Pos{}
}

// labelOf returns the label that a statement declares and its name, nil for
// statements that declare none. Labels of instructions come from block.
func labelOf(stmt parser.Stmt, block *[]label) (string, *label) {
	switch st := stmt.(type) {
	case *parser.LabelStmt:
		*block = append(*block, label{pos: st.Pos, pc: -1, listed: &unlisted})
		return st.Name, &(*block)[len(*block)-1]
	case *parser.BranchTargets:
		return st.Name, &label{pos: st.Pos, pc: -1, listed: &listed{branches: st}}
	case *parser.CallTargets:
		return st.Name, &label{pos: st.Pos, pc: -1, listed: &listed{targets: st}}
	case *parser.CallPrototype:
		return st.Name, &label{pos: st.Pos, pc: -1, listed: &listed{prototype: st}}
	}
	return "", nil
}

// findLabel returns the label that name means in s: that of the innermost
// enclosing block; else, if only one block of the function has such a label,
// that one.
func (fl *funcLowerer) findLabel(s *scope, name string) *label {
	for ; s != nil; s = s.parent {
		if lab := s.labels[name]; lab != nil {
			return lab
		}
	}
	return fl.labelAnywhere(name)
}

// labelAnywhere returns the only label of that name in the blocks so far. Their table
// is made when somebody asks, which is seldom: a function has hardly ever two blocks
// with labels.
func (fl *funcLowerer) labelAnywhere(name string) *label {
	for _, s := range fl.labelled {
		for name, lab := range s.labels {
			if _, twice := fl.labels[name]; twice {
				lab = nil
			}
			fl.labels[name] = lab
		}
	}
	fl.labelled = fl.labelled[:0]
	return fl.labels[name]
}

// fixups are branches, in pieces, since a body may be nothing else.
type fixups [][]branchFixup

const fixupPiece = 1 << 10

func (f *fixups) add(b branchFixup) {
	n := len(*f)
	if n == 0 || len((*f)[n-1]) == cap((*f)[n-1]) {
		*f = append(*f, make([]branchFixup, 0, fixupPiece>>max(6-2*n, 0)))
		n++
	}
	(*f)[n-1] = append((*f)[n-1], b)
}

// branchFixup is a bra or brx.idx whose targets are resolved when the whole
// body has been read.
type branchFixup struct {
	pc    PC
	table bool // brx.idx: name is that of a .branchtargets
	pos   parser.Pos
	scope *scope
	name  string
}

// resolveBranches fills Target and Targets.
func (fl *funcLowerer) resolveBranches() {
	for _, piece := range fl.fixups {
		for i := range piece {
			fl.resolveBranch(&piece[i])
		}
	}
}

// resolveBranch fills the target or the targets of one.
func (fl *funcLowerer) resolveBranch(fix *branchFixup) {
	in := &fl.m.Instrs[fix.pc]
	if !fix.table {
		in.Target = fl.targetPC(fix.scope, fix.pos, fix.name)
		return
	}
	lab := fl.findLabel(fix.scope, fix.name)
	if lab == nil || lab.branches == nil {
		fl.errorf(fix.pos, "%s is no .branchtargets label of this function", fix.name)
		return
	}
	table := fl.tablePCs(lab)
	in.targetList().Rare = fl.slab.rarity(rarity{table: table})
	if len(*table) == 0 {
		fl.errorf(fix.pos, ".branchtargets %s lists no label", fix.name)
	}
}

// tablePCs returns the targets of a .branchtargets; all brx.idx that use it
// share them.
func (fl *funcLowerer) tablePCs(lab *label) *[]PC {
	if lab.pcs != nil {
		return &lab.pcs
	}
	for i := range lab.branches.Labels {
		t := &lab.branches.Labels[i]
		for _, name := range fl.targetNames(t) {
			lab.pcs = append(lab.pcs, fl.targetPC(lab.scope, t.Pos, name))
		}
	}
	return &lab.pcs
}

// nearLabel returns the label of the function that name is a letter away from.
func (fl *funcLowerer) nearLabel(name string) (near string) {
	for known := range fl.labels { // which findLabel has made
		near = nearer(name, known, near)
	}
	return near
}

// targetPC returns the PC of a label, the function's first after an error.
func (fl *funcLowerer) targetPC(s *scope, pos parser.Pos, name string) PC {
	lab := fl.findLabel(s, name)
	switch {
	case lab == nil && fl.lost:
	case lab == nil:
		fl.errorf(pos, "unknown label %s%s", name, fl.proposal(name, fl.nearLabel))
	case lab.pc < 0:
		fl.errorf(pos, "%s is the label of a directive, not of an instruction", name)
	default:
		return lab.pc
	}
	return fl.f.First
}

// maxTargets bounds N of a target list's name<N>.
const maxTargets = 1 << 16

// targetNames returns the names that an entry of a target list stands for.
func (l *lowerer) targetNames(t *parser.TargetName) []string {
	if t.Count == nil {
		return []string{t.Name}
	}
	n, err := evalInt(t.Count, "the number of targets", 1, maxTargets)
	if err != nil {
		l.fail(t.Pos, err)
		return nil
	}
	names := make([]string, n)
	for i := range names {
		names[i] = rangeName(t.Name, i)
	}
	return names
}

// rangeName returns member i of name<N>.
func rangeName(name string, i int) string { return name + strconv.Itoa(i) }
