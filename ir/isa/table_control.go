package isa

// The opcodes of control flow.
const (
	OpBra Op = iota + firstControl
	OpBrxIdx
	OpCall
	OpRet
	OpExit
	OpTrap
	OpBrkpt
)

// controlOperations: they have no energy of execution; what ends a thread is priced
// with the blocks of the machine code (CostEnd).
var controlOperations = []operation{
	{OpBra, "bra", flows(FlowBranch), byClass, PowerNone, plain},
	{OpBrxIdx, "brx.idx", flows(FlowSwitch), byClass, PowerNone, plain},
	{OpCall, "call", flows(FlowCall), byClass, PowerNone, plain},
	{OpRet, "ret", flows(FlowReturn), byClass, PowerNone, by(CostEnd)},
	{OpExit, "exit", flows(FlowExit), byClass, PowerNone, by(CostEnd)},
	{OpTrap, "trap", flows(FlowTrap), byClass, PowerNone, by(CostEnd)},
	{OpBrkpt, "brkpt", flows(FlowBreak), byClass, PowerNone, plain},
}

// controlRows direct the flow of control (PTX ISA 9.7.14, and trap and brkpt
// of 9.7.21).
var controlRows = []row{
	{"bra{.uni} target:label", "", Control, "1.0", "", "9.7.14.3"},
	{"brx.idx{.uni} index:u32, list:targets", "", Control, "6.0", "30", "9.7.14.4"},
	// t is the .callprototype or .calltargets of an indirect call (2.1).
	{"call{.uni} {r:args,} f:func{, a:args}{, t:targets@2.1/20}", "", Control, "1.0", "", "9.7.14.5"},
	{"ret{.uni}", "", Control, "1.0", "", "9.7.14.6"},
	{"exit", "", Control, "1.0", "", "9.7.14.7"},
	{"brkpt", "", Control, "1.0", "11", "9.7.21.1"},
	{"trap", "", Control, "1.0", "", "9.7.21.4"},
}
