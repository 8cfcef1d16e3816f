package power

import "hyptx/ir/isa"

// unit is what executes an opcode, before its type is looked at.
type unit uint8

const (
	alu unit = iota // everything that is not named below
	multiply
	multiply24
	divide
	squareRoot
	logarithm
	sine
	exponential
	tensor
	texture
	noUnit // memory, control flow, barriers: no execution energy
)

// units are AccelWattch's PTX classes (cuda-sim.cc, set_opcode_and_latency and
// set_mul_div_or_other_archop). Opcodes that are younger than it go with their
// kind: dp4a and dp2a with products, tanh with the exponential, wgmma with
// tensor cores.
var units = map[isa.Op]unit{
	isa.OpMul: multiply, isa.OpMad: multiply, isa.OpMadc: multiply, isa.OpFma: multiply, isa.OpClmad: multiply, isa.OpDp4a: multiply, isa.OpDp2a: multiply,
	isa.OpMul24: multiply24, isa.OpMad24: multiply24,
	isa.OpDiv: divide, isa.OpRem: divide, isa.OpRcp: divide,
	isa.OpSqrt: squareRoot, isa.OpRsqrt: squareRoot, isa.OpLg2: logarithm, isa.OpSin: sine, isa.OpCos: sine, isa.OpEx2: exponential, isa.OpTanh: exponential,
	isa.OpMma: tensor, isa.OpWmmaMma: tensor, isa.OpWgmmaMmaAsync: tensor,

	isa.OpLd: noUnit, isa.OpLdu: noUnit, isa.OpSt: noUnit, isa.OpAtom: noUnit, isa.OpRed: noUnit, isa.OpWmmaLoad: noUnit, isa.OpWmmaStore: noUnit,
	isa.OpLdmatrix: noUnit, isa.OpStmatrix: noUnit, isa.OpPrefetch: noUnit, isa.OpPrefetchu: noUnit, isa.OpApplypriority: noUnit, isa.OpDiscard: noUnit,
	isa.OpCreatepolicy: noUnit, isa.OpCpAsync: noUnit, isa.OpCpAsyncCommitGroup: noUnit, isa.OpCpAsyncWaitGroup: noUnit, isa.OpCpAsyncWaitAll: noUnit,
	isa.OpCpAsyncMbarrierArrive: noUnit,
	isa.OpBra:                   noUnit, isa.OpBrxIdx: noUnit, isa.OpCall: noUnit, isa.OpRet: noUnit, isa.OpExit: noUnit, isa.OpTrap: noUnit, isa.OpBrkpt: noUnit,
	isa.OpBar: noUnit, isa.OpBarWarpSync: noUnit, isa.OpBarrier: noUnit, isa.OpBarrierCluster: noUnit, isa.OpMembar: noUnit, isa.OpFence: noUnit,
	isa.OpGriddepcontrol: noUnit, isa.OpMbarrierInit: noUnit, isa.OpMbarrierInval: noUnit, isa.OpMbarrierExpectTx: noUnit, isa.OpMbarrierCompleteTx: noUnit,
	isa.OpMbarrierArrive: noUnit, isa.OpMbarrierArriveDrop: noUnit, isa.OpMbarrierTestWait: noUnit, isa.OpMbarrierTryWait: noUnit, isa.OpMbarrierPendingCount: noUnit,
	isa.OpWgmmaFence: noUnit, isa.OpWgmmaCommitGroup: noUnit, isa.OpWgmmaWaitGroup: noUnit,
	isa.OpStacksave: noUnit, isa.OpStackrestore: noUnit, isa.OpAlloca: noUnit, isa.OpNanosleep: noUnit, isa.OpPmevent: noUnit, isa.OpSetmaxnreg: noUnit,
}

// family is the set of units that an instruction's first type chooses.
type family uint8

const (
	integers family = iota // all types but these
	singles                // f32 and smaller floats
	doubles                // f64
)

func familyOf(t isa.Type) family {
	switch {
	case t.Elem() == isa.F64:
		return doubles
	case t.IsFloat():
		return singles
	}
	return integers
}

// execCounter returns the execution counter of an instruction, or false if none
// counts it.
func execCounter(in *isa.Inst, r Rules) (Counter, bool) {
	u := units[in.Op]
	if in.Form.Class == isa.Texture {
		u = texture
	}
	f := familyOf(in.Type())
	switch u {
	case noUnit:
		return 0, false
	case alu:
		if half(in) && r.set().halfNowhere {
			return 0, false
		}
		return [...]Counter{Int, FP, DP}[f], true
	case multiply:
		if f == integers && in.Type().Bits() == 32 {
			return IntMul32, true
		}
		return [...]Counter{IntMul, FPMul, DPMul}[f], true
	case divide:
		return [...]Counter{IntDiv, FPDiv, DPDiv}[f], true
	}
	return map[unit]Counter{multiply24: IntMul24, squareRoot: Sqrt, logarithm: Log, sine: Sin, exponential: Exp, tensor: Tensor, texture: Tex}[u], true
}

// half reports whether an instruction is one of those on f16 that the released
// program counts nowhere.
func half(in *isa.Inst) bool {
	switch in.Op {
	case isa.OpAdd, isa.OpSub, isa.OpMin, isa.OpMax:
		return in.Type().Elem() == isa.F16
	}
	return false
}

// schedFloat reports whether the scheduler counts an instruction as one of
// floating point: by its type, of cvt, set and slct the second one.
func schedFloat(in *isa.Inst) bool {
	t := in.Type()
	switch in.Op {
	case isa.OpCvt, isa.OpSet, isa.OpSlct:
		if in.Types[1] != isa.NoType {
			t = in.Types[1]
		}
	}
	return t.IsFloat()
}
