package isa

import (
	"fmt"
	"strings"

	"hyptx/internal/spelling"
)

// SReg is a special register, or one component of a special register that is a
// vector (PTX ISA 10).
type SReg uint16

// The special registers. A vector's first component is its Base; Axis tells
// the components apart. %envreg0 to 31, %pm0 to 7 and %pm0_64 to 7_64 follow
// their first.
const (
	NoSReg  SReg = iota << axisBits
	SRegTID      // of the thread in the CTA
	SRegNTID
	SRegLaneID
	sregWarpID
	sregNWarpID
	SRegCTAID // of the CTA in the grid
	SRegNCTAID
	SRegSMID
	sregNSMID
	sregGridID
	sregIsExplicitCluster
	sregClusterID
	SRegNClusterID
	SRegClusterCTAID
	SRegClusterNCTAID
	SRegClusterCTARank
	SRegClusterNCTARank
	sregLanemaskEQ
	sregLanemaskLE
	sregLanemaskLT
	sregLanemaskGE
	sregLanemaskGT
	sregClock
	sregClockHi
	sregClock64
	sregGlobaltimer
	sregGlobaltimerLo
	sregGlobaltimerHi
	sregReservedSmemOffsetBegin
	sregReservedSmemOffsetEnd
	sregReservedSmemOffsetCap
	sregReservedSmemOffset0
	sregReservedSmemOffset1
	sregTotalSmemSize
	sregAggrSmemSize
	sregDynamicSmemSize
	sregCurrentGraphExec
	sregPerCTAMemoryOffset
	sregPerCTAMemorySize
	sregPM0
	sregPM0x64  = sregPM0 + 8<<axisBits
	sregEnvReg0 = sregPM0x64 + 8<<axisBits
	numSRegs    = sregEnvReg0>>axisBits + 32
)

// axisBits is how many low bits of an SReg are its Axis.
const axisBits = 2

// Identity says which threads of a launch read the same value.
type Identity uint8

// The identities, from the coarsest to the finest.
const (
	PerLaunch  Identity = iota // the same for all threads
	PerCluster                 // of the cluster
	PerCTA                     // of the CTA
	PerWarp                    // of the warp
	PerThread                  // of the thread
	Changing                   // differs from read to read: clocks and counters
)

// sregInfo is one row of the table of special registers.
type sregInfo struct {
	name       string
	typ        Type
	components int // 4 for vectors
	minPTX     int
	minSM      int
	identity   Identity
}

// sregs are the special registers in the order of the constants.
var sregs = func() [numSRegs]sregInfo {
	all := [numSRegs]sregInfo{}
	for base, info := range sregRows {
		all[base>>axisBits] = info
	}
	series := func(first SReg, n int, format string, info sregInfo) {
		for i := range n {
			info.name = fmt.Sprintf(format, i)
			all[int(first>>axisBits)+i] = info
		}
	}
	series(sregPM0, 4, "%%pm%d", sregInfo{"", U32, 1, 103, 0, Changing})
	series(sregPM0x64, 8, "%%pm%d_64", sregInfo{"", U64, 1, 400, 50, Changing})
	series(sregEnvReg0, 32, "%%envreg%d", sregInfo{"", B32, 1, 201, 0, PerLaunch})
	for i := 4; i < 8; i++ {
		all[int(sregPM0>>axisBits)+i] = sregInfo{fmt.Sprintf("%%pm%d", i), U32, 1, 300, 20, Changing}
	}
	return all
}()

// sregRows are the special registers that are no series (PTX ISA 10.1 to
// 10.35). %warpid and %smid are volatile in principle, since a thread may be
// rescheduled after preemption; here it keeps its warp and its SM.
var sregRows = map[SReg]sregInfo{
	SRegTID:                     {"%tid", U32, 4, 100, 0, PerThread},
	SRegNTID:                    {"%ntid", U32, 4, 100, 0, PerLaunch},
	SRegLaneID:                  {"%laneid", U32, 1, 103, 0, PerThread},
	sregWarpID:                  {"%warpid", U32, 1, 103, 0, PerWarp},
	sregNWarpID:                 {"%nwarpid", U32, 1, 200, 20, PerLaunch},
	SRegCTAID:                   {"%ctaid", U32, 4, 100, 0, PerCTA},
	SRegNCTAID:                  {"%nctaid", U32, 4, 100, 0, PerLaunch},
	SRegSMID:                    {"%smid", U32, 1, 103, 0, PerCTA},
	sregNSMID:                   {"%nsmid", U32, 1, 200, 20, PerLaunch},
	sregGridID:                  {"%gridid", U64, 1, 100, 0, PerLaunch},
	sregIsExplicitCluster:       {"%is_explicit_cluster", Pred, 1, 708, 90, PerLaunch},
	sregClusterID:               {"%clusterid", U32, 4, 708, 90, PerCluster},
	SRegNClusterID:              {"%nclusterid", U32, 4, 708, 90, PerLaunch},
	SRegClusterCTAID:            {"%cluster_ctaid", U32, 4, 708, 90, PerCTA},
	SRegClusterNCTAID:           {"%cluster_nctaid", U32, 4, 708, 90, PerLaunch},
	SRegClusterCTARank:          {"%cluster_ctarank", U32, 1, 708, 90, PerCTA},
	SRegClusterNCTARank:         {"%cluster_nctarank", U32, 1, 708, 90, PerLaunch},
	sregLanemaskEQ:              {"%lanemask_eq", U32, 1, 200, 20, PerThread},
	sregLanemaskLE:              {"%lanemask_le", U32, 1, 200, 20, PerThread},
	sregLanemaskLT:              {"%lanemask_lt", U32, 1, 200, 20, PerThread},
	sregLanemaskGE:              {"%lanemask_ge", U32, 1, 200, 20, PerThread},
	sregLanemaskGT:              {"%lanemask_gt", U32, 1, 200, 20, PerThread},
	sregClock:                   {"%clock", U32, 1, 100, 0, Changing},
	sregClockHi:                 {"%clock_hi", U32, 1, 500, 20, Changing},
	sregClock64:                 {"%clock64", U64, 1, 200, 20, Changing},
	sregGlobaltimer:             {"%globaltimer", U64, 1, 301, 30, Changing},
	sregGlobaltimerLo:           {"%globaltimer_lo", U32, 1, 301, 30, Changing},
	sregGlobaltimerHi:           {"%globaltimer_hi", U32, 1, 301, 30, Changing},
	sregReservedSmemOffsetBegin: {"%reserved_smem_offset_begin", B32, 1, 706, 80, PerLaunch},
	sregReservedSmemOffsetEnd:   {"%reserved_smem_offset_end", B32, 1, 706, 80, PerLaunch},
	sregReservedSmemOffsetCap:   {"%reserved_smem_offset_cap", B32, 1, 706, 80, PerLaunch},
	sregReservedSmemOffset0:     {"%reserved_smem_offset_0", B32, 1, 706, 80, PerLaunch},
	sregReservedSmemOffset1:     {"%reserved_smem_offset_1", B32, 1, 706, 80, PerLaunch},
	sregTotalSmemSize:           {"%total_smem_size", U32, 1, 401, 20, PerLaunch},
	sregAggrSmemSize:            {"%aggr_smem_size", U32, 1, 801, 90, PerLaunch},
	sregDynamicSmemSize:         {"%dynamic_smem_size", U32, 1, 401, 20, PerLaunch},
	sregCurrentGraphExec:        {"%current_graph_exec", U64, 1, 800, 50, PerLaunch},
	sregPerCTAMemoryOffset:      {"%perctamemoryoffset", U64, 1, 904, 80, PerCTA},
	sregPerCTAMemorySize:        {"%perctamemorysize", U32, 1, 904, 80, PerLaunch},
}

var sregByName = func() map[string]SReg {
	m := make(map[string]SReg, numSRegs)
	for i := range sregs {
		if sregs[i].name != "" {
			m[sregs[i].name] = SReg(i << axisBits)
		}
	}
	return m
}()

// ParseSReg returns the special register spelled name: "%laneid", a component
// "%tid.y" (or "%tid.g"), or "%tid", which stands for all Components and is the
// same SReg as its first.
func ParseSReg(name string) (r SReg, ok bool) {
	if r, ok = sregByName[name]; ok {
		return r, true
	}
	name, component, _ := strings.Cut(name, ".")
	r, ok = sregByName[name]
	if !ok || len(component) != 1 || r.Components() == 1 {
		return NoSReg, false
	}
	axis := strings.IndexByte("xyzwrgba", component[0])
	if axis < 0 {
		return NoSReg, false
	}
	return r + SReg(axis&3), true
}

// Components returns 4 for a vector, 1 for a scalar.
func (r SReg) Components() int { return sregs[r>>axisBits].components }

// Base returns the register without its component: SRegTID for %tid.y.
func (r SReg) Base() SReg { return r &^ (1<<axisBits - 1) }

// Axis returns the component, 0 for .x to 3 for .w, and 0 for scalars.
func (r SReg) Axis() int { return int(r & (1<<axisBits - 1)) }

// Type returns the type of the register or component.
func (r SReg) Type() Type { return sregs[r>>axisBits].typ }

// Identity returns which threads read the same value. The fourth component of
// a vector is always 0.
func (r SReg) Identity() Identity {
	if r.Axis() == 3 {
		return PerLaunch
	}
	return sregs[r>>axisBits].identity
}

// Volatile reports whether two reads by one thread may differ.
func (r SReg) Volatile() bool { return r.Identity() == Changing }

// OfMachine reports whether the value belongs to the machine, its present state or its
// driver: the manual gives a range for it, or says no more than who sets it (PTX ISA
// 10.4, 10.5, 10.8 to 10.10, 10.28 to 10.31; shared memory is given out in units of the
// machine's).
func (r SReg) OfMachine() bool {
	switch r.Base() {
	case SRegSMID, sregNSMID, sregWarpID, sregNWarpID, sregGridID, sregTotalSmemSize, sregAggrSmemSize,
		sregReservedSmemOffsetBegin, sregReservedSmemOffsetEnd, sregReservedSmemOffsetCap, sregReservedSmemOffset0, sregReservedSmemOffset1:
		return true
	}
	return r.Base() >= sregEnvReg0
}

// NearestSReg returns the special register whose name is one letter away from name, ""
// if none is.
func NearestSReg(name string) string {
	base, component, _ := strings.Cut(name, ".")
	for i := range sregs {
		if known := sregs[i].name; spelling.Slip(base, known) {
			if component != "" {
				known += "." + component
			}
			return known
		}
	}
	return ""
}

// Check returns an error if the PTX version or target does not know r.
func (r SReg) Check(ptx int, t Target) error {
	info := &sregs[r>>axisBits]
	need := requirement{PTX: info.minPTX}
	if info.minSM > 0 {
		need.Targets = []Target{{SM: info.minSM}}
	}
	if err := need.check(ptx, t); err != nil {
		return fmt.Errorf("%s %w", r, err)
	}
	return nil
}

// String returns the register as written, "%tid.x".
func (r SReg) String() string {
	info := &sregs[r>>axisBits]
	if info.components != 4 {
		return info.name
	}
	return info.name + "." + "xyzw"[r.Axis():r.Axis()+1]
}
