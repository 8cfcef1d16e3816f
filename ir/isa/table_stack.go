package isa

// The opcodes of the stack and what else is miscellaneous.
const (
	OpStacksave Op = iota + firstStack
	OpStackrestore
	OpAlloca
	OpPmevent
	OpSetmaxnreg
)

// stackOperations: they act on the machine, not on registers and memory.
var stackOperations = []operation{
	{OpStacksave, "stacksave", behaviour{FlowNext, "none", lanesOwn, syncNone, readsMachine}, UnitMove, PowerNone, plain},
	{OpStackrestore, "stackrestore", acts, UnitMove, PowerNone, plain},
	{OpAlloca, "alloca", acts, UnitMove, PowerNone, plain},
	{OpPmevent, "pmevent", acts, UnitMove, PowerNone, plain},
	{OpSetmaxnreg, "setmaxnreg", acts, UnitMove, PowerNone, plain},
}

// stackRows manipulate the stack (PTX ISA 9.7.19) and what else is
// miscellaneous (9.7.21).
var stackRows = []row{
	{"stacksave.type d", ".type = .u32 .u64", Misc, "7.3", "52", "9.7.19.1"},
	{"stackrestore.type a", ".type = .u32 .u64", Misc, "7.3", "52", "9.7.19.2"},
	{"alloca.type d, size{, align:imm}", ".type = .u32 .u64", Misc, "7.3", "52", "9.7.19.3"},
	{"pmevent a:imm", "", Misc, "1.4", "", "9.7.21.3"},
	{"pmevent.mask a:imm", "", Misc, "3.0", "20", "9.7.21.3"},
	{"setmaxnreg.action.sync.aligned.u32 n:imm", ".action = .inc .dec", Misc, "8.0", "90a 100f 110f 120f", "9.7.21.5"},
}
