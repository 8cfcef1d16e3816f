package ir

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
