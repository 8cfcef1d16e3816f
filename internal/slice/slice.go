package slice

import (
	"sort"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Slice is what an emulator executes instead of the whole kernel: the
// instructions of a filtered dependency graph, on which the branches (and in
// the modes for memory the addresses) depend. All others are counted without
// being executed. Package depgraph makes it, package emulator runs it; neither
// knows the other, so it is defined here.
type Slice struct {
	// Run are the instructions to execute.
	Run Set
	// Value are the loads, stores and atomics in Run whose value, not only
	// their address, is needed.
	Value Set
	// Consts are the register uses of instructions in Run (guards, too) that
	// are constants of the launch, sorted by PC: the emulator reads Bits there
	// instead of the register. Definitions that only feed such uses are not in
	// Run.
	Consts []ConstUse
	// SRegs are the register uses of instructions in Run that read a special
	// register instead, sorted by PC: the moves that would copy it are not in
	// Run.
	SRegs []SRegUse
	// Alike are loops whose rounds are alike; the emulator may count them
	// without running them. Nil is always right.
	Alike []Repeat
}

// ConstAt returns the constant that instruction pc reads in reg.
func (s *Slice) ConstAt(pc ir.PC, reg ir.RegID) (bits uint64, ok bool) {
	i := sort.Search(len(s.Consts), func(i int) bool { return s.Consts[i].PC >= pc })
	for ; i < len(s.Consts) && s.Consts[i].PC == pc; i++ {
		if s.Consts[i].Reg == reg {
			return s.Consts[i].Bits, true
		}
	}
	return 0, false
}

// SRegAt returns the special register that instruction pc reads in reg.
func (s *Slice) SRegAt(pc ir.PC, reg ir.RegID) (isa.SReg, bool) {
	i := sort.Search(len(s.SRegs), func(i int) bool { return s.SRegs[i].PC >= pc })
	for ; i < len(s.SRegs) && s.SRegs[i].PC == pc; i++ {
		if s.SRegs[i].Reg == reg {
			return s.SRegs[i].SReg, true
		}
	}
	return isa.NoSReg, false
}

// given reports whether instruction pc reads a constant or a special register
// where it reads reg.
func (s *Slice) given(pc ir.PC, reg ir.RegID) bool {
	_, constant := s.ConstAt(pc, reg)
	_, special := s.SRegAt(pc, reg)
	return constant || special
}

// SRegUse says that instruction PC reads SReg where it reads Reg.
type SRegUse struct {
	PC   ir.PC
	Reg  ir.RegID
	SReg isa.SReg
}

// ConstUse says that instruction PC reads Bits where it reads Reg. A
// predicate is 0 or 1.
type ConstUse struct {
	PC   ir.PC
	Reg  ir.RegID
	Bits uint64
}
