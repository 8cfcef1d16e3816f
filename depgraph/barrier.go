package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// divergentBarriers makes members of what waits for other threads where the
// threads of a warp may have parted: there it decides which paths run on and
// merge, and so the counts. Where all threads of a CTA arrive together,
// barriers change nothing that a slice can see, unless it reads memory through
// them (see walker.stores) or they are not simply for all threads, who then may
// wait for ever. It reports whether it found any; all barriers of
// the kernel then take part, since they may be the same one.
func (sl *slicer) divergentBarriers() bool {
	g := sl.g
	var waits []site
	for _, s := range g.Kernel.waits {
		if g.reached(s) {
			waits = append(waits, s)
		}
	}
	if len(waits) == 0 {
		return false
	}
	m := sl.sources()
	barriers, parted := false, m.returnsParted()
	for _, s := range waits {
		in := &g.Kernel.Module.Instrs[s.pc]
		src := m.block[s.fn][in.Block]
		if in.Guard != ir.NoReg {
			src |= m.use(s, in.Guard)
		}
		switch {
		case src&ThreadLevel == 0 && !parted && g.plainBarrier(s):
		case in.Inst.Form.Class == isa.Barrier:
			barriers = true
		default:
			sl.need(s, false)
		}
	}
	if barriers {
		for _, s := range waits {
			if g.Kernel.Module.Instrs[s.pc].Inst.Form.Class == isa.Barrier {
				sl.need(s, true)
			}
		}
	}
	return len(sl.work) > 0
}

// CountsThreads reports whether a barrier of the kernel names how many threads
// are to arrive, so that a few warps cannot stand for all.
func (f *Filtered) CountsThreads() bool {
	k := f.Graph.Kernel
	for _, s := range k.waits {
		if threadCount(&k.Module.Instrs[s.pc]) != nil {
			return true
		}
	}
	return false
}

// threadCount returns the operand of a barrier that says how many threads are
// to arrive, nil if it is all.
func threadCount(in *ir.Instr) *ir.Operand { return barrierOperand(in, "b") }

// barrierOperand returns the operand of a CTA's barrier that the manual calls
// name, nil without one.
func barrierOperand(in *ir.Instr, name string) *ir.Operand {
	if in.Inst.Form.Sync != isa.SyncCTA {
		return nil
	}
	for n := range in.Inst.Form.Operands {
		if in.Inst.Form.Operands[n].Name == name && in.Ops[n].Kind != ir.NoOperand {
			return &in.Ops[n]
		}
	}
	return nil
}

// ctaBarriers is how many barriers a CTA has (PTX ISA, bar).
const ctaBarriers = 16

// plainBarrier reports whether all threads of a CTA that come to s together
// pass it together: it is one barrier for all of them, at which they wait.
func (g *Graph) plainBarrier(s site) bool {
	in := &g.Kernel.Module.Instrs[s.pc]
	if in.Inst.Form.Sync != isa.SyncCluster && in.Inst.Has(isa.ModArrive) {
		return false
	}
	if a := barrierOperand(in, "a"); a != nil {
		if n, known := g.number(s, a); !known || n >= ctaBarriers {
			return false
		}
	}
	b := threadCount(in)
	if b == nil {
		return true
	}
	if g.Launch == nil {
		return false
	}
	threads := uint64(1)
	for _, n := range g.Launch.Consts.NTID {
		threads *= uint64(n)
	}
	count, known := g.number(s, b)
	return known && count == (threads+31)/32*32
}

// number returns the constant of the launch that an operand is.
func (g *Graph) number(s site, op *ir.Operand) (uint64, bool) {
	if op.Kind == ir.OperandReg {
		return g.folding(s.fn).Const(g.Kernel.use(s, op.Reg))
	}
	return op.Imm, true
}

// returnsParted reports whether the threads of a warp may come back from a
// call at different times: then they go on parted, for paths merge only within
// a function.
func (m *sourceMap) returnsParted() bool {
	k := m.sl.g.Kernel
	for fn := 1; fn < len(k.Funcs); fn++ {
		fold := m.sl.g.folding(int32(fn))
		for b, block := range k.Funcs[fn].Blocks {
			for i, s := range block.Succs {
				if s == ir.Exit && fold.Reached(b) && fold.Taken(b, i) && m.end(int32(fn), b)&ThreadLevel != 0 {
					return true
				}
			}
		}
	}
	return false
}
