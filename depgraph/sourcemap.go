package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// sourceMap says on which identity sources the values of a slice depend.
type sourceMap struct {
	sl *slicer
	// own are the sources that an instruction itself is, instr those that it
	// depends on; by instruction number.
	own, instr []Sources
	// value are the sources of values, block those of whether and how often a
	// block runs, by function and block.
	value   []Sources
	block   [][]Sources
	changed bool
}

// sources spreads the identity sources over the slice until nothing changes.
func (sl *slicer) sources() *sourceMap {
	k := sl.g.Kernel
	m := &sourceMap{sl: sl, own: make([]Sources, k.Instructions()), instr: make([]Sources, k.Instructions())}
	m.value = make([]Sources, k.valueAt[len(k.Funcs)])
	m.block = make([][]Sources, len(k.Funcs))
	for i, f := range k.Funcs {
		m.block[i] = make([]Sources, len(f.Blocks))
	}
	for _, s := range sl.listed {
		m.own[k.instr(s)] = sl.own(s)
	}
	for m.changed = true; m.changed; {
		m.changed = false
		for fn, f := range k.Funcs {
			for b := range f.Blocks {
				if sl.g.folding(int32(fn)).Reached(b) {
					m.visit(int32(fn), b)
				}
			}
		}
	}
	return m
}

// add joins src into *to.
func (m *sourceMap) add(to *Sources, src Sources) {
	if *to|src != *to {
		*to |= src
		m.changed = true
	}
}

// of returns the sources of a value; constants have none. A select whose guard
// is a constant is what it selects: its instruction need not be a member.
func (m *sourceMap) of(v value) Sources {
	for v.id != ir.NoValue {
		val := &m.sl.g.Kernel.SSA[v.fn].Values[v.id]
		if val.Kind != ir.Select {
			break
		}
		holds, known := m.sl.g.guard(site{v.fn, val.PC})
		if !known {
			break
		}
		if v.id = val.Args[ir.SelectOld]; holds {
			v.id = val.Args[ir.SelectNew]
		}
	}
	if v.id == ir.NoValue {
		return 0
	}
	if _, ok := m.sl.g.folding(v.fn).Const(v.id); ok {
		return 0
	}
	return m.value[m.sl.g.Kernel.valueIndex(v)]
}

// use returns the sources of what instruction s reads in register r.
func (m *sourceMap) use(s site, r ir.RegID) Sources {
	return m.of(value{s.fn, m.sl.g.Kernel.use(s, r)})
}

// visit evaluates a block, its phis and those of its instructions that are
// members.
func (m *sourceMap) visit(fn int32, b int) {
	k := m.sl.g.Kernel
	f := k.Funcs[fn]
	m.add(&m.block[fn][b], m.control(fn, b))
	for _, id := range k.SSA[fn].Phis(b) {
		m.phi(value{fn, id})
	}
	if b == 0 {
		m.formals(fn)
	}
	for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
		if m.sl.run.Has(pc) {
			m.visitInstr(site{fn, pc}, b)
		}
	}
}

// control returns the sources of the branches that decide whether block b
// runs, and those of the calls.
func (m *sourceMap) control(fn int32, b int) Sources {
	var src Sources
	for _, a := range m.sl.g.Kernel.Funcs[fn].ControlDeps(b) {
		src |= m.end(fn, a)
	}
	for _, c := range m.sl.g.Kernel.callers[fn] {
		in := &m.sl.g.Kernel.Module.Instrs[c.pc]
		src |= m.block[c.fn][in.Block]
		if in.Guard != ir.NoReg {
			src |= m.use(c, in.Guard)
		}
	}
	return src
}

// end returns the sources of where block b leads.
func (m *sourceMap) end(fn int32, b int) Sources {
	block := m.sl.g.Kernel.Funcs[fn].Blocks[b]
	if !m.sl.g.folding(fn).Reached(b) {
		return 0
	}
	src := m.block[fn][b]
	if block.First == block.End {
		return src
	}
	s := site{fn, block.End - 1}
	if in := &m.sl.g.Kernel.Module.Instrs[s.pc]; in.Inst.EndsBlock() {
		for _, r := range in.Uses() {
			src |= m.use(s, r)
		}
	}
	return src
}

func (m *sourceMap) phi(v value) {
	k := m.sl.g.Kernel
	val := &k.SSA[v.fn].Values[v.id]
	f := k.Funcs[v.fn]
	var src Sources
	for i, p := range f.Blocks[val.Block].Preds {
		if edgeTaken(f, m.sl.g.folding(v.fn), p, int(val.Block)) {
			src |= m.of(value{v.fn, val.Args[i]}) | m.end(v.fn, p)
		}
	}
	if n := len(f.Blocks[val.Block].Preds); n < len(val.Args) {
		src |= m.of(value{v.fn, val.Args[n]})
	}
	m.add(&m.value[k.valueIndex(v)], src)
}

// formals evaluates the formal parameters of function fn that are registers.
func (m *sourceMap) formals(fn int32) {
	k := m.sl.g.Kernel
	for i, p := range k.Funcs[fn].Params {
		if p.Var != nil {
			continue
		}
		id := k.SSA[fn].Entry(p.Reg)
		if id == ir.NoValue {
			continue
		}
		for _, c := range k.callers[fn] {
			src := m.instr[k.instr(c)]
			if args := k.Module.Instrs[c.pc].Call.Args; i < len(args) && args[i].Kind == ir.OperandReg {
				src |= m.use(c, args[i].Reg)
			}
			m.add(&m.value[k.valueIndex(value{fn, id})], src)
		}
	}
}

// visitInstr evaluates a member.
func (m *sourceMap) visitInstr(s site, b int) {
	k := m.sl.g.Kernel
	in := &k.Module.Instrs[s.pc]
	src := m.own[k.instr(s)] | m.block[s.fn][b]
	for _, r := range in.Uses() {
		src |= m.use(s, r)
	}
	if m.sl.value.Has(s.pc) {
		src |= m.memory(s)
	}
	if in.Call != nil {
		src |= m.called(s)
	}
	m.add(&m.instr[k.instr(s)], src)
	for i := range in.Defs() {
		m.add(&m.value[k.valueIndex(value{s.fn, k.SSA[s.fn].Written(s.pc, i)})], src)
		id := k.SSA[s.fn].Defs(s.pc)[i]
		if val := &k.SSA[s.fn].Values[id]; val.Kind == ir.Select {
			m.add(&m.value[k.valueIndex(value{s.fn, id})], src|m.of(value{s.fn, val.Args[ir.SelectOld]}))
		}
	}
}

// memory returns the sources of the members that may write what s reads.
func (m *sourceMap) memory(s site) Sources {
	k := m.sl.g.Kernel
	var src Sources
	first := k.accessAt[k.instr(s)]
	for i, a := range k.accessesOf(s) {
		if !a.read {
			continue
		}
		r := m.sl.g.ref(first + int32(i))
		for _, w := range m.sl.listed {
			at := k.accessAt[k.instr(w)]
			for j, x := range k.accessesOf(w) {
				if x.write && m.sl.g.ref(at+int32(j)).overlaps(r) {
					src |= m.instr[k.instr(w)]
				}
			}
			// A parameter holds what a call has passed in it.
			if k.Module.Instrs[w.pc].Call != nil && (r.space == isa.Param) {
				src |= m.instr[k.instr(w)]
			}
		}
	}
	return src
}

// called returns the sources of what the call at s passes and returns: of all
// its arguments and of whatever its callees return.
func (m *sourceMap) called(s site) Sources {
	k := m.sl.g.Kernel
	var src Sources
	for _, a := range k.Module.Instrs[s.pc].Call.Args {
		if a.Kind == ir.OperandVar {
			src |= m.variable(a.Var)
		}
	}
	for _, fn := range k.callees(s.pc) {
		for i, p := range k.Funcs[fn].Returns {
			if p.Var != nil {
				src |= m.variable(p.Var)
			} else {
				src |= m.returned(fn, i)
			}
		}
	}
	return src
}

// variable returns the sources of the members that store to a variable.
func (m *sourceMap) variable(v *ir.Var) Sources {
	k := m.sl.g.Kernel
	whole := &ref{space: isa.Param, places: []place{{v: v}}}
	var src Sources
	for _, w := range m.sl.listed {
		at := k.accessAt[k.instr(w)]
		for j, x := range k.accessesOf(w) {
			if x.write && m.sl.g.ref(at+int32(j)).overlaps(whole) {
				src |= m.instr[k.instr(w)]
			}
		}
	}
	return src
}

// returned returns the sources of the i'th formal return parameter of function
// fn, a register, and of where it returns.
func (m *sourceMap) returned(fn int32, i int) Sources {
	k := m.sl.g.Kernel
	at := 0
	for _, p := range k.Funcs[fn].Returns[:i] {
		if p.Var == nil {
			at++
		}
	}
	var src Sources
	for b := range k.Funcs[fn].Blocks {
		if vs := k.SSA[fn].Returned(b); vs != nil && m.sl.g.folding(fn).Reached(b) {
			src |= m.of(value{fn, vs[at]}) | m.end(fn, b)
		}
	}
	return src
}
