package emulator

import (
	"math/bits"
	"slices"

	"hyptx/internal/order"
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/internal/vary"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Of some instructions the manual leaves the result open for certain operands only. Which
// those are is asked as they come, lane by lane.

// openResult says for which lanes a result is open, how far, and as what that is noted.
type openResult struct {
	lanes func(w *warp, in *inst, m uint32) uint32
	from  order.Origin
	why   order.Kind
}

// openResults returns for which operands the result of an instruction is open.
func openResults(in *ir.Instr, i *inst) (open []openResult) {
	x := in.Inst
	t := x.Type()
	if (x.Op == isa.OpDiv || x.Op == isa.OpRem) && !t.IsFloat() {
		open = append(open, openResult{zeroDivisors(t), order.Undefined, order.DivisionByZero})
	}
	if x.Op == isa.OpRem && t.IsSigned() {
		open = append(open, openResult{unlikeSigns(t), order.Undefined, order.Open})
	}
	if x.Open() == isa.UnspecifiedNaN { // the source has the format of the result, or is bf16
		open = append(open, openResult{openNaNs(x.Types[max(0, slices.Index(x.Types[:], isa.BF16))]), order.Payload, order.Open})
	}
	if x.Op == isa.OpFns {
		open = append(open, openResult{farBases, order.Undefined, order.Invalid})
	}
	if x.Op == isa.OpLdu {
		open = append(open, openResult{unlikeAddresses, order.Undefined, order.Invalid})
	}
	if i.multiply != nil && i.multiply.open != nil {
		open = append(open, openResult{wrongMetadata, order.Undefined, order.Invalid})
	}
	if ssa.WritesTwice(in) { // a register in a vector (PTX ISA 6.4.3)
		open = append(open, openResult{everyLane, order.Undefined, order.Invalid})
	}
	return open
}

// everyLane is of what is open whatever the operands are.
func everyLane(_ *warp, _ *inst, m uint32) uint32 { return m }

// integer returns what a lane has in an operand of an integer type.
func (w *warp) integer(o operand, lane int, t isa.Type) uint64 {
	if t.Bits() == 64 {
		return wide(w.slot(o))[lane]
	}
	return value.Extend(uint64(w.slot(o)[lane]), t)
}

// zeroDivisors finds the integer divisions by zero, for which the manual gives no result
// (PTX ISA 9.7.1.9, 9.7.1.10).
func zeroDivisors(t isa.Type) func(*warp, *inst, uint32) uint32 {
	return func(w *warp, in *inst, m uint32) (open uint32) {
		for lane := range lanesOf(m) {
			if w.integer(in.b, lane, t) == 0 {
				open |= 1 << lane
			}
		}
		return open
	}
}

// unlikeSigns finds the remainders that depend on how a machine rounds quotients.
func unlikeSigns(t isa.Type) func(*warp, *inst, uint32) uint32 {
	return func(w *warp, in *inst, m uint32) (open uint32) {
		for lane := range lanesOf(m) {
			if value.RemainderOpen(int64(w.integer(in.a, lane, t)), int64(w.integer(in.b, lane, t))) {
				open |= 1 << lane
			}
		}
		return open
	}
}

// farBases finds where fns begins at a bit that is none: at most it may be 31 (PTX ISA 9.7.1.18).
func farBases(w *warp, in *inst, m uint32) (open uint32) {
	base := w.slot(in.b)
	for lane := range lanesOf(m) {
		if base[lane] > 31 {
			open |= 1 << lane
		}
	}
	return open
}

// openNaNs finds the lanes whose operand is a NaN of a type, or has one among its elements.
func openNaNs(t isa.Type) func(*warp, *inst, uint32) uint32 {
	format, _ := vary.FormatOf(t)
	return func(w *warp, in *inst, m uint32) (open uint32) {
		for lane := range lanesOf(m) {
			for at := uint(0); at < uint(t.Bits()); at += format.Bits() {
				if format.IsNaN(w.integer(in.a, lane, isa.BitsType(t.Bits())) >> at) {
					open |= 1 << lane
				}
			}
		}
		return open
	}
}

// wrongMetadata finds the products of a sparse A whose metadata the manual does not allow.
func wrongMetadata(w *warp, in *inst, m uint32) uint32 {
	if in.multiply.open(w.slot(in.multiply.meta)) {
		return m
	}
	return 0
}

// unlikeAddresses finds where ldu loads from several places. Its address is "guaranteed to be the
// same across all threads in the warp" (PTX ISA 9.7.10.10), and nothing is said of any other.
func unlikeAddresses(w *warp, in *inst, m uint32) uint32 {
	addr := w.addresses(in)
	for lane := range lanesOf(m) {
		if addr[lane] != addr[bits.TrailingZeros32(m)] {
			return m
		}
	}
	return 0
}
