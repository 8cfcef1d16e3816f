// Package lanes is hyptx's arithmetic: what one PTX instruction computes for
// the 32 lanes of a warp, bit for bit, for every type and modifier.
//
// A constructor, as [Add] or [Fma], takes a [Variant] (types, rounding and
// modifiers of an instruction) and returns the [Fn] that computes it, or nil
// when there is no such variant. The choice is made once, when a program is
// decoded; an Fn itself decides nothing.
//
// The lanes in this package are portable Go and the specification: faster
// ones may replace them where the machine has vector units, and must agree
// with them in every bit (kernels.go).
//
// lanes knows no masks, no registers and no memory: operands are slots that
// the caller found, and results of lanes that do not execute are the caller's
// to drop ([Merge32]).
//
// Where the PTX manual leaves a result open, the choice is written beside the
// code. The general ones:
//
//   - A NaN result of an f32, f16 or bf16 operation is canonical: 0x7fffffff,
//     0x7fff, 0x7fff (PTX ISA 9.7.3, 9.7.4). An f64 operation returns its
//     first NaN operand, made quiet, and 0xfff8000000000000 where no operand
//     is NaN, as the hardware does.
//   - .ftz flushes a result that is subnormal after rounding.
//   - .sat and .relu turn -0 into +0.
//   - Approximations (rcp.approx, sin, ex2 ...) are computed in double
//     precision and rounded once, which keeps them within the manual's bounds;
//     a GPU's own bits may differ in the last place.
//
// Start with slot.go, then variant.go, then add.go as an example of the rest.
// The files, each using those above it:
//
//	slot.go, view.go, variant.go   registers of a warp; what picks a function
//	lift.go, kernels.go            from a function of one lane to all 32; loops
//	                               that vector units replace (simd_amd64.go,
//	                               simdwide_amd64.go, avx2_amd64.go,
//	                               avx2wide_amd64.go)
//	round.go, float64.go, half.go  formats, rounding, NaNs, .ftz and .sat
//	saturate.go, compare.go, select.go, shift.go, logic.go, bits.go, carry.go
//	add.go, mul.go, mad.go, clmad.go, div.go, fma.go, minmax.go, mixed.go,
//	approx.go                      arithmetic
//	video.go                       arithmetic on parts of registers
//	cvt.go, cvtfast.go, cvtpacked.go, narrow.go, cvtnarrow.go  conversions
//	fragment.go, matrix.go         where lanes keep matrices; their products
//
// A new operation is a constructor in the file of its family: it lifts a
// function of one lane, or returns a loop where programs are full of it, and
// is tested against an independent reference: package math/big for integers,
// emulator/internal/softfloat, which rounds rational numbers, for the rest. The
// emulator's tests run it once more, from PTX, in every spelling.
package lanes
