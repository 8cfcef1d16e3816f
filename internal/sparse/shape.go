// Package sparse says how data are made sparse and whole again by spcompress and its like
// (PTX ISA 9.7.10.30, .31, 9.7.18.8.3): what the modifiers of an instruction say of the
// groups of its data. Start with Of.
package sparse

import (
	"fmt"
	"strings"
)

// Shape is what an instruction makes of data: of each group of Of elements Kept are kept, and
// the place of each in its group is an index. Elements and indices lie one after the other
// from the lowest bit on.
type Shape struct {
	Kept, Of       int
	Element, Index int // bits
	Groups         int
}

// Of returns what an opcode's modifiers say. The number after x is of groups where data are made
// whole, and of registers where they are compressed: of what is kept, or of what
// tcgen05.ld loads.
func Of(opcode string) (s Shape) {
	s.Element = 32 // of tensor memory
	times := 0
	for word := range strings.SplitSeq(opcode, ".") {
		switch word {
		case "b8":
			s.Element = 8
		case "b16":
			s.Element = 16
		case "b2":
			s.Index = 2
		case "b4":
			s.Index = 4
		}
		fmt.Sscanf(word, "sp::%d:%d", &s.Kept, &s.Of)
		fmt.Sscanf(word, "x%d", &times)
	}
	switch operation, _, _ := strings.Cut(opcode, "."); operation {
	case "spdecompress":
		s.Groups = times
	case "spcompress":
		s.Groups = times * 32 / (s.Kept * s.Element)
	default:
		s.Groups = times * 32 / (s.Of * s.Element)
	}
	return s
}

// Registers is how many registers of 32 bits the groups fill of which each has so many bits.
func (s Shape) Registers(bits int) int { return (s.Groups*bits + 31) / 32 }

// Wrong says why there is no instruction with these numbers, "" if there is: what is kept of a
// group fits into a register, an index reaches all of a group, and the data fill 1 to 128
// registers.
func (s Shape) Wrong() string {
	switch data := s.Groups * s.Of * s.Element; {
	case s.Kept*s.Element > 32:
		return fmt.Sprintf("%d elements of %d bits are kept of a group; they have at most 32 bits", s.Kept, s.Element)
	case 1<<s.Index < s.Of:
		return fmt.Sprintf("an index of %d bits does not reach the %d elements of a group", s.Index, s.Of)
	case data < 32 || data > 4096:
		return fmt.Sprintf("data of %d bits; they have 32 to 4096", data)
	}
	return ""
}
