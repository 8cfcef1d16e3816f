package ssa

import (
	"slices"

	"hyptx/ir"
)

// Form is static single assignment form as an overlay over a function: the
// instructions keep writing PTX registers and keep their numbers; beside them
// stand the values that the registers hold. So an analysis can follow a value
// from its one definition to all its uses, and what it finds is said in terms
// of the instructions that the emulator runs.
//
// PTX guards most instructions, and a guarded definition keeps the old value
// where the guard is false. It therefore makes two values: a Def, what the
// instruction computes, and a Select, what the register holds behind it.
//
//	kind    what                                   Args
//	Def     what an instruction writes             none (see Uses of its PC)
//	Phi     where paths join (pruned)              one for each predecessor
//	Select  a guarded definition: g ? new : old    guard, new, old
//	Entry   a formal parameter in a register       none
//	Undef   never written                          none
//
// The overlay covers the blocks that the entry reaches; elsewhere there is
// NoValue.
type Form struct {
	Func *ir.Func
	// Values has one element for each value; index 0 is no value.
	Values []Value
	// uses and defs hold the values that instruction First+i reads and leaves
	// behind, from useAt[i] to useAt[i+1], parallel to Instr.Uses and Defs.
	uses, defs   []ValueID
	useAt, defAt []int32
	// phis are the phis of each block, nil where no block has one.
	phis [][]ValueID
	// returned are, for each block from which threads return, the values of
	// the formal return registers there, nil where there are no such registers.
	returned [][]ValueID
	// users of value v are userOf[userAt[v]:userAt[v+1]].
	userOf []User
	userAt []int32
	// unsettled are the instructions whose results wgmma leaves open, nil for none.
	unsettled map[ir.PC]bool
}

// ValueID numbers the values of a function, from 1.
type ValueID int32

// NoValue is the absence of a value: in code that the entry does not reach.
const NoValue ValueID = 0

// ValueKind says what makes a value.
type ValueKind uint8

// The kinds of values.
const (
	Def ValueKind = iota
	Phi
	Select
	Entry
	Undef
)

// Value is a value that a register holds.
type Value struct {
	Kind ValueKind
	// GuardNot: a Select takes new where the guard is false.
	GuardNot bool
	Reg      ir.RegID
	// PC is the instruction of a Def or a Select, -1 for others; Block the
	// block that holds the value, 0 for Entry and Undef.
	PC    ir.PC
	Block int32
	// Args are what the value is made from. A phi has one argument for each of
	// the block's Preds, in that order, NoValue for one that cannot be
	// reached; a phi in block 0 has one more, what holds where the function
	// begins.
	Args []ValueID
}

// The places of a Select's arguments.
const (
	SelectGuard = iota
	SelectNew
	SelectOld
)

// User is who reads a value: another value, or else the instruction PC.
type User struct {
	Value ValueID
	PC    ir.PC
}

// Uses returns the values that instruction pc reads, parallel to its Uses.
func (s *Form) Uses(pc ir.PC) []ValueID {
	i := pc - s.Func.First
	return s.uses[s.useAt[i]:s.useAt[i+1]]
}

// Use returns the value that instruction pc reads in register r, which must be
// one of its uses.
func (s *Form) Use(pc ir.PC, r ir.RegID) ValueID {
	for i, u := range s.Func.Module.Instrs[pc].Uses() {
		if u == r {
			return s.Uses(pc)[i]
		}
	}
	panic("BUG: the instruction does not read the register")
}

// Defs returns the values that instruction pc leaves in its Defs, parallel to
// them: Selects if it is guarded.
func (s *Form) Defs(pc ir.PC) []ValueID {
	i := pc - s.Func.First
	return s.defs[s.defAt[i]:s.defAt[i+1]]
}

// Phis returns the phis of block b.
func (s *Form) Phis(b int) []ValueID {
	if s.phis == nil {
		return nil
	}
	return s.phis[b]
}

// Way returns which argument of the phis of block to comes from its predecessor from. It
// is looked up, as a block may have thousands of predecessors.
func (s *Form) Way(from, to int) int {
	n, _ := slices.BinarySearch(s.Func.Blocks[to].Preds(), from)
	return n
}

// Returned returns the values that the formal return registers (Func.Returns
// without the variables, in order) have where threads return at the end of
// block b; nil if they do not.
func (s *Form) Returned(b int) []ValueID {
	switch {
	case s.returned != nil:
		return s.returned[b]
	case returns(s.Func.Blocks[b]) && s.Func.Dominators().Depth(b) >= 0:
		return []ValueID{}
	}
	return nil
}

// Users returns who reads v.
func (s *Form) Users(v ValueID) []User { return s.userOf[s.userAt[v]:s.userAt[v+1]] }

// Len returns the number of values, the absent one included.
func (s *Form) Len() int { return len(s.Values) }

// indexUsers fills userOf and userAt.
func (s *Form) indexUsers() {
	count := make([]int32, len(s.Values)+1)
	s.eachUse(func(v ValueID, _ User) { count[v+1]++ })
	for v := range s.Values {
		count[v+1] += count[v]
	}
	s.userAt = count
	s.userOf = make([]User, count[len(s.Values)])
	next := append([]int32(nil), count...)
	s.eachUse(func(v ValueID, u User) {
		s.userOf[next[v]] = u
		next[v]++
	})
}

// eachUse calls do with every value read and its reader.
func (s *Form) eachUse(do func(ValueID, User)) {
	for id := range s.Values {
		for _, a := range s.Values[id].Args {
			if a != NoValue {
				do(a, User{Value: ValueID(id), PC: -1})
			}
		}
	}
	for pc := s.Func.First; pc < s.Func.End; pc++ {
		for _, v := range s.Uses(pc) {
			if v != NoValue {
				do(v, User{PC: pc})
			}
		}
	}
}

// Written returns the value that instruction pc itself writes to its i'th
// definition: what Defs gives, or the new part of the Select there.
func (s *Form) Written(pc ir.PC, i int) ValueID {
	v := s.Defs(pc)[i]
	if v != NoValue && s.Values[v].Kind == Select && s.Values[v].PC == pc {
		return s.Values[v].Args[SelectNew]
	}
	return v
}

// Param returns the value of formal parameter r, NoValue if r is none.
func (s *Form) Param(r ir.RegID) ValueID {
	for id := 1; id < len(s.Values) && s.Values[id].Kind != Def; id++ {
		if s.Values[id].Kind == Entry && s.Values[id].Reg == r {
			return ValueID(id)
		}
	}
	return NoValue
}
