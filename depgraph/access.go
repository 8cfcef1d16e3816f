package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// access is one way in which an instruction touches memory.
type access struct {
	s site
	// op is the address' place among the operands, -1 if the instruction
	// names none (textures, matrix descriptors): then it may touch everything
	// in space.
	op    int8
	space isa.Space
	// bytes is the size of the access from its address on, 0 if unknown.
	bytes       int32
	read, write bool
}

// effect says what an operation does through its address operands, in their
// order; an address beyond the list is read and written.
type effect []kind

type kind uint8

const (
	touches kind = iota // nothing that another access could see: prefetches, hints
	reads
	writes
	updates // reads and writes
)

// effects are the operations that do less than read and write all they
// address, which is what is assumed of the others.
var effects = map[isa.Op]effect{
	isa.OpLd: {reads}, isa.OpLdu: {reads}, isa.OpSt: {writes},
	isa.OpAtom: {updates}, isa.OpRed: {updates},
	isa.OpCpAsync: {writes, reads}, isa.OpCpAsyncCommitGroup: {}, isa.OpCpAsyncWaitGroup: {}, isa.OpCpAsyncWaitAll: {},
	isa.OpLdmatrix: {reads}, isa.OpStmatrix: {writes}, isa.OpWmmaLoad: {reads}, isa.OpWmmaStore: {writes},
	isa.OpPrefetch: {touches}, isa.OpPrefetchu: {touches}, isa.OpApplypriority: {touches}, isa.OpDiscard: {writes},
	isa.OpCreatepolicy: {touches, touches},
}

// findAccesses fills accesses, accessAt and sync.
func (k *Kernel) findAccesses() {
	k.accessAt = make([]int32, k.Instructions()+1)
	for i, f := range k.Funcs {
		for pc := f.First; pc < f.End; pc++ {
			s := site{int32(i), pc}
			in := &k.Module.Instrs[pc]
			k.accessAt[k.instr(s)] = int32(len(k.accesses))
			k.addAccesses(s, in)
			if orders(in) {
				k.sync = append(k.sync, s)
			}
			if waits(in) {
				k.waits = append(k.waits, s)
			}
		}
	}
	k.accessAt[k.Instructions()] = int32(len(k.accesses))
}

func (k *Kernel) addAccesses(s site, in *ir.Instr) {
	if in.Call != nil {
		return
	}
	todo := effects[in.Inst.Op]
	for i := range in.Ops {
		if in.Ops[i].Kind != ir.OperandAddr {
			continue
		}
		what := updates
		if len(todo) > 0 {
			what, todo = todo[0], todo[1:]
		}
		if what == touches {
			continue
		}
		k.accesses = append(k.accesses, access{
			s: s, op: int8(i), space: spaceOf(in, i), bytes: sizeOf(in),
			read: what != writes, write: what != reads,
		})
	}
	if hidden, space := hiddenAccess(in); hidden != touches {
		k.accesses = append(k.accesses, access{s: s, op: -1, space: space, read: hidden != writes, write: hidden != reads})
	}
}

// spaceOf returns the space of address operand i. Where several addresses
// share the spaces written, only cp.async says which is which; that of others
// is left to what they point to.
func spaceOf(in *ir.Instr, i int) isa.Space {
	if v := in.Ops[i].Var; v != nil && in.Inst.Space == isa.Generic {
		return v.Space
	}
	first, n := true, 0
	for j := range in.Ops {
		if in.Ops[j].Kind == ir.OperandAddr {
			first = first && j >= i
			n++
		}
	}
	switch {
	case n == 1 || in.Inst.Op == isa.OpCpAsync && first:
		return in.Inst.Space
	case in.Inst.Op == isa.OpCpAsync:
		return in.Inst.Space2
	}
	return isa.Generic
}

// plainAccess reports whether only the address operand decides what an
// instruction accesses.
func plainAccess(in *ir.Instr) bool {
	switch in.Inst.Op {
	case isa.OpLd, isa.OpLdu, isa.OpSt, isa.OpAtom, isa.OpRed:
		return true
	}
	return false
}

// sizeOf returns how many bytes an access touches, 0 if that is not the
// type's size alone.
func sizeOf(in *ir.Instr) int32 {
	if !plainAccess(in) {
		return 0
	}
	return int32(in.Inst.Type().Bytes() * max(int(in.Inst.Vec), 1))
}

// hiddenAccess says what an instruction does to memory that no operand
// addresses: textures and surfaces, the memory behind the descriptors of
// asynchronous matrix units, and what an access not listed above may do.
func hiddenAccess(in *ir.Instr) (kind, isa.Space) {
	switch in.Inst.Form.Class {
	case isa.Texture:
		return updates, isa.Generic
	case isa.Tensor:
		if in.Inst.Op != isa.OpMma && in.Inst.Op != isa.OpWmmaMma {
			return updates, isa.Generic
		}
	case isa.ComputeLdSt:
		if effects[in.Inst.Op] == nil {
			return updates, isa.Generic
		}
	}
	return touches, isa.Generic
}

// orders reports whether in orders what threads do to memory: a barrier, a
// fence, or the grouping of asynchronous copies and the wait for them.
func orders(in *ir.Instr) bool {
	switch in.Inst.Op {
	case isa.OpCpAsyncCommitGroup, isa.OpCpAsyncWaitGroup, isa.OpCpAsyncWaitAll, isa.OpCpAsyncMbarrierArrive:
		return true
	}
	return in.Inst.Form.Class == isa.Barrier
}

// waits reports whether a thread waits at in for others: at a barrier, or at a
// warp operation that synchronises.
func waits(in *ir.Instr) bool {
	switch in.Inst.Op {
	case isa.OpBar, isa.OpBarrier, isa.OpBarWarpSync, isa.OpBarrierCluster:
		return true
	}
	return in.Inst.Form.Class == isa.InterThread && in.Inst.Has(isa.ModSync)
}
