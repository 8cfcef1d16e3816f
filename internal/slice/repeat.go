package slice

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Repeat is a loop all of whose rounds are alike but for what decides when it
// ends: whatever else a slice runs or decides within it comes out the same in
// each round. To know how often the rest is counted it is enough to go on with
// the few instructions that decide.
//
// An example is the loop over the channels of a convolution. Its body loads and
// multiplies, branches at the border of the image by what the thread's index
// says, and adds one to a counter that is compared with the number of channels.
// The loads and products are not in a slice for control flow anyway; the border
// is the same in each round. So the emulator runs one round as a whole, and for
// the others only the addition, the comparison and the exit, until all threads
// have left.
//
// To see that, the loop is split into the instructions that decide when it ends
// (control: what the exit's guard is made from, around the loop) and the rest.
// What varies from round to round are the header's phis and what is made from
// them. The rounds are alike if nothing of the rest that is run reads what
// varies and no branch but the exit is guarded by it.
type Repeat struct {
	Func *ir.Func
	Loop *ir.Loop
	// Exit is the guarded branch that leaves the loop; each round passes it
	// once.
	Exit ir.PC
	// Before and After are the instructions to run each round for Exit to
	// decide: those to which a round comes before Exit and behind it, in that
	// order.
	Before, After []ir.PC
}

// Repeats returns the loops of a function whose rounds are alike under the
// slice, in the order of Loops. They are natural loops with one latch, left by
// one branch, without calls, returns, waiting, or members that write memory or
// wait. Nothing in them but that branch and what it is decided by depends on
// what changes from round to round.
func (s *Slice) Repeats(form *ssa.Form) []Repeat {
	var rs []Repeat
	for _, l := range form.Func.Loops() {
		r := repeater{slice: s, ssa: form, f: form.Func, l: l}
		if len(l.Latches) == 1 && r.findExit() && r.pure() && r.findControl() && r.alike() && !r.waits() {
			rs = append(rs, r.repeat())
		}
	}
	return rs
}

// repeater decides about one loop.
type repeater struct {
	slice *Slice
	ssa   *ssa.Form
	f     *ir.Func
	l     *ir.Loop
	exit  ir.PC
	// control are the instructions that decide when the loop ends, seen the
	// header's phis among what they are made from.
	control map[ir.PC]bool
	seen    map[ssa.ValueID]bool
	// varies are the values of the loop that may change from round to round.
	varies map[ssa.ValueID]bool
}

func (r *repeater) instr(pc ir.PC) *ir.Instr { return &r.f.Module.Instrs[pc] }

// findExit finds the one branch that may leave the loop.
func (r *repeater) findExit() bool {
	r.exit = -1
	for e := range r.l.Exits() {
		pc := r.f.Blocks[e.From].End - 1
		in := r.instr(pc)
		if in.Inst.Form.Flow != isa.FlowBranch || in.Guard == ir.NoReg {
			return false
		}
		if _, known := r.slice.ConstAt(pc, in.Guard); known {
			continue // the launch decides it
		}
		if r.exit >= 0 {
			return false
		}
		r.exit = pc
	}
	return r.exit >= 0 && r.slice.Run.Has(r.exit) && r.everyRound(r.exit)
}

// everyRound reports whether each round comes to an instruction once.
func (r *repeater) everyRound(pc ir.PC) bool {
	b := int(r.instr(pc).Block)
	return r.f.LoopOf(b) == r.l && r.f.Dominators().Dominates(b, r.l.Latches[0])
}

// each calls do for the loop's instructions until it reports false.
func (r *repeater) each(do func(pc ir.PC) bool) bool {
	for _, b := range r.l.Blocks() {
		for pc := r.f.Blocks[b].First; pc < r.f.Blocks[b].End; pc++ {
			if !do(pc) {
				return false
			}
		}
	}
	return true
}

// pure reports whether rounds do nothing that others could see or have to
// wait for.
func (r *repeater) pure() bool {
	return r.each(func(pc ir.PC) bool {
		in := r.instr(pc)
		if in.Call != nil || in.Inst.IsReturn() || in.Inst.IsExit() || in.Inst.Form.Flow == isa.FlowBreak {
			return false
		}
		return !r.slice.Run.Has(pc) || pure(in)
	})
}

// waits reports whether threads wait in the loop for others, of whose rounds
// nobody knows how many there will be.
func (r *repeater) waits() bool {
	waits, _ := r.ssa.Waits(r.l)
	return waits
}

// pure reports whether an instruction only computes registers, from registers
// and from memory as it is.
func pure(in *ir.Instr) bool {
	x := in.Inst
	switch {
	case x.IsBranch():
		return true
	case !x.Computes() && !(x.IsLoad() && x.PlainAccess() && !x.IsVolatile()):
		return false
	}
	for i := range in.Ops() {
		if in.Ops()[i].Kind == ir.OperandSReg && in.Ops()[i].SReg.Volatile() {
			return false
		}
	}
	return true
}

// findControl finds what decides when the loop ends: what the exit's guard and
// the header's phis behind it are made from within the loop.
func (r *repeater) findControl() bool {
	r.control, r.seen = map[ir.PC]bool{}, map[ssa.ValueID]bool{}
	return r.need(r.ssa.Use(r.exit, r.instr(r.exit).Guard))
}

// need adds what value v is made from within the loop to control. It reports
// false where that is more than straight code that each round runs once.
func (r *repeater) need(v ssa.ValueID) bool {
	val := &r.ssa.Values[v]
	if v == ssa.NoValue || val.Kind == ssa.Entry || val.Kind == ssa.Undef || !r.l.Has(int(val.Block)) {
		return true
	}
	switch val.Kind {
	case ssa.Phi:
		if int(val.Block) != r.l.Header {
			return false
		}
		if r.seen[v] {
			return true
		}
		r.seen[v] = true
		return r.need(val.Args[slices.Index(r.f.Blocks[r.l.Header].Preds(), r.l.Latches[0])])
	case ssa.Select:
		return r.need(val.Args[ssa.SelectOld]) && r.needInstr(val.PC)
	}
	return r.needInstr(val.PC)
}

// needInstr adds an instruction of the loop and what its operands are made from
// to control, but for those that the slice gives it as constants.
func (r *repeater) needInstr(pc ir.PC) bool {
	if r.control[pc] {
		return true
	}
	in := r.instr(pc)
	if !r.slice.Run.Has(pc) || !r.everyRound(pc) || in.Inst.ReadsCC() || in.Inst.WritesCC() {
		return false
	}
	r.control[pc] = true
	uses := r.ssa.Uses(pc)
	for i, reg := range in.Uses() {
		if !r.slice.given(pc, reg) && !r.need(uses[i]) {
			return false
		}
	}
	return true
}

// alike reports whether all else that the slice computes or decides in the
// loop is the same in each round: it reads nothing that varies.
func (r *repeater) alike() bool {
	r.findVarying()
	return r.each(func(pc ir.PC) bool {
		if pc == r.exit {
			return true
		}
		if r.guardVaries(pc) {
			return false
		}
		return !r.slice.Run.Has(pc) || r.control[pc] || !r.readsVarying(pc)
	})
}

// findVarying fills varies: the header's phis and what is made from them. A
// phi further down varies with its arguments alone: the branches that choose
// among them do not, or alike rejects the loop.
func (r *repeater) findVarying() {
	r.varies = map[ssa.ValueID]bool{}
	var work []ssa.ValueID
	add := func(v ssa.ValueID) {
		if !r.varies[v] && r.l.Has(int(r.ssa.Values[v].Block)) {
			r.varies[v] = true
			work = append(work, v)
		}
	}
	for _, phi := range r.ssa.Phis(r.l.Header) {
		add(phi)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range r.ssa.Users(v) {
			if u.Value != ssa.NoValue {
				add(u.Value)
				continue
			}
			if r.slice.given(u.PC, r.ssa.Values[v].Reg) {
				continue
			}
			for i, d := range r.ssa.Defs(u.PC) {
				add(d)
				add(r.ssa.Written(u.PC, i))
			}
		}
	}
}

// readsVarying reports whether an instruction reads a value that varies.
func (r *repeater) readsVarying(pc ir.PC) bool {
	uses := r.ssa.Uses(pc)
	for i, reg := range r.instr(pc).Uses() {
		if r.varies[uses[i]] && !r.slice.given(pc, reg) {
			return true
		}
	}
	return false
}

// guardVaries reports whether an instruction's guard varies.
func (r *repeater) guardVaries(pc ir.PC) bool {
	g := r.instr(pc).Guard
	return g != ir.NoReg && r.varies[r.ssa.Use(pc, g)] && !r.slice.given(pc, g)
}

// repeat packs up what was found.
func (r *repeater) repeat() Repeat {
	p := Repeat{Func: r.f, Loop: r.l, Exit: r.exit}
	dom, exit := r.f.Dominators(), int(r.instr(r.exit).Block)
	for pc := range r.control {
		if b := int(r.instr(pc).Block); b != exit && dom.Dominates(exit, b) {
			p.After = append(p.After, pc)
		} else {
			p.Before = append(p.Before, pc)
		}
	}
	// The blocks that each round passes stand one below the other in the
	// dominator tree.
	inOrder := func(a, b ir.PC) int {
		if d := dom.Depth(int(r.instr(a).Block)) - dom.Depth(int(r.instr(b).Block)); d != 0 {
			return d
		}
		return int(a - b)
	}
	slices.SortFunc(p.Before, inOrder)
	slices.SortFunc(p.After, inOrder)
	return p
}
