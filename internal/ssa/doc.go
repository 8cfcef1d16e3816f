// Package ssa says what the registers of a function hold: which are live where,
// and which value it is that an instruction reads in one.
//
// It is no second form of the program: instructions keep their registers and
// their numbers ([ir.PC]), and the values stand beside them, as an overlay. So
// what an analysis finds by following values is said of the instructions that
// the emulator runs and that a profile lists. Nor does it know a launch: what is
// said here holds for every call of the function. What a launch's constants make
// of it is said in package fold.
//
// Start with [Build], which makes a [Form]:
//
//	form.go      Form, Value: phi and select nodes over the instructions
//	build.go     how a form is made
//	liveness.go  which registers are live where; a phi stands only there
//	pressure.go  registers_per_thread
//
// What is asked of a form:
//
//	step.go      what decides when a loop ends, what a round adds to a value
//	warpgroup.go  registers that others write while a wgmma works on them
//	wait.go      loops in which threads wait for others
//	address.go   which accesses of memory may meet, as far as waiting goes
//	contract.go  multiplications and additions that may become one fma
package ssa
