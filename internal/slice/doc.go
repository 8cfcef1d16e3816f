// Package slice says what an emulator executes instead of a whole kernel: a set
// of instructions, the constants that they read, and loops that need not be
// run round by round.
//
// Package depgraph finds slices, package emulator runs them, and neither knows
// the other: a [Slice] is all that passes between them. It holds no graph and no
// reason why an instruction is a member.
//
//	slice.go   Slice: the members and what is folded of their operands
//	repeat.go  Repeat: loops whose rounds are alike
package slice
