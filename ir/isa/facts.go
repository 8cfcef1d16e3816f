package isa

// What follows from a form, for those who do not care which opcode it is.

// IsBranch reports whether the instruction is bra or brx.idx.
func (i *Inst) IsBranch() bool { return i.Op == OpBra || i.Op == OpBrxIdx }

// IsCall reports whether the instruction is a call, direct or not.
func (i *Inst) IsCall() bool { return i.Op == OpCall }

// IsReturn reports whether the instruction is ret.
func (i *Inst) IsReturn() bool { return i.Op == OpRet }

// IsExit reports whether the instruction ends the thread: exit or trap.
func (i *Inst) IsExit() bool { return i.Op == OpExit || i.Op == OpTrap }

// EndsBlock reports whether a basic block ends at the instruction, with a
// guard or without. A call does not end one: it comes back.
func (i *Inst) EndsBlock() bool { return i.IsBranch() || i.IsReturn() || i.IsExit() }

// IsLoad reports whether the instruction reads memory and does nothing else to
// it: ld, ldu, ldmatrix, and cp.async, which also is a store.
func (i *Inst) IsLoad() bool {
	switch i.Op {
	case OpLd, OpLdu, OpLdmatrix, OpCpAsync:
		return true
	}
	return false
}

// IsStore reports whether the instruction writes memory and does not depend on
// what was there: st, stmatrix, cp.async.
func (i *Inst) IsStore() bool {
	switch i.Op {
	case OpSt, OpStmatrix, OpCpAsync:
		return true
	}
	return false
}

// IsAtomic reports whether the instruction is atom or red.
func (i *Inst) IsAtomic() bool { return i.Op == OpAtom || i.Op == OpRed }

// IsMbarrier reports whether the instruction works on an mbarrier object in
// memory, which it reads and writes.
func (i *Inst) IsMbarrier() bool {
	return i.Op >= OpMbarrierInit && i.Op <= OpMbarrierTryWait || i.Op == OpCpAsyncMbarrierArrive
}

// ReadsCC reports whether the instruction reads the carry flag CC.CF, which is
// nowhere written as an operand (PTX ISA 9.7.2).
func (i *Inst) ReadsCC() bool { return i.Op == OpAddc || i.Op == OpSubc || i.Op == OpMadc }

// WritesCC reports whether the instruction writes CC.CF.
func (i *Inst) WritesCC() bool { return i.Has(ModCc) }

// IsBarrier reports whether the instruction is a barrier of a CTA or cluster:
// what the profile's barriers_executed counts. bar.warp.sync is none.
func (i *Inst) IsBarrier() bool {
	return i.Op == OpBar || i.Op == OpBarrier || i.Op == OpBarrierCluster
}

// CrossLane reports whether a lane's result depends on other lanes of the warp:
// shuffles, votes and the like, and the collectives on matrices.
func (i *Inst) CrossLane() bool {
	switch i.Op {
	case OpMma, OpLdmatrix, OpStmatrix, OpMovmatrix:
		return true
	}
	return i.Form.Class == InterThread
}

// HasSideEffect reports whether the instruction does more than to write its
// destinations: it writes memory or CC.CF, directs control, synchronises,
// orders, or acts on the machine. Prefetches and other hints have none.
func (i *Inst) HasSideEffect() bool {
	switch i.Op {
	case OpMbarrierPendingCount:
		return false
	case OpPmevent, OpSetmaxnreg, OpStackrestore, OpAlloca, OpDiscard,
		OpCpAsyncCommitGroup, OpCpAsyncWaitGroup, OpCpAsyncWaitAll, OpCpAsyncMbarrierArrive:
		return true
	}
	switch i.Form.Class {
	case Control, Atomic, Barrier:
		return true
	}
	return i.IsStore() || i.WritesCC() || i.IsMbarrier() || i.IsVolatile()
}

// IsVolatile reports whether a load must not be left out or repeated even if
// its result is not used: ld.volatile and ld.mmio (PTX ISA 8.2 and 9.7.10.8).
func (i *Inst) IsVolatile() bool { return i.Sem == Volatile || i.Sem == MMIO }
