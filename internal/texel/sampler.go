package texel

// Address is what a coordinate beyond an edge means. The numbers are those of the queries
// addr_mode (PTX ISA 9.7.12.5).
type Address uint8

// The addressing modes.
const (
	Wrap Address = iota
	Mirror
	ClampOGL
	ClampToEdge
	ClampToBorder
)

// Compare is how a depth texture compares what a fetch gives with what it holds.
type Compare uint8

// The comparisons: d stands left, what the texture holds right. NoCompare is one that
// nobody gave.
const (
	NoCompare Compare = iota
	Never
	Less
	Equal
	LessEqual
	Greater
	NotEqual
	GreaterEqual
	Always
)

// Sampler is how a texture is sampled.
type Sampler struct {
	Address [3]Address
	// Filter: the elements around a place are weighted; else the nearest is taken.
	Filter bool
	// Normalized: coordinates go from 0 to 1.
	Normalized bool
	Compare    Compare
}

// With returns the sampler of a fetch with a sampler of its own: whether coordinates are
// normalised is the texture's matter, unless the sampler forces that they are not
// (PTX ISA 5.3.2).
func (s Sampler) With(own *Sampler, force bool) Sampler {
	r := *own
	r.Normalized = s.Normalized && !force
	if r.Compare == NoCompare {
		r.Compare = s.Compare
	}
	return r
}

// mode is the addressing mode in a dimension. Wrap and mirror are there for normalised
// coordinates alone; with others they clamp (CUDA C++ Programming Guide, Texture
// Memory).
func (s *Sampler) mode(dim int, normalized bool) Address {
	if m := s.Address[dim]; normalized || m > Mirror {
		return m
	}
	return ClampToEdge
}

// inside returns which of n elements element i stands for, -1 for the border. Elements
// are mirrored, not coordinates, as OpenGL has it: the guide's 1-frac(x) would be
// beyond the last element where x is an odd integer.
func (m Address) inside(i, n int64) int64 {
	if i >= 0 && i < n {
		return i
	}
	switch m {
	case Wrap:
		return modulo(i, n)
	case Mirror:
		if i = modulo(i, 2*n); i >= n {
			i = 2*n - 1 - i
		}
		return i
	case ClampToEdge:
		return min(max(i, 0), n-1)
	}
	return -1
}

// modulo is i mod n, which is not negative.
func modulo(i, n int64) int64 {
	if i %= n; i < 0 {
		i += n
	}
	return i
}
