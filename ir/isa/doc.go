// Package isa describes the PTX instruction set once, as one table.
//
// A row (table_*.go) is written in the notation of the PTX manual:
//
//	{"add{.rnd}{.ftz}{.sat}.f32 d, a, b", ".rnd = .rn .rz .rm .rp", FP32, "1.0", "", "9.7.3.3"}
//
// and says how an instruction is spelled: which modifiers are legal (in any
// order, as ptxas accepts them), how many operands there are, of what kind and
// type, which are written, the PTX version and target it needs, and the class
// under which the profile counts it. notation.go defines the notation.
//
// What the instruction does stands beside its rows once for all of them, in the
// columns of its operation:
//
//	{OpRcp, "rcp", computes, byClass, PowerDivide, stepwise(rcpSteps...)}
//
// column.go describes the columns and who reads them: where control goes, what
// happens to memory, whose registers a result depends on, what is waited for,
// which unit and which component of the power model execute it, and what ptxas
// makes of it (cost.go). No column has a default: an operation that leaves one
// out is refused, so that a new instruction cannot be taken for an addition by
// somebody who never heard of it. Nobody else lists opcodes, save where the code
// is what the opcode means: the emulator's table of semantics, the rules of
// folding and of pointers.
//
// So a new instruction is its operation and its rows in one table_*.go, its
// function in emulator/internal/lanes, its line in emulator/table.go and a
// program in ptx-samples/features. Tests then run every spelling that its rows
// claim.
//
// Start with [Form], one row parsed, and [Decode], which turns the opcode of a
// statement into an [Inst]: the form with its modifiers resolved. What Inst
// answers:
//
//	may the module have it?       Check (PTX version, target)
//	what stands at an operand?    OperandType, Takes; OperandSpec.Accepts, .Check
//	what does it do?              IsBranch, IsLoad, WritesCC, CrossLane, ... (facts.go)
//	how exact is its result?      Open, Bound, Accumulation
//	what does it count as?        Form.Class, Flops, TensorOps
//
// Beside the table stand the special registers ([SReg]) and the targets
// ([Target]).
//
// isa is a leaf: it imports nothing of hyptx and anybody may import it. It
// holds no semantics; those stand beside the table, in emulator.
package isa
