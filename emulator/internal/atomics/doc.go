// Package atomics says what a read-modify-write does to a word: the new value
// from the old one and the operands of atom and red (PTX ISA 9.7.15.5 and .6).
//
// Who does it, in which order and where the word lies is package emulator's
// business. An operation works on bits in a uint64, of which it looks at as many
// as its type has; what the caller keeps of the result are as many again. So one
// and does for .b32 and .b64. Signedness matters to min and max, the width to
// add of 32 bits and to inc and dec, and floating-point types have functions of
// their own, taken from the lanes' where those have them: then an atom.add.f16x2
// rounds as an add.f16x2 does, since it is the same code.
package atomics
