// Package exchange says what lanes of a warp get from each other: which lane a
// shuffle reads, who votes how, whose values match, and how an 8x8 matrix in
// memory is spread over registers.
//
// These are functions of registers and masks alone. When an operation may run,
// because all its members have come to it, is package emulator's business
// (warpsync.go), as are guards and where registers lie.
package exchange
