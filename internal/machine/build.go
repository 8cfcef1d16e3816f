package machine

import (
	"fmt"
	"math"
	"slices"

	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// builder turns a function's instructions into nodes, along the dominator tree
// of its expansion. Down that tree each copy of a block finds the nodes of all
// values that its instructions read: they were made in copies that dominate it.
// A copy in an unrolled loop finds there what the round before has computed, so
// that counters of unrolled loops become constants and what depends on them is
// folded, without a step of its own for it.
//
// Phis are the exception: arguments that come around a loop are not known when
// the phi is read. It becomes a node at once, whose arguments are filled in
// when the walk is over.
type builder struct {
	*graph
	s      *ssa.Form
	launch *Launch
	// now is the node of each value at the point of the walk; undo what to
	// restore on the way up.
	now  []id
	undo []undoEntry
	// phiIn are, by copy and predecessor, the nodes of the copy's phis there.
	phiIn [][][]id
	phis  []openPhi
	// conds are the predicates on which the copies' branches are taken, 0
	// without.
	conds []id
	// effects are all effect nodes; roots what else must be computed.
	effects, roots []id
	// work is what want has still to mark.
	work []id
	// left are the nodes of what outlives an open loop, by the copies where it ends, outs
	// these values by header.
	left map[int][]id
	outs map[int][]ssa.ValueID
}

type undoEntry struct {
	v   ssa.ValueID
	was id
}

// openPhi is a phi whose arguments are not all known yet.
type openPhi struct {
	node  id
	block int
	index int
}

// build returns the nodes of a function's copies. Where launch is not nil its
// extents bound indices, too (see [knowledge]).
func build(x *expansion, s *ssa.Form, launch *Launch) *builder {
	b := &builder{graph: newGraph(x), s: s, launch: launch, now: make([]id, s.Len()), left: map[int][]id{}, outs: map[int][]ssa.ValueID{}}
	b.phiIn = make([][][]id, len(x.blocks))
	b.conds = make([]id, len(x.blocks))
	for c := range x.blocks {
		b.phiIn[c] = make([][]id, len(x.blocks[c].preds))
	}
	b.walk()
	for _, p := range b.phis {
		b.x.look()
		n := &b.nodes[p.node]
		for j := range b.phiIn[p.block] {
			n.args = append(n.args, b.phiIn[p.block][j][p.index])
		}
	}
	b.spread()
	return b
}

// walk visits the dominator tree; what a copy has said of values holds below
// it.
func (b *builder) walk() {
	var marks []int // by depth: the length of undo where the copy on the way from the root began
	for _, c := range b.x.dom.Preorder() {
		depth := b.x.dom.Depth(c)
		if depth < len(marks) { // up again, to the copy that dominates this one
			b.restore(marks[depth])
		}
		marks = append(marks[:depth], len(b.undo))
		b.visit(c)
	}
}

// restore undoes what was set since undo had so many entries.
func (b *builder) restore(mark int) {
	for len(b.undo) > mark {
		u := b.undo[len(b.undo)-1]
		b.now[u.v] = u.was
		b.undo = b.undo[:len(b.undo)-1]
	}
}

// visit reads copy c.
func (b *builder) visit(c int) {
	b.cur = c
	orig := b.x.blocks[c].orig
	block := b.s.Func.Blocks[orig]
	b.in = nil
	b.enter(c, orig)
	for pc := block.First; pc < block.End; pc++ {
		b.x.look()
		b.in = &b.s.Func.Module.Instrs[pc]
		b.read(b.in)
	}
	for _, v := range b.s.Returned(orig) {
		b.roots = append(b.roots, b.at(v))
	}
	for _, s := range b.x.blocks[c].ways {
		b.hand(c, s)
	}
	if u := b.x.leaver(c); u != nil {
		for _, v := range b.outlives(u) {
			b.left[c] = append(b.left[c], b.at(v))
		}
	}
}

// set says what a value is from here on.
func (b *builder) set(v ssa.ValueID, n id) {
	if v != ssa.NoValue {
		b.undo = append(b.undo, undoEntry{v, b.now[v]})
		b.now[v] = n
	}
}

// at returns the node of a value here.
func (b *builder) at(v ssa.ValueID) id {
	if v != ssa.NoValue && b.now[v] != 0 {
		return b.now[v]
	}
	width := uint8(32)
	if v != ssa.NoValue {
		width = widthOf(b.s.Func.Regs[b.s.Values[v].Reg].Type)
		if b.s.Values[v].Kind == ssa.Entry {
			return b.add(node{kind: paramNode, width: width, imm: entryParam | uint64(v), varies: true})
		}
	}
	return b.add(node{kind: undefNode, width: width})
}

// What the imm of a paramNode says beside a parameter's offset.
const (
	entryParam  = 1 << 40 // a register parameter of a device function
	launchParam = 1 << 41 // a special register that the launch fixes
	funcParam   = 1 << 42 // the address of a function
	constParam  = 1 << 43 // an offset in a variable of constant memory
)

// hand gives the phis of s their arguments from c. Thousands may lead to one block, and
// both lists of these ascend.
func (b *builder) hand(c, s int) {
	from, to := b.x.blocks[c].orig, b.x.blocks[s].orig
	phis := b.s.Phis(to)
	if len(phis) == 0 {
		return
	}
	j, leads := slices.BinarySearch(b.x.blocks[s].preds, c)
	i, led := slices.BinarySearch(b.s.Func.Blocks[to].Preds(), from)
	if !leads || !led {
		return
	}
	b.x.look()
	for _, phi := range phis {
		b.phiIn[s][j] = append(b.phiIn[s][j], b.at(b.s.Values[phi].Args[i]))
	}
}

// enter makes the phis of copy c.
func (b *builder) enter(c int, orig int) {
	for i, phi := range b.s.Phis(orig) {
		b.x.look()
		args, same := []id(nil), true // the arguments from the predecessors that have been read
		for _, in := range b.phiIn[c] {
			if len(in) > i {
				args = append(args, in[i])
				same = same && in[i] == args[0]
			}
		}
		if len(args) == len(b.phiIn[c]) && len(args) > 0 && same {
			b.set(phi, args[0])
			continue
		}
		n := node{kind: phiNode, width: widthOf(b.s.Func.Regs[b.s.Values[phi].Reg].Type)}
		if len(args) == len(b.phiIn[c]) {
			n.bind(ptx, b.hull(args, ptx))
			n.bind(launched, b.hull(args, launched))
		} else {
			n.bind(ptx, b.boundCounter(orig, phi, args, ptx))
			n.bind(launched, b.boundCounter(orig, phi, args, launched))
		}
		k := b.fixed(n)
		b.phis = append(b.phis, openPhi{k, c, i})
		b.set(phi, k)
	}
}

// boundCounter bounds a loop's phi: one that the trips tell, or one that a
// constant is added to in each round of a counted loop.
func (b *builder) boundCounter(orig int, phi ssa.ValueID, starts []id, by knowledge) value.Interval {
	l := b.s.Func.LoopOf(orig)
	if l == nil || l.Header != orig {
		return value.Interval{}
	}
	if b.x.open[l] != nil && by == launched {
		return b.boundOpen(l, phi, b.hull(starts, by))
	}
	t := b.x.trips[l]
	if t == nil {
		return value.Interval{}
	}
	if r, ok := t.ranges[phi]; ok {
		return r
	}
	start, step := b.hull(starts, by), b.step(l, phi)
	if step == 0 {
		return value.Interval{}
	}
	end := start.Plus(exactly(step).Times(exactly(int64(t.tests - 1))))
	all := start.Hull(end)
	return all.As(intType(widthOf(b.s.Func.Regs[b.s.Values[phi].Reg].Type), true))
}

// boundOpen bounds a 32-bit phi that a positive constant is added to in each round of a
// loop whose end is not known: it does not wrap around in the rounds that are unrolled,
// as front ends know of their source's counters.
func (b *builder) boundOpen(l *ir.Loop, phi ssa.ValueID, start value.Interval) value.Interval {
	step := b.step(l, phi)
	if b.s.TypeOf(phi).Bits() != 32 || step <= 0 || !start.Known || start.Low < 0 {
		return value.Interval{}
	}
	last := int64(math.MaxInt32) - partRounds*step
	if start.High > last {
		return value.Interval{}
	}
	return value.Between(start.Low, last)
}

// step returns the constant that is added to phi in each round of l, 0 if that
// is not what happens.
func (b *builder) step(l *ir.Loop, phi ssa.ValueID) int64 {
	step := int64(0)
	for i, p := range b.s.Func.Blocks[l.Header].Preds() {
		if !l.Has(p) {
			continue
		}
		_, by := b.s.Added(b.s.Values[phi].Args[i], phi)
		if by == nil || by.Kind != ir.OperandImm {
			return 0
		}
		k := value.SignExtend(by.Imm, by.Type.Bits())
		if step != 0 && k != step {
			return 0
		}
		step = k
	}
	return step
}

// spread marks what varies within a warp, until nothing changes: what is made
// from the thread's index or from loaded values. A branch on anything else never
// diverges, which makes it cheaper (see control.go).
func (b *builder) spread() {
	for changed := true; changed; {
		b.x.look()
		changed = false
		for i := range b.nodes {
			n := &b.nodes[i]
			if n.varies {
				continue
			}
			for _, a := range n.args {
				n.varies = n.varies || b.nodes[a].varies
			}
			changed = changed || n.varies
		}
	}
}

// source returns the node of a source operand.
func (b *builder) source(in *ir.Instr, op *ir.Operand) id {
	switch op.Kind {
	case ir.OperandImm:
		return b.constant(op.Imm, widthOf(op.Type))
	case ir.OperandReg:
		n := b.at(b.s.Use(in.PC, op.Reg))
		if op.Not {
			n = b.not(n)
		}
		return n
	case ir.OperandSReg:
		return b.special(op.SReg)
	case ir.OperandVar:
		n := b.add(node{kind: symNode, width: widthOf(op.Type), v: op.Var})
		return b.linear(sum{widthOf(op.Type), []id{n}, []int64{1}, int64(op.Imm)})
	case ir.OperandFunc:
		return b.add(node{kind: paramNode, width: widthOf(op.Type), imm: funcParam | uint64(op.Rare.Func.Index)})
	}
	panic(fmt.Sprintf("BUG: operand kind %d has no node", op.Kind))
}

// special returns the node of a special register.
func (b *builder) special(r isa.SReg) id {
	n := node{kind: sregNode, width: widthOf(r.Type()), imm: uint64(r)}
	switch r.Identity() {
	case isa.PerLaunch:
		n.kind, n.imm = paramNode, launchParam|uint64(r)
		return b.add(n)
	case isa.PerThread, isa.PerWarp:
		n.varies = r.Identity() == isa.PerThread
	case isa.Changing:
		return b.fixed(n)
	}
	var none *Launch
	n.bind(ptx, none.bound(b.s.Func, r))
	n.bind(launched, b.launch.bound(b.s.Func, r))
	return b.add(n)
}

// bound returns the values that a thread's or a CTA's index may have.
func (l *Launch) bound(f *ir.Func, r isa.SReg) value.Interval {
	a := r.Axis()
	if a > 2 {
		return exactly(0)
	}
	// The largest extents of a block and a grid (CUDA C Programming Guide,
	// Technical Specifications per Compute Capability).
	block, grid := [3]int{1024, 1024, 64}, [3]int{1<<31 - 1, 65535, 65535}
	switch r.Base() {
	case isa.SRegTID:
		n := block[a]
		if f.MaxNTID != [3]int{} {
			n = min(n, max(f.MaxNTID[0], 1)*max(f.MaxNTID[1], 1)*max(f.MaxNTID[2], 1))
		}
		if f.ReqNTID != [3]int{} {
			n = max(f.ReqNTID[a], 1)
		}
		if l != nil && l.NTID[a] > 0 {
			n = int(l.NTID[a])
		}
		return value.Between(0, int64(n)-1)
	case isa.SRegCTAID:
		n := int64(grid[a])
		if l != nil && l.NCTAID[a] > 0 {
			n = int64(l.NCTAID[a])
		}
		return value.Between(0, n-1)
	case isa.SRegLaneID:
		return value.Between(0, 31)
	}
	return value.Interval{}
}
