package ir

import (
	"fmt"
	"slices"

	"hyptx/internal/flow"
)

// sanity checks what must hold of every lowered module and returns the first
// violation. Tests run it on everything they lower; SSA has a check of its
// own.
func (m *Module) sanity() error {
	for pc := range m.Instrs {
		if m.Instrs[pc].PC != PC(pc) {
			return fmt.Errorf("instruction %d says that its PC is %d", pc, m.Instrs[pc].PC)
		}
	}
	if err := m.checkVars(); err != nil {
		return err
	}
	end := PC(0)
	for i, f := range m.Funcs {
		if f.Index != i || f.Module != m || m.Func(f.Name) != f {
			return fmt.Errorf("function %s: wrong index, module or name", f.Name)
		}
		if !f.Defined && f.Refused == nil || f.AliasOf != nil {
			continue
		}
		if f.First != end || f.End < f.First {
			return fmt.Errorf("function %s holds [%d,%d), %d is expected first", f.Name, f.First, f.End, end)
		}
		end = f.End
		if !f.Defined {
			continue
		}
		if err := f.check(); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	if int(end) != len(m.Instrs) {
		return fmt.Errorf("instructions from %d on belong to no function", end)
	}
	return nil
}

// checkVars checks that the variables' numbers are distinct and in range and
// that initialisers lie within their variables.
func (m *Module) checkVars() error {
	seen := make([]bool, m.NumVars)
	check := func(v *Var) error {
		if v.Index < 0 || v.Index >= m.NumVars || seen[v.Index] {
			return fmt.Errorf("variable %s has the number %d, taken or out of range", v.Name, v.Index)
		}
		seen[v.Index] = true
		if v.Align <= 0 || v.Align&(v.Align-1) != 0 || v.Bytes < 0 || int64(len(v.Init)) > v.Bytes {
			return fmt.Errorf("variable %s: %d bytes, alignment %d, %d initialised", v.Name, v.Bytes, v.Align, len(v.Init))
		}
		for _, r := range v.Relocs {
			if r.At < 0 || int64(r.At+r.Bytes) > v.Bytes || (r.Var == nil) == (r.Func == nil) {
				return fmt.Errorf("variable %s: bad relocation at byte %d", v.Name, r.At)
			}
		}
		return nil
	}
	for _, v := range m.Vars {
		if err := check(v); err != nil {
			return err
		}
	}
	for _, f := range m.Funcs {
		if f.AliasOf != nil {
			continue
		}
		vars := slices.Clone(f.Vars)
		for _, p := range slices.Concat(f.Params, f.Returns) {
			if p.Var != nil {
				vars = append(vars, p.Var)
			}
		}
		for _, v := range vars {
			if v.Func != f {
				return fmt.Errorf("variable %s of %s belongs to another scope", v.Name, f.Name)
			}
			if err := check(v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Func) check() error {
	calls := []PC(nil)
	for i := range f.Instrs() {
		in := &f.Instrs()[i]
		if err := f.checkInstr(in); err != nil {
			return fmt.Errorf("instruction %d (%s): %w", in.PC, in.Inst.Op, err)
		}
		if in.Call != nil {
			calls = append(calls, in.PC)
		}
	}
	if !slices.Equal(calls, f.Calls) {
		return fmt.Errorf("calls at %v, Calls says %v", calls, f.Calls)
	}
	if err := f.checkBlocks(); err != nil {
		return err
	}
	return f.checkFlow()
}

func (f *Func) checkInstr(in *Instr) error {
	if in.Guard != NoReg && (in.Guard < 0 || int(in.Guard) >= len(f.Regs)) {
		return fmt.Errorf("guard %d is no register", in.Guard)
	}
	if len(in.Ops()) != len(in.Inst.Form.Operands) {
		return fmt.Errorf("%d operands, the form has %d", len(in.Ops()), len(in.Inst.Form.Operands))
	}
	for _, regs := range [][]RegID{in.Defs(), in.Uses()} {
		for i, r := range regs {
			if r < 0 || int(r) >= len(f.Regs) {
				return fmt.Errorf("register %d of %d", r, len(f.Regs))
			}
			if slices.Contains(regs[:i], r) {
				return fmt.Errorf("register %s is listed twice", f.Regs[r].Name)
			}
		}
	}
	for i := range in.Ops() {
		if err := f.checkOperand(&in.Ops()[i]); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
	}
	for _, t := range append([]PC{in.Target}, in.Targets()...) {
		if t != 0 && (t < f.First || t > f.End) {
			return fmt.Errorf("target %d lies outside the function", t)
		}
	}
	return nil
}

func (f *Func) checkOperand(o *Operand) error {
	switch o.Kind {
	case OperandReg:
		if o.Reg < 0 || int(o.Reg) >= len(f.Regs) {
			return fmt.Errorf("register %d of %d", o.Reg, len(f.Regs))
		}
	case OperandVar:
		if o.Var == nil {
			return fmt.Errorf("no variable")
		}
	case OperandFunc:
		if o.Rare == nil || o.Rare.Func == nil || o.Rare.Func.AliasOf != nil {
			return fmt.Errorf("no function, or an alias")
		}
	case OperandAddr:
		if o.Var != nil && o.Reg != NoReg {
			return fmt.Errorf("an address with a variable and a register")
		}
	case OperandVec:
		for i := range o.Elems() {
			switch o.Elems()[i].Kind {
			case OperandReg, OperandImm, OperandSink, OperandSReg:
			default:
				return fmt.Errorf("element %d is of kind %d", i, o.Elems()[i].Kind)
			}
		}
	}
	return nil
}

// checkBlocks checks that the blocks tile the function and that their edges
// are those that their last instructions ask for.
func (f *Func) checkBlocks() error {
	at := f.First
	for i, b := range f.Blocks {
		if b.Index != i || b.First != at || b.End < b.First || b.First == b.End && f.First != f.End {
			return fmt.Errorf("block %d holds [%d,%d), %d is expected first", i, b.First, b.End, at)
		}
		at = b.End
		for pc := b.First; pc < b.End; pc++ {
			in := &f.Module.Instrs[pc]
			if int(in.Block) != i {
				return fmt.Errorf("instruction %d says that it is in block %d, not %d", pc, in.Block, i)
			}
			if in.Inst.EndsBlock() && pc != b.End-1 {
				return fmt.Errorf("block %d goes on after the branch at %d", i, pc)
			}
		}
		for n, s := range b.Succs() {
			if s != Exit && (s < 0 || s >= len(f.Blocks) || !slices.Contains(f.Blocks[s].Preds(), i)) || slices.Contains(b.Succs()[:n], s) {
				return fmt.Errorf("block %d: bad successor %d", i, s)
			}
		}
		for n, p := range b.Preds() {
			if p < 0 || p >= len(f.Blocks) || !slices.Contains(f.Blocks[p].Succs(), i) || slices.Contains(b.Preds()[:n], p) {
				return fmt.Errorf("block %d: bad predecessor %d", i, p)
			}
		}
		if len(b.Succs()) == 0 {
			return fmt.Errorf("block %d leads nowhere", i)
		}
	}
	if at != f.End || len(f.Blocks) == 0 {
		return fmt.Errorf("the blocks end at %d, the function at %d", at, f.End)
	}
	return nil
}

// checkFlow checks dominators and loops by their definitions, edge by edge.
func (f *Func) checkFlow() error {
	dom, post := f.Dominators(), f.PostDominators()
	for b, block := range f.Blocks {
		if post.Depth(b) <= 0 {
			return fmt.Errorf("block %d does not reach the exit", b)
		}
		for _, s := range block.Succs() {
			if up := post.IDom(b); !post.Dominates(up, s) && s != up {
				return fmt.Errorf("block %d: its post-dominator %d does not post-dominate its successor %d", b, up, s)
			}
			if s == Exit || dom.Depth(b) < 0 {
				continue
			}
			if up := dom.IDom(s); up != flow.None && !dom.Dominates(up, b) {
				return fmt.Errorf("block %d: its dominator %d does not dominate its predecessor %d", s, up, b)
			}
		}
	}
	for _, l := range f.Loops() {
		for _, b := range l.Blocks() {
			if !dom.Dominates(l.Header, b) {
				return fmt.Errorf("loop %d does not dominate its block %d", l.Header, b)
			}
			if b == l.Header {
				continue
			}
			for _, p := range f.Blocks[b].Preds() {
				if dom.Depth(p) >= 0 && !l.Has(p) {
					return fmt.Errorf("block %d, which leads to %d of loop %d, is said to lie elsewhere", p, b, l.Header)
				}
			}
		}
		for _, b := range append(l.Latches, l.Header) {
			if in := f.LoopOf(b); in == nil || !within(in, l) {
				return fmt.Errorf("block %d of loop %d is said to lie elsewhere", b, l.Header)
			}
		}
	}
	return nil
}

// within reports whether l is outer or lies in it.
func within(l, outer *Loop) bool {
	for l != nil && l != outer {
		l = l.Parent
	}
	return l == outer
}
