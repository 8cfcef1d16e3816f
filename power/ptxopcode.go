package power

import "hyptx/ir/isa"

// What an instruction is for AccelWattch: its PTX rules count an execution by a
// component (the column Power of ir/isa's table), which the type of the
// instruction divides among counters. Nothing here names an opcode, but for two
// peculiarities of the released program: half and schedFloat.

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

// counters are the execution counters of the table's components (isa.Power): one
// for each family of types where the type counts, else three times the same.
var counters = map[isa.Power][3]Counter{
	isa.PowerALU: {Int, FP, DP}, isa.PowerMultiply: {IntMul, FPMul, DPMul}, isa.PowerDivide: {IntDiv, FPDiv, DPDiv},
	isa.PowerMultiply24: {IntMul24, IntMul24, IntMul24}, isa.PowerSquareRoot: {Sqrt, Sqrt, Sqrt},
	isa.PowerLogarithm: {Log, Log, Log}, isa.PowerSine: {Sin, Sin, Sin}, isa.PowerExponential: {Exp, Exp, Exp},
	isa.PowerTensor: {Tensor, Tensor, Tensor}, isa.PowerTexture: {Tex, Tex, Tex},
}

// execCounter returns the execution counter of an instruction, or false if none
// counts it. A product of 32-bit integers has a counter of its own; the released
// program counts some operations on f16 nowhere.
func execCounter(in *isa.Inst, r Rules) (Counter, bool) {
	family := familyOf(in.Type())
	switch {
	case in.Form.Power == isa.PowerNone:
		return 0, false
	case half(in) && r.set().halfNowhere:
		return 0, false
	case in.Form.Power == isa.PowerMultiply && family == integers && in.Type().Bits() == 32:
		return IntMul32, true
	}
	return counters[in.Form.Power][family], true
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
