package vary

import (
	"math"
	"sync"
)

// Sums are the totals of all atomic floating-point additions of a program: one
// run records them, later ones are moved by what they allow. Safe for
// concurrent use.
type Sums struct {
	mu   sync.Mutex
	at   map[Place]sum
	full bool
}

// Place is an element of memory in one launch. CTA is -1 in global memory, the
// CTA's linear index in shared memory.
type Place struct {
	Launch  uint64
	CTA     int64
	Address uint64
}

// sum is what was added at one place.
type sum struct {
	additions int64 // all
	terms     int64 // that were not zero, and the first old value if it was not
	magnitude float64
	quantum   int // all terms are multiples of 2^quantum
}

// maxPlaces bounds the places that are recorded (about 400 MB).
const maxPlaces = 1 << 22

// Add records an addition.
func (s *Sums) Add(p Place, old, term float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[Place]sum{}
	}
	t, known := s.at[p]
	if !known {
		if len(s.at) == maxPlaces {
			s.full = true
			return
		}
		t.count(old)
	}
	t.count(term)
	t.additions++
	s.at[p] = t
}

func (t *sum) count(x float64) {
	if x == 0 {
		return
	}
	q := F64.Quantum(math.Float64bits(x))
	if t.terms == 0 || q < t.quantum {
		t.quantum = q
	}
	t.terms++
	t.magnitude += math.Abs(x)
}

// Full reports whether there were more places than can be recorded: then there
// is no bound for the rest.
func (s *Sums) Full() bool { return s.full }

// Len returns the number of places.
func (s *Sums) Len() int { return len(s.at) }

// Share returns by how much each addition at a place is to be moved so that
// all together make the largest difference between two orders: each order is
// off the exact sum of n terms by at most (n-1) u sum|x|, in first order
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// equation 4.4), so two of them are apart by twice that. One or two terms have
// one sum, and so have those of which none can need a rounding.
func (s *Sums) Share(p Place, f Format) float64 {
	t := s.at[p] // nobody writes any more
	if t.terms < 3 || f.Exact(t.magnitude, t.quantum) {
		return 0
	}
	return 2 * float64(t.terms-1) * f.Roundoff() * t.magnitude / float64(t.additions)
}
