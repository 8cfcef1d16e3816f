package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// ControlFlow returns the control-flow instruction list (HyPA's CFIL): the
// instructions that a launch can reach and that may lead anywhere but to the
// next one - bra, brx.idx, call, ret, exit and trap, guarded or not - by PC.
// Filter of one of them is its filtered dependency graph.
func (g *Graph) ControlFlow() []ir.PC {
	var list []ir.PC
	for _, s := range g.Kernel.ordered {
		in := &g.Kernel.Module.Instrs[s.pc]
		if g.reached(s) && leads(in) {
			list = append(list, s.pc)
		}
	}
	return list
}

// leads reports whether an instruction may lead anywhere but to the next one.
func leads(in *ir.Instr) bool {
	return in.Inst.EndsBlock() || in.Inst.Form.Flow == isa.FlowBreak || in.Call != nil
}
