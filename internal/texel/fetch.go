package texel

import "math"

// Request is where a fetch reads. What a geometry does not have is zero.
type Request struct {
	// At are coordinates, or where Integer is set the numbers of elements; of a cube a
	// direction.
	At      [3]float64
	Integer bool
	// Layer is the index in an array, Sample that of a sample.
	Layer, Sample uint32
	// Offset is added to the elements (operand e).
	Offset [3]int64
	Level  int64
	// Gather: the four elements of a bilinear footprint, whatever the filter.
	Gather bool
}

// Taps are the elements that a fetch reads: where each begins, -1 for the border, and
// its weight.
type Taps struct {
	At     [8]int64
	Weight [8]float64
	N      int
	// Open: the manual and the guide do not say that these are the elements.
	Open bool
}

// Taps finds the elements that a fetch reads through a sampler.
func (t *Texture) Taps(s *Sampler, r *Request, taps *Taps) {
	*taps = Taps{}
	at, layer, normalized := r.At, int64(0), s.Normalized
	if t.Layered {
		most := int64(max(t.ArraySize(), 1)) - 1
		layer, taps.Open = min(int64(r.Layer), most), int64(r.Layer) > most
	}
	if t.Cube {
		n, on, edge := face(r.At)
		at, layer, normalized = on, layer*faces+n, true
		taps.Open = taps.Open || edge
	}
	sample := int64(r.Sample)
	if sample >= t.Samples {
		sample, taps.Open = t.Samples-1, true
	}
	var first [3]int64
	var weight [3]float64 // of the second element
	filtered := (s.Filter || r.Gather) && !r.Integer && !t.Multisampled
	size := t.at(r.Level)
	for d := range t.Dims {
		n := size[d]
		if r.Integer {
			first[d] = int64(at[d]) + r.Offset[d]
			taps.Open = taps.Open || first[d] < 0 || first[d] >= n
			continue
		}
		first[d], weight[d] = s.place(at[d], n, d, normalized, filtered)
		first[d] += r.Offset[d]
		taps.Open = taps.Open || at[d] != at[d]
	}
	corners := 1
	if filtered {
		corners = 1 << t.Dims
	}
	for c := range corners {
		t.corner(s, taps, c, first, weight, [3]int64{r.Level, layer, sample}, normalized && !r.Integer)
	}
}

// place returns the first element that a coordinate means in a dimension of n, and, if
// elements are weighted, the weight of the next one: i = floor(x - 0.5), and the
// fraction with 8 bits (CUDA C++ Programming Guide, Texture Fetching). Since 9 bits can
// also say 1, it is rounded to the nearest.
func (s *Sampler) place(x float64, n int64, dim int, normalized, filtered bool) (first int64, weight float64) {
	if normalized {
		x *= float64(n)
	}
	if x != x {
		x = 0
	}
	if s.mode(dim, normalized) == ClampOGL { // the coordinate is clamped, not the element
		x = min(max(x, 0), float64(n))
		if !filtered {
			x = min(x, float64(n)-0.5)
		}
	}
	const most = 1 << 48 // beyond it all is alike
	x = min(max(x, -most), most)
	if !filtered {
		return int64(math.Floor(x)), 0
	}
	x -= 0.5
	floor := math.Floor(x)
	return int64(floor), math.Floor((x-floor)*256+0.5) / 256
}

// corner adds one element; the bits of c say in which dimensions it is the second.
func (t *Texture) corner(s *Sampler, taps *Taps, c int, first [3]int64, weight [3]float64, where [3]int64, normalized bool) {
	w, at, beyond := 1.0, first, false
	size := t.at(where[0])
	for d := range t.Dims {
		if c>>d&1 != 0 {
			at[d]++
			w *= weight[d]
		} else {
			w *= 1 - weight[d]
		}
		at[d] = s.mode(d, normalized).inside(at[d], size[d])
		beyond = beyond || at[d] < 0
	}
	taps.Weight[taps.N], taps.At[taps.N] = w, -1
	if !beyond {
		taps.At[taps.N] = t.offset(where[0], where[1], at) + where[2]*int64(t.Format.Bytes())
	}
	taps.N++
}

// Nearest returns the level that a level of detail means: the nearest there is, of two
// the finer one. The manual does not say how a level of detail between two is meant
// (between): OpenGL has this rule.
func (t *Texture) Nearest(lod float64) (level int64, between bool) {
	most := float64(t.Levels - 1)
	if lod != lod {
		return 0, true
	}
	lod = min(max(lod, 0), most)
	return int64(math.Ceil(lod+0.5)) - 1, lod != math.Floor(lod)
}

// Detail returns the level of detail of gradients: the binary logarithm of the longer
// one, in elements. That is OpenGL's ideal, from which GPUs may differ.
func (t *Texture) Detail(dx, dy [3]float64, normalized bool) float64 {
	length := func(g [3]float64) (sum float64) {
		for d := range t.Dims {
			if normalized {
				g[d] *= float64(t.Size[d])
			}
			sum += g[d] * g[d]
		}
		return math.Sqrt(sum)
	}
	return math.Log2(max(length(dx), length(dy)))
}
