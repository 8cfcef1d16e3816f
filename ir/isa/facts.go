package isa

import "slices"

// What follows from a form's columns, for those who do not care which opcode it
// is.

// IsBranch reports whether the instruction is bra or brx.idx.
func (i *Inst) IsBranch() bool { return i.Form.Flow == FlowBranch || i.Form.Flow == FlowSwitch }

// IsSwitch reports whether the instruction is brx.idx, which goes to one of
// several labels.
func (i *Inst) IsSwitch() bool { return i.Form.Flow == FlowSwitch }

// IsCall reports whether the instruction is a call, direct or not.
func (i *Inst) IsCall() bool { return i.Form.Flow == FlowCall }

// IsReturn reports whether the instruction is ret.
func (i *Inst) IsReturn() bool { return i.Form.Flow == FlowReturn }

// IsExit reports whether the instruction ends the thread: exit or trap.
func (i *Inst) IsExit() bool { return i.Form.Flow == FlowExit || i.Form.Flow == FlowTrap }

// EndsBlock reports whether a basic block ends at the instruction, with a
// guard or without. A call does not end one: it comes back.
func (i *Inst) EndsBlock() bool { return i.IsBranch() || i.IsReturn() || i.IsExit() }

// accesses reports whether the instruction does a through one of its addresses.
func (i *Inst) accesses(a Access) bool { return slices.Contains(i.Form.Memory, a) }

// IsLoad reports whether the instruction reads memory and does nothing else to
// it: ld, ldu, ldmatrix, and cp.async, which also is a store.
func (i *Inst) IsLoad() bool { return i.accesses(Reads) }

// IsStore reports whether the instruction writes memory and does not depend on
// what was there: st, stmatrix, cp.async.
func (i *Inst) IsStore() bool { return i.accesses(Writes) }

// IsAtomic reports whether the instruction is atom or red.
func (i *Inst) IsAtomic() bool { return i.Form.Class == Atomic }

// IsReduction reports whether the instruction is red: atomic without a result.
func (i *Inst) IsReduction() bool { return i.IsAtomic() && !i.Form.Results }

// PlainAccess reports whether the address operand alone decides what of memory
// the instruction accesses: a vector of the type there, by each thread for
// itself (ld, ldu, st, atom, red).
func (i *Inst) PlainAccess() bool {
	return len(i.Form.Memory) == 1 && i.Form.Lanes == lanesOwn && (i.IsLoad() || i.IsStore() || i.IsAtomic())
}

// AddressSpace returns the space that is written for address n of the
// instruction: where there are two addresses, each has its own. The mbarrier of a copy
// is in shared memory, that of what registers store beside it. A copy by a tensor map
// names the shared side only: the other is within the map's brackets.
func (i *Inst) AddressSpace(n int) Space {
	switch {
	case i.Op == OpCpAsyncBulkTensor, i.Op == OpCpReduceAsyncBulkTensor:
		switch {
		case n > 0:
			return SharedCluster
		case i.Space == Global:
			return i.Space2
		}
		return i.Space
	case i.Op == OpStAsync, i.Op == OpRedAsync, i.Op == OpTryCancel:
		return i.Space
	case n > 1:
		return SharedCluster
	case n > 0:
		return i.Space2
	}
	return i.Space
}

// ReadsCC reports whether the instruction reads the carry flag CC.CF, which is
// nowhere written as an operand (PTX ISA 9.7.2).
func (i *Inst) ReadsCC() bool { return i.Form.State == readsCarry }

// WritesCC reports whether the instruction writes CC.CF.
func (i *Inst) WritesCC() bool { return i.Has(ModCc) }

// IsBarrier reports whether the instruction is a barrier of a CTA or cluster:
// what the profile's barriers_executed counts. bar.warp.sync is none.
func (i *Inst) IsBarrier() bool { return i.Form.Sync == SyncCTA || i.Form.Sync == SyncCluster }

// Orders reports whether the instruction orders what threads do to memory: a
// barrier, a fence, or the grouping of asynchronous copies and the wait for them.
func (i *Inst) Orders() bool { return i.Form.Sync != syncNone && i.Form.Sync != syncLanes }

// SyncsWarp reports whether the instruction names lanes of its warp and waits for
// them: shfl.sync and the like, bar.warp.sync.
func (i *Inst) SyncsWarp() bool {
	return i.Form.Sync == SyncWarp || i.Form.Sync == syncLanes && i.Has(modSync)
}

// CrossLane reports whether a lane's result depends on other lanes of the warp:
// shuffles, votes and the like, and the collectives on matrices.
func (i *Inst) CrossLane() bool { return i.Form.Lanes == LanesExchange }

// Computes reports whether the instruction only makes a result from its operands
// (and CC.CF): it gives the same whenever they are the same, and nobody else
// notices. Its operands may be special registers, which are another matter.
func (i *Inst) Computes() bool {
	f := i.Form
	return f.Flow == FlowNext && len(f.Memory) == 0 && !f.Anywhere && f.Object == noAccess && !f.Matrices &&
		f.Tensor == noAccess && f.Sync == syncNone && f.State != writesMachine &&
		(f.Lanes == lanesOwn || f.Lanes == LanesCluster)
}

// HasSideEffect reports whether the instruction does more than to write its
// destinations: it writes memory or CC.CF, directs control, synchronises,
// orders, or acts on the machine. Prefetches and other hints have none.
func (i *Inst) HasSideEffect() bool {
	f := i.Form
	return f.Flow != FlowNext || i.accesses(Writes) || i.accesses(Updates) || i.accesses(discards) || f.Anywhere || f.Object == Writes || f.Object == Updates ||
		f.Tensor > Reads ||
		i.Orders() || f.State == writesMachine || i.WritesCC() || i.IsVolatile()
}

// IsVolatile reports whether a load must not be left out or repeated even if
// its result is not used: ld.volatile and ld.mmio (PTX ISA 8.2 and 9.7.10.8).
func (i *Inst) IsVolatile() bool { return i.Sem == Volatile || i.Sem == MMIO }
