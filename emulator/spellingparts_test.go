package emulator

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"hyptx/ir/isa"
)

// What video instructions write at a register's name, the parts that they take of it
// and its sign, is a source like any other to their references: after the value, a
// word of the letters of the parts, and 1 where the operand is negated.

// selections are all words that may name parts of a register.
var selections = func() (words []string) {
	var grow func(letter, digits string, most byte, left int)
	grow = func(letter, digits string, most byte, left int) {
		if digits != "" {
			words = append(words, letter+digits)
		}
		for d := byte('0'); left > 0 && d <= most; d++ {
			grow(letter, digits+string(d), most, left-1)
		}
	}
	grow("b", "", '7', 4)
	grow("h", "", '3', 2)
	return words
}()

// fitting are those that may name parts of an operand, by the operand.
var fitting sync.Map // of *isa.OperandSpec: []string

func fittingOf(s *isa.OperandSpec) []string {
	if known, ok := fitting.Load(s); ok {
		return known.([]string)
	}
	var fit []string
	for _, word := range selections {
		if s.Selects(word) {
			fit = append(fit, word)
		}
	}
	fitting.Store(s, fit)
	return fit
}

// selects reports whether some part of an operand can be named.
func selects(s *isa.OperandSpec) bool { return len(fittingOf(s)) > 0 }

// selection draws parts of an operand, "" for all of it.
func selection(r *rand.Rand, s *isa.OperandSpec) string {
	fit := fittingOf(s)
	if len(fit) == 0 || r.IntN(4) == 0 {
		return ""
	}
	return fit[r.IntN(len(fit))]
}

// drawParts draws what an operand that is written or read selects; a part of the
// destination stands exactly where there is something to merge it into.
func (p *proof) drawParts(o *proofOperand, x *isa.Inst, given []bool) {
	o.selects = selects(o.spec)
	o.part = selection(p.r, o.spec)
	if last := len(given) - 1; o.selects && o.spec.Write && x.Form.Operands[last].Optional {
		for o.part = ""; given[last] && o.part == ""; {
			o.part = selection(p.r, o.spec)
		}
	}
	switch o.neg = o.spec.MayNeg && p.r.IntN(2) == 0; {
	case o.spec.Write:
		p.negated = false
	case o.spec.Name == "c" && p.negated:
		o.neg = false // the product is already
	default:
		p.negated = p.negated != o.neg
	}
}

// partWords are what a reference sees of an operand behind its value.
func (o *proofOperand) partWords() (words []uint64) {
	if o.selects {
		var word uint64
		for i, letter := range []byte(o.part) {
			word |= uint64(letter) << (8 * i)
		}
		words = append(words, word)
	}
	if o.spec.MayNeg {
		words = append(words, truth(o.neg))
	}
	return words
}

// partText is how an operand with its parts is written.
func (o *proofOperand) partText(name string) string {
	if o.part != "" {
		name += "." + o.part
	}
	if o.neg {
		name = "-" + name
	}
	return name
}

// partsOf reads a word of partWords: the digits, the lowest part's first, and the bits
// of a part, 0 for all.
func partsOf(word uint64) (digits []int, bits int) {
	if word == 0 {
		return nil, 0
	}
	bits = map[byte]int{'b': 8, 'h': 16}[byte(word)]
	if bits == 0 {
		panic(fmt.Sprintf("%#x are no parts", word))
	}
	for word >>= 8; word != 0; word >>= 8 {
		digits = append([]int{int(byte(word) - '0')}, digits...)
	}
	return digits, bits
}
