// Package value computes with what is known of integers: constants and
// intervals. It says what an instruction of the PTX ISA makes of either, on
// the instruction as package isa decodes it; it knows no registers, no
// addresses and nothing of floating point. What it does not know stays
// unknown.
//
// Package ir propagates constants and intervals through a launch with it,
// package machine through the code that ptxas is expected to make. The
// emulator's lanes compute on their own; a test there (TestFoldAgrees) holds
// the two against each other.
//
// Start with [Fold] for constants and [Bound] for intervals.
//
//	bits.go     the low bits of a word, as a number of a type
//	fold.go     Fold: arithmetic on constants
//	bitwise.go  shifts, bit fields and conversions of constants
//	compare.go  comparisons of constants and of intervals
//	interval.go Interval: what bounds a value
//	bound.go    Bound: operations on intervals
package value
