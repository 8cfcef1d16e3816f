package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// divergentBarriers makes members of what waits for other threads where the
// threads of a warp may have parted: there it decides which paths run on and
// merge, and so the counts. Where all threads of a CTA arrive together,
// barriers change nothing that a slice can see, unless it reads memory through
// them (see walker.stores). It reports whether it found any; all barriers of
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
		case src&ThreadLevel == 0 && !parted:
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
