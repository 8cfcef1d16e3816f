package machine

import (
	"slices"

	"hyptx/internal/flow"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A loop whose number of rounds is no constant is unrolled partRounds at a time, too,
// if how many are left can be told in each: a counter that a constant is added to is
// compared with something that stays. ptxas puts a test before such a loop whether there
// are four rounds, and one after it for those that are left: published listings show
// loops of four additions, loads or stores, which a front end has unrolled once, with
// a comparison of the 16 that are left, one of 8, and then of 4. The rounds that are left
// over are taken one by one (rest.go).

// maxRound is the number of machine instructions of a round up to which ptxas unrolls
// such a loop (own estimate: those seen unrolled have up to 42, those of 60 and more
// stay as they are).
const maxRound = 52

// openLoops returns the trips of the loops that are not in counted but of which the
// rounds that are left can be told; how many they are is not known.
func openLoops(q *quit, s *ssa.Form, counted map[*ir.Loop]*trips) map[*ir.Loop]*trips {
	open := map[*ir.Loop]*trips{}
	for _, l := range s.Func.Loops() {
		q.look()
		if counted[l] != nil || len(l.Latches) != 1 {
			continue
		}
		if e, ok := l.Exit(); ok && e.To != ir.Exit && straight(s.Func, l) && counts(s, l, e) {
			open[l] = &trips{exit: e.From, leaves: e.To, first: testsFirst(s.Func, l, e.From)}
		}
	}
	return open
}

// straight reports whether nothing in a loop has to keep its place: no calls, barriers
// and the like.
func straight(f *ir.Func, l *ir.Loop) bool {
	for _, b := range l.Blocks() {
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			if in := &f.Module.Instrs[pc]; in.Call != nil || in.Inst.IsBarrier() || in.Inst.CrossLane() || len(in.Inst.Form.Memory) > 0 && fences(in) {
				return false
			}
		}
	}
	return true
}

// counts reports whether a loop's exit tests a counter against what stays.
func counts(s *ssa.Form, l *ir.Loop, exit flow.Edge) bool {
	branch, _ := s.ExitTest(exit)
	if branch == nil || !s.Func.Dominators().Dominates(exit.From, l.Latches[0]) {
		return false
	}
	test := s.Definition(s.Origin(s.Use(branch.PC, branch.Guard)))
	if test == nil || test.Inst.Op != isa.OpSetp || test.Inst.Type().IsFloat() || len(test.Ops()) > 3 && test.Ops()[3].Kind != ir.NoOperand {
		return false
	}
	a, b := &test.Ops()[1], &test.Ops()[2]
	return steps(s, l, test, a) && stays(s, l, test, b) || steps(s, l, test, b) && stays(s, l, test, a)
}

// steps reports whether a constant is added to an operand in each round: it is a phi of
// the loop's header, or what that is in the next round, or one of these converted.
func steps(s *ssa.Form, l *ir.Loop, in *ir.Instr, op *ir.Operand) bool {
	if op.Kind != ir.OperandReg {
		return false
	}
	v := s.Origin(s.Use(in.PC, op.Reg))
	if cvt := s.Definition(v); cvt != nil && cvt.Inst.Op == isa.OpCvt && !cvt.Inst.Types[0].IsFloat() && !cvt.Inst.Types[1].IsFloat() && cvt.Ops()[1].Kind == ir.OperandReg {
		v = s.Origin(s.Use(cvt.PC, cvt.Ops()[1].Reg))
	}
	latch := slices.Index(s.Func.Blocks[l.Header].Preds(), l.Latches[0])
	for _, phi := range s.Phis(l.Header) {
		next := s.Values[phi].Args[latch]
		if v != phi && v != s.Origin(next) {
			continue
		}
		_, by := s.Added(next, phi)
		return by != nil && by.Kind == ir.OperandImm
	}
	return false
}

// stays reports whether an operand is the same in all rounds.
func stays(s *ssa.Form, l *ir.Loop, in *ir.Instr, op *ir.Operand) bool {
	switch op.Kind {
	case ir.OperandImm:
		return true
	case ir.OperandReg:
		v := s.Use(in.PC, op.Reg)
		return v != ssa.NoValue && !l.Has(int(s.Values[v].Block))
	}
	return false
}
