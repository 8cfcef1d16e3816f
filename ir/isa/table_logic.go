package isa

// The opcodes of logic and shifts.
const (
	OpAnd Op = iota + firstLogic
	OpOr
	OpXor
	OpNot
	OpCnot
	OpLop3
	OpShf
	OpShl
	OpShr
)

// logicOperations: LOP3 does what and, or, xor and not do; internal/machine fuses
// up to three inputs.
var logicOperations = []operation{
	{OpAnd, "and", computes, byClass, PowerALU, plain},
	{OpOr, "or", computes, byClass, PowerALU, plain},
	{OpXor, "xor", computes, byClass, PowerALU, plain},
	{OpNot, "not", computes, byClass, PowerALU, plain},
	{OpCnot, "cnot", computes, byClass, PowerALU, counted(2, 4, latencies)},
	{OpLop3, "lop3", computes, byClass, PowerALU, plain},
	{OpShf, "shf", computes, byClass, PowerALU, plain},
	{OpShl, "shl", computes, byClass, PowerALU, plain},
	{OpShr, "shr", computes, byClass, PowerALU, plain},
}

// logicRows are the logic and shift instructions (PTX ISA 9.7.9).
var logicRows = []row{
	{"and.type d, a, b", logicTypes, Integer, "1.0", "", "9.7.9.1"},
	{"or.type d, a, b", logicTypes, Integer, "1.0", "", "9.7.9.2"},
	{"xor.type d, a, b", logicTypes, Integer, "1.0", "", "9.7.9.3"},
	{"not.type d, a", logicTypes, Integer, "1.0", "", "9.7.9.4"},
	{"cnot.type d, a", ".type = .b16 .b32 .b64", Integer, "1.0", "", "9.7.9.5"},
	{"lop3.b32 d, a, b, c, immLut:imm", "", Integer, "4.3", "50", "9.7.9.6"},
	{"lop3.bool.b32 d|p, a, b, c, immLut:imm, q:pred", ".bool = .or .and", Integer, "8.2", "70", "9.7.9.6"},
	{"shf.dir.mode.b32 d, a, b, c:u32", ".dir = .l .r; .mode = .clamp .wrap", Integer, "3.1", "32", "9.7.9.7"},
	{"shl.type d, a, b:u32", ".type = .b16 .b32 .b64", Integer, "1.0", "", "9.7.9.8"},
	{"shr.type d, a, b:u32", ".type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64", Integer, "1.0", "", "9.7.9.9"},
}

const logicTypes = ".type = .pred .b16 .b32 .b64"
