package adder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Design is what a name of a design says: parts with + between them, of which one is
// the predictor's.
//
//	staticZero, staticOne, VaLHALLA, VaLHALLA-hist, VaLHALLA-sign, Prev, CSLA, CASA, ACA, VLSA
//	Gtid, Ltid             Prev has an entry for each thread of an SM; for each lane
//	FullPC, ModPCk, XorPCk ... and for each instruction; by the lowest k bits of its
//	                       number; by the exclusive or of all groups of k bits
//	Peek                   slices whose carry-in the operands tell are not predicted
type Design struct {
	Name string
	// Base is the part that is the predictor's; Index the others but Peek.
	Base  string
	Peek  bool
	Index Index
}

// Index is what finds an entry of a history.
type Index struct {
	// Thread and Lane: an entry for each thread of the SM, for each lane.
	Thread, Lane bool
	// PC is how the instruction's number is used, Bits how many of it.
	PC   PCIndex
	Bits int
}

// PCIndex is a way to use the number of an instruction.
type PCIndex uint8

// The ways.
const (
	NoPC PCIndex = iota
	FullPC
	ModPC
	XorPC
)

// mostPCBits bounds the bits of an index: a table of 2^16 rows is beyond any register file.
const mostPCBits = 16

// ParseDesign reads the name of a design.
func ParseDesign(name string) (Design, error) {
	d := Design{Name: name}
	for part := range strings.SplitSeq(name, "+") {
		if err := d.add(part); err != nil {
			return d, fmt.Errorf("design %q: %w", name, err)
		}
	}
	of, ok := makers[d.Base]
	switch {
	case !ok:
		return d, fmt.Errorf("design %q: one part must be one of %s", name, strings.Join(Bases(), ", "))
	case d.Index != Index{} && !of.indexed:
		return d, fmt.Errorf("design %q: %s has no entries to choose from", name, d.Base)
	case d.Peek && of.alone:
		return d, fmt.Errorf("design %q: %s predicts nothing that peeking could tell", name, d.Base)
	}
	return d, nil
}

// add reads one part.
func (d *Design) add(part string) error {
	twice := fmt.Errorf("%q says again what another part says", part)
	switch kind, bits := pcPart(part); {
	case part == "Peek" && !d.Peek:
		d.Peek = true
	case part == "Gtid" && !d.Index.Thread:
		d.Index.Thread = true
	case part == "Ltid" && !d.Index.Lane:
		d.Index.Lane = true
	case kind != NoPC && d.Index.PC == NoPC:
		if kind != FullPC && (bits < 1 || bits > mostPCBits) {
			return fmt.Errorf("%q: 1 to %d bits", part, mostPCBits)
		}
		d.Index.PC, d.Index.Bits = kind, bits
	case slices.Contains(Bases(), part) && d.Base == "":
		d.Base = part
	case part == "Peek" || part == "Gtid" || part == "Ltid" || kind != NoPC || slices.Contains(Bases(), part):
		return twice
	default:
		return fmt.Errorf("there is no part %q: they are Peek, Gtid, Ltid, FullPC, ModPCk, XorPCk, %s", part, strings.Join(Bases(), ", "))
	}
	return nil
}

// pcPart reads ModPC4 and its like.
func pcPart(part string) (PCIndex, int) {
	if part == "FullPC" {
		return FullPC, 0
	}
	for kind, prefix := range map[PCIndex]string{ModPC: "ModPC", XorPC: "XorPC"} {
		if digits, ok := strings.CutPrefix(part, prefix); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				return kind, n
			}
		}
	}
	return NoPC, 0
}

// of returns the row of an instruction.
func (x Index) of(pc uint32) uint32 {
	switch x.PC {
	case FullPC:
		return pc
	case ModPC:
		return pc & (1<<x.Bits - 1)
	case XorPC:
		var h uint32
		for ; pc != 0; pc >>= x.Bits {
			h ^= pc & (1<<x.Bits - 1)
		}
		return h
	}
	return 0
}

// Chosen is the design that the paper chooses, ST².
const Chosen = "Ltid+Prev+ModPC4+Peek"

// Paper are the designs of the paper and its comparators: those of its figures 3 and
// 5, and what its text names.
func Paper() []string {
	return []string{
		"staticZero", "staticZero+Peek", "staticOne", "staticOne+Peek",
		"VaLHALLA", "VaLHALLA+Peek", "VaLHALLA-hist", "VaLHALLA-sign",
		"Prev", "Prev+Peek", "Prev+ModPC1+Peek", "Prev+ModPC2+Peek", "Prev+ModPC3+Peek", "Prev+ModPC4", "Prev+ModPC4+Peek",
		"Prev+ModPC5+Peek", "Prev+ModPC6+Peek", "Prev+FullPC+Peek", "Prev+XorPC4+Peek",
		"Gtid+Prev", "Gtid+Prev+FullPC", "Ltid+Prev+FullPC",
		"Gtid+Prev+ModPC4+Peek", "Ltid+Prev+XorPC4+Peek", Chosen,
		"CSLA", "CASA", "ACA", "VLSA",
	}
}
