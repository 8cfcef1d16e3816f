package depgraph

import (
	"slices"

	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Filtered is the filtered dependency graph (FDG) of a set of criteria, in
// other words their backward slice: the instructions that have to be executed
// to know the criteria, and no others.
//
// Its members are
//   - the guarded branches, returns, exits, traps and calls, indirect calls and
//     brx.idx that the launch can reach;
//   - what defines their guards, indices and addresses and the guards of all
//     other instructions (in memory mode: the accesses of memory, too, and what
//     defines their addresses), transitively through registers, memory and
//     calls: loads, the stores they may read from, the barriers between them.
//
// Not members are instructions whose results are read only as constants of the
// launch; unguarded branches, returns, barriers and calls that carry nothing
// of the slice, for they are the shape of the code, which the emulator walks
// anyway; and instructions that only need their guard counted.
//
// Where a constant reaches a phi or a select, as the start of a loop counter
// does, the instruction that puts it into the register is a member. A move of a
// special register is none where its readers can read the special register
// themselves (Slice.SRegs).
type Filtered struct {
	Graph *Graph
	// Slice is what the emulator executes. Slice.Consts also has the constant
	// guards of instructions that are not members, for counting them.
	Slice *slice.Slice
	// sources are all identity sources among the members, Sources what they come to.
	sources sources
	Sources Sources
	// origins says where the members' values may stem from that the program does
	// not specify.
	origins origin
	// moves are the moves of special registers that Slice.SRegs stands for.
	moves slice.Set
	// ParallelSafe: the members can be executed for several CTAs of the launch at a
	// time with the same result as one CTA after the other: no CTA can see what
	// another writes.
	ParallelSafe bool
	// Meets: some of them make CTAs meet on purpose, by atomics, volatile or ordered
	// accesses, or clusters. Without, CTAs may be run side by side to find out from
	// what they touch whether any saw what another wrote.
	Meets bool
	// mode is whose criteria these are; groups are made when asked for.
	mode   Mode
	groups *Groups
	// reads are what members read from global memory for its value.
	reads []*ref
}

// Len returns the number of members, which the emulator executes:
// slice_instructions.
// What stands for functions that nobody wrote is left out.
func (f *Filtered) Len() int {
	n := f.Slice.Run.Len()
	for _, fn := range f.Graph.Kernel.Funcs {
		for pc := fn.First; fn.Library && pc < fn.End; pc++ {
			if f.Slice.Run.Has(pc) {
				n--
			}
		}
	}
	return n
}

// Descriptor returns the instruction descriptor of a product of tcgen05, if it is a constant
// of the launch.
func (f *Filtered) Descriptor(pc ir.PC) (bits uint32, ok bool) {
	g := f.Graph
	s, ok := g.Kernel.site(pc)
	if !ok || !g.reached(s) {
		return 0, false
	}
	in := &g.Kernel.Module.Instrs[pc]
	n := slices.IndexFunc(in.Inst.Form.Operands, func(o isa.OperandSpec) bool { return o.Name == "idesc" })
	if n < 0 {
		return 0, false
	}
	v, ok := g.number(s, &in.Ops()[n])
	return uint32(v), ok
}

// Specified reports whether all that the members compute with is for certain
// specified by the program, in whatever order its threads run.
func (f *Filtered) Specified() bool { return f.origins == 0 }

// Stores reports whether a member writes memory that outlives a thread: not
// local memory nor parameters of calls, nor mbarrier objects, which are no memory to read.
func (f *Filtered) Stores() bool {
	k := f.Graph.Kernel
	for s := range k.ordered() {
		x := k.Module.Instrs[s.pc].Inst
		if f.Slice.Value.Has(s.pc) && (x.IsStore() || x.IsAtomic() || x.Form.Object > isa.Reads || x.Op == isa.OpDiscard) && x.Space != isa.Local && normal(x.Space) != isa.Param {
			return true
		}
	}
	return false
}

// Slice returns the filtered graph of a mode's criteria in one launch, without
// regard to other launches.
func (g *Graph) Slice(mode Mode) *Filtered { return g.slice(mode, nil) }

// slice also makes those stores criteria that may write what later launches
// read.
func (g *Graph) slice(mode Mode, later *regions) *Filtered {
	if mode == Full {
		return g.full()
	}
	sl := newSlicer(g, false)
	sl.criteria(mode)
	for s := range g.storesTo(later) {
		sl.need(g.Kernel.instrNode(resultNode, s))
	}
	sl.close()
	if sl.divergentBarriers() {
		sl.close()
	}
	f := sl.filtered()
	f.mode = mode
	if mode == Control {
		f.findAlike()
	}
	return f
}

// findAlike finds the loops whose rounds differ in nothing that control mode
// counts. (Where the addresses count, they mostly do differ.)
func (f *Filtered) findAlike() {
	k := f.Graph.Kernel
	for i, fn := range k.Funcs {
		if len(fn.Loops()) > 0 {
			f.Slice.Alike = append(f.Slice.Alike, f.Slice.Repeats(k.SSA[i])...)
		}
	}
}

// Filter returns the filtered graph of single instructions, HyPA's FDG of a
// jump: their control dependences are followed, too.
func (g *Graph) Filter(criteria ...ir.PC) *Filtered {
	sl := newSlicer(g, true)
	for _, pc := range criteria {
		if s, ok := g.Kernel.site(pc); ok && g.reached(s) {
			sl.need(g.Kernel.instrNode(resultNode, s))
		}
	}
	sl.close()
	return sl.filtered()
}

// full returns everything: nothing is folded, so that it can be held against
// the slices.
func (g *Graph) full() *Filtered {
	fs := g.Kernel.Funcs
	all := &slice.Slice{Run: slice.NewSetOf(fs), Value: slice.NewSetOf(fs)}
	f := &Filtered{Graph: g, Slice: all, moves: slice.NewSetOf(fs), sources: allSources, Sources: allSources.differ(), origins: allOrigins}
	for s := range g.Kernel.ordered() {
		all.Run.Add(s.pc)
		if len(g.Kernel.accessesOf(s)) > 0 {
			all.Value.Add(s.pc)
		}
	}
	f.ParallelSafe, f.Meets = g.parallel(all.Value)
	return f
}

// filtered packs up what was found.
func (sl *slicer) filtered() *Filtered {
	f := &Filtered{Graph: sl.g, Slice: &slice.Slice{Run: sl.run, Value: sl.value, Consts: sl.consts()}, reads: sl.reads}
	f.sources, f.origins = sl.origins()
	f.Sources = f.sources.differ()
	f.ParallelSafe, f.Meets = sl.g.parallel(sl.value)
	f.Slice.SRegs = sl.dropMoves()
	f.moves = sl.moves
	return f
}

// loads reports whether s reads memory that may be unspecified: any but a kernel's
// parameters, and those of calls that are given for certain.
func (k *Kernel) loads(s site) bool {
	return slices.ContainsFunc(k.accessesOf(s), func(a access) bool {
		if !a.read || normal(a.space) != isa.Param {
			return a.read
		}
		if v := k.Module.Instrs[s.pc].Ops()[max(a.op, 0)].Var; v != nil {
			return v.Space == isa.ParamFunc && !k.givenPassed(s, &a)
		}
		return s.fn > 0 || len(k.Func.Calls) > 0
	})
}
