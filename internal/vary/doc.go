// Package vary describes how a machine that obeys the PTX manual may differ
// from hyptx's emulator, so that the emulator can be run again as such a
// machine: approximate results at the edges of their documented bounds, sums
// in other orders, mul and add contracted to fma, other NaN payloads.
//
// A [Variation] is plain data. Package emulator builds it into a program when
// it decodes a kernel; a program without one does not know that variations
// exist. What several variations leave in memory is what package
// internal/hardware/compare makes tolerances from.
//
// vary knows no instructions, warps or memory: numbers in, numbers out.
//
// Start with [Variation], then edge.go for what a bound allows, sums.go for
// atomic additions, format.go for the floating-point formats.
package vary
