package machine

import (
	"hyptx/internal/pipe"
	"hyptx/ir/isa"
)

// floatKinds are the kinds of floating-point instructions by class.
var floatKinds = [isa.NumClasses]pipe.Kind{isa.FP16: pipe.FP16, isa.FP32: pipe.FP32, isa.FP64: pipe.FP64}

// kindOf returns the kind of a machine instruction of a class that node d
// becomes: an instruction that is several has one of each of their classes.
func kindOf(d *node, class isa.Class) pipe.Kind {
	switch class {
	case isa.FP32:
		if d.in != nil && compares(d.in.Inst.Op) {
			return pipe.Compare // in the pipe of integers, unlike arithmetic
		}
		return pipe.FP32
	case isa.FP16, isa.FP64:
		return floatKinds[class]
	case isa.SpecialFP16, isa.SpecialFP32, isa.SpecialFP64:
		return pipe.Special
	case isa.Integer:
		return integerKind(d)
	case isa.BitConvert:
		return convertKind(d)
	case isa.Control:
		return pipe.Branch
	case isa.Tensor:
		if d.in.Inst.OpaqueTensor() { // the tensor cores go on with it by themselves
			return pipe.AtomicShared
		}
		return pipe.Matrix
	case isa.Texture:
		return textureKind(d.in.Inst)
	case isa.InterThread:
		if d.in.Inst.Op == isa.OpShfl {
			return pipe.Shuffle
		}
		return pipe.Vote
	case isa.Barrier:
		return barrierKind(d.in.Inst)
	case isa.ComputeLdSt, isa.Atomic:
		return memoryKind(d.in.Inst)
	}
	return miscKind(d)
}

// compares reports whether an operation compares or selects by comparing.
func compares(op isa.Op) bool {
	switch op {
	case isa.OpSetp, isa.OpSet, isa.OpMin, isa.OpMax, isa.OpSlct, isa.OpTestp, isa.OpCopysign:
		return true
	}
	return false
}

func integerKind(d *node) pipe.Kind {
	if d.kind != pureNode && d.kind != effectNode {
		return pipe.IntAdd
	}
	op := d.in.Inst.Op
	switch {
	case compares(op):
		return pipe.Compare
	case d.in.Inst.Mul == isa.HI_ || d.in.Inst.Mul == isa.WIDE:
		return pipe.IntMulWide
	}
	switch op {
	case isa.OpMul, isa.OpMad, isa.OpMadc, isa.OpMul24, isa.OpMad24, isa.OpDp4a, isa.OpDp2a, isa.OpClmad:
		return pipe.IntMul
	case isa.OpDiv, isa.OpRem:
		return pipe.IntMulWide
	case isa.OpShf, isa.OpShl, isa.OpShr, isa.OpPrmt, isa.OpBfe, isa.OpBfi, isa.OpSzext, isa.OpBmsk:
		return pipe.IntShift
	case isa.OpPopc, isa.OpClz, isa.OpBfind, isa.OpBrev:
		return pipe.Convert
	}
	return pipe.IntAdd
}

// convertKind: conversions between integers of at most 32 bits cut out or extend
// a part of a register.
func convertKind(d *node) pipe.Kind {
	if d.in == nil {
		return pipe.Convert
	}
	to, from := d.in.Inst.Types[0], d.in.Inst.Types[1]
	switch {
	case d.in.Inst.Op != isa.OpCvt:
		return pipe.Convert
	case !to.IsFloat() && !from.IsFloat():
		return pipe.IntShift
	case to.Bits() == 64 || from.Bits() == 64:
		return pipe.Convert64
	}
	return pipe.Convert
}

// miscKind: what reads special registers, packs 16-bit halves, or moves.
func miscKind(d *node) pipe.Kind {
	switch {
	case d.kind == sregNode:
		return pipe.ReadSpecial
	case d.in == nil:
		return pipe.Move
	case d.in.Inst.Op == isa.OpMov && d.kind == pureNode:
		return pipe.IntShift // PRMT
	case d.in.Inst.Op == isa.OpMovmatrix:
		return pipe.Shuffle
	}
	return pipe.Move
}

// barrierKind: barriers of the CTA, of the warp, objects in shared memory, and
// what orders accesses.
func barrierKind(inst *isa.Inst) pipe.Kind {
	switch {
	case inst.IsBarrier():
		return pipe.Barrier
	case inst.Form.Sync == isa.SyncWarp:
		return pipe.Branch // WARPSYNC
	case inst.Form.Sync == isa.SyncObject, inst.Form.Sync == isa.SyncPhase:
		return pipe.AtomicShared // SYNCS
	case inst.Computes():
		return pipe.IntAdd
	}
	return pipe.Fence
}

// memoryKind follows from what is done in which space. A hint has no access
// that somebody waits for; neither have groups of copies.
// textureKind: what a surface stores goes to the L2 as other stores do.
func textureKind(inst *isa.Inst) pipe.Kind {
	switch inst.Form.Object {
	case isa.Writes:
		return pipe.StoreGlobal
	case isa.Updates:
		return pipe.Reduction
	}
	return pipe.Texture
}

func memoryKind(inst *isa.Inst) pipe.Kind {
	shared := inst.Space == isa.Shared || inst.Space == isa.SharedCluster
	switch {
	case inst.Form.Sync == isa.SyncObject: // an arrival behind copies
		return pipe.AtomicShared // ARRIVES
	case inst.IsAtomic() && shared, inst.Op == isa.OpTcgen05Cp, inst.Op == isa.OpTcgen05Shift:
		return pipe.AtomicShared
	case inst.Form.Tensor == isa.Reads:
		return pipe.LoadShared
	case inst.Form.Tensor == isa.Writes:
		return pipe.StoreShared
	case inst.IsReduction():
		return pipe.Reduction
	case inst.IsAtomic():
		return pipe.Atomic
	case inst.IsLoad() && inst.IsStore():
		return pipe.CopyAsync
	case inst.Op == isa.OpLdmatrix:
		return pipe.LoadMatrix
	case inst.IsLoad():
		return spaceKind(inst.Space, pipe.LoadGlobal, pipe.LoadShared, pipe.LoadLocal)
	case inst.IsStore():
		return spaceKind(inst.Space, pipe.StoreGlobal, pipe.StoreShared, pipe.StoreLocal)
	}
	return pipe.Fence
}

func spaceKind(s isa.Space, global, shared, local pipe.Kind) pipe.Kind {
	switch s {
	case isa.Shared, isa.SharedCluster:
		return shared
	case isa.Local:
		return local
	case isa.Const:
		if global == pipe.LoadGlobal {
			return pipe.LoadConst
		}
	}
	return global
}
