package depgraph

import (
	"iter"
	"slices"

	"gonum.org/v1/gonum/graph"

	"hyptx/internal/bitset"
	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// slicer cuts a filtered graph out of G: the nodes from which the criteria can
// be reached, HyPA's v such that there is a path from v to v*. It goes backwards
// over the edges of a gonum graph, by To, and knows nothing else of what depends
// on what. An instruction is a member of the slice if the result or the address
// node of it is found.
//
// The branches, returns and calls that decide where threads go are criteria
// themselves, so the slice of a mode need not ask, for each member, what decides
// whether it runs: it does not enter block nodes. The filtered graph of single
// instructions does (control).
type slicer struct {
	g *Graph
	// graph is what is traversed.
	graph   graph.Directed
	control bool
	// seen are the nodes found, work those whose dependences are still to be
	// looked at.
	seen marks
	work []int32
	// run and value are the slice's sets: the members, and those among them
	// that access memory and whose result is needed.
	run, value slice.Set
	// moves were members but only copy special registers (dropMoves).
	moves slice.Set
	// listed are the members, in the order found.
	listed []site
	reads  []*ref // of memory that other launches may write
	// mode is whose criteria were asked for. library are the functions of CUDA's with
	// members: of others, whose instructions nobody counts, no decision has to be known.
	mode    Mode
	library map[int32]bool
	// uneven: a barrier of clusters is a criterion, which lets the last CTA's last warp go
	// on before its others, so that CTAs differ in order; parting: at one a part of a warp's
	// threads may wait while others go on, if not all have come.
	uneven, parting bool
}

// traversed returns the graph by which a launch is sliced. A test puts another
// in its place to see that slices depend on it.
var traversed = func(g *Graph) graph.Directed { return g }

// marks is a set of nodes.
type marks = bitset.Set[int32]

func newSlicer(g *Graph, control bool) *slicer {
	fs := g.Kernel.Funcs
	return &slicer{
		g: g, graph: traversed(g), control: control, seen: bitset.New[int32](len(g.Kernel.nodes)),
		run: slice.NewSetOf(fs), value: slice.NewSetOf(fs), moves: slice.NewSetOf(fs), library: map[int32]bool{},
	}
}

// need puts a node into the slice.
func (sl *slicer) need(n int32) {
	if sl.seen.Has(n) {
		return
	}
	sl.seen.Add(n)
	sl.work = append(sl.work, n)
	k := sl.g.Kernel
	kind := k.kindOf(n)
	if kind > addressNode {
		return
	}
	s := k.siteOf(n)
	if !sl.run.Has(s.pc) {
		sl.run.Add(s.pc)
		sl.listed = append(sl.listed, s)
		sl.enter(s.fn)
	}
	switch in := &k.Module.Instrs[s.pc]; {
	case kind == resultNode && len(k.accessesOf(s)) > 0:
		sl.value.Add(s.pc)
		sl.noteReads(s, everyAccess)
	case kind == addressNode && in.Inst.Form.Bulk:
		sl.noteReads(s, (*access).leads)
	}
}

// enter notes that a function has members; one of CUDA's then has its decisions, too.
func (sl *slicer) enter(fn int32) {
	k := sl.g.Kernel
	if !k.Funcs[fn].Library || sl.library[fn] || sl.control {
		return
	}
	sl.library[fn] = true
	for pc := k.Funcs[fn].First; pc < k.Funcs[fn].End; pc++ {
		sl.criterion(site{fn, pc})
	}
}

// close follows the nodes of the slice until no more are found.
func (sl *slicer) close() {
	for len(sl.work) > 0 {
		n := sl.work[len(sl.work)-1]
		sl.work = sl.work[:len(sl.work)-1]
		for on := range sl.dependences(n) {
			if sl.control || sl.g.Kernel.kindOf(on) != blockNode {
				sl.need(on)
			}
		}
	}
}

// dependences goes through the nodes that a node depends on.
func (sl *slicer) dependences(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for it := sl.graph.To(int64(n)); it.Next(); {
			if !yield(int32(it.Node().ID())) {
				return
			}
		}
	}
}

// noteReads collects what those of the accesses of s that count read from global memory.
func (sl *slicer) noteReads(s site, counts func(*access) bool) {
	for a, r := range sl.g.reads(s) {
		if counts(a) && r.crossCTA() {
			sl.reads = append(sl.reads, r)
		}
	}
}

// criteria puts a mode's criteria into the slice: of the control-flow
// instructions that the launch can reach (HyPA's CFIL) those that have
// something to decide, the guards of all other instructions, and in memory mode
// the addresses of all accesses.
func (sl *slicer) criteria(mode Mode) {
	k := sl.g.Kernel
	sl.mode = mode
	for s := range k.ordered() {
		in := &k.Module.Instrs[s.pc]
		switch {
		case !k.Funcs[s.fn].Library:
			sl.criterion(s)
		case in.Inst.Form.Flow == isa.FlowTrap && len(in.Uses()) > 0 && sl.g.reached(s): // what an assertion says
			sl.need(k.instrNode(resultNode, s))
		}
	}
}

// criterion puts what is a criterion of an instruction into the slice.
func (sl *slicer) criterion(s site) {
	k := sl.g.Kernel
	if !sl.g.reached(s) {
		return
	}
	in := &k.Module.Instrs[s.pc]
	switch {
	case (in.Inst.EndsBlock() || in.Call != nil) && in.Guard != ir.NoReg, // a guarded branch, return, exit or call
		in.Inst.IsSwitch(),
		in.Call != nil && in.Call.Callee == nil:
		sl.need(k.instrNode(resultNode, s))
	case in.Inst.Op == isa.OpAlloca, in.Inst.Op == isa.OpStackrestore: // which fail where the stack ends
		sl.need(k.instrNode(resultNode, s))
	case in.Guard != ir.NoReg:
		sl.need(k.instrNode(guardNode, s))
	}
	if sl.mode == Memory && sl.g.executes(s) && k.addressed(s) {
		switch {
		case in.Inst.Form.Unseen || in.Inst.Form.Object != 0 || in.Inst.Form.Apart || storesLater(in.Inst) || in.Inst.Form.Bulk && !tells(in): // what it accesses is found by doing it
			sl.need(k.instrNode(resultNode, s))
		case tells(in):
			sl.need(k.instrNode(addressNode, s))
			for _, n := range sl.g.operandsOf(s, in) {
				sl.need(n)
			}
		default:
			sl.need(k.instrNode(addressNode, s))
		}
	}
}

// storesLater reports whether an instruction stores by asynchronous work, which is done as a whole
// or not at all.
func storesLater(x *isa.Inst) bool { return x.Form.Async && len(x.Form.Memory) == 1 }

// addressed reports whether s loads, stores or changes memory outside the
// .param space.
func (k *Kernel) addressed(s site) bool {
	x := k.Module.Instrs[s.pc].Inst
	if !x.IsLoad() && !x.IsStore() && !x.IsAtomic() && x.Form.Object < isa.Reads || k.Funcs[s.fn].Library {
		return false
	}
	return slices.ContainsFunc(k.accessesOf(s), func(a access) bool { return normal(a.space) != isa.Param })
}

// consts returns the constant register uses of the members, and the constant
// guards of all other instructions that can be issued, by PC.
func (sl *slicer) consts() []slice.ConstUse {
	var uses []slice.ConstUse
	g := sl.g
	for s := range g.Kernel.ordered() {
		in := &g.Kernel.Module.Instrs[s.pc]
		member := sl.run.Has(s.pc)
		if !member && in.Guard == ir.NoReg || !g.reached(s) {
			continue
		}
		for i, r := range in.Uses() {
			if !member && r != in.Guard {
				continue
			}
			if sl.readsOtherWays(s, in, r) {
				continue
			}
			if bits, ok := g.folding(s.fn).Const(g.Kernel.SSA[s.fn].Uses(s.pc)[i]); ok {
				uses = append(uses, slice.ConstUse{PC: s.pc, Reg: r, Bits: bits})
			}
		}
	}
	return uses
}

// readsOtherWays reports whether s reads register r also for lanes that may
// have come another way and hold another value.
func (sl *slicer) readsOtherWays(s site, in *ir.Instr, r ir.RegID) bool {
	return exchanges(in, r) && len(sl.g.Kernel.definitions(s.fn, r)) != 1
}
