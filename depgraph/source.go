package depgraph

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// sources is a set of identity sources: what makes threads, warps or CTAs of a
// launch see different values.
type sources uint32

// The identity sources.
const (
	sourceCTAX    sources = 1 << iota // %ctaid.x, in a grid with more than one
	sourceCTAY                        // %ctaid.y
	sourceCTAZ                        // %ctaid.z
	sourceCluster                     // %clusterid, %cluster_ctaid, %cluster_ctarank
	sourceSM                          // %smid and what else tells where a CTA runs
	sourceTIDX                        // %tid.x, in a block with more than one
	sourceTIDY                        // %tid.y
	sourceTIDZ                        // %tid.z
	sourceLane                        // %laneid, %lanemask_*
	sourceWarp                        // %warpid
	sourceCross                       // shfl, vote, match, redux, activemask, elect, barrier.red, matrix fragments
	sourceClock                       // %clock*, %globaltimer*, %pm*
	sourceAtomic                      // results of atomics
	sourceMeeting                     // mbarrier objects of the CTA
	sourceShared                      // loads of shared memory that the launch writes
	sourceGlobal                      // loads of global memory that the launch may write
	sourceOther                       // what is not known better
)

// ctaLevel are the sources that may differ between CTAs, threadLevel those
// that may differ between the threads of a CTA.
const (
	ctaIDs      = sourceCTAX | sourceCTAY | sourceCTAZ
	ctaLevel    = ctaIDs | sourceCluster | sourceSM | sourceClock | sourceAtomic | sourceGlobal | sourceOther
	threadLevel = sourceTIDX | sourceTIDY | sourceTIDZ | sourceLane | sourceWarp | sourceCross |
		sourceClock | sourceAtomic | sourceMeeting | sourceShared | sourceGlobal | sourceOther
	allSources = ctaLevel | threadLevel
)

// Sources say what differs because of identity sources.
type Sources struct {
	// Axes are those of the grid along which CTAs may differ.
	Axes [3]bool
	// Threads: those of a CTA may differ.
	Threads bool
	// Scheduled: results of atomics or clocks are among the sources; Shared: loads of
	// memory that the launch writes.
	Scheduled, Shared bool
}

// differ returns what sources come to.
func (s sources) differ() Sources {
	all := s&(ctaLevel&^ctaIDs) != 0
	return Sources{
		Axes:      [3]bool{all || s&sourceCTAX != 0, all || s&sourceCTAY != 0, all || s&sourceCTAZ != 0},
		Threads:   s&threadLevel != 0,
		Scheduled: s&(sourceAtomic|sourceMeeting|sourceClock) != 0,
		Shared:    s&(sourceGlobal|sourceShared) != 0,
	}
}

// origin is a set of origins of values that the program does not specify, or
// that depend on the schedule.
type origin uint8

// The origins. originMemory are loads: of global memory that nobody
// initialised, of shared and local memory before it is written.
const (
	originUndef   origin = 1 << iota // registers that were never written
	originMemory                     // loads
	originClock                      // clocks and timers
	originAtomic                     // results of atomics
	originRace                       // loads of memory that other CTAs may write
	originMeeting                    // who meets whom at a barrier of some warps, and by what
	originOpen                       // what the manual leaves open: divisions by zero, absent lanes, the machine
	allOrigins    = originUndef | originMemory | originClock | originAtomic | originRace | originMeeting | originOpen
)

// Where values come from is found out instruction by instruction: a special
// register, an exchange between lanes, a load is a source by itself, in a launch
// whose grid or block has more than one of the kind. A slice has the sources of
// all of its members. For a count it does not matter which of them depends on
// which source: a slice without a source that differs between CTAs counts the
// same in all of them, whatever it does.

// own returns the sources that instruction s itself is; value: with what it
// reads from memory.
func (g *Graph) own(s site, value bool) sources {
	in := &g.Kernel.Module.Instrs[s.pc]
	var src sources
	for i := range in.Ops() {
		src |= g.operandSource(&in.Ops()[i])
	}
	if in.Call != nil {
		for i := range in.Call.Args {
			src |= g.operandSource(&in.Call.Args[i])
		}
		if len(g.Kernel.callees(s.pc)) == 0 {
			src |= sourceOther
		}
	}
	switch lanes := in.Inst.Form.Lanes; {
	case lanes == isa.LanesExchange, lanes == isa.LanesCTA && len(in.Defs()) > 0:
		src |= sourceCross
	case lanes == isa.LanesCluster:
		src |= sourceCluster
	}
	if value {
		src |= g.memorySource(s, in)
	}
	return src
}

// memorySource returns the sources that the memory read by s is.
func (g *Graph) memorySource(s site, in *ir.Instr) sources {
	var src sources
	for a, r := range g.reads(s) {
		if r.space == isa.Param || r.space == isa.Const || r.space == isa.Local {
			continue
		}
		if a.space == isa.SharedCluster || a.space == isa.TensorMemory && g.Kernel.paired {
			src |= sourceGlobal
		}
		switch {
		case a.mbarrier && r.space == isa.Shared && g.alone(): // who comes first is a matter of the CTA
			src |= sourceMeeting
		case a.write && len(in.Defs()) > 0:
			src |= sourceAtomic
		case !g.written(r, nil):
		case r.space == isa.Shared || r.space == isa.TensorMemory:
			src |= sourceShared
		default:
			src |= sourceGlobal
		}
	}
	return src
}

// alone reports whether no CTA of the launch has others in its cluster.
func (g *Graph) alone() bool {
	return g.launch != nil && g.launch.Consts.Cluster == [3]uint32{1, 1, 1}
}

// operandSource returns the sources that the special registers of an operand
// are in the launch.
func (g *Graph) operandSource(op *ir.Operand) sources {
	var src sources
	for i := range op.Elems() {
		src |= g.operandSource(&op.Elems()[i])
	}
	if op.Kind != ir.OperandSReg {
		return src
	}
	return src | g.sregSource(op.SReg)
}

// sregSource returns the source that a special register is in the launch. An
// axis of extent 1 is none.
func (g *Graph) sregSource(r isa.SReg) sources {
	var ntid, nctaid [3]uint32
	if g.launch != nil {
		ntid, nctaid = g.launch.Consts.NTID, g.launch.Consts.NCTAID
	}
	axis := r.Axis()
	if g.alone() && r.Identity() == isa.PerCTA && r.Base() != isa.SRegCTAID && r.Base() != isa.SRegSMID {
		return 0 // its place in a cluster of its own
	}
	switch base := r.Base(); {
	case axis > 2:
		return 0
	case base == isa.SRegTID && ntid[axis] == 1, base == isa.SRegCTAID && nctaid[axis] == 1:
		return 0
	case base == isa.SRegTID:
		return sourceTIDX << axis
	case base == isa.SRegCTAID:
		return sourceCTAX << axis
	case base == isa.SRegSMID:
		return sourceSM
	}
	switch r.Identity() {
	case isa.PerLaunch:
		return 0
	case isa.PerCluster, isa.PerCTA:
		return sourceCluster
	case isa.PerWarp:
		return sourceWarp
	case isa.PerThread:
		return sourceLane
	}
	return sourceClock
}

// origins returns the identity sources among the members, and where the
// members' values may stem from that the program does not specify.
func (sl *slicer) origins() (all sources, from origin) {
	k := sl.g.Kernel
	kinds := uint32(0) // of barriers, by what they reduce
	for fn, s := range k.SSA {
		for id := 1; id < s.Len(); id++ {
			if s.Values[id].Kind == ssa.Undef && sl.seen.Has(k.valueNode(value{int32(fn), ssa.ValueID(id)})) {
				from |= originUndef
			}
		}
	}
	for _, s := range sl.listed {
		src := sl.g.own(s, sl.value.Has(s.pc))
		all |= src
		if sl.value.Has(s.pc) && k.loads(s) {
			from |= originMemory
		}
		if src&sourceClock != 0 {
			from |= originClock
		}
		if src&sourceAtomic != 0 {
			from |= originAtomic
		}
		if src&(sourceGlobal|sourceShared) != 0 {
			from |= originRace
		}
		if in := &k.Module.Instrs[s.pc]; in.Inst.Form.Sync == isa.SyncCTA {
			kinds |= 1 << reduction(in.Inst)
			if !sl.g.plainBarrier(s) || kinds&(kinds-1) != 0 { // those must not meet
				from |= originMeeting
			}
		}
		if sl.leftOpen(s) {
			from |= originOpen
		}
	}
	if sl.comesBack() {
		from |= originOpen
	}
	if sl.parting {
		from |= originMeeting
	}
	if l := sl.g.launch; sl.uneven && (l == nil || l.Consts.Cluster != [3]uint32{1, 1, 1}) {
		all |= sourceCluster
	}
	return all, from
}

// comesBack reports whether a function may return of which the program says that it does not.
func (sl *slicer) comesBack() bool {
	k := sl.g.Kernel
	for s := range k.ordered() {
		fn, in := k.Funcs[s.fn], &k.Module.Instrs[s.pc]
		if !fn.NoReturn || !sl.g.reached(s) {
			continue
		}
		falls := s.pc == fn.End-1 && (in.Guard != ir.NoReg || !in.Inst.EndsBlock())
		if falls || in.Inst.IsReturn() {
			return true
		}
	}
	return slices.ContainsFunc(k.Funcs, func(fn *ir.Func) bool { return fn.NoReturn && fn.First == fn.End })
}

// reduction numbers what a barrier makes of its threads' predicates, 0 if they bring none.
func reduction(x *isa.Inst) isa.BoolOp {
	switch {
	case !x.Has(isa.ModRed):
		return isa.NoBool
	case x.Has(isa.ModPopc):
		return isa.XOR + 1 // no operator
	}
	return x.Bool
}
