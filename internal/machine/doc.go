// Package machine estimates which machine instructions (SASS) a kernel's PTX
// becomes. It works on an overlay of the IR, beside ssa.Form, and does what
// ptxas does to any program: it unrolls short counted loops, folds constants,
// finds common subexpressions, moves invariant code out of loops, collects
// integer sums, folds offsets into addresses, contracts multiplications with
// additions, turns short branches into predication, and splits or expands what
// the machine has no instruction for.
//
// Each of these steps is general; limits that NVIDIA has not published are own
// estimates and say so.
//
// The way of a function: its counted loops are found (trip.go), those to unroll
// are chosen and their blocks copied (expand.go). A walk over the copies makes
// a graph of expressions of their instructions (build.go, read.go), in which
// equal ones are one (node.go), sums are collected (linear.go), and what
// constants and intervals decide is decided at once (simplify.go). Backwards
// from what has effects the expressions are marked that somebody needs
// (need.go); each of these is priced where the machine computes it (price.go),
// and branches get what is left of control flow (control.go, exit.go).
//
// It is not a compiler: there is no register allocation (no spills, no moves
// for want of registers or predicates), no test before an unrolled loop whether it
// has as many rounds left, and no inlining of calls. SSY and SYNC, from sm_70 on BSSY and
// BSYNC, count as control instructions.
//
// What it returns are charges ([Charge]): for an instruction of the PTX, how many
// machine instructions of a class run each time that it is executed. With the
// exact counts of the PTX they give an estimate for a launch. For a simulation
// of time the same instructions are listed as code ([List]): scheduled, with
// the values that each waits for, and with a map from the blocks of the PTX that
// a warp enters to those of the machine. Start with [New] and [List]; then
//
//	charge.go    Charge, Code: the result
//	trip.go      how often a loop runs
//	open.go      loops that run as often as nobody knows
//	expand.go    the control-flow graph with short loops unrolled
//	rest.go      the rounds that these leave over
//	node.go      the values as a graph of expressions, each once
//	linear.go    sums of integers
//	range.go     intervals of values
//	build.go     from instructions to expressions
//	read.go      one instruction
//	address.go   where memory is, and what of it is an operand
//	simplify.go  what constants and ranges decide
//	fold.go      one instruction over constants
//	need.go      which expressions are wanted in registers
//	merge.go     adjacent accesses of shared memory
//	uniform.go   what the uniform datapath computes
//	price.go     how many machine instructions each takes
//	part.go      from which parts a sum is made
//	control.go   branches, predication and reconvergence
//	exit.go      branches of threads that have nothing left to do
//	shared.go    branches that read the same values
//	constant.go  constants that an instruction needs in a register
//	expansion.go instructions that become several
//	tally.go     integer instructions by kind
//	kind.go      which unit takes an instruction
//	op.go        Op, Listing: machine code
//	listing.go   from charges to code
//	group.go     the blocks of the machine
//	draft.go     the instructions of a block, with what each needs
//	preset.go    constants that guarded loads write over
//	depend.go    values, memory, and ends of blocks that order them
//	schedule.go  the order of issue
//	issuer.go    which instruction comes next in it
//	pressure.go  the same with few registers
//	liveness.go  where which values are alive
//	registers.go how many registers a thread needs
//	quit.go      what ends all of it early
//	walk.go      from the blocks of the PTX to those of the machine
package machine
