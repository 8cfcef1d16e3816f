package value

import "hyptx/ir/isa"

// NaNUse says what an instruction makes of the bits of a NaN among its operands. The payload
// of some NaNs is open (isa.UnspecifiedNaN); whether it is one at all never is, so that only
// who reads bits learns more than the manual says.
type NaNUse uint8

// What instructions do.
const (
	// AsBits: the result depends on the payload.
	AsBits NaNUse = iota
	// AsNumber: it does not.
	AsNumber
	// HandedOn: the payload becomes that of the result.
	HandedOn
)

// UseOfNaN returns what an instruction makes of a NaN. Results of double precision, which the
// manual does not make canonical (PTX ISA 9.7.3), may have an operand's payload.
func UseOfNaN(x *isa.Inst) NaNUse {
	t := x.Type()
	switch {
	case len(x.Form.Memory) > 0:
		return HandedOn
	case x.Op == isa.OpMov, x.Op == isa.OpSelp, x.Op == isa.OpSlct, x.Op == isa.OpShfl, x.Op == isa.OpCopysign:
		return HandedOn
	case (x.Op == isa.OpCvt || x.Op == isa.OpSet) && !x.Types[1].IsFloat():
		return AsBits
	case x.Op == isa.OpSetp, x.Op == isa.OpTestp:
		if t.IsFloat() {
			return AsNumber
		}
	case t.Elem() == isa.F64 && x.Form.Class != isa.Tensor:
		return HandedOn
	case t.IsFloat(), x.Op == isa.OpCvt, x.Op == isa.OpSet:
		return AsNumber
	}
	return AsBits
}
