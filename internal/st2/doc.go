// Package st2 joins what speculative adders do in a program's kernels (package adder)
// with what the program is predicted to take in time and energy: the rows and pictures
// of `hyptx st2`, which are those of the paper on ST² (Kandiah, Gök, Tziantzioulis,
// Hardavellas, DAC 2021).
//
// The additions are exact, of full emulation; which design mispredicts how often
// follows from them and from the order of warps, which is a model. Times and energies
// are those of packages roofline and power. What slices save of an adder is the
// paper's figure, or our reconstruction beside it.
//
// Start with [Suite]: it hears of launches, and of the prediction of each program. Then
// a file for each table, and for each picture:
//
//	suite.go kernel.go joules.go stalls.go  kernels, and what was found out about each
//	designs.go energy.go perf.go pcs.go mix.go values.go  rows
//	plot.go plotmix.go plotvalues.go plotrates.go plotenergy.go  pictures
package st2
