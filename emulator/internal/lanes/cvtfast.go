package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// cvtFast returns loops for the conversions that programs are full of.
func cvtFast(v Variant) Fn {
	if v.Sat || v.FTZ || v.Relu || v.SatFinite || v.PZO || v.DstBits > v.Type.Bits() {
		return nil
	}
	to, from := v.Type, v.From
	switch {
	case to.Bits() == 32 && from.Bits() >= 32 && !to.IsFloat() && !from.IsFloat():
		if from.Bits() == 64 {
			return use.low32
		}
		return copy32
	case to.Bits() == 64 && from == isa.U32 && !to.IsFloat():
		return use.zeroExtend32
	case to.Bits() == 64 && from == isa.S32 && !to.IsFloat():
		return use.signExtend32
	case to == isa.F32 && from == isa.S32 && v.Rnd == isa.RN:
		return use.s32ToF32
	case to == isa.F32 && from == isa.U32 && v.Rnd == isa.RN:
		return use.u32ToF32
	case to == isa.S32 && from == isa.F32:
		return f32ToS32(v.Rnd)
	case to == isa.F64 && from == isa.F32 && !integral(v.Rnd):
		return func(d, a, _, _ *Slot) {
			x := Wide(d)
			for i, b := range a {
				y := math.Float32frombits(b)
				if x[i] = math.Float64bits(float64(y)); y != y {
					x[i] = formatF64.convertNaN(v, formatF32, uint64(b))
				}
			}
		}
	case to == isa.F32 && from == isa.F64 && v.Rnd == isa.RN:
		return func(d, a, _, _ *Slot) {
			for i, b := range Wide(a) {
				y := math.Float64frombits(b)
				if d[i] = math.Float32bits(float32(y)); y != y {
					d[i] = uint32(formatF32.convertNaN(v, formatF64, b))
				}
			}
		}
	case to == isa.F32 && from == isa.F16:
		return func(d, a, _, _ *Slot) {
			x := view[float32](d)
			for i := range x {
				x[i] = canon(f16ToF32(a[i] & 0xffff))
			}
		}
	case to == isa.F16 && from == isa.F32 && v.Rnd == isa.RN:
		return func(d, a, _, _ *Slot) {
			p := view[float32](a)
			for i := range d {
				d[i] = f32ToF16(p[i])
			}
		}
	}
	return nil
}
