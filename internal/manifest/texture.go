package manifest

import (
	"math/bits"
	"slices"

	"hyptx/internal/strictjson"
)

// Texture describes a texture object: memory, how it is laid out and how it is
// sampled. Surfaces use its memory, samplers its way of sampling.
type Texture struct {
	Path, Name string
	// Buffer is nil where nobody gave the texture (Assumed).
	Buffer   *Buffer
	Kind     string // 1d, 2d, ...
	Format   Type
	Channels int
	// Width to Levels in elements; 0 where there are none.
	Width, Height, Depth, Layers, Levels, Samples int64
	PitchBytes                                    int64
	// Address holds a mode for each dimension.
	Address          [3]string
	Filter           string
	NormalizedCoords bool
	ReadMode         string
	SRGB             bool
	// Compare is how a depth texture compares, "" for any other.
	Compare string
	Assumed bool
}

// shape is what a kind of texture has beside a width: counts of dimensions, and layers,
// of a cube a multiple of its faces. Mipmaps have as many dimensions as were given.
type shape struct {
	dims            int
	layered, cube   bool
	samples, levels bool
}

const cubeFaces = 6

var shapes = map[string]shape{
	"1d": {dims: 1}, "2d": {dims: 2}, "3d": {dims: 3}, "1dLayered": {dims: 1, layered: true}, "2dLayered": {dims: 2, layered: true},
	"cube": {dims: 2, cube: true}, "cubeLayered": {dims: 2, layered: true, cube: true}, "mipmapped": {levels: true},
	"linear": {dims: 1}, "pitch2d": {dims: 2},
	"2dMultisample": {dims: 2, samples: true}, "2dMultisampleLayered": {dims: 2, layered: true, samples: true},
}

var textureKinds = []string{"2d", "1d", "3d", "1dLayered", "2dLayered", "cube", "cubeLayered", "mipmapped", "linear", "pitch2d", "2dMultisample", "2dMultisampleLayered"}

// Handles are numbers that stand for textures, surfaces and samplers, far from all
// memory: three for each texture.
const (
	firstHandle = 0x780000000000
	handleStep  = 64
	handleKinds = 16 // bytes between those of one texture
)

// Handle returns the number that a kernel is given for a texture as ArgTexture,
// ArgSurface or ArgSampler; 0 if there is none of the name.
func (m *Manifest) Handle(kind ArgKind, name string) uint64 {
	i := slices.IndexFunc(m.Textures, func(t *Texture) bool { return t.Name == name })
	if i < 0 {
		return 0
	}
	return firstHandle + uint64(i)*handleStep + uint64(kind-ArgTexture)*handleKinds
}

// texture returns the texture of a name.
func (m *Manifest) texture(name string) *Texture {
	i := slices.IndexFunc(m.Textures, func(t *Texture) bool { return t.Name == name })
	return m.Textures[i]
}

// Dims is the number of a texture's dimensions, of a layer if there are layers.
func (t *Texture) Dims() int {
	if s := shapes[t.Kind]; s.dims > 0 {
		return s.dims
	}
	dims := 1
	for _, n := range []int64{t.Height, t.Depth} {
		if n > 0 {
			dims++
		}
	}
	return dims
}

// Layered and Cube say of a texture whether it is an array, and whether its layers are
// the faces of cubes.
func (t *Texture) Layered() bool { return shapes[t.Kind].layered }

// Cube: see Layered.
func (t *Texture) Cube() bool { return shapes[t.Kind].cube }

func (r *reader) texturesOf(o object) {
	for _, e := range o.entries("textures") {
		if t := r.texture(e.node, e.path); t != nil {
			t.Name = e.name
			r.m.Textures = append(r.m.Textures, t)
		}
	}
}

func (r *reader) texture(n *strictjson.Node, path string) *Texture {
	o, ok := r.object(n, path, "buffer", "kind", "format", "channels", "width", "height", "depth", "layers",
		"levels", "samples", "pitchBytes", "address", "filter", "normalizedCoords", "readMode", "srgb", "compare")
	if !ok {
		return nil
	}
	sound := r.Watch()
	t := &Texture{Path: path, Buffer: o.buffer(), Kind: o.Choice("kind", textureKinds...),
		Filter: o.Choice("filter", "point", "linear"), ReadMode: o.Choice("readMode", "element", "normalizedFloat"),
		NormalizedCoords: o.Flag("normalizedCoords"), SRGB: o.Flag("srgb")}
	for _, key := range []string{"kind", "format", "width"} {
		o.Need(key)
	}
	t.Format = o.dtype("format", F32)
	channels := o.Integer("channels", 1, 4, 1)
	if t.Channels = int(channels); channels == 3 {
		o.Fail("channels", "must be 1, 2 or 4")
	}
	t.PitchBytes = o.Integer("pitchBytes", 1, 1<<31-1, 0)
	t.addresses(o)
	if o.Has("compare") {
		t.Compare = o.Choice("compare", "never", "less", "equal", "lessEqual", "greater", "notEqual", "greaterEqual", "always")
	}
	for _, d := range []struct {
		key string
		to  *int64
	}{{"width", &t.Width}, {"height", &t.Height}, {"depth", &t.Depth}, {"layers", &t.Layers}, {"levels", &t.Levels}, {"samples", &t.Samples}} {
		most := int64(1 << 22)
		if t.Kind == "linear" && d.key == "width" {
			most = maxLinear
		}
		*d.to = o.Integer(d.key, 1, most, 0)
	}
	if sound() {
		t.checkShape(o)
		t.checkFormat(o)
	}
	if sound() {
		t.checkBytes(o)
	}
	return t
}

// maxLinear is how many elements a texture of linear memory has at most (CUDA C Programming Guide,
// technical specifications).
const maxLinear = 1 << 28

// addresses reads the addressing modes: of a dimension that has none the last one's.
func (t *Texture) addresses(o object) {
	last := "clamp"
	list := o.Elements("address")
	if len(list) > 3 {
		o.Fail("address", "must hold at most 3 modes")
		return
	}
	for i := range t.Address {
		if i < len(list) {
			last = o.r.Word(list[i], strictjson.ElementPath(o.At("address"), i), "clamp", "wrap", "mirror", "border")
		}
		t.Address[i] = last
	}
}

// checkShape checks that a texture has the extents of its kind and no others.
func (t *Texture) checkShape(o object) {
	s := shapes[t.Kind]
	if t.Kind == "cube" || t.Kind == "cubeLayered" {
		if t.Height == 0 {
			t.Height = t.Width
		}
		if t.Height != t.Width {
			o.Fail("height", "a cube's faces are square")
		}
	}
	if t.Kind == "cube" && t.Layers == 0 {
		t.Layers = cubeFaces
	}
	for _, d := range []struct {
		key   string
		n     int64
		needs bool
		may   bool
	}{
		{"height", t.Height, s.dims > 1, s.dims != 1}, {"depth", t.Depth, s.dims > 2, s.dims == 3 || s.levels}, {"layers", t.Layers, s.layered, s.layered || s.cube},
		{"levels", t.Levels, s.levels, !s.samples && t.Kind != "linear" && t.Kind != "pitch2d"}, {"samples", t.Samples, s.samples, s.samples},
		{"pitchBytes", t.PitchBytes, t.Kind == "pitch2d", t.Kind == "pitch2d"},
	} {
		switch {
		case d.n == 0 && d.needs:
			o.Fail(d.key, "a texture of kind %s needs it", t.Kind)
		case d.n > 0 && !d.may:
			o.Fail(d.key, "does not go with kind %s", t.Kind)
		}
	}
	if t.Depth > 0 && t.Height == 0 {
		o.Fail("depth", "needs a height, too")
	}
	if s.cube && (t.Layers%cubeFaces != 0 || !s.layered && t.Layers != cubeFaces) {
		o.Fail("layers", "those of a cube are its six faces, of an array of cubes a multiple of six")
	}
	if most := int64(bits.Len64(uint64(max(t.Width, t.Height, t.Depth)))); t.Levels > most {
		o.Fail("levels", "there are at most %d, until one element is left", most)
	}
	if t.Kind == "linear" && (t.Filter == "linear" || t.NormalizedCoords || t.Address != [3]string{"clamp", "clamp", "clamp"}) {
		o.Fail("kind", "linear memory is read element by element: it is neither filtered nor addressed beyond its end")
	}
}

// checkFormat checks that a texture can be read as it says.
func (t *Texture) checkFormat(o object) {
	size := t.Format.Size()
	float := t.Format == F16 || t.Format == F32
	integer := slices.Contains([]Type{U8, U16, U32, S8, S16, S32}, t.Format)
	normalized := t.ReadMode == "normalizedFloat"
	switch {
	case !float && !integer:
		o.Fail("format", "must be u8, u16, u32, s8, s16, s32, f16 or f32")
	case normalized && (float || size > 2):
		o.Fail("readMode", "integers of 8 or 16 bits are read as numbers, not %s", t.Format)
	case t.Filter == "linear" && !float && !normalized:
		o.Fail("filter", "only numbers are filtered: f16, f32 or readMode normalizedFloat")
	case t.SRGB && (t.Format != U8 || !normalized):
		o.Fail("srgb", "is for u8 with readMode normalizedFloat")
	case t.Compare != "" && !float && !normalized:
		o.Fail("compare", "only numbers are compared: f16, f32 or readMode normalizedFloat")
	}
}

// checkBytes checks that the buffer holds the texture.
func (t *Texture) checkBytes(o object) {
	element := int64(t.Format.Size() * t.Channels)
	row := t.Width * element
	if t.PitchBytes > 0 {
		if t.PitchBytes < row || t.PitchBytes%element != 0 {
			o.Fail("pitchBytes", "%d bytes are less than a row's %d, or no multiple of an element's %d", t.PitchBytes, row, element)
			return
		}
		o.r.checkRange(o.Path, Pointer{Buffer: t.Buffer}, t.PitchBytes*(t.Height-1)+row)
		return
	}
	var bytes int64
	for level := range max(t.Levels, 1) {
		n := element
		for _, extent := range []int64{t.Width >> level, t.Height >> level, t.Depth >> level, t.Layers, t.Samples} {
			// More than there are addresses is as good as that.
			if n *= max(extent, 1); n > int64(EndAddress-FirstAddress) {
				n = int64(EndAddress - FirstAddress)
			}
		}
		bytes = min(bytes+n, int64(EndAddress-FirstAddress))
	}
	o.r.checkRange(o.Path, Pointer{Buffer: t.Buffer}, bytes)
}
