// Package compare judges what a GPU left in a program's outputs against what
// the emulator left: equal bits, or as far apart as the PTX manual allows.
//
// What the manual leaves open (isa.OpenResult) are results of approximate
// instructions, the order of atomic floating-point additions and of the sums
// inside matrix products, the contraction of mul and add to fma, and some NaN
// payloads. A program that has none of these has to give the same bits. For
// others the emulator runs the program again as several machines that obey the
// manual, too (internal/vary), and what they leave is the tolerance of each
// element. docs/hardware.md, Comparing, says what that proves and what not.
//
// It knows no GPU: outputs are given. Start with [Program], or with [Outputs]
// if the tolerance is there already;
// [Follower] finds the first launch that differs.
//
//	open.go       what of a program is open
//	tolerance.go  the runs that tolerances are made from
//	order.go      what depends on the order of threads
//	interval.go   what one element may be
//	buffer.go     one output judged
//	report.go     what came of it
//	follow.go     launch by launch
package compare
