package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// instr follows all that instruction s depends on. Unless full is set, only
// its guard and its addresses are needed, not what it computes or stores.
func (w *walker) instr(s site, full bool) {
	k := w.g.Kernel
	in := &k.Module.Instrs[s.pc]
	switch {
	case in.Call != nil: // its arguments are followed from the callee
		if in.Guard != ir.NoReg {
			w.use(s, in.Guard, Data)
		}
		if in.Call.Callee == nil && in.Call.Address.Kind == ir.OperandReg {
			w.use(s, in.Call.Address.Reg, Data)
		}
		if len(k.callees(s.pc)) == 0 { // unknown: all arguments matter
			for i := range in.Call.Args {
				w.argument(s, i)
			}
		}
	case full:
		for _, r := range in.Uses() {
			w.use(s, r, Data)
		}
		if in.Inst.CrossLane() {
			w.otherLanes(s, in)
		}
		w.memory(s)
	default:
		w.addresses(s, in)
	}
	if w.control {
		w.branches(s.fn, int(in.Block))
	}
}

// addresses follows the guard and the addresses of s. Where an operand other
// than a plain address may take part in addressing, everything it reads does.
func (w *walker) addresses(s site, in *ir.Instr) {
	if in.Guard != ir.NoReg {
		w.use(s, in.Guard, Data)
	}
	if in.Inst.Form.Class == isa.InterThread { // it only waits: for the lanes of its mask
		if mask := &in.Ops[len(in.Ops)-1]; mask.Kind == ir.OperandReg {
			w.use(s, mask.Reg, Data)
		}
		return
	}
	if !in.Inst.PlainAccess() {
		for _, r := range in.Uses() {
			w.use(s, r, Data)
		}
		return
	}
	for i := range in.Ops {
		if op := &in.Ops[i]; op.Kind == ir.OperandAddr && op.Reg != ir.NoReg && op.Var == nil {
			w.use(s, op.Reg, Data)
		}
	}
}

// otherLanes follows what a warp instruction reads of lanes that may have come
// another way: every definition of its source registers.
func (w *walker) otherLanes(s site, in *ir.Instr) {
	k := w.g.Kernel
	for _, r := range in.Uses() {
		if r == in.Guard {
			continue
		}
		pcs := k.definitions(s.fn, r)
		if _, ok := w.g.folding(s.fn).Const(k.use(s, r)); ok && len(pcs) == 1 {
			continue
		}
		for _, pc := range pcs {
			if d := (site{s.fn, pc}); w.g.executes(d) {
				w.emit(d, Data)
			}
		}
	}
}

// memory follows what s reads from memory to who may have written it.
func (w *walker) memory(s site) {
	k := w.g.Kernel
	first := k.accessAt[k.instr(s)]
	for i := range k.accessesOf(s) {
		a := first + int32(i)
		if !k.accesses[a].read {
			continue
		}
		r := w.g.ref(a)
		switch {
		case r.space == isa.Const:
		case r.space == isa.Param && r.any:
			for fn, f := range k.Funcs {
				for _, v := range f.Vars {
					if normal(v.Space) == isa.Param {
						w.contents(int32(fn), v)
					}
				}
			}
		case r.space == isa.Param:
			for _, p := range r.places {
				if !k.isParam(p.v) {
					w.contents(s.fn, p.v)
				}
			}
		default:
			w.stores(r)
		}
	}
}

// stores follows memory to the instructions that may write it and, where other
// threads may, to what orders the threads.
func (w *walker) stores(r *ref) {
	k := w.g.Kernel
	found := false
	for i := range k.accesses {
		a := &k.accesses[i]
		if a.write && w.g.executes(a.s) && w.g.ref(int32(i)).overlaps(r) {
			w.emit(a.s, Mem)
			found = true
		}
	}
	if found && r.crossThread() {
		for _, s := range k.sync {
			if w.g.executes(s) {
				w.emit(s, Sync)
			}
		}
	}
}

// branches follows block b of function fn to the branches that decide whether
// it runs, in the function and in its callers.
func (w *walker) branches(fn int32, b int) {
	f := w.g.Kernel.Funcs[fn]
	for _, a := range f.ControlDeps(b) {
		w.end(fn, a)
	}
	for _, c := range w.g.Kernel.callers[fn] {
		if w.g.executes(c) {
			w.emit(c, Branch)
		}
	}
}

// end emits the instruction that ends block b unless the launch decides where
// it leads.
func (w *walker) end(fn int32, b int) {
	f := w.g.Kernel.Funcs[fn]
	block := f.Blocks[b]
	if block.First == block.End || !w.g.folding(fn).Reached(b) {
		return
	}
	s := site{fn, block.End - 1}
	if w.g.decides(s) {
		w.emit(s, Branch)
	}
}

// decides reports whether s ends a block and its guard or index is no constant
// of the launch.
func (g *Graph) decides(s site) bool {
	in := &g.Kernel.Module.Instrs[s.pc]
	if !in.Inst.EndsBlock() {
		return false
	}
	if _, known := g.guard(s); !known {
		return true
	}
	if !in.Inst.IsSwitch() || in.Ops[0].Kind != ir.OperandReg {
		return false
	}
	_, known := g.folding(s.fn).Const(g.Kernel.use(s, in.Ops[0].Reg))
	return !known
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
