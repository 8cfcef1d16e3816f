package texel

// Texture is a texture or a surface: elements in memory, and how it is sampled where no
// sampler is named.
type Texture struct {
	Name string
	// Base is where it begins in memory; 0 where nobody gave one.
	Base uint64
	Format
	// Dims is the number of dimensions of a layer, 1 to 3, Size the elements in each of
	// level 0; those that there are not have one.
	Dims int
	Size [3]int64
	// Layers is 1 where there are none; of a cube the faces count. Levels and Samples are
	// 1 where there are no more.
	Layers, Levels, Samples int64
	Layered, Cube, Mipmapped,
	Multisampled bool
	// Linear: not an array, but rows in memory; Pitch is the bytes from row to row, 0 where
	// they follow each other.
	Linear bool
	Pitch  int64
	// Assumed: nobody said what it is; it reads as zero, its sizes are what is assumed.
	Assumed bool
	Sampler
}

// assumedSize is that of what nobody gave: as of other numbers (docs/manifests.md).
const assumedSize = 1024

// Assume makes t a texture that nobody gave.
func (t *Texture) Assume() {
	t.Assumed, t.Dims, t.Size, t.Layered = true, 3, [3]int64{assumedSize, assumedSize, assumedSize}, true
	t.Layers, t.Levels, t.Samples = assumedSize, 1, 1
	t.Format = Format{Kind: Float, Bits: 32, Channels: 4}
}

// at returns the elements of a level in each dimension: half of those below it, rounded
// down, but one at least (PTX ISA 9.7.12.2).
func (t *Texture) at(level int64) (size [3]int64) {
	for i := range size {
		size[i] = max(t.Size[i]>>level, 1)
	}
	return size
}

// Extent is the answer to the queries width, height and depth of a level: 0 of a
// dimension that there is not.
func (t *Texture) Extent(dim int, level int64) uint32 {
	if dim >= t.Dims {
		return 0
	}
	return uint32(t.at(min(max(level, 0), t.Levels-1))[dim])
}

// ArraySize is the answer to the query array_size: the textures in an array, each of
// which is a layer or a cube; 0 where it is no array.
func (t *Texture) ArraySize() uint32 {
	switch {
	case !t.Layered:
		return 0
	case t.Cube:
		return uint32(t.Layers / faces)
	}
	return uint32(t.Layers)
}

// element is the size of an element with all its samples.
func (t *Texture) element() int64 { return int64(t.Format.Bytes()) * t.Samples }

// row is the bytes from row to row of a level.
func (t *Texture) row(level int64) int64 {
	if t.Pitch > 0 {
		return t.Pitch
	}
	return t.at(level)[0] * t.element()
}

// layer is the bytes of a layer of a level.
func (t *Texture) layer(level int64) int64 {
	size := t.at(level)
	return t.row(level) * size[1] * size[2]
}

// offset is where an element lies.
func (t *Texture) offset(level, layer int64, at [3]int64) (n int64) {
	for l := range level {
		n += t.layer(l) * t.Layers
	}
	size := t.at(level)
	return n + t.layer(level)*layer + t.row(level)*(at[2]*size[1]+at[1]) + t.element()*at[0]
}
