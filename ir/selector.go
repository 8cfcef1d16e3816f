package ir

import "hyptx/parser"

// selector is what a video instruction takes of a register: a.b0, d.h10 (PTX ISA
// 9.7.20). Zero is all of it. It has no room of its own in an Operand, of which
// there are millions: the digits are three bits each, behind a one, and the highest
// bit says that they number halves and not bytes.
type selector uint16

const halves selector = 1 << 15

// newSelector packs a word that OperandSpec.Selects takes.
func newSelector(word string) selector {
	s := selector(1)
	for _, digit := range word[1:] {
		s = s<<3 | selector(digit-'0')
	}
	if word[0] == 'h' {
		s |= halves
	}
	return s
}

// text writes the selector with its dot, "" for none.
func (s selector) text() string {
	if s == 0 {
		return ""
	}
	letter := ".b"
	if s&halves != 0 {
		letter = ".h"
	}
	var digits []string
	for s &^= halves; s > 1; s >>= 3 {
		digits = append(digits, string(rune('0'+s&7)))
	}
	for i := len(digits) - 1; i >= 0; i-- {
		letter += digits[i]
	}
	return letter
}

// Parts returns the numbers of the parts that the selector names, that of the lowest
// element first, and the bits of a part; 0 bits are the whole register.
func (s selector) Parts() (parts []int, bits int) {
	if s == 0 {
		return nil, 0
	}
	bits = 8
	if s&halves != 0 {
		bits = 16
	}
	for s &^= halves; s > 1; s >>= 3 {
		parts = append(parts, int(s&7))
	}
	return parts, bits
}

// checkParts refuses what the selectors and signs of a video instruction cannot mean
// together: a part of d is merged into c, and c is there for that or for a second
// operation (PTX ISA 9.7.20.1); of vmad either the product is negated or c (9.7.20.1.3).
func (fl *funcLowerer) checkParts(pos parser.Pos) {
	ops := fl.in.Ops()
	if len(ops) != 4 || !fl.in.Inst.Form.Operands[1].Selects("b0") {
		return
	}
	optional, given := fl.in.Inst.Form.Operands[3].Optional, ops[3].Kind != NoOperand
	switch {
	case optional && given && ops[0].Selector == 0:
		fl.errorf(pos, "%s: operand c needs a part of d, as in d.b0, to be merged with", fl.in.Inst)
	case optional && !given && ops[0].Selector != 0:
		fl.errorf(pos, "%s: the part of d needs an operand c to be merged into", fl.in.Inst)
	case ops[1].Neg != ops[2].Neg && ops[3].Neg:
		fl.errorf(pos, "%s: either the product is negated or c, not both", fl.in.Inst)
	}
}
