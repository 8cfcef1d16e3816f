package depgraph

import (
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// find fills g.found with what node n directly depends on. This is the only
// place that knows what a dependence is: the gonum graph's edges, its pictures
// and all slices come from here. Uses that are constants of the launch are no
// dependences.
func (g *Graph) find(n int32) {
	k := g.Kernel
	switch k.kindOf(n) {
	case resultNode:
		s := k.siteOf(n)
		g.resultOf(s, &k.Module.Instrs[s.pc])
		g.depend(k.blockNode(s.fn, int(k.Module.Instrs[s.pc].Block)), edgeBranch)
	case addressNode:
		s := k.siteOf(n)
		g.addressOf(s, &k.Module.Instrs[s.pc])
		g.depend(k.blockNode(s.fn, int(k.Module.Instrs[s.pc].Block)), edgeBranch)
	case guardNode:
		s := k.siteOf(n)
		g.use(s, k.Module.Instrs[s.pc].Guard, edgeData)
	case valueNode:
		v := k.valueOf(n)
		g.valueOf(v, &k.SSA[v.fn].Values[v.id])
	case blockNode:
		fn, b := k.blockOf(n)
		g.control(fn, int(b))
	case variableNode:
		v := k.variables[n-k.firstNode[variableNode]]
		g.contents(v.fn, v.v)
	}
}

// depend notes a dependence of the node in question.
func (g *Graph) depend(n int32, kind edgeKind) { g.found = append(g.found, dependence{n, kind}) }

// dependOn notes one on the result of an instruction.
func (g *Graph) dependOn(s site, kind edgeKind) { g.depend(g.Kernel.instrNode(resultNode, s), kind) }

// variable notes one on what a variable of the .param space holds.
func (g *Graph) variable(v *ir.Var, kind edgeKind) {
	if i, known := g.Kernel.variableNumber[v]; known {
		g.depend(g.Kernel.firstNode[variableNode]+i, kind)
	}
}

// use notes that instruction s reads register r, unless that is a constant.
func (g *Graph) use(s site, r ir.RegID, kind edgeKind) {
	v := g.Kernel.use(s, r)
	if _, ok := g.folding(s.fn).Const(v); !ok {
		g.source(value{s.fn, v}, kind)
	}
}

// source notes what gives a value: the instruction that computes it, or else
// the value's own node. A constant counts, too: a phi finds it in the register.
func (g *Graph) source(v value, kind edgeKind) {
	switch k := g.Kernel; {
	case v.id == ssa.NoValue:
	case k.joins(v):
		g.depend(k.valueNode(v), kind)
	default:
		g.dependOn(site{v.fn, k.SSA[v.fn].Values[v.id].PC}, kind)
	}
}

// joins reports whether a value has a node of its own.
func (k *Kernel) joins(v value) bool {
	val := &k.SSA[v.fn].Values[v.id]
	return val.Kind != ssa.Def || k.Module.Instrs[val.PC].Call != nil
}

// resultOf finds what the result of instruction s depends on: all that it
// reads. Of a call that is only where it goes; the arguments are found by who
// asks for the formal parameter.
func (g *Graph) resultOf(s site, in *ir.Instr) {
	if in.Call == nil {
		g.usesOf(s, in)
		if in.Inst.CrossLane() {
			g.otherLanes(s, in)
		}
		g.memory(s, everyAccess)
		return
	}
	if in.Guard != ir.NoReg {
		g.use(s, in.Guard, edgeData)
	}
	if in.Call.Callee == nil && in.Call.Address.Kind == ir.OperandReg {
		g.use(s, in.Call.Address.Reg, edgeData)
	}
	if len(g.Kernel.callees(s.pc)) == 0 { // unknown: all arguments matter
		for i := range in.Call.Args {
			g.argument(s, i)
		}
	}
}

// usesOf notes all that instruction s reads but what is only a hint.
func (g *Graph) usesOf(s site, in *ir.Instr) {
	for _, r := range in.Uses() {
		if !ssa.OnlyHints(in, r) {
			g.use(s, r, edgeData)
		}
	}
}

// operandsOf returns what all registers that s reads depend on.
func (g *Graph) operandsOf(s site, in *ir.Instr) (nodes []int32) {
	found := g.found
	g.found = nil
	g.usesOf(s, in)
	for _, d := range g.found {
		nodes = append(nodes, d.node)
	}
	g.found = found
	return nodes
}

// addressOf finds what the guard and the addresses of s depend on. Where an
// operand other than a plain address may take part in addressing, everything it
// reads does.
func (g *Graph) addressOf(s site, in *ir.Instr) {
	if tells(in) {
		for r := range ssa.Telling(in) {
			g.use(s, r, edgeData)
		}
		g.memory(s, (*access).leads)
		return
	}
	matrix := in.Inst.CrossLane() && len(in.Inst.Form.Memory) == 1
	if in.Inst.Form.Class != isa.InterThread && !in.Inst.PlainAccess() && !matrix {
		g.usesOf(s, in)
		return
	}
	if in.Guard != ir.NoReg {
		g.use(s, in.Guard, edgeData)
	}
	if in.Inst.Form.Class == isa.InterThread { // it only waits: for the lanes of its mask
		if mask := &in.Ops()[len(in.Ops())-1]; mask.Kind == ir.OperandReg {
			g.use(s, mask.Reg, edgeData)
		}
		return
	}
	for i := range in.Ops() {
		op := &in.Ops()[i]
		stride := matrix && op.Kind == ir.OperandReg && in.Inst.Form.Operands[i].Name == "stride"
		if stride || op.Kind == ir.OperandAddr && op.Reg != ir.NoReg && op.Var == nil {
			g.use(s, op.Reg, edgeData)
			if matrix {
				g.otherWays(s, op.Reg)
			}
		}
	}
}

// otherLanes finds what a warp instruction reads of lanes that may have come
// another way: every definition of its source registers.
func (g *Graph) otherLanes(s site, in *ir.Instr) {
	for _, r := range in.Uses() {
		if exchanges(in, r) {
			g.otherWays(s, r)
		}
	}
}

// otherWays finds every definition of a register of which s reads what other lanes have.
func (g *Graph) otherWays(s site, r ir.RegID) {
	k := g.Kernel
	pcs := k.definitions(s.fn, r)
	if _, ok := g.folding(s.fn).Const(k.use(s, r)); ok && len(pcs) == 1 {
		return
	}
	for _, pc := range pcs {
		d := site{s.fn, pc}
		if !g.executes(d) {
			continue
		}
		g.dependOn(d, edgeData)
		if k.Module.Instrs[pc].Call != nil {
			g.returned(d, r)
		}
	}
}

// exchanges reports whether a warp instruction reads register r of other lanes: not its
// guard, nor the mask of the lanes that it waits for, which each lane reads for itself.
func exchanges(in *ir.Instr, r ir.RegID) bool {
	switch {
	case !in.Inst.CrossLane():
		return false
	case in.Inst.Form.Class != isa.InterThread:
		return r != in.Guard
	}
	ops := in.Ops()
	if in.Inst.SyncsWarp() {
		ops = ops[:len(ops)-1]
	}
	for i := range ops {
		if op := &ops[i]; op.Reg == r && op.Kind == ir.OperandReg && !in.Inst.Form.Operands[i].Write {
			return true
		}
	}
	return false
}

// definitions returns the instructions of function fn that write register r.
func (k *Kernel) definitions(fn int32, r ir.RegID) []ir.PC {
	var pcs []ir.PC
	instrs := k.Funcs[fn].Instrs()
	for i := range instrs {
		for _, d := range instrs[i].Defs() {
			if d == r {
				pcs = append(pcs, instrs[i].PC)
			}
		}
	}
	return pcs
}

// valueOf finds what a value is made from.
func (g *Graph) valueOf(v value, val *ssa.Value) {
	switch val.Kind {
	case ssa.Def: // of a call
		g.dependOn(site{v.fn, val.PC}, edgeReturned)
		g.returned(site{v.fn, val.PC}, val.Reg)
	case ssa.Phi:
		g.phi(v, val)
	case ssa.Select:
		guard, known := g.guard(site{v.fn, val.PC})
		if !known || guard {
			g.source(value{v.fn, val.Args[ssa.SelectNew]}, edgeData)
		}
		if !known || !guard {
			g.source(value{v.fn, val.Args[ssa.SelectOld]}, edgeData)
		}
	case ssa.Entry:
		for i, p := range g.Kernel.Funcs[v.fn].Params {
			if p.Var == nil && p.Reg == val.Reg {
				g.passed(v.fn, i)
			}
		}
	}
}

// phi finds the arguments that come along edges that can be taken, and what
// decides which edge is.
func (g *Graph) phi(v value, val *ssa.Value) {
	preds := g.Kernel.Funcs[v.fn].Blocks[val.Block].Preds()
	for i, p := range preds {
		if g.folding(v.fn).Passes(p, int(val.Block)) {
			g.source(value{v.fn, val.Args[i]}, edgeData)
			g.leaving(v.fn, p)
		}
	}
	if len(val.Args) > len(preds) {
		g.source(value{v.fn, val.Args[len(preds)]}, edgeData)
	}
}

// control finds what decides whether block b of function fn runs: the ends of
// the blocks that it depends on in the function, and the calls of the function.
func (g *Graph) control(fn int32, b int) {
	k := g.Kernel
	for _, a := range k.Funcs[fn].ControlDeps(b) {
		switch {
		case !g.folding(fn).Reached(a):
		case g.decides(fn, a):
			g.dependOn(site{fn, k.Funcs[fn].Blocks[a].End - 1}, edgeBranch)
		default:
			g.depend(k.blockNode(fn, a), edgeBranch)
		}
	}
	for _, c := range k.callers[fn] {
		if g.executes(c) {
			g.dependOn(c, edgeBranch)
		}
	}
}

// leaving finds what decides whether, and for where, control leaves block b.
func (g *Graph) leaving(fn int32, b int) {
	g.depend(g.Kernel.blockNode(fn, b), edgeBranch)
	if g.decides(fn, b) {
		g.dependOn(site{fn, g.Kernel.Funcs[fn].Blocks[b].End - 1}, edgeBranch)
	}
}

// decides reports whether the launch leaves open where the end of block b
// leads: its guard or its index is no constant.
func (g *Graph) decides(fn int32, b int) bool {
	block := g.Kernel.Funcs[fn].Blocks[b]
	if block.First == block.End || !g.folding(fn).Reached(b) {
		return false
	}
	s := site{fn, block.End - 1}
	in := &g.Kernel.Module.Instrs[s.pc]
	if !in.Inst.EndsBlock() {
		return false
	}
	if _, known := g.guard(s); !known {
		return true
	}
	if !in.Inst.IsSwitch() || in.Ops()[0].Kind != ir.OperandReg {
		return false
	}
	_, known := g.folding(fn).Const(g.Kernel.use(s, in.Ops()[0].Reg))
	return !known
}

// memory finds who may have written what those of the accesses of s that count read from
// memory.
func (g *Graph) memory(s site, counts func(*access) bool) {
	k := g.Kernel
	if f := k.Module.Instrs[s.pc].Inst.Form; f.Matrices || f.Tensor != 0 { // there is a result when somebody has waited for it
		g.syncs()
	}
	for a, r := range g.reads(s) {
		switch {
		case !counts(a):
		case r.space == isa.Const:
		case r.space == isa.Param && r.any:
			for _, v := range k.variables {
				g.variable(v.v, edgeData)
			}
		case r.space == isa.Param:
			for _, p := range r.places {
				if !isParam(p.v) {
					g.variable(p.v, edgeData)
				}
			}
		default:
			g.stores(r, a.mbarrier)
		}
	}
}

// stores finds the instructions that may write what r touches and, where other
// threads may, what orders the threads. An mbarrier object no bulk copy writes but by
// telling it of its bytes (PTX ISA 9.7.15.16.1: any other operation on it is undefined),
// for which the bytes themselves are not needed; but for a copy of which more is known.
func (g *Graph) stores(r *ref, mbarrier bool) {
	found := false
	for s := range g.writers(r.overlaps) {
		if mbarrier && tells(&g.Kernel.Module.Instrs[s.pc]) && !g.overwrites(s, r) {
			g.depend(g.Kernel.instrNode(addressNode, s), edgeMem)
		} else {
			g.dependOn(s, edgeMem)
		}
		found = true
	}
	if found && r.crossThread() {
		g.syncs()
	}
}

// overwrites says whether a bulk copy moves bytes onto r: surely, or as far as one can tell of an
// address of which nothing is known. Two places in one array are taken for different ones.
func (g *Graph) overwrites(s site, r *ref) bool {
	k := g.Kernel
	at := k.instr(s)
	for i := k.accessAt[at]; i < k.accessAt[at+1]; i++ {
		to := g.ref(i)
		if a := &k.accesses[i]; !a.write || a.mbarrier || !to.overlaps(r) {
			continue
		}
		if to.any || r.any || to.exact && r.exact && to.off < r.off+mbarrierBytes {
			return true
		}
	}
	return false
}

// mbarrierBytes is the size of an mbarrier object (PTX ISA 9.7.15.16.1).
const mbarrierBytes = 8

// syncs finds what orders the threads.
func (g *Graph) syncs() {
	for _, s := range g.Kernel.sync {
		if g.executes(s) {
			g.dependOn(s, edgeSync)
		}
	}
}
