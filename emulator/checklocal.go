package emulator

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Whether a thread reaches another one's local memory the detector finds, which follows the numbers of
// addresses. No filter sees that, so that it looks at each launch that could do so: one that gives such
// an address away, to memory that others see or to other lanes. Functions that are called are not asked.

// checkLeaving leaves the launch to the detector if an instruction reads where local memory lies, and
// that is given away.
func (c *compiler) checkLeaving(in *ir.Instr) {
	x := in.Inst
	where := x.Op == isa.OpAlloca || x.Op == isa.OpCvta && x.Space == isa.Local
	for i := range in.Ops() {
		op := &in.Ops()[i]
		where = where || op.Kind == ir.OperandVar && op.Var != nil && op.Var.Space == isa.Local
	}
	if !where || in.Call != nil || len(x.Form.Memory) > 0 || c.prog.unfiltered {
		return
	}
	form, seen := c.form(c.fn), map[ssa.ValueID]bool{}
	for work := slices.Clone(form.Defs(in.PC)); len(work) > 0; {
		v := work[len(work)-1]
		if work = work[:len(work)-1]; seen[v] {
			continue
		}
		seen[v] = true
		for _, u := range form.Users(v) {
			if u.Value != ssa.NoValue {
				work = append(work, u.Value)
				continue
			}
			user := &c.mod.Instrs[u.PC]
			if c.gives(form, user, v) {
				c.prog.unfiltered = true
				return
			}
			if user.Call == nil && len(user.Inst.Form.Memory) == 0 {
				work = append(work, form.Defs(u.PC)...)
			}
		}
	}
}

// gives reports whether an instruction gives a value to other threads.
func (c *compiler) gives(form *ssa.Form, in *ir.Instr, v ssa.ValueID) bool {
	x := in.Inst
	if in.Call != nil || x.Space == isa.Local || x.Space == isa.Param || x.Space == isa.ParamFunc {
		return false
	}
	if x.Op == isa.OpShfl {
		return true
	}
	return (x.IsStore() || x.IsAtomic()) && form.Takes(in, v)
}
