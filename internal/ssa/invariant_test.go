package ssa

import (
	"fmt"

	"hyptx/internal/flow"
	"hyptx/ir"
)

// sanity checks what must hold of every SSA overlay and returns the first
// violation. Tests run it on everything they build.
func (s *Form) sanity() error {
	for id := 1; id < len(s.Values); id++ {
		if err := s.checkValue(ValueID(id)); err != nil {
			return fmt.Errorf("%s: value %d of %s: %w", s.Func.Name, id, s.Func.Regs[s.Values[id].Reg].Name, err)
		}
	}
	dom := s.Func.Dominators()
	for b, block := range s.Func.Blocks {
		for pc := block.First; pc < block.End; pc++ {
			for i, v := range s.Uses(pc) {
				if err := s.checkUse(pc, int(b), i, v, dom); err != nil {
					return fmt.Errorf("%s: instruction %d: %w", s.Func.Name, pc, err)
				}
			}
		}
	}
	return nil
}

func (s *Form) checkValue(id ValueID) error {
	v := &s.Values[id]
	dom := s.Func.Dominators()
	switch v.Kind {
	case Phi:
		preds := s.Func.Blocks[v.Block].Preds()
		want := len(preds)
		if v.Block == 0 {
			want++
		}
		if len(v.Args) != want {
			return fmt.Errorf("a phi of %d arguments where %d paths join", len(v.Args), want)
		}
		for i, p := range preds {
			if a := v.Args[i]; (a == NoValue) != (dom.Depth(p) < 0) {
				return fmt.Errorf("argument %d from block %d is %d", i, p, a)
			} else if a != NoValue && !s.availableAt(a, p, dom) {
				return fmt.Errorf("argument %d, value %d, does not reach the end of block %d", i, a, p)
			}
		}
	case Select:
		if len(v.Args) != 3 || s.Values[v.Args[SelectNew]].PC != v.PC || s.Values[v.Args[SelectNew]].Kind != Def {
			return fmt.Errorf("a select without guard, new and old")
		}
	default:
		if len(v.Args) != 0 {
			return fmt.Errorf("%d arguments", len(v.Args))
		}
	}
	if v.Kind != Phi {
		return nil
	}
	for _, a := range v.Args {
		if a != NoValue && s.Values[a].Reg != v.Reg {
			return fmt.Errorf("joins another register's value %d", a)
		}
	}
	return nil
}

// availableAt reports whether v is defined wherever block b has run.
func (s *Form) availableAt(v ValueID, b int, dom *flow.Tree) bool {
	return dom.Dominates(int(s.Values[v].Block), b)
}

func (s *Form) checkUse(pc ir.PC, block, i int, v ValueID, dom *flow.Tree) error {
	r := s.Func.Module.Instrs[pc].Uses()[i]
	switch {
	case dom.Depth(block) < 0:
		if v != NoValue {
			return fmt.Errorf("reads value %d though nothing reaches it", v)
		}
		return nil
	case v == NoValue:
		return fmt.Errorf("reads no value of %s", s.Func.Regs[r].Name)
	case s.Values[v].Reg != r:
		return fmt.Errorf("reads value %d of another register for %s", v, s.Func.Regs[r].Name)
	case !s.availableAt(v, block, dom):
		return fmt.Errorf("reads value %d of %s, which does not dominate it", v, s.Func.Regs[r].Name)
	case s.Values[v].PC >= pc && s.Values[v].Block == int32(block):
		return fmt.Errorf("reads value %d of %s before it is written", v, s.Func.Regs[r].Name)
	}
	return nil
}
