package traffic

import "hyptx/internal/order"

// Counts are what the accesses of the warps that ran moved, in all CTAs
// together. They are sums, so that they do not depend on the number of workers.
type Counts struct {
	// Accesses are the program's accesses of memory in the order of its text;
	// cp.async has two, the store to shared memory first.
	Accesses []Access
	// Inexact are the requests for which an address of a lane is not exact, by
	// reason; 0 where origins were not followed.
	Inexact [order.Reasons]uint64
	// LocalBytes are the distinct bytes of local memory that were touched, of all
	// threads: each has its own.
	LocalBytes uint64
	// Lines are the atomics of lines of global memory, nil if there are none.
	Lines *Lines
	// Uncounted is an instruction (ir.PC) that has moved nobody knows what, plus 1: the first
	// in the text of those. 0 is none.
	Uncounted int32
}

// Lack says that an instruction has moved nobody knows what.
func (t *Counts) Lack(pc int32) {
	if t.Uncounted == 0 || pc+1 < t.Uncounted {
		t.Uncounted = pc + 1
	}
}

// Access is what one access of memory in the text moved.
type Access struct {
	PC   int32 // of the instruction (ir.PC)
	Kind Kind
	// Spaces are its requests by the space that the addresses lie in.
	Spaces [NumSpaces]Sum
}

// Kind is what an access does.
type Kind uint8

// The kinds of accesses.
const (
	Load Kind = iota
	Store
	Atomic // atom
	Reduce // red, which returns nothing
)

// Space is a memory whose accesses are counted apart.
type Space uint8

// The spaces. Parameters are no memory traffic.
const (
	Global Space = iota
	Local
	Shared
	Const
	Texture // and surfaces, wherever they lie
	NumSpaces
)

// Sum counts the warp requests of an access that have at least one executing
// lane in a space.
type Sum struct {
	Requests uint64
	// Transactions are 32-byte sectors; in shared memory passes over the banks.
	Transactions uint64
	// Bytes are those that the lanes asked for, UniqueBytes the distinct ones
	// within each request (none are counted in shared memory).
	Bytes, UniqueBytes uint64
	// Passes are those of global and local memory over the banks of the L1, in which its data
	// lies as shared memory's does; of constants the different addresses.
	Passes uint64
}

// Add adds u, n times.
func (s *Sum) Add(u Sum, n uint64) {
	s.Requests += n * u.Requests
	s.Transactions += n * u.Transactions
	s.Bytes += n * u.Bytes
	s.UniqueBytes += n * u.UniqueBytes
	s.Passes += n * u.Passes
}

// Add adds what another worker counted of the same program.
func (t *Counts) Add(u *Counts) {
	if t.Accesses == nil {
		t.Accesses = make([]Access, len(u.Accesses))
	}
	for i := range u.Accesses {
		a, b := &t.Accesses[i], &u.Accesses[i]
		a.PC, a.Kind = b.PC, b.Kind
		for k := range a.Spaces {
			a.Spaces[k].Add(b.Spaces[k], 1)
		}
	}
	for i, n := range u.Inexact {
		t.Inexact[i] += n
	}
	t.LocalBytes += u.LocalBytes
	t.Lines = t.Lines.Add(u.Lines, 1)
	if u.Uncounted > 0 {
		t.Lack(u.Uncounted - 1)
	}
}

// Sorts tell what sorts of CTAs move apart: Of says of which sort, from 0 on, a CTA is, and may
// be asked at the same time; Counts are those of each, nil for one without a CTA.
type Sorts struct {
	Of     func(cta int64) int
	Counts []*Counts
}
