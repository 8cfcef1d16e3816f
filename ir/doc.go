// Package ir is hyptx's intermediate representation of PTX: modules of typed,
// scope-resolved functions whose instructions carry decoded opcodes and
// operands that are indices instead of names.
//
// It is not an SSA form: instructions keep writing PTX registers and keep
// their numbers, so that an instruction number ([PC]) means the same here, in
// depgraph, in emulator and in whatever a profile says of an instruction. SSA
// is an overlay beside the instructions, made where it is needed (internal/ssa).
// Nor is it a place to change programs: what Lower returns is read only, by any
// number of goroutines.
//
// Start with [Lower], which turns a syntax tree into a [Module]. What it makes:
//
//	module.go    Module: what stands at module scope
//	var.go       Var: a variable in memory
//	func.go      Func, Reg: kernels and device functions
//	instr.go     Instr, Operand: one instruction
//	block.go     Block: the control-flow graph
//	text.go      an instruction as text
//	lenient.go   what is an error or a warning, as the caller wants; since.go since when words are there
//
// How it makes them: lower.go has the order of the steps, header.go and
// declare.go read declarations, body.go statements, instruction.go, operand.go
// and call.go instructions (opcode.go: what is the same for all with one opcode);
// scope.go and label.go know what names mean, private.go and offset.go what only
// old or odd programs have, expr_value.go and operator.go what constant expressions
// are, cfg.go cuts blocks.
//
// What can be asked of a function then:
//
//	flow.go      dominators, post-dominators, loops, control dependence
//	             (computed by package internal/flow)
//	callgraph.go what it calls
//
// What registers hold, what a launch makes of it and what is run of a kernel are
// said in internal/ssa, internal/fold and internal/slice.
package ir
