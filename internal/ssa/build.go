package ssa

import (
	"hyptx/internal/flow"
	"hyptx/ir"
)

// Build returns the function's SSA overlay (Cytron et al. 1991), in two
// steps.
//
// First, a register that is written in several blocks needs a phi where their
// paths join: at the dominance frontiers of those blocks, again at the
// frontiers of the blocks that so got a phi, and so on. A phi that nobody would
// read, because the register is not live there, is left out.
//
// Then a walk down the dominator tree keeps for each register the value that it
// holds at that point. Each use gets the present value, each definition makes a
// new one, and at the end of a block its values become the arguments of the
// successors' phis. On the way up the walk restores what it has overwritten.
func Build(f *ir.Func) *Form {
	b := &builder{f: f, s: &Form{Func: f}}
	b.layout()
	b.s.Values = make([]Value, 1, len(b.s.defs)+len(f.Regs)+1)
	b.placePhis()
	b.rename()
	b.s.indexUsers()
	b.s.unsettled = unsettledOf(f)
	return b.s
}

type builder struct {
	f *ir.Func
	s *Form
	// now is the value of each register at the point of the walk; undo holds
	// what to restore on the way up the dominator tree.
	now  []ValueID
	undo []undoEntry
	// undef are the Undef values made so far, by register.
	undef []ValueID
}

type undoEntry struct {
	reg ir.RegID
	was ValueID
}

// layout makes room for the uses and definitions.
func (b *builder) layout() {
	instrs := b.f.Instrs()
	s := b.s
	s.useAt, s.defAt = make([]int32, len(instrs)+1), make([]int32, len(instrs)+1)
	for i := range instrs {
		s.useAt[i+1] = s.useAt[i] + int32(len(instrs[i].Uses()))
		s.defAt[i+1] = s.defAt[i] + int32(len(instrs[i].Defs()))
	}
	s.uses = make([]ValueID, s.useAt[len(instrs)])
	s.defs = make([]ValueID, s.defAt[len(instrs)])
	if len(returnRegs(b.f)) > 0 {
		s.returned = make([][]ValueID, len(b.f.Blocks))
	}
}

func (b *builder) add(v Value) ValueID {
	b.s.Values = append(b.s.Values, v)
	return ValueID(len(b.s.Values) - 1)
}

// placePhis puts a phi for each register that is live there at the iterated
// dominance frontier of its definitions.
func (b *builder) placePhis() {
	live := liveOf(b.f)
	if len(live.regs) == 0 {
		return
	}
	frontiers := flow.Frontiers(b.f.Graph(), b.f.Dominators())
	defBlocks := b.defBlocks(live)
	has := make([]int32, len(b.f.Blocks)) // 1 + the register last placed there
	room := make([]int, 0, len(b.f.Blocks))
	for range live.windows {
		for g := live.first; g < live.end; g++ {
			for work := defBlocks[g]; len(work) > 0; {
				block := work[len(work)-1]
				work = work[:len(work)-1]
				for _, at := range frontiers.In(room, block) {
					if has[at] == g+1 || !live.in.At(at).Has(g-live.first) {
						continue
					}
					has[at] = g + 1
					b.addPhi(at, live.regs[g])
					work = append(work, at)
				}
			}
		}
	}
}

// defBlocks returns, for each register that lives across a border, the blocks
// that write it.
func (b *builder) defBlocks(live *liveness) [][]int {
	blocks := make([][]int, len(live.regs))
	for i, block := range b.f.Blocks {
		for pc := block.First; pc < block.End; pc++ {
			for _, r := range b.f.Module.Instrs[pc].Defs() {
				g := live.global[r]
				if g < 0 {
					continue
				}
				if n := len(blocks[g]); n == 0 || blocks[g][n-1] != i {
					blocks[g] = append(blocks[g], i)
				}
			}
		}
	}
	return blocks
}

// addPhi adds a phi with one argument for each way into the block; rename fills
// them in.
func (b *builder) addPhi(block int, r ir.RegID) {
	n := len(b.f.Blocks[block].Preds())
	if block == 0 {
		n++
	}
	phi := b.add(Value{Kind: Phi, Reg: r, PC: -1, Block: int32(block), Args: make([]ValueID, n)})
	if b.s.phis == nil {
		b.s.phis = make([][]ValueID, len(b.f.Blocks))
	}
	b.s.phis[block] = append(b.s.phis[block], phi)
}

// rename walks the dominator tree and gives each use its value.
func (b *builder) rename() {
	b.now = make([]ValueID, len(b.f.Regs))
	b.undef = make([]ValueID, len(b.f.Regs))
	for _, p := range b.f.Params {
		if p.Var == nil {
			b.now[p.Reg] = b.add(Value{Kind: Entry, Reg: p.Reg, PC: -1})
		}
	}
	var marks []int // by depth: the length of undo where the block on the way from the root began
	for _, block := range b.f.Dominators().Preorder() {
		depth := b.f.Dominators().Depth(block)
		if depth < len(marks) { // up again, to the block that dominates this one
			b.restore(marks[depth])
		}
		marks = append(marks[:depth], len(b.undo))
		b.enter(block)
	}
}

// enter renames block i and fills its part of the successors' phis.
func (b *builder) enter(i int) {
	block := b.f.Blocks[i]
	for _, phi := range b.s.Phis(i) {
		r := b.s.Values[phi].Reg
		if i == 0 {
			args := b.s.Values[phi].Args
			args[len(args)-1] = b.read(r)
		}
		b.write(r, phi)
	}
	for pc := block.First; pc < block.End; pc++ {
		b.instr(&b.f.Module.Instrs[pc], int32(i))
	}
	if b.s.returned != nil && returns(block) {
		b.s.returned[i] = []ValueID{}
		for _, r := range returnRegs(b.f) {
			b.s.returned[i] = append(b.s.returned[i], b.read(r))
		}
	}
	for _, succ := range block.Succs() {
		if succ == ir.Exit || len(b.s.Phis(succ)) == 0 {
			continue
		}
		n := b.s.Way(i, succ)
		for _, phi := range b.s.Phis(succ) {
			v := b.read(b.s.Values[phi].Reg) // may grow Values
			b.s.Values[phi].Args[n] = v
		}
	}
}

// instr gives an instruction's uses their values and makes its definitions.
func (b *builder) instr(in *ir.Instr, block int32) {
	uses, defs := b.s.Uses(in.PC), b.s.Defs(in.PC)
	for i, r := range in.Uses() {
		uses[i] = b.read(r)
	}
	var guard ValueID
	if in.Guard != ir.NoReg {
		guard = b.read(in.Guard)
	}
	for i, r := range in.Defs() {
		v := b.add(Value{Kind: Def, Reg: r, PC: in.PC, Block: block})
		if in.Guard != ir.NoReg {
			old := b.under(b.read(r), guard, !in.GuardNot)
			v = b.add(Value{Kind: Select, GuardNot: in.GuardNot, Reg: r, PC: in.PC, Block: block, Args: []ValueID{guard, v, old}})
		}
		defs[i] = v
	}
	for i, r := range in.Defs() {
		b.write(r, defs[i])
	}
}

// under returns what v is where guard is not the given outcome: a Select by
// the same guard is decided there. So the two halves of
//
//	@p mov r, a;  @!p mov r, b;
//
// become p ? a : b and what r held before drops out.
func (b *builder) under(v, guard ValueID, not bool) ValueID {
	s := b.s.Values[v]
	if s.Kind != Select || s.Args[SelectGuard] != guard {
		return v
	}
	if s.GuardNot == not { // the guard is false: so is the Select's, negated or not
		return s.Args[SelectNew]
	}
	return s.Args[SelectOld]
}

// read returns the value that r holds at the point of the walk.
func (b *builder) read(r ir.RegID) ValueID {
	if v := b.now[r]; v != NoValue {
		return v
	}
	if b.undef[r] == NoValue {
		b.undef[r] = b.add(Value{Kind: Undef, Reg: r, PC: -1})
	}
	return b.undef[r]
}

// write makes v the value of r from here on, until restore comes back here.
func (b *builder) write(r ir.RegID, v ValueID) {
	b.undo = append(b.undo, undoEntry{r, b.now[r]})
	b.now[r] = v
}

func (b *builder) restore(mark int) {
	for len(b.undo) > mark {
		last := b.undo[len(b.undo)-1]
		b.undo = b.undo[:len(b.undo)-1]
		b.now[last.reg] = last.was
	}
}
