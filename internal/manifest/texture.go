package manifest

import (
	"math"

	"hyptx/internal/strictjson"
)

// Textures and tensor maps are read and checked, and said to be not executed
// ([Manifest.Supported]): a manifest that has them is right, and is to stay right
// when they are.

// Texture describes a texture object: memory, how it is laid out and how it is
// sampled. Surfaces use its memory, samplers its way of sampling.
type Texture struct {
	Path, Name string
	Buffer     *Buffer
	Kind       string // 1d, 2d, ...
	Format     Type
	Channels   int
	// Width to Depth in elements; 0 where they were left out.
	Width, Height, Depth, Layers, Levels int64
	PitchBytes                           int64
	// Address holds a mode for each dimension that was given.
	Address          []string
	Filter           string
	NormalizedCoords bool
	ReadMode         string
	SRGB             bool
}

var textureKinds = []string{"2d", "1d", "3d", "1dLayered", "2dLayered", "cube", "cubeLayered", "mipmapped", "linear", "pitch2d"}

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
		"levels", "pitchBytes", "address", "filter", "normalizedCoords", "readMode", "srgb")
	if !ok {
		return nil
	}
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
	t.PitchBytes = o.Integer("pitchBytes", 1, math.MaxInt32, 0)
	if address := o.Elements("address"); len(address) > 3 {
		o.Fail("address", "must hold at most 3 modes")
	} else {
		for i, a := range address {
			t.Address = append(t.Address, r.Word(a, strictjson.ElementPath(o.At("address"), i), "clamp", "wrap", "mirror", "border"))
		}
	}
	elements := int64(1)
	for _, d := range []struct {
		key string
		to  *int64
	}{{"width", &t.Width}, {"height", &t.Height}, {"depth", &t.Depth}, {"layers", &t.Layers}, {"levels", &t.Levels}} {
		*d.to = o.Integer(d.key, 1, 1<<22, 0)
		if d.key != "levels" { // more than there are addresses is as good as that
			elements = min(elements*max(*d.to, 1), int64(EndAddress-FirstAddress))
		}
	}
	if t.Buffer != nil && t.Width > 0 {
		row := t.Width * int64(t.Format.Size()) * channels
		if t.PitchBytes > 0 && t.PitchBytes < row {
			o.Fail("pitchBytes", "%d bytes are less than a row's %d", t.PitchBytes, row)
		}
		r.checkRange(o.Path, Pointer{Buffer: t.Buffer}, elements*int64(t.Format.Size())*channels)
	}
	return t
}
