// Package ir is hyptx's intermediate representation of PTX: modules of typed,
// scope-resolved functions whose instructions carry decoded opcodes and
// operands that are indices instead of names.
//
// It is not an SSA form: instructions keep writing PTX registers and keep
// their numbers, so that an instruction number ([PC]) means the same here, in
// depgraph and in emulator. SSA is an overlay ([SSA]) beside the
// instructions.
//
// Start with [Lower], which turns a syntax tree into a [Module]; then
//
//	module.go    Module: what stands at module scope
//	var.go       Var: a variable in memory
//	func.go      Func, Reg: kernels and device functions
//	instr.go     Instr, Operand: one instruction
//	block.go     Block: the control-flow graph
//	flow.go      dominators, post-dominators, loops, control dependence (package internal/flow)
//	waitloop.go  loops in which threads wait for others
//	text.go      an instruction as text
//	ssa.go       SSA, Value: phi and select nodes over the instructions
//	contract.go  multiplications and additions that may become one fma
//	folding.go   constants of a launch
//	liveness.go  registers_per_thread
package ir
