package check

import (
	"cmp"
	"fmt"
)

// Source is a place in the text that the PTX was compiled from, as a .loc before the
// instruction names it; without a line nothing is known.
type Source struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// String says "k.cu:42".
func (s Source) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Access is one side of a finding: an instruction and the first thread that was found at it.
type Access struct {
	// Does is what it does, in a word: load, store, atomic, barrier.
	Does string `json:"does"`
	// PC is the number of the instruction, File, Line and Col where it stands in the PTX,
	// Text how it is written there.
	PC     uint32 `json:"pc"`
	File   string `json:"ptx_file"`
	Line   int    `json:"ptx_line"`
	Col    int    `json:"ptx_col"`
	Text   string `json:"text"`
	Source Source `json:"source,omitzero"`
	// CTA and Thread are %ctaid and %tid, if Known: of very many threads nobody keeps which.
	CTA    [3]uint32 `json:"cta"`
	Thread [3]uint32 `json:"thread"`
	Known  bool      `json:"thread_known"`
}

// At says where the access stands: in the source if that is known, else in the PTX.
func (a *Access) At() string {
	if a.Source.Line > 0 {
		return a.Source.String()
	}
	return fmt.Sprintf("%s:%d", a.File, a.Line)
}

// Who names the thread.
func (a *Access) Who() string {
	if !a.Known {
		return "one of many threads"
	}
	return fmt.Sprintf("CTA (%d,%d,%d) thread (%d,%d,%d)", a.CTA[0], a.CTA[1], a.CTA[2], a.Thread[0], a.Thread[1], a.Thread[2])
}

// Finding is what was found of an instruction, or of a pair of them.
type Finding struct {
	Kind   Kind   `json:"kind"`
	Kernel string `json:"kernel"`
	// Program is the manifest or the PTX file that launches it.
	Program string `json:"program"`
	// Launch is the number of the first launch that has it, Name how it is called.
	Launch int    `json:"launch"`
	Name   string `json:"launch_name"`
	// At is where it was found; Other is what it is in conflict with, nil if it is alone.
	// Of a race Other came first in the order that was run.
	At    Access  `json:"at"`
	Other *Access `json:"other,omitempty"`
	// Space is that of the memory, in a word; "" where none is touched. Object is the
	// buffer or variable if it is known, Address of global memory the address, else the
	// offset in its space; Bytes how much is accessed.
	Space   string `json:"space,omitempty"`
	Object  string `json:"object,omitempty"`
	Offset  int64  `json:"offset"`
	Address uint64 `json:"address"`
	Bytes   int    `json:"bytes,omitempty"`
	// Count is how often it was found, of lanes.
	Count uint64 `json:"count"`
	// Why says in one sentence what is wrong, and what is missing.
	Why string `json:"why"`
	// Far is how far apart the threads of a race are, and Updates that each reads, changes
	// and writes: of one pair of instructions the threads that are farthest apart are told,
	// since what puts those in order does the others, too.
	Far     Distance `json:"-"`
	Updates bool     `json:"-"`
}

// Distance is what two threads have in common.
type Distance uint8

// The distances, from the least on.
const (
	SameWarp Distance = iota
	SameCTA
	Apart
)

// Group returns the finding's group.
func (f *Finding) Group() Group { return f.Kind.Group() }

// compare puts findings in the order of reports: by kernel as they were launched first,
// then by kind, then by place in the PTX.
func (f *Finding) compare(g *Finding) int {
	return cmp.Or(cmp.Compare(f.Kind.place(), g.Kind.place()), cmp.Compare(f.At.File, g.At.File), f.At.Line-g.At.Line, f.At.Col-g.At.Col,
		cmp.Compare(f.At.PC, g.At.PC), cmp.Compare(f.otherPC(), g.otherPC()), f.Launch-g.Launch)
}

func (f *Finding) otherPC() int64 {
	if f.Other == nil {
		return -1
	}
	return int64(f.Other.PC)
}
