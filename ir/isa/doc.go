// Package isa describes the PTX instruction set once, as one table.
//
// A row (table_*.go) is written in the notation of the PTX manual:
//
//	{"add{.rnd}{.ftz}{.sat}.f32 d, a, b", ".rnd = .rn .rz .rm .rp", FP32, "1.0", "", "9.7.3.3"}
//
// and everything that the rest of hyptx knows of an instruction follows from
// its row: which modifiers are legal (in any order, as ptxas accepts them),
// how many operands there are, of what kind and type, which are written, the
// PTX version and target it needs, and the class under which the profile
// counts it. Nobody else lists opcodes. notation.go defines the notation;
// later.go names the operations that have no row yet.
//
// Start with [Form], one row parsed, and [Decode], which turns the opcode of a
// statement into an [Inst]: the form with its modifiers resolved. What Inst
// answers:
//
//	may the module have it?       Check (PTX version, target)
//	what stands at an operand?    OperandType, Takes; OperandSpec.Accepts, .Check
//	what does it do?              IsBranch, IsLoad, WritesCC, CrossLane, ... (facts.go)
//	what does it count as?        Form.Class, Flops, TensorOps
//
// Beside the table stand the special registers ([SReg]) and the targets
// ([Target]).
//
// isa is a leaf: it imports nothing of hyptx and anybody may import it. It
// holds no semantics; those stand beside the table, in emulator.
package isa
