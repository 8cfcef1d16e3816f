package observe

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What says which instructions of a program are prepared to be observed. A program that
// is compiled without any of it runs as if there were no observers.
type What struct {
	Steps  bool // each instruction, before and after
	Floats bool // those with results of floating point
	Writes bool // those that may write memory
}

// Observer is told what happens in one launch. Its functions are called in the order of
// the schedule, never two at a time; what they are given is theirs for the call alone.
type Observer struct {
	// Threads are those whose steps Step hears.
	Threads []Thread
	Step    func(*Step)
	// Ranges are the bytes whose writes Wrote hears.
	Ranges []*Range
	Wrote  func(*Write)
	// Floats, if not nil, looks at results of floating point until it has all that it
	// looks for.
	Floats *Floats
}

// Thread is a thread of a launch: the linear indices of its CTA in the grid and of itself
// in its CTA.
type Thread struct {
	CTA    int64
	Thread int
}

// Place is an instruction, and the thread that is at it.
type Place struct {
	In   *ir.Instr
	Func *ir.Func
	// ID says which thread it is; CTA and Tid are %ctaid and %tid.
	ID       Thread
	CTA, Tid [3]uint32
}

// Step is one instruction as one thread came to it.
type Step struct {
	Place
	// Number counts the steps of the thread, from 0.
	Number uint64
	// Depth is how many calls deep the thread is, 0 in the kernel.
	Depth int
	// Executed: its guard held. Ended: it was done; one that failed, or that a thread
	// still waits at when the launch ends, was not.
	Executed, Ended bool
	// Returned: this is no step, but what a call has returned, with the call's number.
	Returned bool
	// Reads and Writes are the registers, each once, in the order of the operands.
	Reads, Writes []Value
	Memory        []Access
}

// Access is where an instruction accesses memory.
type Access struct {
	Space   isa.Space // where a generic address leads
	Address uint64    // in that space
	Type    isa.Type  // of an element
	// Data are the bytes there when the step was done; none where there is no memory.
	Data []byte
	// Object is the buffer or variable, "" if it is unknown; Offset is in bytes.
	Object string
	Offset uint64
}

// Range is a stretch of memory that is watched.
type Range struct {
	// Space is Global or Shared. Base is the address of the first byte; with Var, a shared
	// variable, it counts from where a program has that.
	Space isa.Space
	Base  uint64
	Var   *ir.Var
	// Bytes is a multiple of Elem, the bytes of an element.
	Bytes, Elem int
	// CTA is the linear index of the only CTA whose shared memory is meant; -1: of all.
	CTA int64
}

// Write is a write of some elements of a range.
type Write struct {
	Place
	// Alone: this thread wrote. Else its whole warp did together, or a copy unit for it,
	// and it is the first thread of those.
	Alone  bool
	Atomic bool
	Range  *Range
	// Owner is the CTA whose shared memory it is.
	Owner int64
	// First is the first element, from the range's beginning; Old and New are the bytes
	// of the elements.
	First    int
	Old, New []byte
}
