package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Sources is a set of identity sources: what makes threads, warps or CTAs of a
// launch see different values.
type Sources uint32

// The identity sources.
const (
	SourceCTAX    Sources = 1 << iota // %ctaid.x, in a grid with more than one
	SourceCTAY                        // %ctaid.y
	SourceCTAZ                        // %ctaid.z
	SourceCluster                     // %clusterid, %cluster_ctaid, %cluster_ctarank
	SourceSM                          // %smid and what else tells where a CTA runs
	SourceTIDX                        // %tid.x, in a block with more than one
	SourceTIDY                        // %tid.y
	SourceTIDZ                        // %tid.z
	SourceLane                        // %laneid, %lanemask_*
	SourceWarp                        // %warpid
	SourceCross                       // shfl, vote, match, redux, activemask, elect, barrier.red, matrix fragments
	SourceClock                       // %clock*, %globaltimer*, %pm*
	SourceAtomic                      // results of atomics
	SourceShared                      // loads of shared memory that the launch writes
	SourceGlobal                      // loads of global memory that the launch may write
	SourceOther                       // what is not known better
)

// CTALevel are the sources that may differ between CTAs, ThreadLevel those
// that may differ between the threads of a CTA.
const (
	CTAIDs      = SourceCTAX | SourceCTAY | SourceCTAZ
	CTALevel    = CTAIDs | SourceCluster | SourceSM | SourceClock | SourceAtomic | SourceGlobal | SourceOther
	ThreadLevel = SourceTIDX | SourceTIDY | SourceTIDZ | SourceLane | SourceWarp | SourceCross |
		SourceClock | SourceAtomic | SourceShared | SourceGlobal | SourceOther
	AllSources = CTALevel | ThreadLevel
)

// Taint is a set of origins of values that the program does not specify, or
// that depend on the schedule.
type Taint uint8

// The origins. TaintMemory are loads: of global memory that nobody initialised
// (see Filtered.Reads), of shared and local memory before it is written.
const (
	TaintUndef  Taint = 1 << iota // registers that were never written
	TaintMemory                   // loads
	TaintClock                    // clocks and timers
	TaintAtomic                   // results of atomics
	TaintRace                     // loads of memory that other CTAs may write
	AllTaints   = TaintUndef | TaintMemory | TaintClock | TaintAtomic | TaintRace
)

// own returns the sources that instruction s itself is; value: with what it
// reads from memory.
func (g *Graph) own(s site, value bool) Sources {
	in := &g.Kernel.Module.Instrs[s.pc]
	var src Sources
	for i := range in.Ops {
		src |= g.operandSource(&in.Ops[i])
	}
	if in.Call != nil {
		for i := range in.Call.Args {
			src |= g.operandSource(&in.Call.Args[i])
		}
		if len(g.Kernel.callees(s.pc)) == 0 {
			src |= SourceOther
		}
	}
	switch lanes := in.Inst.Form.Lanes; {
	case lanes == isa.LanesExchange, lanes == isa.LanesCTA && len(in.Defs()) > 0:
		src |= SourceCross
	case lanes == isa.LanesCluster:
		src |= SourceCluster
	}
	if value {
		src |= g.memorySource(s, in)
	}
	return src
}

// memorySource returns the sources that the memory read by s is.
func (g *Graph) memorySource(s site, in *ir.Instr) Sources {
	k := g.Kernel
	var src Sources
	first := k.accessAt[k.instr(s)]
	for i, a := range k.accessesOf(s) {
		if !a.read {
			continue
		}
		r := g.ref(first + int32(i))
		if r.space == isa.Param || r.space == isa.Const || r.space == isa.Local {
			continue
		}
		if a.space == isa.SharedCluster {
			src |= SourceGlobal
		}
		switch {
		case a.write && len(in.Defs()) > 0:
			src |= SourceAtomic
		case !g.written(r):
		case r.space == isa.Shared:
			src |= SourceShared
		default:
			src |= SourceGlobal
		}
	}
	return src
}

// written reports whether the launch may write what r may touch.
func (g *Graph) written(r *ref) bool {
	k := g.Kernel
	for i := range k.accesses {
		if a := &k.accesses[i]; a.write && g.executes(a.s) && g.ref(int32(i)).overlaps(r) {
			return true
		}
	}
	return false
}

// operandSource returns the sources that the special registers of an operand
// are in the launch.
func (g *Graph) operandSource(op *ir.Operand) Sources {
	var src Sources
	for i := range op.Elems {
		src |= g.operandSource(&op.Elems[i])
	}
	if op.Kind != ir.OperandSReg {
		return src
	}
	return src | g.sregSource(op.SReg)
}

// sregSource returns the source that a special register is in the launch. An
// axis of extent 1 is none.
func (g *Graph) sregSource(r isa.SReg) Sources {
	var ntid, nctaid [3]uint32
	if g.launch != nil {
		ntid, nctaid = g.launch.Consts.NTID, g.launch.Consts.NCTAID
	}
	axis := r.Axis()
	switch base := r.Base(); {
	case axis > 2:
		return 0
	case base == isa.SRegTID && ntid[axis] == 1, base == isa.SRegCTAID && nctaid[axis] == 1:
		return 0
	case base == isa.SRegTID:
		return SourceTIDX << axis
	case base == isa.SRegCTAID:
		return SourceCTAX << axis
	case base == isa.SRegSMID:
		return SourceSM
	}
	switch r.Identity() {
	case isa.PerLaunch:
		return 0
	case isa.PerCluster, isa.PerCTA:
		return SourceCluster
	case isa.PerWarp:
		return SourceWarp
	case isa.PerThread:
		return SourceLane
	}
	return SourceClock
}

// origins returns the identity sources among the members, and where the
// members' values may stem from that the program does not specify.
func (sl *slicer) origins() (all Sources, t Taint) {
	k := sl.g.Kernel
	for fn, s := range k.SSA {
		for id := 1; id < s.Len(); id++ {
			if s.Values[id].Kind == ir.Undef && sl.seen.has(k.valueNode(value{int32(fn), ir.ValueID(id)})) {
				t |= TaintUndef
			}
		}
	}
	for _, s := range sl.listed {
		src := sl.g.own(s, sl.value.Has(s.pc))
		all |= src
		if sl.value.Has(s.pc) && k.loads(s) {
			t |= TaintMemory
		}
		if src&SourceClock != 0 {
			t |= TaintClock
		}
		if src&SourceAtomic != 0 {
			t |= TaintAtomic
		}
		if src&(SourceGlobal|SourceShared) != 0 {
			t |= TaintRace
		}
	}
	return all, t
}
