package depgraph

import (
	"hyptx/internal/bitset"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Barriers that are members. Where all threads of a CTA arrive at a barrier
// together it changes nothing that a slice can see, unless the slice reads
// memory through it (then it is a member by a Sync edge), or it is not simply for
// all threads, who then may wait for ever. But where the threads of a warp may
// have parted, waiting for others decides which paths run on and merge, and so
// the counts: such barriers, and warp operations that synchronise, become
// criteria. To know where threads may have parted, the graph is asked what the
// blocks of the barriers depend on.

// divergentBarriers makes criteria of what waits for other threads where the
// threads of a warp may have parted, and reports whether there is any. With one
// barrier all that waits in the kernel takes part: barriers, since they may be the same
// one, and the others, since those who wait at it may be missing there.
func (sl *slicer) divergentBarriers() bool {
	g, k := sl.g, sl.g.Kernel
	var waits []site
	for _, s := range k.waits {
		if g.reached(s) {
			waits = append(waits, s)
		}
	}
	if len(waits) == 0 {
		return false
	}
	t := sl.threadDependent(waits)
	barriers, parted := false, t.returnsParted()
	for _, s := range waits {
		in := &k.Module.Instrs[s.pc]
		differs := t.marked.Has(k.blockNode(s.fn, int(in.Block))) || in.Guard != ir.NoReg && t.marked.Has(k.instrNode(guardNode, s))
		switch {
		case !differs && !parted && g.plainBarrier(s):
		case in.Inst.Form.Class == isa.Barrier:
			barriers = true
			sl.parting = sl.parting || in.Guard != ir.NoReg && in.Inst.Form.Sync == isa.SyncCluster && !in.Inst.Has(isa.ModArrive)
		default:
			sl.need(k.instrNode(addressNode, s))
		}
	}
	if barriers { // at which a part of a warp may wait while the others go on to whatever waits for all
		for _, s := range waits {
			if k.Module.Instrs[s.pc].Inst.Form.Class != isa.Barrier {
				sl.need(k.instrNode(addressNode, s))
				continue
			}
			sl.need(k.instrNode(resultNode, s))
			sl.uneven = sl.uneven || k.Module.Instrs[s.pc].Inst.Form.Sync == isa.SyncCluster
		}
	}
	return len(sl.work) > 0
}

// threadDependent are the nodes on which it depends whether some places are
// reached by all threads of a warp together, and which of these nodes may
// differ from thread to thread (marked).
type threadDependent struct {
	sl           *slicer
	seen, marked marks
	list         []int32 // each behind most of what depends on it
}

// threadDependent asks the graph about the blocks and guards of waits, and
// about the places from which called functions return.
func (sl *slicer) threadDependent(waits []site) *threadDependent {
	k := sl.g.Kernel
	t := &threadDependent{sl: sl, seen: bitset.New[int32](len(k.nodes)), marked: bitset.New[int32](len(k.nodes))}
	for _, s := range waits {
		t.follow(k.blockNode(s.fn, int(k.Module.Instrs[s.pc].Block)))
		if k.Module.Instrs[s.pc].Guard != ir.NoReg {
			t.follow(k.instrNode(guardNode, s))
		}
	}
	t.eachReturn(func(n int32) { t.follow(n) })
	for changed := true; changed; {
		changed = false
		for i := len(t.list) - 1; i >= 0; i-- {
			if n := t.list[i]; !t.marked.Has(n) && t.differs(n) {
				t.marked.Add(n)
				changed = true
			}
		}
	}
	return t
}

// follow collects a node and all that it depends on.
func (t *threadDependent) follow(n int32) {
	work := []int32{n}
	for len(work) > 0 {
		n, work = work[len(work)-1], work[:len(work)-1]
		if t.seen.Has(n) || t.uniform(n) {
			continue
		}
		t.seen.Add(n)
		t.list = append(t.list, n)
		for on := range t.sl.dependences(n) {
			work = append(work, on)
		}
	}
}

// uniform reports whether a node is an instruction that is the same for all
// threads, whatever it depends on: its results are constants, or it has none
// and only orders what threads do to memory.
func (t *threadDependent) uniform(n int32) bool {
	g, k := t.sl.g, t.sl.g.Kernel
	if k.kindOf(n) != resultNode {
		return false
	}
	s := k.siteOf(n)
	in := &k.Module.Instrs[s.pc]
	if len(in.Defs()) == 0 {
		return in.Inst.Orders()
	}
	for i := range in.Defs() {
		if _, known := g.folding(s.fn).Const(k.SSA[s.fn].Written(s.pc, i)); !known {
			return false
		}
	}
	return true
}

// differs reports whether a node may differ between threads: by itself, or
// because something that it depends on does.
func (t *threadDependent) differs(n int32) bool {
	if k := t.sl.g.Kernel; k.kindOf(n) == resultNode && t.sl.g.own(k.siteOf(n), true)&threadLevel != 0 {
		return true
	}
	for on := range t.sl.dependences(n) {
		if t.marked.Has(on) {
			return true
		}
	}
	return false
}

// eachReturn goes through the nodes that decide where called functions return.
func (t *threadDependent) eachReturn(f func(n int32)) {
	g, k := t.sl.g, t.sl.g.Kernel
	for fn := int32(1); fn < int32(len(k.Funcs)); fn++ {
		for b, block := range k.Funcs[fn].Blocks {
			if !g.folding(fn).Passes(b, ir.Exit) {
				continue
			}
			f(k.blockNode(fn, b))
			if g.decides(fn, b) {
				f(k.instrNode(resultNode, site{fn, block.End - 1}))
			}
		}
	}
}

// returnsParted reports whether the threads of a warp may come back from a
// call at different times, or not all of them: then the barriers behind the call
// are taken to be reached by a part.
func (t *threadDependent) returnsParted() (parted bool) {
	t.eachReturn(func(n int32) { parted = parted || t.marked.Has(n) })
	return parted
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
		if in.Inst.Form.Operands[n].Name == name && in.Ops()[n].Kind != ir.NoOperand {
			return &in.Ops()[n]
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
	if g.launch == nil {
		return false
	}
	threads := uint64(1)
	for _, n := range g.launch.Consts.NTID {
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
