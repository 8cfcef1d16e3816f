package tensormap

// Row is a run of elements along the innermost dimension: they follow each other in the
// destination, and in global memory as far as they are inside of the tensor.
type Row struct {
	// From is the address of the first element, were all inside.
	From uint64
	// Elements are all of them, and those from First up to Last are inside.
	Elements, First, Last int64
}

// row returns the row of n elements from a place of the tensor on.
func (m *Map) row(at [Rank]int64, n int64) Row {
	r := Row{From: m.Address, Elements: n, Last: n}
	for i := range m.Rank {
		r.From += uint64(at[i]) * m.Strides[i]
		if i > 0 && (at[i] < 0 || at[i] >= int64(m.Dims[i])) {
			r.Last = 0
		}
	}
	r.First = min(max(-at[0], 0), n)
	r.Last = max(min(r.Last, int64(m.Dims[0])-at[0]), r.First)
	return r
}

// steps is how many elements of the box a copy takes along a dimension (CUDA driver API,
// cuTensorMapEncodeTiled: each elementStrides-th); the innermost has no gaps.
func (m *Map) steps(i int) (n, by int64) {
	if i == 0 {
		return int64(m.Box[0]), 1
	}
	by = int64(m.Steps[i])
	return (int64(m.Box[i]) + by - 1) / by, by
}

// Tile goes through the rows of a box that begins at a place, in the order in which they
// lie in shared memory (PTX ISA 5.5.3).
func (m *Map) Tile(at [Rank]int64, do func(Row)) { m.box(m.Rank-1, at, do) }

func (m *Map) box(dim int, at [Rank]int64, do func(Row)) {
	n, by := m.steps(dim)
	if dim == 0 {
		do(m.row(at, n))
		return
	}
	for range n {
		m.box(dim-1, at, do)
		at[dim] += by
	}
}

// Column goes through the pixels of a column (PTX ISA 5.5.4): from a place on, which is
// where a filter's corner is, through the box whose corners lie so far from those of the
// tensor, by its steps, width first, then height and depth, then the next image. What is
// taken of each is its channels, at offsets from there.
func (m *Map) Column(at [Rank]int64, offsets [Rank - 2]int64, do func(Row)) {
	last := m.Rank - 1 // the images
	for range m.Pixels {
		from := at
		for i := 1; i < last; i++ {
			from[i] += offsets[i-1]
		}
		do(m.row(from, int64(m.Channels)))
		i := 1
		for ; i < last; i++ {
			if at[i] += int64(m.Steps[i]); at[i] < int64(m.Dims[i])+int64(m.Upper[i-1]) {
				break
			}
			at[i] = int64(m.Lower[i-1])
		}
		if i == last {
			at[last]++
		}
	}
}

// Wide is a column of pixels along the width alone, of one height and depth (PTX ISA 5.5.5):
// so many, and behind each Every of them Halo more. Offset moves the box and the place.
type Wide struct{ Pixels, Every, Halo, Offset int64 }

// Column goes through the pixels: from a place on to the corner of the box, then from its other
// corner on in the next image. A halo is what follows the pixels before it. The manual shows it
// in figures alone, where it is in the row of the last of these; beyond the end of the row it is
// not sure that it goes on in the next image.
func (c Wide) Column(m *Map, at [Rank]int64, do func(r Row, sure bool)) {
	last := m.Rank - 1 // the images
	at[1] += c.Offset
	next := func(at *[Rank]int64) (wrapped bool) {
		if at[1] += int64(m.Steps[1]); at[1] < int64(m.Dims[1])+int64(m.Upper[0])+c.Offset {
			return false
		}
		at[1] = int64(m.Lower[0]) + c.Offset
		at[last]++
		return true
	}
	for i := range c.Pixels {
		do(m.row(at, int64(m.Channels)), true)
		wrapped := next(&at)
		if (i+1)%c.Every != 0 {
			continue
		}
		for halo, k := at, int64(0); k < c.Halo; k++ {
			do(m.row(halo, int64(m.Channels)), !wrapped)
			wrapped = next(&halo) || wrapped
		}
	}
}
