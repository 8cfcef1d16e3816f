package traffic

import "hyptx/internal/traffic/stream"

// Site is one access of memory in the text, as far as its cost goes.
type Site struct {
	PC   int32
	Kind Kind
	// Size is what a lane accesses: all elements of a vector.
	Size uint8
	// Matrix: ldmatrix or stmatrix, whose lanes are never merged.
	Matrix bool
	// Past: a load that must not be answered by the SM's L1.
	Past bool
}

// IsAtomic reports whether lanes at one word have to wait for each other.
func (s *Site) IsAtomic() bool { return s.Kind == Atomic || s.Kind == Reduce }

// merges reports whether neighbouring groups of lanes may go as one.
func (s *Site) merges() bool { return !s.IsAtomic() && !s.Matrix }

// request returns what a request of the site with some cost is to the caches.
// Atomics on local memory are what only their thread sees: stores.
func (s *Site) request(c *Cost) stream.Kind {
	switch {
	case s.Kind == Load && s.Past && c.space == Global:
		return stream.LoadPast
	case s.Kind == Load:
		return stream.Load
	case s.IsAtomic() && c.space == Global:
		return stream.Atomic
	case c.unique < sectorBytes*c.transactions:
		return stream.StorePart
	}
	return stream.Store
}
